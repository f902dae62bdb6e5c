"""Time and memory against the length of the audio: one recording repeated to some minutes, each
length in a process of its own. Prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wspkit.bench.measurement import from_json
from wspkit.bench.rounds import Case
from wspkit.log import Column
from wspkit.process import Runner

SAMPLE_RATE_HZ = 16_000
Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LengthFigure:
    """One subject on one length."""

    subject: str
    weights: str
    minutes: float
    wall_s: float
    cpu_s: float
    peak_bytes: int
    """Without the samples, which the caller holds."""

    @property
    def seconds_per_minute(self) -> float:
        """Wall seconds for each minute of audio: the same at every length if time is linear."""
        return self.wall_s / self.minutes


def repeated(samples: Samples, minutes: float) -> Samples:
    """The recording over and over, cut at that length."""
    wanted = round(minutes * 60 * SAMPLE_RATE_HZ)
    return np.resize(samples, wanted)


def measure(
    cases: Sequence[Case],
    minutes: Sequence[float],
    samples: Samples,
    *,
    directory: Path,
    language: str,
    runner: Runner,
    on_run: Callable[[int], object] = lambda _: None,
) -> list[LengthFigure]:
    """Each case once on each length. directory: for files of samples. Raises as `run_rounds`."""
    figures = []
    for length in minutes:
        path = directory / f"{length:g}-minutes.f32"
        repeated(samples, length).tofile(path)
        for case in cases:
            command = case.command(path, language)
            if case.program is not None:
                command = replace(command, arguments=(*command.arguments[:-1], "whole"))
            lines = runner.run(command).stdout.strip().splitlines()
            run = from_json(lines[-1] if lines else "")
            figures.append(
                LengthFigure(
                    case.subject, case.weights, length, run.wall_s, run.cpu_s, run.peak_bytes
                )
            )
            on_run(len(figures))
        path.unlink()
    return figures


COLUMNS = (
    Column("subject"),
    Column("weights"),
    *(
        Column(title, right=True)
        for title in ("audio min", "wall s", "CPU s", "s per min", "times real time", "peak MB")
    ),
)


def cells(figure: LengthFigure) -> list[str]:
    """A row of the table under COLUMNS."""
    return [
        figure.subject,
        figure.weights,
        f"{figure.minutes:g}",
        f"{figure.wall_s:.1f}",
        f"{figure.cpu_s:.1f}",
        f"{figure.seconds_per_minute:.2f}",
        f"{60 / figure.seconds_per_minute:.1f}",
        f"{figure.peak_bytes / 1e6:.0f}",
    ]


def document(figures: Sequence[LengthFigure]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {**asdict(figure), "seconds_per_minute": figure.seconds_per_minute} for figure in figures
    ]
