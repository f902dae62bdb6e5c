"""A Conan profile as text: settings of a target, and what its toolchain file is to hold. It knows
no target.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit.bridge.render import render
from wspkit.targets.plan import File

_TEMPLATE = "build/profile.j2"


@dataclass(frozen=True)
class ProfileView:
    """What the template takes."""

    title: str
    settings: tuple[tuple[str, str], ...]
    conf: tuple[tuple[str, str], ...]
    """Names and values as Conan reads them."""


@dataclass(frozen=True)
class Profile:
    """What a compiler is told about a target."""

    title: str
    settings: Mapping[str, str]
    """In Conan's words."""
    flags: Sequence[str] = ()
    """For C and C++."""
    compilers: Mapping[str, str] | None = None
    """Language ("c", "cpp") and program; None where Conan or CMake knows."""
    variables: Mapping[str, str] | None = None
    """Of CMake."""
    conf: Mapping[str, object] | None = None
    """Further settings of Conan's tools."""

    def file(self, path: Path) -> File:
        """The profile at its place."""
        conf: dict[str, object] = {"tools.cmake.cmaketoolchain:generator": "Ninja"}
        if self.flags:
            conf["tools.build:cflags"] = conf["tools.build:cxxflags"] = list(self.flags)
        if self.compilers:
            conf["tools.build:compiler_executables"] = dict(self.compilers)
        if self.variables:
            conf["tools.cmake.cmaketoolchain:extra_variables"] = dict(self.variables)
        view = ProfileView(
            self.title,
            tuple(self.settings.items()),
            tuple(
                (name, value if isinstance(value, str) else json.dumps(value))
                for name, value in sorted({**conf, **(self.conf or {})}.items())
            ),
        )
        return File(path, render(_TEMPLATE, view, command="wsp build"))


def build_profile(path: Path, system: str, machine: str) -> File:
    """The profile of the machine that builds: nothing is built for it, so it has no compiler."""
    systems = {"Darwin": "Macos"}
    machines = {"amd64": "x86_64", "arm64": "armv8", "aarch64": "armv8"}
    settings = {
        "os": systems.get(system, system),
        "arch": machines.get(machine.lower(), machine.lower()),
    }
    view = ProfileView("The machine that builds", tuple(settings.items()), ())
    return File(path, render(_TEMPLATE, view, command="wsp build"))
