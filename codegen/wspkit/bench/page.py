"""The report of a benchmark as one HTML file that needs nothing else: tables, and plots as SVG.

Takes what the other modules measured; reads and runs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

from wspkit.bench import arm, kernels, lengths, report
from wspkit.bench.arm import ArmFigure
from wspkit.bench.html import blank, machine_line, table, text_of
from wspkit.bench.kernels import KernelFigure
from wspkit.bench.lengths import LengthFigure
from wspkit.bench.machine import Machine
from wspkit.bench.plot import Bar, Point, Series, bars, chart, linear, logarithmic
from wspkit.bench.ratios import RATIOS, Ratios
from wspkit.bench.report import Row


@dataclass(frozen=True)
class Results:
    """What there is to show; parts that were not measured are empty."""

    machine: Machine
    description: str
    """One line: model, recording, threads, rounds, instructions."""
    rows: tuple[Row, ...] = ()
    ratios: Ratios | None = None
    kernels: tuple[KernelFigure, ...] = ()
    lengths: tuple[LengthFigure, ...] = ()
    arm: tuple[ArmFigure, ...] = field(default=())


def page(results: Results) -> str:
    """The whole file as text."""
    html, body = blank("wsp bench")
    SubElement(body, "p").text = results.description
    SubElement(body, "p").text = machine_line(results.machine)
    if results.ratios is not None:
        _side_by_side(body, results.rows, results.ratios)
    if results.lengths:
        _lengths(body, results.lengths)
    if results.kernels:
        _kernels(body, results.kernels)
    if results.arm:
        SubElement(body, "h2").text = "Instructions on Arm"
        table(body, arm.COLUMNS, [arm.cells(figure) for figure in results.arm])
    return text_of(html)


def _side_by_side(body: Element, rows: Sequence[Row], ratios: Ratios) -> None:
    SubElement(body, "h2").text = "Side by side"
    meanings = {ratio.name: ratio.meaning for ratio in RATIOS}
    shown = [
        Bar(name, value, meanings[name]) for name, value in ratios.wall.items() if value is not None
    ]
    body.append(bars("Ratios, by wall time; the line is parity", "", shown, at=1))
    table(body, report.RATIO_COLUMNS, report.ratio_cells(ratios))
    table(body, report.COLUMNS, [report.cells(row) for row in rows])


def _lengths(body: Element, figures: Sequence[LengthFigure]) -> None:
    SubElement(body, "h2").text = "Length of the audio"
    names = list(dict.fromkeys((figure.subject, figure.weights) for figure in figures))

    def series(subject: str, weights: str, value: str) -> Series:
        mine = [f for f in figures if (f.subject, f.weights) == (subject, weights)]
        points = ((f.minutes, f.wall_s if value == "time" else f.peak_bytes / 1e6) for f in mine)
        marks = tuple(Point(x, y, f"{x:g} min: {y:.1f}") for x, y in points)
        return Series(f"{subject} {weights}", marks, joined=True)

    minutes = linear("minutes of audio", [figure.minutes for figure in figures])
    times = linear("seconds", [figure.wall_s for figure in figures])
    memory = linear("MB", [figure.peak_bytes / 1e6 for figure in figures])
    body.append(
        chart("Load and transcription", minutes, times, [series(*name, "time") for name in names])
    )
    body.append(
        chart(
            "Peak memory without samples",
            minutes,
            memory,
            [series(*name, "memory") for name in names],
        )
    )
    table(body, lengths.COLUMNS, [lengths.cells(figure) for figure in figures])


def _kernels(body: Element, figures: Sequence[KernelFigure]) -> None:
    SubElement(body, "h2").text = "Kernels"
    for name in dict.fromkeys(figure.table for figure in figures):
        body.append(roofline(name, [figure for figure in figures if figure.table == name]))
    table(body, kernels.COLUMNS, [kernels.cells(figure) for figure in figures])


def roofline(kernel_table: str, figures: Sequence[KernelFigure]) -> Element:
    """Each kernel of one table under what the machine allows (Williams et al. 2009): speed over
    operations per byte, below the speed of reading and the peak of multiply-adds.
    """
    peak = max(figure.peak_gflops for figure in figures)
    memory = max(figure.memory_gbs for figure in figures)
    cache = max(figure.cache_gbs for figure in figures)
    x = logarithmic("operations per byte", [figure.intensity for figure in figures])
    y = logarithmic("GFLOP/s", [*(figure.gflops for figure in figures), peak])

    def roof(name: str, gbs: float) -> Series:
        corner = min(max(peak / gbs, x.low), x.high)
        ends = (
            Point(x.low, min(x.low * gbs, peak)),
            Point(corner, min(corner * gbs, peak)),
            Point(x.high, peak),
        )
        return Series(name, ends, joined=True, marked=False, dashed=name.startswith("cache"))

    def marks(weights: str) -> Series:
        return Series(
            weights,
            tuple(
                Point(
                    figure.intensity,
                    figure.gflops,
                    f"{figure.kernel}, {figure.weights}, {figure.shape}: "
                    f"{figure.gflops:.1f} GFLOP/s, {figure.peak_share:.0%} of peak; "
                    f"{figure.gbs:.1f} GB/s, {figure.read_share:.0%} of reading",
                )
                for figure in figures
                if figure.weights == weights
            ),
        )

    kinds = list(dict.fromkeys(figure.weights for figure in figures))
    roofs = [
        roof(f"memory {memory:.1f} GB/s, {peak:.0f} GFLOP/s", memory),
        roof(f"cache {cache:.1f} GB/s", cache),
    ]
    return chart(f"Roofline, {kernel_table}", x, y, [*roofs, *(marks(kind) for kind in kinds)])
