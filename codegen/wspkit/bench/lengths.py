"""Time and memory against the length of the audio: one recording repeated to some minutes, each
length in a process of its own; our side also from a recording in its file, which it reads as it
needs it. Prints nothing.
"""

from __future__ import annotations

import wave
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wspkit.bench.measurement import from_json
from wspkit.bench.rounds import OURS, Case
from wspkit.log import Column
from wspkit.process import Command, Runner

SAMPLE_RATE_HZ = 16_000
Samples = npt.NDArray[np.float32]
FROM_FILE = f"{OURS}, from a file"


@dataclass(frozen=True)
class LengthFigure:
    """One subject on one length."""

    subject: str
    weights: str
    minutes: float
    wall_s: float
    cpu_s: float
    peak_bytes: int
    """Without the samples that the caller holds; from a file there are none."""

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
    from_file: Path,
    on_run: Callable[[int], object] = lambda _: None,
) -> list[LengthFigure]:
    """Each case once on each length, and each of ours once more from a file.

    directory: for files of samples. from_file: bench_from_file. Raises as `run_rounds`.
    """
    figures = []
    for length in minutes:
        raw = directory / f"{length:g}-minutes.f32"
        recording = directory / f"{length:g}-minutes.wav"
        pcm = repeated(samples, length)
        pcm.tofile(raw)
        _write_wav(recording, pcm)
        for subject, weights, command in _runs(cases, raw, recording, language, from_file):
            lines = runner.run(command).stdout.strip().splitlines()
            run = from_json(lines[-1] if lines else "")
            figures.append(
                LengthFigure(subject, weights, length, run.wall_s, run.cpu_s, run.peak_bytes)
            )
            on_run(len(figures))
        raw.unlink()
        recording.unlink()
    return figures


def n_runs(cases: Sequence[Case], minutes: Sequence[float]) -> int:
    """How many runs `measure` makes."""
    ours = sum(case.subject == OURS for case in cases)
    return len(minutes) * (len(cases) + ours)


def _runs(
    cases: Sequence[Case], raw: Path, recording: Path, language: str, from_file: Path
) -> Iterator[tuple[str, str, Command]]:
    for case in cases:
        command = case.command(raw, language)
        if case.program is not None:
            command = replace(command, arguments=(*command.arguments[:-1], "whole"))
        yield case.subject, case.weights, command
        if case.subject == OURS:
            words = (str(case.model), str(recording), language, str(case.n_threads))
            read = replace(command, arguments=(str(from_file), *words))
            yield FROM_FILE, case.weights, read


def _write_wav(path: Path, samples: Samples) -> None:
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(SAMPLE_RATE_HZ)
        out.writeframes((samples * 32767).astype("<i2").tobytes())


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
