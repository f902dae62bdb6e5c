"""What a build is made of: files that are written and commands that are run; nothing but data.

A lane is one library, made step by step; lanes do not wait for each other. A plan is a target: its
lanes, and what is made of all of them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wspkit.config.model import TargetName
from wspkit.process import Command


@dataclass(frozen=True)
class File:
    """A file that must be there before the first command."""

    path: Path
    text: str
    executable: bool = False


@dataclass(frozen=True)
class Step:
    """One command, and what is said while it runs."""

    title: str
    command: Command
    output: Path | None = None
    """A file that it writes, whose folder must be there; None where it makes its own folders."""


@dataclass(frozen=True)
class Lane:
    """One library for one processor of one system."""

    name: str
    """A target, or a part of one: "android/arm64-v8a"."""
    files: tuple[File, ...]
    steps: tuple[Step, ...]
    static: Path
    """The static library, without symbols for debuggers."""
    headers: Path
    """Folder of the public headers."""
    exports: Path
    """The names that a shared library shows, for the linker of the system."""
    shared: Path | None = None
    """The same code as a stripped shared library, which shows the public names alone; None where a
    system has none.
    """


@dataclass(frozen=True)
class Plan:
    """All of one target."""

    target: TargetName
    lanes: tuple[Lane, ...]
    files: tuple[File, ...] = ()
    """What the last steps need."""
    steps: tuple[Step, ...] = ()
    """Run when all lanes are done."""
    results: tuple[Path, ...] = ()
    """What these make, beside the libraries of the lanes."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """Every command, lane after lane."""
        steps = [*(step for lane in self.lanes for step in lane.steps), *self.steps]
        return tuple(step.command for step in steps)
