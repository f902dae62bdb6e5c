"""What the runs come to: a row of medians for each case, as a table and as plain data.

Knows nothing of how they ran.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from wspkit.bench.measurement import PHASES, Measurement, Spent
from wspkit.bench.ratios import RATIOS, Ratios
from wspkit.bench.rounds import Case
from wspkit.log import Column
from wspkit.parity.compare import word_errors


@dataclass(frozen=True)
class Row:
    """One case. Times are medians, memory is the most of any run."""

    subject: str
    weights: str
    n_threads: int
    n_runs: int
    wall_s: float
    """Load and transcription, as all seconds here."""
    wall_min_s: float
    wall_max_s: float
    cpu_s: float
    load_s: float
    read_s: float | None
    """Reading the model's file once."""
    peak_bytes: int
    phases: dict[str, Spent]
    system: str
    """What the subject says that it computes with."""
    word_errors: int | None
    """Words of the transcript that it got wrong, left out or put in; None without a transcript."""
    text: str
    """Of the last run."""


def rows(found: Mapping[Case, Sequence[Measurement]], transcript: str | None = None) -> list[Row]:
    """One row for each case, in order. transcript: what is said in the recording."""
    return [_row(case, runs, transcript) for case, runs in found.items() if runs]


def _row(case: Case, runs: Sequence[Measurement], transcript: str | None) -> Row:
    wall = [run.wall_s for run in runs]
    reads = [run.read_s for run in runs if run.read_s is not None]
    text = runs[-1].text.strip()
    return Row(
        subject=case.subject,
        weights=case.weights,
        n_threads=case.n_threads,
        n_runs=len(runs),
        wall_s=median(wall),
        wall_min_s=min(wall),
        wall_max_s=max(wall),
        cpu_s=median(run.cpu_s for run in runs),
        load_s=median(run.load_s for run in runs),
        read_s=median(reads) if reads else None,
        peak_bytes=max(run.peak_bytes for run in runs),
        phases={
            name: _median_of([run.phases[name] for run in runs])
            for name in PHASES
            if all(name in run.phases for run in runs)
        },
        system=runs[-1].system,
        word_errors=None if transcript is None else word_errors(text, transcript).errors,
        text=text,
    )


def _median_of(spent: Sequence[Spent]) -> Spent:
    told = [one.cpu_ms for one in spent if one.cpu_ms is not None]
    return Spent(median(one.wall_ms for one in spent), median(told) if told else None)


COLUMNS = (
    Column("subject"),
    Column("weights"),
    *(
        Column(title, right=True)
        for title in ("wall s", "min-max", "CPU s", "load ms", "peak MB", "wrong words")
    ),
    *(Column(f"{name} ms", right=True) for name in PHASES),
)


def cells(row: Row) -> list[str]:
    """A row of the table under COLUMNS."""
    return [
        row.subject,
        row.weights,
        f"{row.wall_s:.2f}",
        f"{row.wall_min_s:.2f}-{row.wall_max_s:.2f}",
        f"{row.cpu_s:.2f}",
        f"{row.load_s * 1e3:.0f}",
        f"{row.peak_bytes / 1e6:.0f}",
        "" if row.word_errors is None else str(row.word_errors),
        *(f"{row.phases[name].wall_ms:.1f}" if name in row.phases else "" for name in PHASES),
    ]


RATIO_COLUMNS = (Column("ratio"), Column("wall", right=True), Column("CPU", right=True), "meaning")


def ratio_cells(ratios: Ratios) -> list[list[str]]:
    """Rows of the table under RATIO_COLUMNS; those without a value say why."""
    return [
        [
            ratio.name,
            _shown(ratios.wall[ratio.name]),
            _shown(ratios.cpu.get(ratio.name)),
            ratio.meaning
            if ratio.name not in ratios.reasons
            else f"none: {ratios.reasons[ratio.name]}",
        ]
        for ratio in RATIOS
    ]


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def document(table: Sequence[Row], ratios: Ratios) -> dict[str, Any]:
    """The same for machines."""
    return {
        "runs": [asdict(row) for row in table],
        "ratios": ratios.wall,
        "cpu_ratios": ratios.cpu,
        "reasons": ratios.reasons,
    }
