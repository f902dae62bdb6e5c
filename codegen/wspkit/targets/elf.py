"""What follows an installation where libraries are ELF files: stripping, and the shared library. It
knows no system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit.process import Command
from wspkit.targets.core import LIBRARY, Library
from wspkit.targets.plan import Step

SECTIONS = ("-ffunction-sections", "-fdata-sections")
"""Flags by which a linker can leave out what nobody calls."""


@dataclass(frozen=True)
class Linker:
    """How a system's libraries are linked and stripped."""

    compiler: Sequence[str]
    """The C++ compiler that links, with its target."""
    strip: str
    flags: Sequence[str] = ()


def steps_after_installation(
    library: Library, exports: Path, linker: Linker
) -> tuple[tuple[Step, ...], Path]:
    """The steps, and the shared library that they make."""
    shared = library.shared(".so")
    link = Command.of(
        *linker.compiler,
        *("-shared", f"-Wl,-soname,lib{LIBRARY}.so", f"-Wl,--version-script={exports}"),
        *("-Wl,--gc-sections", "-Wl,--no-undefined", *linker.flags),
        *("-Wl,--whole-archive", library.static, "-Wl,--no-whole-archive"),
        *("-o", shared),
    )
    steps = (
        Step("linking", link, shared),
        Step("stripping", Command.of(linker.strip, "--strip-unneeded", shared)),
        Step("stripping", Command.of(linker.strip, "--strip-debug", library.static)),
    )
    return steps, shared
