"""What the machine is that figures are taken on. Knows no benchmark."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

#: Features that decide which kernels can run, as /proc/cpuinfo spells them.
FEATURES = (
    *("sse4_2", "avx", "f16c", "fma", "avx2", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni"),
    *("avx512_bf16", "amx_int8", "asimd", "fphp", "asimdhp", "asimddp", "i8mm", "bf16", "sve"),
    "sve2",
)


@dataclass(frozen=True)
class Machine:
    """Where and when a benchmark ran."""

    cpu: str
    features: tuple[str, ...]
    """Those of `FEATURES` that it has."""
    n_cpus: int
    load: float | None
    """Programs that wanted to run in the minute before; near 0 on a quiet machine."""
    platform: str


def this_machine() -> Machine:
    """The machine as it is now."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        load = None
    return Machine(
        cpu_name(), cpu_features(), os.cpu_count() or 1, load, platform.platform(terse=True)
    )


def cpu_name() -> str:
    """As the system calls it."""
    return _cpu_info().get("model name") or platform.processor() or platform.machine()


def cpu_features() -> tuple[str, ...]:
    """Those of `FEATURES` that this processor has; nothing where the system does not tell."""
    info = _cpu_info()
    present = set((info.get("flags") or info.get("Features") or "").split())
    return tuple(feature for feature in FEATURES if feature in present)


def _cpu_info() -> dict[str, str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    first = text.split("\n\n", 1)[0].splitlines()
    pairs = (line.partition(":") for line in first)
    return {name.strip(): value.strip() for name, _, value in pairs}
