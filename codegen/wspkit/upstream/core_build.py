"""Builds whisper.cpp as the core of this package: the synced tree and the binding, as commands, and
the one file that comes of them. It must not know what is done with that file.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wspkit.core.choice import built_folder, module_name
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.fetching.cache import exclusive, writing_to
from wspkit.fetching.whole_folder import replace_folder
from wspkit.process import Command, Runner, tool
from wspkit.upstream.lock import Lock, read_lock
from wspkit.upstream.source import Access
from wspkit.upstream.sync import Request, assemble

SOURCE = "npm:nodejs-whisper@0.3.1"
"""Whole sources of whisper.cpp 1.9.1, the release that our headers follow."""
PROFILE = "compat"
"""Programs for whisper.h, as the binding is one, stay as they are."""
TARGET = "speech_python_upstream"


@dataclass(frozen=True)
class CoreBuild:
    """Where whisper.cpp is built from, where to, and how."""

    repository: Path
    """The clone: its cpp/ has the binding."""
    folder: Path
    """Holds the tree, what is compiled, and the module."""
    source: str = SOURCE
    flags: str = ""
    """For the compiler, beside the best level of optimisation: later ones win."""

    @property
    def tree(self) -> Path:
        """The synced sources."""
        return self.folder / "tree"

    @property
    def made(self) -> Path:
        """The module as CMake leaves it."""
        return self.folder / "build" / "python" / "upstream" / module_name()

    @property
    def module(self) -> Path:
        """The module where `choice` looks for it."""
        return self.folder / module_name()

    def commands(self, prefix: str | None) -> tuple[Command, Command]:
        """Configure, then build; both do nothing where nothing has changed."""
        build = self.folder / "build"
        option = f"{(prefix or '').upper()}CPU_FLAGS"
        configure = Command.of(
            tool("cmake"),
            *("-S", self.repository / "cpp", "-B", build),
            *_generator(),
            "-DCMAKE_BUILD_TYPE=Release",
            "-DSPEECH_BUILD_PYTHON=ON",
            f"-DSPEECH_UPSTREAM={self.tree}",
            f"-DPython_EXECUTABLE={sys.executable}",
            # Without flags, what the last build had; the tree itself chooses for a first one.
            *([f"-D{option}={self.flags}"] if self.flags else []),
            "--log-level=WARNING",
        )
        jobs = str(os.cpu_count() or 1)
        return configure, Command.of(
            tool("cmake"), "--build", build, "--target", TARGET, "--parallel", jobs
        )


def build_core(
    plan: CoreBuild,
    runner: Runner,
    access: Access,
    on_step: Callable[[int], object] = lambda _: None,
) -> Lock:
    """Syncs the tree, compiles it with the binding, and puts the module in its place, whole or not
    at all. on_step: gets the number of steps done, of three. Returns the record of the tree.

    Errors: what syncing raises; CommandError if it does not compile, with what CMake said, also of
    a tree that is not the release that our headers follow; NotFoundError without CMake.
    """
    with writing_to(plan.folder), exclusive(plan.folder, waiting=lambda: None):
        fresh = assemble(Request(plan.source, profile=PROFILE), access)
        before = read_lock(plan.tree)
        if before != fresh.lock or not _is_whole(plan.tree, fresh.files):
            replace_folder(plan.tree, fresh.files)
        on_step(1)
        for number, command in enumerate(plan.commands(fresh.lock.prefix), start=2):
            runner.run(command)
            on_step(number)
        with plan.made.open("rb") as made, atomic_writer(plan.module) as out:
            shutil.copyfileobj(made, out)
    return fresh.lock


def this_machine(repository: Path, source: str = SOURCE, flags: str = "") -> CoreBuild:
    """The build that `wspkit.core` finds."""
    return CoreBuild(repository, built_folder(), source, flags)


def _is_whole(tree: Path, files: Mapping[str, bytes]) -> bool:
    return all(
        (tree / path).is_file() and (tree / path).read_bytes() == text
        for path, text in files.items()
    )


def _generator() -> tuple[str, ...]:
    ninja = tool("ninja")
    return ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}") if shutil.which(ninja) else ()
