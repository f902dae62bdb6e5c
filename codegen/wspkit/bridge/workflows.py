"""The workflows of GitHub Actions: what is built where, out of the targets that settings may
name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from wspkit.config.model import Abi, Slice, TargetName
from wspkit.spec.model import Api

_APPLE = "macos-15"
_LINUX = "ubuntu-24.04"
_DEBIAN = {
    "linux-aarch64": "g++-aarch64-linux-gnu",
    "linux-armhf": "g++-arm-linux-gnueabihf",
}


@dataclass(frozen=True)
class Build:
    """One job of the matrix: a target, or a part of it."""

    name: str
    target: str
    machine: str
    options: str = ""
    packages: str = ""
    """Of Debian, beside what every job has."""


@dataclass(frozen=True)
class WorkflowsView:
    """What the workflows need."""

    builds: tuple[Build, ...]
    linux: str
    """Machine of jobs that need no other."""
    apple: str
    ndk: str = "28.2.13676358"
    """Version that sdkmanager installs."""


def workflows(_: Api) -> WorkflowsView:
    """The view of all workflows, which no option of the API changes."""
    return WorkflowsView(
        tuple(build for target in get_args(TargetName) for build in _builds(target)),
        _LINUX,
        _APPLE,
    )


def _builds(target: str) -> list[Build]:
    if target == "android":
        return [Build(f"android-{abi}", target, _LINUX, f"--abi {abi}") for abi in get_args(Abi)]
    if target == "ios":
        # An xcframework is made of all slices together.
        options = " ".join(f"--slice {slice_}" for slice_ in get_args(Slice))
        return [Build("ios", target, _APPLE, options)]
    return [Build(target, target, _LINUX, packages=_DEBIAN.get(target, ""))]
