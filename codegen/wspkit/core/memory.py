"""Memory: what a model will take, and what this process has taken."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a model takes once it is loaded."""

    weights_bytes: int
    """Of the context."""
    state_bytes: int
    """Caches and buffers of each state, for the default number of texts at a time."""


def estimate_memory(path: str | os.PathLike[str]) -> MemoryEstimate:
    """What loading a model would take, from its header and list of tensors; exact for this build.

    Raises NotFoundError, BadFormatError, UnsupportedError or InputOutputError, as `Context.load`.
    """
    # Here, since the rest of the file needs no native module.
    from wspkit.core.native import core  # noqa: PLC0415
    from wspkit.core.sources import naming, path_bytes  # noqa: PLC0415

    with naming(os.fspath(path)):
        return MemoryEstimate(*core.estimate_memory(path_bytes(path)))


def peak_memory_bytes() -> int | None:
    """Most memory that the process has held at once, resident; None where nobody tells."""
    try:
        # VmHWM rather than getrusage: the latter counts what the parent held before exec as well.
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    if sys.platform == "darwin":
        import resource  # noqa: PLC0415 - absent on Windows

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return None
