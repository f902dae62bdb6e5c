"""What the commands of `wsp bench` share: recordings, peers and lengths as they are named, and the
measurements that more than one of them takes. It must not know the options.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wspkit import log
from wspkit.bench import builds, sides, sources
from wspkit.bench import kernels as kernel_bench
from wspkit.bench import lengths as length_bench
from wspkit.bench.machine import Machine
from wspkit.bench.page import Results, page
from wspkit.bench.rounds import OURS, PEERS
from wspkit.bench.sides import Setup, Sides, Workshop
from wspkit.bench.tables import kernel_tables
from wspkit.cli.values import names_of
from wspkit.errors import UsageError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.process import SubprocessRunner

if TYPE_CHECKING:
    from wspkit.bench.kernels import KernelFigure
    from wspkit.bench.lengths import LengthFigure
    from wspkit.core.audio import Samples


@dataclass(frozen=True)
class Recording:
    """What all sides hear."""

    samples: Samples
    path: Path
    """The same as a file of float32, for programs that read no WAV."""

    @property
    def seconds(self) -> float:
        """Its length."""
        from wspkit.core.audio import SAMPLE_RATE_HZ  # noqa: PLC0415 - see recorded

        return len(self.samples) / SAMPLE_RATE_HZ


@contextmanager
def recorded(files: list[str] | None, workshop: Workshop) -> Iterator[Recording]:
    """All recordings one after the other; the built-in clip if none is named."""
    import numpy as np  # noqa: PLC0415 - with the native module, not for --help

    from wspkit.core import load_audio  # noqa: PLC0415

    named = files or [str(sources.default_clip(workshop.progress))]
    samples = np.concatenate([load_audio(file).samples for file in named])
    with tempfile.TemporaryDirectory(prefix="wsp-bench-") as directory:
        path = Path(directory, "samples.f32")
        samples.tofile(path)
        yield Recording(samples, path)


def workshop_here() -> Workshop:
    """What builds, in this checkout. NotFoundError where there is none."""
    return Workshop(SubprocessRunner(), builds.repository_root(), log.progress)


def bring_together(setup: Setup, workshop: Workshop) -> Sides:
    """The sides; says which peers are missing, and why."""
    found = sides.bring_together(setup, workshop)
    for peer, reason in found.missing.items():
        log.warning(f"without {peer}: {reason}")
    return found


def kernel_figures(workshop: Workshop, tables: str, seconds_each: float) -> list[KernelFigure]:
    """Figures of the tables that are named, of all but scalar if none is."""
    program = workshop.our_core().program(builds.KERNELS)
    known = kernel_tables()
    chosen = names_of(tables, "--tables") or [name for name in known if name != "scalar"]
    if unknown := [name for name in chosen if name not in known]:
        raise UsageError(f"--tables names {unknown[0]!r}", expected=f"some of {', '.join(known)}")
    with log.progress("measuring kernels", total=len(chosen)) as bar:
        return kernel_bench.measure(
            program, chosen, workshop.runner, seconds_each=seconds_each, on_table=bar.update
        )


def length_figures(
    together: Sides,
    minutes: list[float],
    recording: Recording,
    *,
    language: str,
    workshop: Workshop,
) -> list[LengthFigure]:
    """Our first type of weights, and peers on the same, on each length."""
    first = together.cases[0].weights
    cases = [case for case in together.cases if case.subject != OURS or case.weights == first]
    cases = [case for case in cases if case.subject == OURS or case.weights in (first, "float32")]
    from_file = workshop.our_core().program(builds.FROM_FILE)
    with log.progress("measuring lengths", total=length_bench.n_runs(cases, minutes)) as bar:
        return length_bench.measure(
            cases,
            minutes,
            recording.samples,
            directory=recording.path.parent,
            language=language,
            runner=workshop.runner,
            from_file=from_file,
            on_run=bar.update,
        )


def peers_of(text: str) -> tuple[str, ...]:
    """Names of peers. UsageError for a name that is none."""
    if text == "all":
        return PEERS
    if text == "none":
        return ()
    names = names_of(text, "--peers")
    if not names or not set(names) <= set(PEERS):
        raise UsageError(f"--peers is {text!r}", expected=f"all, none or {' or '.join(PEERS)}")
    return names


def minutes_of(text: str) -> list[float]:
    """Lengths of audio. UsageError for what is no number or out of range."""
    try:
        found = [float(word) for word in names_of(text, "--minutes")]
    except ValueError:
        found = []
    if not found or not all(0.01 <= one <= 600 for one in found):
        raise UsageError(f"--minutes is {text!r}", expected="numbers of 0.01 to 600: 1,5,15")
    return found


def write_page(path: Path, results: Results) -> None:
    """Writes the report and says where."""
    with atomic_writer(path) as out:
        out.write(page(results).encode())
    log.status(f"The report is in {path}")


def show_machine(machine: Machine) -> None:
    """Says what the figures were taken on."""
    load = "unknown" if machine.load is None else f"{machine.load:.2f}"
    log.status(
        f"{machine.cpu}, {machine.n_cpus} CPUs, load {load} at the start; "
        f"{' '.join(machine.features)}"
    )
