"""What the native module is made of: versions, back-ends, kernels. It must not know models."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.core.native import core


@dataclass(frozen=True, slots=True)
class BuildFacts:
    """Facts about the native module and the machine that it runs on."""

    api_version: str
    """Version of whisper.cpp's API that it follows."""
    kernel_table: str
    """CPU kernels in use, such as "avx2"."""
    system_info: str
    """One line: back-ends built in and CPU kernels."""
    path: str
    """File that it was loaded from."""


def build_facts() -> BuildFacts:
    """Facts about the native module that is loaded."""
    return BuildFacts(
        api_version=core.api_version(),
        kernel_table=core.kernel_table(),
        system_info=core.system_info(),
        path=core.__file__ or "",
    )
