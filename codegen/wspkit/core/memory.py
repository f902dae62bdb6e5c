"""Memory of this process, as the operating system counts it."""

from __future__ import annotations

import sys
from pathlib import Path


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
