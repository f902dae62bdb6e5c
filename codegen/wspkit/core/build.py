"""What the native module is made of: versions, back-ends, kernels. It must not know models."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import Final

from wspkit.core.choice import Core, chosen
from wspkit.core.native import core
from wspkit.errors import BadFormatError

BACKEND_VARIABLE: Final = "WSPKIT_BACKEND"
"""Environment variable that names the back-end of every context; see cpp/src/backend/registry.h."""
KERNELS_VARIABLE: Final = "WSPKIT_KERNELS"
"""Environment variable that names the CPU kernels; see cpp/src/kernels/select.h."""


@dataclass(frozen=True, slots=True)
class BuildFacts:
    """Facts about the native module and the machine that it runs on."""

    api_version: str
    """Version of whisper.cpp's API that it follows."""
    kernel_table: str
    """CPU kernels in use, such as "avx2"; "none" if the environment asks for others."""
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


def can(capability: str) -> bool:
    """Whether the core has a part of the API that whisper.cpp lacks, by its name among those of
    `whisper_ext_capability`: "full_audio", "stats". Our own has all of the API.
    """
    return chosen() is Core.OWN or capability in core.capabilities()


def chosen_backend() -> str:
    """The back-end that the environment names, "the default" if none.

    Raises NotFoundError, with the names that this build has, where every context would, and
    UnsupportedError for kernels that cannot run here.
    """
    # The core chooses its back-end before it looks at a model: an empty one asks for just that.
    with contextlib.suppress(BadFormatError):
        core.Context.from_buffer(b"")
    return os.environ.get(BACKEND_VARIABLE) or "the default"
