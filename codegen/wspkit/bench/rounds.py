"""Runs subjects in turn, round after round, and keeps what they measured. Prints nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wspkit.bench.measurement import Measurement, from_json
from wspkit.process import Command, Runner

OURS = "wsp"
WHISPER_CPP = "whisper.cpp"
FASTER_WHISPER = "faster-whisper"
PEERS = (WHISPER_CPP, FASTER_WHISPER)


@dataclass(frozen=True)
class Case:
    """What is measured: a subject with a model and a number of threads."""

    subject: str
    """`OURS` or one of `PEERS`."""
    weights: str
    """Type of the large weights, as the subject calls it: "f16", "q8_0", "float32", "int8"."""
    model: Path
    """A ggml file, or a CTranslate2 directory."""
    n_threads: int
    program: Path | None = None
    """bench_subject over the core; None for a subject in Python."""
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What forces an instruction set."""

    def command(self, samples: Path, language: str) -> Command:
        """One run over a file of float32 samples."""
        words = (str(self.model), str(samples), language, str(self.n_threads))
        start = (
            (str(self.program), *words, "run")
            if self.program is not None
            else (sys.executable, "-m", "wspkit.bench.faster_whisper", *words, self.weights)
        )
        # Threads that spin while they wait would take time from each other.
        waiting = {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": str(self.n_threads)}
        return Command(start, environment={**waiting, **self.environment})


def run_rounds(
    cases: Sequence[Case],
    *,
    samples: Path,
    language: str,
    n_rounds: int,
    runner: Runner,
    on_run: Callable[[int], object] = lambda _: None,
) -> dict[Case, list[Measurement]]:
    """All cases once in each round, in the order given. on_run: gets the runs done so far.

    Raises what `Runner.run` raises, and BadFormatError for a run that printed no measurement.
    """
    found: dict[Case, list[Measurement]] = {case: [] for case in cases}
    done = 0
    for _ in range(n_rounds):
        for case in cases:
            lines = runner.run(case.command(samples, language)).stdout.strip().splitlines()
            found[case].append(from_json(lines[-1] if lines else ""))
            done += 1
            on_run(done)
    return found
