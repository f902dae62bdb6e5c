"""Runs clang-tidy over the sources of the core and of the JavaScript binding, on all cores, and
only over what changed.

Usage: .venv/bin/python tools/run_clang_tidy.py [--sample] [--react-native REACT_COMMON]

--sample checks the longest file of each folder, which shows in seconds whether rules, tool and
sources fit together; all files take minutes. The binding is checked where its headers are given:
the folder ReactCommon of a React Native.

Files that passed are remembered under build/clang-tidy by a hash of all that their result depends
on: the file, the headers of ours that it includes, the rules, and the tool's version. It knows
where sources lie and how they include each other, not what the rules are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
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


# Below ReactCommon, as cpp/jsi/CMakeLists.txt has them.
REACT_FOLDERS = (
    "jsi",
    "",
    "jsc",
    "callinvoker",
    "react/nativemodule/core",
    "runtimeexecutor",
    "reactperflogger",
)
#: How a file is compiled: flags of its own, or none where the tree of CMake knows.
Flags = tuple[str, ...]


def sources(folder: str) -> list[Path]:
    """The files to check in a folder of cpp: hand-written sources."""
    return sorted(path for path in (CPP / folder).rglob("*.cpp") if "generated" not in path.parts)


def compiled_sources() -> list[Path]:
    """Those of the core that CMake compiles on this machine, without options: the others include
    what only their system or a library that was asked for has.
    """
    commands = json.loads((TREE / "compile_commands.json").read_text(encoding="utf-8"))
    compiled = {Path(command["file"]) for command in commands}
    return [path for path in sources("src") if path in compiled]


def binding_flags(react: Path) -> Flags:
    """How the binding is compiled with a React Native; CMake builds it with clang only."""
    jsi = CPP / "jsi"
    system = (jsi / "host" / "stubs", *(react / folder for folder in REACT_FOLDERS))
    own = (jsi, jsi / "host", CPP / "include")
    places = [*(f"-I{path}" for path in own), *(f"-isystem{path}" for path in system)]
    return ("--", "-std=c++20", "-DNDEBUG", *places)


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


def fingerprint(file: Path, flags: Flags) -> str:
    """Changes when the result of checking the file could."""
    digest = hashlib.sha256(f"{metadata.version('clang-tidy')} {flags}".encode())
    for path in [ROOT / ".clang-tidy", *sorted(closure(file))]:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def check(file: Path, flags: Flags) -> str:
    """What clang-tidy says of a file; empty if it passes."""
    passed = TREE / "passed" / fingerprint(file, flags)
    if passed.exists():
        return ""
    how = flags or ("-p", str(TREE))
    command = (str(TOOLS / "clang-tidy"), "--quiet", str(file), *how)
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        passed.touch()
        return ""
    return result.stdout or result.stderr


def main(arguments: list[str]) -> int:
    """Checks all sources, or a sample. 0: all pass; 1: some do not, as printed; 2: wrong usage."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--react-native", type=Path, metavar="REACT_COMMON")
    options = parser.parse_args(arguments)
    (TREE / "passed").mkdir(parents=True, exist_ok=True)
    subprocess.run(CONFIGURE, check=True)
    groups: list[tuple[list[Path], Flags]] = [(compiled_sources(), ())]
    if options.react_native:
        groups.append((sources("jsi"), binding_flags(options.react_native)))
    files = [
        (file, flags)
        for group, flags in groups
        for file in (sample(group) if options.sample else group)
    ]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for said in pool.map(check, *zip(*files, strict=True)):
            if said:
                failed += 1
                print(said, flush=True)
    print(f"{len(files) - failed} of {len(files)} files pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
