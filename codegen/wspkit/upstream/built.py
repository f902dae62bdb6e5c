"""Compiles a tree of sources and gives its libraries; reads no symbol of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit.errors import BadFormatError, NotFoundError
from wspkit.process import Command, Runner

#: Nothing is put into its callers, so that every inline function that is used shows as a name; the
#: rest is quick to compile and quick enough to transcribe a sentence.
FLAGS = ("-O1", "-fno-inline")


@dataclass(frozen=True)
class Compiling:
    """How trees are compiled."""

    runner: Runner
    flags: tuple[str, ...] = ()
    """For C and C++, after FLAGS."""
    jobs: int = 0
    """0: one for each processor."""


def commands(source: Path, build: Path, compiling: Compiling) -> tuple[Command, Command]:
    """What configures and builds a tree."""
    flags = " ".join((*FLAGS, *compiling.flags))
    configure = Command.of(
        "cmake",
        "-S",
        source,
        "-B",
        build,
        "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_C_FLAGS={flags}",
        f"-DCMAKE_CXX_FLAGS={flags}",
    )
    jobs = compiling.jobs or os.cpu_count() or 1
    return configure, Command.of("cmake", "--build", build, "-j", str(jobs))


def libraries(source: Path, build: Path, compiling: Compiling) -> list[Path]:
    """The static libraries of a tree that has a CMakeLists.txt, built anew where that is needed.

    Errors: NotFoundError for a tree without one, BadFormatError for one that makes no library,
    CommandError if it does not compile.
    """
    if not (source / "CMakeLists.txt").is_file():
        raise NotFoundError(
            f"there is no CMakeLists.txt in {source}",
            expected="a tree that CMake builds, or object files",
        )
    for command in commands(source, build, compiling):
        compiling.runner.run(command)
    found = sorted(build.rglob("*.a"))
    if not found:
        raise BadFormatError(f"{source} makes no static library")
    return found


def compiler(language: str) -> str:
    """The user's compiler for C ("C") or C++ ("CXX"), as CMake chooses it."""
    named: dict[str, Sequence[str]] = {"C": ("CC", "cc"), "CXX": ("CXX", "c++")}
    variable, default = named[language]
    return os.environ.get(variable) or default
