"""Runs clang-tidy over the sources of the core, on all cores, and only over what changed.

Usage: .venv/bin/python tools/run_clang_tidy.py [--sample]

--sample checks the longest file of each layer, which shows in seconds whether rules, tool and
sources fit together; all files take minutes.

Files that passed are remembered under build/clang-tidy by a hash of all that their result depends
on: the file, the headers of ours that it includes, the rules, and the tool's version. It knows
where sources lie and how they include each other, not what the rules are.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path

import check_includes

ROOT = Path(__file__).resolve().parent.parent
CPP = ROOT / "cpp"
TREE = ROOT / "build" / "clang-tidy"
# Beside the interpreter, also where nobody activated the environment.
TOOLS = Path(sys.executable).parent
CONFIGURE = (
    str(TOOLS / "cmake"),
    "-S",
    str(CPP),
    "-B",
    str(TREE),
    "-DSPEECH_TEST_BACKENDS=ON",
    "--log-level=ERROR",
)


def sources() -> list[Path]:
    """The files to check: hand-written sources of the library."""
    return sorted(path for path in (CPP / "src").rglob("*.cpp") if "generated" not in path.parts)


def sample(files: list[Path]) -> list[Path]:
    """The longest file of each folder."""
    longest: dict[Path, Path] = {}
    for file in files:
        best = longest.get(file.parent)
        if best is None or file.stat().st_size > best.stat().st_size:
            longest[file.parent] = file
    return sorted(longest.values())


def closure(file: Path) -> set[Path]:
    """A file and every header of ours that it includes, directly or not."""
    seen: set[Path] = set()
    waiting = [file]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for match in check_includes.INCLUDE.finditer(current.read_text(encoding="utf-8")):
            target = check_includes.resolve(CPP, current, match.group(2))
            if target is not None:
                waiting.append(CPP / target)
    return seen


def fingerprint(file: Path) -> str:
    """Changes when the result of checking the file could."""
    digest = hashlib.sha256(metadata.version("clang-tidy").encode())
    for path in [ROOT / ".clang-tidy", *sorted(closure(file))]:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def check(file: Path) -> str:
    """What clang-tidy says of a file; empty if it passes."""
    passed = TREE / "passed" / fingerprint(file)
    if passed.exists():
        return ""
    command = (str(TOOLS / "clang-tidy"), "-p", str(TREE), "--quiet", str(file))
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        passed.touch()
        return ""
    return result.stdout or result.stderr


def main(arguments: list[str]) -> int:
    """Checks all sources, or a sample. 0: all pass; 1: some do not, as printed; 2: wrong usage."""
    if arguments not in ([], ["--sample"]):
        print("usage: run_clang_tidy.py [--sample]", file=sys.stderr)
        return 2
    (TREE / "passed").mkdir(parents=True, exist_ok=True)
    subprocess.run(CONFIGURE, check=True)
    files = sample(sources()) if arguments == ["--sample"] else sources()
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(check, files):
            if said:
                failed += 1
                print(said, flush=True)
    print(f"{len(files) - failed} of {len(files)} files pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
