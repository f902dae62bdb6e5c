"""Writes docs/api/coverage.md: each function of the public headers and each option, with its tests.

Usage: .venv/bin/python tools/coverage_table.py [--check]

It reads headers, structs and the text of tests, and runs none of them: a test counts for a function
if its body, or a function of its own file that it goes through, calls it; for an option, if it sets
it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wspkit.spec.c_struct import struct_fields
from wspkit.spec.load import load

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api" / "coverage.md"
HEADERS = ("whisper.h", "whisper_ext.h")
STRUCTS = {
    "whisper_context_params": "whisper.h",
    "whisper_full_params": "whisper.h",
    "whisper_vad_params": "whisper.h",
    "whisper_vad_context_params": "whisper.h",
    "whisper_ext_options": "whisper_ext.h",
}
# So many tests are named for each; the rest is counted.
SHOWN = 2
FUNCTION = re.compile(r"WHISPER_API\s+[\w\s*]+?\b(whisper_\w+)\s*\(")
CPP_TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^def (test_\w+)", re.MULTILINE)
# A definition at the left margin of a C++ file, up to the bracket that closes it there.
CPP_HELPER = re.compile(
    r"^[\w:<>*&,\[\] ]+?\b(\w+)\([^;]*?\) (?:const )?\{.*?^\}", re.MULTILINE | re.DOTALL
)
# A list of cases, likewise.
CPP_TABLE = re.compile(r"^const \w+ (k\w+)\[\] = \{.*?^\};", re.MULTILINE | re.DOTALL)
WORDS = re.compile(r"\w+")


@dataclass(frozen=True)
class Test:
    """A test: where it is, what it is called, its text with that of its file's helpers."""

    path: str
    name: str
    text: str


def cpp_tests() -> Iterator[Test]:
    """All tests of the core."""
    for path in sorted((ROOT / "cpp" / "tests").rglob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        starts = list(CPP_TEST.finditer(text))
        helpers = {
            match[1]: match[0]
            for pattern in (CPP_HELPER, CPP_TABLE)
            for match in pattern.finditer(text)
        }
        for start, body in bodies(starts, text):
            name = f"{start[1]}.{start[2]}"
            yield Test(path.relative_to(ROOT).as_posix(), name, with_helpers(body, helpers))


def bodies(starts: list[re.Match[str]], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each test's head with what stands behind it, up to the next one."""
    ends = [*(start.start() for start in starts[1:]), len(text)]
    for start, end in zip(starts, ends, strict=False):
        yield start, text[start.end() : end]


def with_helpers(body: str, helpers: dict[str, str]) -> str:
    """A test's text and that of the helpers that it goes through."""
    reached: set[str] = set()
    texts = [body]
    for text in texts:
        for word in set(WORDS.findall(text)) & helpers.keys() - reached:
            reached.add(word)
            texts.append(helpers[word])
    return "\n".join(texts)


def python_tests() -> Iterator[Test]:
    """All tests of the package."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "house" in path.parts:
            continue
        text = path.read_text(encoding="utf-8")
        starts = list(PYTHON_TEST.finditer(text))
        for start, body in bodies(starts, text):
            yield Test(path.relative_to(ROOT).as_posix(), start[1], body)


def functions(header: str) -> list[str]:
    """Names of a header's functions, in its order."""
    text = (ROOT / "cpp" / "include" / header).read_text(encoding="utf-8")
    return list(dict.fromkeys(FUNCTION.findall(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))))


def options() -> Iterator[tuple[str, str, str | None]]:
    """(struct, field, name in Python or None)."""
    api = load()
    python = {(api.struct_of(one), one.c_field): name for name, one in api.option.items()}
    for struct, header in STRUCTS.items():
        path = ROOT / "cpp" / "include" / header
        for field in struct_fields(path.read_text(encoding="utf-8"), struct):
            if field != "size":  # the caller's version, no option
                yield struct, field, python.get((struct, field))


def users(tests: Iterable[Test], name: str, pattern: str) -> list[Test]:
    """The tests whose text has the name in the pattern, the shortest first: they say most of it."""
    wanted = re.compile(pattern)
    found = [test for test in tests if name in test.text and wanted.search(test.text)]
    return sorted(found, key=lambda test: (len(test.text), test.path, test.name))


def cell(found: list[Test]) -> str:
    """Some tests by name, and how many more there are."""
    shown = ", ".join(f"`{test.name}` ({test.path})" for test in found[:SHOWN])
    more = len(found) - SHOWN
    return f"{shown} and more" if more > 0 else shown or "**none**"


def page() -> str:
    """The text of the page."""
    cpp, python = list(cpp_tests()), list(python_tests())
    lines = [
        "<!-- Written by tools/coverage_table.py; do not edit. -->",
        "# Which test covers it",
        "",
        "Each function of the two public headers and each option, with tests that use it;",
        "the shortest are named.",
    ]
    for header in HEADERS:
        lines += ["", f"## Functions of {header}", "", "| function | tests |", "|---|---|"]
        for name in functions(header):
            found = users(cpp, name, rf"(?<!\w){name}\(")
            lines.append(f"| `{name}` | {cell(found)} |")
    lines += ["", "## Options", "", "| option | in Python | tests |", "|---|---|---|"]
    for struct, field, option in options():
        last = field.rpartition(".")[2]
        found = users(cpp, last, rf"[.>]{last} = ")
        if option is not None:
            found += users(python, option, rf'(?:\b{option}=|"{option}":)')
        shown = f"`{option}`" if option else "-"
        lines.append(f"| `{struct}.{field}` | {shown} | {cell(found)} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """0 if the page is whole and, with --check, as committed."""
    text = page()
    for line in (line for line in text.splitlines() if "**none**" in line):
        print(f"no test: {line}", file=sys.stderr)
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.relative_to(ROOT)} is stale: run tools/coverage_table.py", file=sys.stderr)
        return 1
    return 1 if "**none**" in text else 0


if __name__ == "__main__":
    sys.exit(main())
