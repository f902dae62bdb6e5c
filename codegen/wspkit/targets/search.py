"""How tools are looked for: where, by whom, and what becomes of one that is missing or too old. It
knows no target.

A plan can be shown where its tools are not: then a problem is noted, and a tool is assumed.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from wspkit.config.version_range import VersionRange, version_of
from wspkit.errors import CommandError, NotFoundError, UnsupportedError, WspError
from wspkit.process import Command, Runner, tool

T = TypeVar("T")

LAUNCHERS = ("ccache", "sccache")
"""Programs in front of a compiler that compile what they know only once; the first one is used."""


@dataclass
class Search:
    """Where tools are looked for."""

    runner: Runner
    """Asks programs for their version, and nothing else."""
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    system: str = field(default_factory=platform.system)
    """As Python calls it: Linux, Darwin, Windows."""
    which: Callable[[str], str | None] = shutil.which
    """The full path of a program, None if there is none."""
    home: Path = field(default_factory=Path.home)
    assume: bool = False
    """A tool that is missing or of a wrong version is noted in `problems` and assumed."""
    problems: list[WspError] = field(default_factory=list)

    def found(self, look: Callable[[], T], assumed: T) -> T:
        """What `look` finds; what it raises is noted where tools are assumed."""
        try:
            return look()
        except WspError as problem:
            if not self.assume:
                raise
            if str(problem) not in map(str, self.problems):
                self.problems.append(problem)
            return assumed

    def version(self, *command: str, install: str) -> tuple[int, ...]:
        """What a program says its version is. install: what to do where it is missing.

        Raises NotFoundError if there is no such program, UnsupportedError if it fails or says no
        version.
        """
        try:
            said = self.runner.run(Command(command, timeout_s=60)).stdout
        except NotFoundError as error:
            raise NotFoundError(error.found, hint=install) from error
        except CommandError as error:
            raise UnsupportedError(
                f"{command[0]!r} does not say its version: {error.found}", hint=install
            ) from error
        try:
            return version_of(said)
        except ValueError as error:
            raise UnsupportedError(
                f"{' '.join(command)!r} answers with {error}", hint=install
            ) from error

    def launcher(self) -> str | None:
        """Finds ccache or sccache; None if neither is there."""
        return next((name for name in LAUNCHERS if self.which(name)), None)


def require(name: str, version: tuple[int, ...], wanted: VersionRange, *, key: str) -> None:
    """UnsupportedError if a tool's version is not wanted. key: of wsp.toml, which says so."""
    if version not in wanted:
        raise UnsupportedError(
            f"{name} {shown(version)}",
            expected=f"{name} {wanted} ({key} in wsp.toml)",
            hint="Install such a version, or widen the range.",
        )


def shown(version: tuple[int, ...]) -> str:
    """A version as people write it."""
    return ".".join(map(str, version))


def find_cmake(search: Search, wanted: VersionRange) -> str:
    """CMake: of this Python's environment, else on the PATH."""
    cmake = tool("cmake")

    def look() -> str:
        version = search.version(
            cmake, "--version", install="Install it, as in `pip install cmake`."
        )
        require("CMake", version, wanted, key="build.cmake")
        return cmake

    return search.found(look, cmake)


CONAN = VersionRange.parse(">=2.34,<3")
"""Versions of Conan that know every compiler and system of our profiles."""


def find_conan(search: Search) -> str:
    """Conan: of this Python's environment, else on the PATH."""
    conan = tool("conan")

    def look() -> str:
        install = f"Install it, as in `pip install 'conan{CONAN}'`."
        version = search.version(conan, "--version", install=install)
        if version not in CONAN:
            raise UnsupportedError(f"Conan {shown(version)}", expected=str(CONAN), hint=install)
        return conan

    return search.found(look, conan)


def find_ninja(search: Search) -> str:
    """Ninja: of this Python's environment, else on the PATH."""
    ninja = tool("ninja")

    def look() -> str:
        search.version(ninja, "--version", install="Install it, as in `pip install ninja`.")
        return ninja

    return search.found(look, ninja)
