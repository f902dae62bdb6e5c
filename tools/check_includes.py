"""Checks that C++ files include only what their layer may know. The table below is the rule.

Usage: python3 tools/check_includes.py [CPP_FOLDER]

Prints one line per breach; exit code 1 if there is any. It reads #include lines and nothing else
of C++, and uses the standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PUBLIC = "include"
BELOW_BACKEND = ("src/base", "src/tensor")
READERS = ("src/audio", "src/text", "src/model")
# A back-end as those see it who compute with one: never a kernel, never a device.
ABSTRACT_BACKEND = ("src/backend/backend.h", "src/backend/workspace.h")
BELOW_WHISPER = (*BELOW_BACKEND, *READERS, *ABSTRACT_BACKEND)
WHOLE_CORE = (
    *BELOW_WHISPER,
    "src/backend/measuring.h",
    "src/backend/registry.h",
    "src/backend/system_info.h",
    "src/encoders",
    "src/whisper",
    "src/decode",
    "src/vad",
    "src/session",
)

# Folder, or beginning of a path -> beginnings of the paths that it may include besides its own.
# The longest beginning that fits a file is its rule.
MAY_INCLUDE: dict[str, tuple[str, ...]] = {
    PUBLIC: (),
    "src/base": (),
    "src/tensor": ("src/base",),
    "src/kernels": BELOW_BACKEND,
    "src/backend": (*BELOW_BACKEND, "src/kernels"),
    "src/audio": ("src/base",),
    "src/text": ("src/base",),
    "src/model": (*BELOW_BACKEND, "src/text", "src/audio/log_mel.h"),
    # Encoders of other compilers: features in, what they encode to out, nothing of ours between.
    "src/encoders": ("src/base",),
    "src/whisper": (*BELOW_WHISPER, "src/encoders/shared_encoder.h"),
    "src/decode": ("src/base", "src/text"),
    "src/vad": (*BELOW_BACKEND, "src/audio", "src/model", *ABSTRACT_BACKEND),
    "src/session": WHOLE_CORE,
    "src/capi": (PUBLIC, *WHOLE_CORE),
    "src/ext": (PUBLIC, *WHOLE_CORE, "src/capi", "src/kernels/select.h"),
    # Written on whisper.h alone, so that these work on any core of that interface.
    "src/ext/audio": (PUBLIC, "src/audio", "src/base"),
    "src/ext/grammar": (PUBLIC, "src/text/utf8.h", "src/decode/grammar.h", "src/base"),
    "src/ext/quantize": (PUBLIC, "src/tensor", "src/base"),
    "src/ext/words": (PUBLIC, "src/text/utf8.h", "src/base"),
    # In the place of capi where the core is whisper.cpp.
    "upstream": (PUBLIC, "src/base"),
    "python/core": (PUBLIC, "python/generated"),
    "python/generated": (PUBLIC,),
    "python/inspect": (PUBLIC, "src", "python/generated"),
    # Neither the core's layers nor React Native but by <>; the headers of both cores are the same.
    "jsi": (PUBLIC,),
    "jsi/host": (PUBLIC, "jsi"),
    # A fuzz target also runs over its known inputs, as a test.
    "tests": (PUBLIC, "src", "fuzz", "jsi"),
    # A fuzzer starts from the models that tests make up.
    "fuzz": (PUBLIC, "src", "tests/model/synthetic_", "tests/vad/synthetic_"),
    "bench": (PUBLIC, "src"),
    "test_package": (PUBLIC,),
}

# Kernel files compile for systems whose C library we do not have at hand, so they include only
# what a freestanding compiler brings. The choice of a table at run time is not a kernel.
FREESTANDING_FOLDER = "src/kernels"
FREESTANDING_EXCEPT = ("src/kernels/select.",)
FREESTANDING_HEADERS = {
    "arm_neon.h",
    "float.h",
    "immintrin.h",
    "limits.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
}

# Of the standard library where there are threads, of our own where there are none; one file tells
# which.
THREAD_HEADERS = {"condition_variable", "future", "mutex", "shared_mutex", "thread"}
THREAD_FILES = ("src/base/threads.h", "src/base/no_threads.h")

# Where a quoted name is looked for, after the file's own folder.
SEARCH_FOLDERS = ("src", "include", "python", "jsi", "tests")
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".mm", ".metal"}
INCLUDE = re.compile(r"""^[ \t]*#[ \t]*(?:include|import)[ \t]*([<"])([^>"]+)[>"]""", re.MULTILINE)


@dataclass(frozen=True)
class Breach:
    """A line that a file must not hold."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


def rule_of(path: str) -> str | None:
    """The key of MAY_INCLUDE that a file falls under; None if no rule speaks of it."""
    fitting = [key for key in MAY_INCLUDE if begins(path, key)]
    return max(fitting, key=len, default=None)


def begins(path: str, start: str) -> bool:
    """True if start is path, a folder above it, or the beginning of its file name."""
    if path == start or path.startswith(f"{start}/"):
        return True
    folder, _, name = start.rpartition("/")
    parent, _, file = path.rpartition("/")
    return parent == folder and bool(folder) and file.startswith(name)


def resolve(root: Path, file: Path, name: str) -> str | None:
    """The included file's path under root; None if it is none of ours."""
    for folder in (file.parent, *(root / folder for folder in SEARCH_FOLDERS)):
        candidate = (folder / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(root):
            return candidate.relative_to(root).as_posix()
    return None


def check_file(root: Path, file: Path) -> Iterator[Breach]:
    """The breaches of one file."""
    path = file.relative_to(root).as_posix()
    key = rule_of(path)
    if key is None:
        yield Breach(path, 1, "no rule says what this folder may include: add one to the table")
        return
    text = file.read_text(encoding="utf-8")
    freestanding = begins(path, FREESTANDING_FOLDER) and not any(
        begins(path, start) for start in FREESTANDING_EXCEPT
    )
    for match in INCLUDE.finditer(text):
        quote, name = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        target = resolve(root, file, name)
        if quote == "<":
            # <whisper.h> would get around the table.
            if target is not None:
                yield Breach(path, line, f"<{name}> is ours: write it in quotes")
            elif freestanding and name not in FREESTANDING_HEADERS:
                yield Breach(path, line, f"<{name}> needs a C or C++ library; kernels have none")
            elif name in THREAD_HEADERS and begins(path, "src") and path not in THREAD_FILES:
                yield Breach(path, line, f'<{name}> is not everywhere: write "base/threads.h"')
        elif target is None:
            yield Breach(path, line, f'"{name}" is no file of ours: write <{name}>, or mend it')
        elif not any(begins(target, start) for start in (key, *MAY_INCLUDE[key])):
            allowed = ", ".join(MAY_INCLUDE[key]) or "nothing"
            yield Breach(path, line, f"{key} must not include {target}; besides itself: {allowed}")


def check_tree(root: Path) -> list[Breach]:
    """The breaches of all C++ files below root."""
    root = root.resolve()
    files = sorted(path for path in root.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return [breach for file in files for breach in check_file(root, file)]


def main(arguments: list[str]) -> int:
    """Checks a tree and prints what it found."""
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent / "cpp"
    breaches = check_tree(root)
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
