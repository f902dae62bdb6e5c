"""Runs subjects in turn, round after round, and keeps what they measured. Prints nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit.bench.measurement import Measurement, from_json
from wspkit.process import Command, Runner


@dataclass(frozen=True)
class Case:
    """What is measured: a subject with a model and a number of threads on one recording."""

    subject: str
    model_name: str
    model: Path
    n_threads: int

    def command(self, audio: Path, language: str) -> Command:
        """One run."""
        return Command.of(
            *(sys.executable, "-m", "wspkit.bench.subject", self.subject),
            *(self.model, audio, language, str(self.n_threads)),
            # Threads that spin while they wait would take time from each other.
            OMP_WAIT_POLICY="passive",
            OMP_NUM_THREADS=str(self.n_threads),
        )


def run_rounds(
    cases: Sequence[Case],
    *,
    audio: Path,
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
            lines = runner.run(case.command(audio, language)).stdout.strip().splitlines()
            found[case].append(from_json(lines[-1] if lines else ""))
            done += 1
            on_run(done)
    return found
