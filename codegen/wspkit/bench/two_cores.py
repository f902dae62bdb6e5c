"""Our core and whisper.cpp under one API, side by side: both get the same recordings and options,
each run in a process of its own, in turns; what they heard is compared, and how long they took.
Prints nothing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from wspkit.bench.core_run import CoreRun, Job, run_of
from wspkit.bench.html import blank, machine_line, table, text_of
from wspkit.bench.machine import Machine
from wspkit.bench.plot import Bar, bars
from wspkit.core.choice import CORE_VARIABLE, Core
from wspkit.errors import DifferenceError, UnsupportedError
from wspkit.log import Column
from wspkit.parity.compare import WordErrors
from wspkit.parity.transcripts import Agreement, Heard, agreement
from wspkit.process import Command, Runner

CORES = (Core.OWN, Core.UPSTREAM)


@dataclass(frozen=True)
class Row:
    """One recording."""

    name: str
    audio_s: float
    agreement: Agreement
    """Of ours with theirs."""
    own_s: float
    """Time of the transcription, the median of all rounds."""
    upstream_s: float
    speed: float
    """Theirs over ours, round by round, then the median: 3 is three times as fast."""
    own: Heard
    upstream: Heard


@dataclass(frozen=True)
class Side:
    """One core, all recordings."""

    core: str
    system: str
    load_s: float
    """The median of all rounds."""
    peak_bytes: int | None
    """The most of any round."""


@dataclass(frozen=True)
class Parity:
    """Everything that was compared."""

    rows: tuple[Row, ...]
    sides: tuple[Side, Side]
    n_rounds: int

    @property
    def words(self) -> WordErrors:
        """Of all recordings together."""
        return sum((row.agreement.words for row in self.rows), WordErrors())

    @property
    def differing(self) -> tuple[str, ...]:
        """Recordings whose texts are not the same."""
        return tuple(row.name for row in self.rows if not row.agreement.same_text)


def command(core: Core, job: Path) -> Command:
    """One run of one core."""
    words = (sys.executable, "-m", "wspkit.bench.core_run", str(job))
    return Command(words, environment={CORE_VARIABLE: core.value})


def compare(
    job: Job, *, n_rounds: int, runner: Runner, on_run: Callable[[int], object] = lambda _: None
) -> Parity:
    """Runs both cores in each round and compares. on_run: gets the runs done so far.

    Raises what the cores raise; of an option that one of them cannot obey, with its name in front.
    """
    runs: dict[Core, list[CoreRun]] = {core: [] for core in CORES}
    with tempfile.TemporaryDirectory(prefix="wsp-parity-") as directory:
        path = Path(directory, "job.json")
        path.write_text(job.to_json(), encoding="utf-8")
        for done in range(n_rounds * len(CORES)):
            core = CORES[done % len(CORES)]
            lines = runner.run(command(core, path)).stdout.strip().splitlines()
            runs[core].append(_checked(core, lines[-1] if lines else ""))
            on_run(done + 1)
    return compared(job.recordings, runs[Core.OWN], runs[Core.UPSTREAM])


def _checked(core: Core, line: str) -> CoreRun:
    try:
        return run_of(line)
    except UnsupportedError as error:
        found = f"the core {core.value}: {error.found}"
        raise UnsupportedError(found, expected=error.expected, hint=error.hint) from error


def compared(names: Sequence[str], own: Sequence[CoreRun], upstream: Sequence[CoreRun]) -> Parity:
    """What runs of the same recordings come to; texts are those of the first round."""
    rows = []
    for number, name in enumerate(names):
        ours = [run.timed[number] for run in own]
        theirs = [run.timed[number] for run in upstream]
        rows.append(
            Row(
                name=name,
                audio_s=ours[0].audio_s,
                agreement=agreement(ours[0].heard, theirs[0].heard),
                own_s=median(one.wall_s for one in ours),
                upstream_s=median(one.wall_s for one in theirs),
                speed=median(b.wall_s / a.wall_s for a, b in zip(ours, theirs, strict=True)),
                own=ours[0].heard,
                upstream=theirs[0].heard,
            )
        )
    return Parity(
        tuple(rows), (_side(Core.OWN, own), _side(Core.UPSTREAM, upstream)), n_rounds=len(own)
    )


def _side(core: Core, runs: Sequence[CoreRun]) -> Side:
    peaks = [run.peak_bytes for run in runs if run.peak_bytes is not None]
    load_s = median(run.load_s for run in runs)
    return Side(core.value, runs[0].system, load_s, max(peaks, default=None))


def raise_if_different(parity: Parity) -> None:
    """Raises DifferenceError if a text is not the same."""
    if differing := parity.differing:
        raise DifferenceError(
            f"{len(differing)} of {len(parity.rows)} texts differ: {', '.join(differing)}",
            expected="the same text of both cores",
        )


COLUMNS = (
    Column("recording"),
    Column("text"),
    *(
        Column(title, right=True)
        for title in (
            *("words apart", "tokens alike", "segments", "times apart, mean", "at most"),
            *("own s", "upstream s", "times as fast"),
        )
    ),
)


def cells(row: Row) -> list[str]:
    """A row of the table under COLUMNS."""
    found = row.agreement
    ours, theirs = found.n_segments
    return [
        row.name,
        "same" if found.same_text else "differs",
        f"{found.words.errors} of {found.words.words}",
        f"{found.tokens:.1%}",
        str(ours)
        if ours == theirs == found.n_timed
        else f"{ours} and {theirs}, {found.n_timed} alike",
        _seconds(found.mean_time_s),
        _seconds(found.max_time_s),
        f"{row.own_s:.2f}",
        f"{row.upstream_s:.2f}",
        f"{row.speed:.2f}",
    ]


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


SIDE_COLUMNS = (
    Column("core"),
    Column("load s", right=True),
    Column("peak MB", right=True),
    Column("computes with"),
)


def side_cells(side: Side) -> list[str]:
    """A row of the table under SIDE_COLUMNS."""
    peak = "" if side.peak_bytes is None else f"{side.peak_bytes / 1e6:.0f}"
    return [side.core, f"{side.load_s:.2f}", peak, " ".join(side.system.split())]


def document(parity: Parity) -> dict[str, Any]:
    """The same for machines."""
    return {
        "rounds": parity.n_rounds,
        "words_apart": parity.words.errors,
        "words": parity.words.words,
        "differing": list(parity.differing),
        "cores": [asdict(side) for side in parity.sides],
        "recordings": [asdict(row) for row in parity.rows],
    }


def page(parity: Parity, machine: Machine, description: str) -> str:
    """The report as one HTML file that needs nothing else."""
    html, body = blank("wsp parity")
    SubElement(body, "p").text = description
    SubElement(body, "p").text = machine_line(machine)
    table(body, COLUMNS, [cells(row) for row in parity.rows])
    table(body, SIDE_COLUMNS, [side_cells(side) for side in parity.sides])
    speeds = [Bar(row.name, row.speed, f"{row.own_s:.2f} s") for row in parity.rows]
    body.append(bars("Times as fast as whisper.cpp; the line is parity", "", speeds, at=1))
    for row in parity.rows:
        _texts(body, row)
    return text_of(html)


def _texts(body: Element, row: Row) -> None:
    """Both texts of a recording where they differ, else the one; segment by segment with times."""
    SubElement(body, "h2").text = row.name
    if row.agreement.same_text:
        sides = [("both", row.own)]
    else:
        sides = [(Core.OWN.value, row.own), (Core.UPSTREAM.value, row.upstream)]
    columns = ("core", Column("start", right=True), Column("end", right=True), "text")
    lines = [
        [core, f"{one.start_s:.2f} s", f"{one.end_s:.2f} s", one.text.strip()]
        for core, heard in sides
        for one in heard.segments
    ]
    table(body, columns, lines)
