"""Medians of the runs, and ratios to our core in the same runs. Knows nothing of how they ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from wspkit.bench.measurement import Measurement
from wspkit.bench.rounds import Case
from wspkit.log import Column

OURS = "wsp"


@dataclass(frozen=True)
class Row:
    """One case."""

    model: str
    subject: str
    n_threads: int
    n_runs: int
    wall_s: float
    """Median."""
    wall_min_s: float
    wall_max_s: float
    cpu_s: float
    """Median."""
    peak_bytes: int
    """Largest."""
    wall_ratio: float | None
    """Median over the rounds of this subject's wall time to ours; above 1 is slower than we are."""
    cpu_ratio: float | None
    phases_ms: dict[str, float]
    """Median of each phase."""
    text: str
    """Of the last run."""


def rows(found: Mapping[Case, Sequence[Measurement]]) -> list[Row]:
    """One row for each case, in order. Ratios are taken round by round, against the same load."""
    made = []
    for case, runs in found.items():
        ours = next(
            (
                measured
                for other, measured in found.items()
                if other.subject == OURS
                and (other.model_name, other.n_threads) == (case.model_name, case.n_threads)
            ),
            None,
        )
        wall = [run.wall_s for run in runs]
        phases = runs[0].phases_ms
        made.append(
            Row(
                model=case.model_name,
                subject=case.subject,
                n_threads=case.n_threads,
                n_runs=len(runs),
                wall_s=median(wall),
                wall_min_s=min(wall),
                wall_max_s=max(wall),
                cpu_s=median(run.cpu_s for run in runs),
                peak_bytes=max(run.peak_bytes for run in runs),
                wall_ratio=_ratio(wall, [run.wall_s for run in ours or ()]),
                cpu_ratio=_ratio([run.cpu_s for run in runs], [run.cpu_s for run in ours or ()]),
                phases_ms={name: median(run.phases_ms[name] for run in runs) for name in phases},
                text=runs[-1].text,
            )
        )
    return made


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> float | None:
    pairs = [a / b for a, b in zip(theirs, ours, strict=False) if b > 0]
    return median(pairs) if pairs else None


COLUMNS = (
    Column("model"),
    Column("subject"),
    Column("threads", right=True),
    Column("wall s", right=True),
    Column("min-max", right=True),
    Column("CPU s", right=True),
    Column("wall / wsp", right=True),
    Column("CPU / wsp", right=True),
    Column("peak MB", right=True),
    Column("phases ms"),
)


def cells(row: Row) -> list[str]:
    """A row of the table under COLUMNS."""
    phases = " ".join(f"{name} {value:.0f}" for name, value in row.phases_ms.items())
    return [
        row.model,
        row.subject,
        str(row.n_threads),
        f"{row.wall_s:.2f}",
        f"{row.wall_min_s:.2f}-{row.wall_max_s:.2f}",
        f"{row.cpu_s:.2f}",
        "" if row.wall_ratio is None else f"{row.wall_ratio:.2f}",
        "" if row.cpu_ratio is None else f"{row.cpu_ratio:.2f}",
        f"{row.peak_bytes / 1e6:.0f}",
        phases,
    ]


def document(table: Sequence[Row]) -> list[dict[str, object]]:
    """The same for machines."""
    return [asdict(row) for row in table]
