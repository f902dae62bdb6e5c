"""How near the kernels come to what the machine can do: runs bench_kernels once for each kernel
table, and takes shares. Prints nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wspkit.errors import BadFormatError
from wspkit.log import Column
from wspkit.process import Command, Runner


@dataclass(frozen=True)
class KernelFigure:
    """One operation at one shape on one thread, at its best, beside the machine's peaks."""

    table: str
    """The kernel table: "avx2", "neon" ..."""
    kernel: str
    weights: str
    shape: str
    seconds: float
    flop: float
    """Operations: a multiply-add is two."""
    bytes: float
    """Weights or keys and values read once, activations in and out."""
    peak_gflops: float
    """Multiply-adds of F32 in registers, measured between the runs."""
    memory_gbs: float
    """Reading memory, measured between the runs."""
    cache_gbs: float
    """Reading 64 MB again, which a large last-level cache holds."""

    @property
    def gflops(self) -> float:
        """Operations each nanosecond."""
        return self.flop / self.seconds * 1e-9

    @property
    def gbs(self) -> float:
        """Bytes each nanosecond."""
        return self.bytes / self.seconds * 1e-9

    @property
    def peak_share(self) -> float:
        """Of the multiply-adds that the machine can do; integer products may come above 1."""
        return self.gflops / self.peak_gflops

    @property
    def read_share(self) -> float:
        """Of the speed of reading memory; above 1 where a cache holds what is read."""
        return self.gbs / self.memory_gbs

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.flop / self.bytes

    @property
    def is_bound_by_memory(self) -> bool:
        """Whether reading takes longer than computing, at the machine's peaks."""
        return self.bytes / self.memory_gbs > self.flop / self.peak_gflops


def command(program: Path, table: str, seconds_each: float) -> Command:
    """All figures of one kernel table."""
    return Command((str(program), f"{seconds_each:g}"), environment={"WSPKIT_KERNELS": table})


def measure(
    program: Path,
    tables: Sequence[str],
    runner: Runner,
    *,
    seconds_each: float = 0.3,
    on_table: Callable[[int], object] = lambda _: None,
) -> list[KernelFigure]:
    """All figures of these tables. on_table: gets the number of tables done.

    Raises what `Runner.run` raises, and BadFormatError for output that is no figure.
    """
    figures = []
    for number, table in enumerate(tables, start=1):
        lines = runner.run(command(program, table, seconds_each)).stdout.splitlines()
        figures += [from_json(line) for line in lines]
        on_table(number)
    return figures


def from_json(line: str) -> KernelFigure:
    """BadFormatError if the line is not what bench_kernels prints."""
    try:
        return KernelFigure(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise BadFormatError(
            f"bench_kernels printed {line[:200]!r}", expected="a figure as JSON"
        ) from error


COLUMNS = (
    Column("table"),
    Column("kernel"),
    Column("weights"),
    Column("shape"),
    *(
        Column(title, right=True)
        for title in ("ms", "GFLOP/s", "of peak", "GB/s", "of reading", "bound by")
    ),
)


def cells(figure: KernelFigure) -> list[str]:
    """A row of the table under COLUMNS."""
    return [
        figure.table,
        figure.kernel,
        figure.weights,
        figure.shape,
        f"{figure.seconds * 1e3:.3f}",
        f"{figure.gflops:.1f}",
        f"{figure.peak_share:.0%}",
        f"{figure.gbs:.1f}",
        f"{figure.read_share:.0%}",
        "reading" if figure.is_bound_by_memory else "computing",
    ]


def document(figures: Sequence[KernelFigure]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            **asdict(figure),
            "gflops": figure.gflops,
            "gbs": figure.gbs,
            "peak_share": figure.peak_share,
            "read_share": figure.read_share,
        }
        for figure in figures
    ]
