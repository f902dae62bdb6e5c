"""The ratios that the project is held to, each as data: which figure of whom over which of whom.

Of times the peer's stands above ours, so that 3 says three times as fast; of memory ours stands
above, so that 0.75 says three quarters of it. Taken round by round, against the same load of the
machine, then the median. Knows no table and no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from wspkit.bench.measurement import Measurement
from wspkit.bench.rounds import FASTER_WHISPER, OURS, WHISPER_CPP, Case

Figure = Callable[[Measurement], "float | None"]
MAIN = "main"
"""Stands for the type of weights that is measured first."""


def _wall(run: Measurement) -> float:
    return run.wall_s


def _cpu(run: Measurement) -> float:
    return run.cpu_s


def _peak(run: Measurement) -> float:
    return float(run.peak_bytes)


def _load(run: Measurement) -> float:
    return run.load_s


def _reading_twice(run: Measurement) -> float | None:
    return None if run.read_s is None else 2 * run.read_s


def _phase(name: str) -> Figure:
    return lambda run: run.phases[name].wall_ms if name in run.phases else None


def _phase_cpu(name: str) -> Figure:
    return lambda run: run.phases[name].cpu_ms if name in run.phases else None


@dataclass(frozen=True)
class Side:
    """A figure of one subject."""

    subject: str
    weights: str
    figure: Figure
    cpu: Figure | None = None
    """The same in CPU time; None where there is none."""

    def case(self, cases: Sequence[Case]) -> Case | None:
        """The case that it is a figure of."""
        main = next((case.weights for case in cases if case.subject == OURS), "")
        wanted = main if self.weights == MAIN else self.weights
        named = (case for case in cases if (case.subject, case.weights) == (self.subject, wanted))
        return next(named, None)


@dataclass(frozen=True)
class Ratio:
    """One figure over another."""

    name: str
    meaning: str
    above: Side
    below: Side


def _phase_ratio(phase: str) -> Ratio:
    return Ratio(
        f"{phase}_vs_whispercpp",
        f"{phase}: times as fast as whisper.cpp",
        Side(WHISPER_CPP, MAIN, _phase(phase), _phase_cpu(phase)),
        Side(OURS, MAIN, _phase(phase), _phase_cpu(phase)),
    )


def _total_ratio(name: str, weights: str, peer: str, peer_weights: str) -> Ratio:
    return Ratio(
        name,
        f"load and transcription, {weights}: times as fast as {peer} {peer_weights}".replace(
            f" {MAIN}", ""
        ).replace(", main", ""),
        Side(peer, peer_weights, _wall, _cpu),
        Side(OURS, weights, _wall, _cpu),
    )


RATIOS: tuple[Ratio, ...] = (
    *(_phase_ratio(phase) for phase in ("encode", "decode")),
    _total_ratio("total_vs_whispercpp", MAIN, WHISPER_CPP, MAIN),
    Ratio(
        "memory_vs_whispercpp",
        "peak memory: share of whisper.cpp's",
        Side(OURS, MAIN, _peak),
        Side(WHISPER_CPP, MAIN, _peak),
    ),
    _total_ratio("total_vs_faster_whisper_float32", MAIN, FASTER_WHISPER, "float32"),
    _total_ratio("total_q8_0_vs_faster_whisper_int8", "q8_0", FASTER_WHISPER, "int8"),
    _total_ratio("total_q5_0_vs_faster_whisper_int8", "q5_0", FASTER_WHISPER, "int8"),
    *(_phase_ratio(phase) for phase in ("mel", "prompt", "batched")),
    Ratio(
        "batched_vs_decode",
        "our step of five sequences: times as long as our step of one",
        Side(OURS, MAIN, _phase("batched"), _phase_cpu("batched")),
        Side(OURS, MAIN, _phase("decode"), _phase_cpu("decode")),
    ),
    Ratio(
        "load_vs_reading_twice",
        "our load: times as long as reading the file twice",
        Side(OURS, MAIN, _load),
        Side(OURS, MAIN, _reading_twice),
    ),
)


@dataclass(frozen=True)
class Ratios:
    """All ratios of one run of the benchmark; None with a reason where a side is missing."""

    wall: dict[str, float | None]
    """By the clock on the wall, and of bytes."""
    cpu: dict[str, float | None]
    """The same by CPU time, None where a side does not tell it; without those of no time."""
    reasons: dict[str, str]
    """Why a value is None, by the ratio's name."""


def ratios(
    found: Mapping[Case, Sequence[Measurement]], missing: Mapping[str, str] | None = None
) -> Ratios:
    """Every ratio of `RATIOS`. missing: why a subject did not run, by its name."""
    cases = list(found)
    wall: dict[str, float | None] = {}
    cpu: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for ratio in RATIOS:
        sides = [(side, side.case(cases)) for side in (ratio.above, ratio.below)]
        absent = [side for side, case in sides if case is None]
        if absent:
            side = absent[0]
            wall[ratio.name] = None
            weights = "" if side.weights == MAIN else f" with {side.weights}"
            reasons[ratio.name] = (missing or {}).get(
                side.subject, f"{side.subject}{weights} was not measured"
            )
            continue
        above, below = (found[case] for _, case in sides if case is not None)
        wall[ratio.name] = _median(ratio.above.figure, above, ratio.below.figure, below)
        if wall[ratio.name] is None:
            reasons[ratio.name] = "a side does not tell this figure"
        if ratio.above.cpu is not None and ratio.below.cpu is not None:
            cpu[ratio.name] = _median(ratio.above.cpu, above, ratio.below.cpu, below)
    return Ratios(wall, cpu, reasons)


def _median(
    figure_above: Figure,
    above: Sequence[Measurement],
    figure_below: Figure,
    below: Sequence[Measurement],
) -> float | None:
    pairs = [(figure_above(a), figure_below(b)) for a, b in zip(above, below, strict=False)]
    values = [a / b for a, b in pairs if a is not None and b]
    return median(values) if values else None
