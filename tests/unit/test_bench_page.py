"""The report of a benchmark: one file that needs nothing else, with a mark for every figure."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from xml.etree.ElementTree import Element

import pytest

from wspkit.bench.arm import ArmFigure
from wspkit.bench.kernels import KernelFigure
from wspkit.bench.lengths import LengthFigure
from wspkit.bench.machine import Machine, this_machine
from wspkit.bench.measurement import Spent
from wspkit.bench.page import Results, page, roofline
from wspkit.bench.plot import Axis, Bar, Point, Series, bars, chart, linear, logarithmic
from wspkit.bench.ratios import RATIOS, Ratios
from wspkit.bench.report import Row

MACHINE = Machine("Some <CPU>", ("avx2", "fma"), 2, 0.25, "Linux")
ROW = Row(
    subject="wsp",
    weights="f16",
    n_threads=1,
    n_runs=5,
    wall_s=1.5,
    wall_min_s=1,
    wall_max_s=2,
    cpu_s=1.4,
    load_s=0.1,
    read_s=0.05,
    peak_bytes=200_000_000,
    phases={"encode": Spent(900, 890)},
    system="cpu",
    word_errors=0,
    text="words",
)
RATIO_VALUES = Ratios(
    wall={ratio.name: 2.0 for ratio in RATIOS} | {"total_vs_whispercpp": None},
    cpu={},
    reasons={"total_vs_whispercpp": "no compiler"},
)


def kernel(flop: float, seconds: float = 1e-3, weights: str = "f16") -> KernelFigure:
    return KernelFigure(
        table="avx2",
        kernel="product",
        weights=weights,
        shape="(1, 2)",
        seconds=seconds,
        flop=flop,
        bytes=1e6,
        peak_gflops=100,
        memory_gbs=10,
        cache_gbs=20,
    )


class Tags(HTMLParser):
    """Counts what a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def count(self, tag: str) -> int:
        return sum(1 for name, _ in self.seen if name == tag)


def whole() -> str:
    return page(
        Results(
            MACHINE,
            "base & co",
            (ROW,),
            RATIO_VALUES,
            kernels=(kernel(1e6), kernel(1e8)),
            lengths=(LengthFigure("wsp", "f16", 1, 5, 5, 10**8),),
            arm=(ArmFigure("cortex-a76", "f16", "encoder", 50, 100),),
        )
    )


def test_the_page_holds_every_plot_and_table() -> None:
    seen = Tags(whole())

    # Ratios, time, memory, and a roofline for the one table.
    assert seen.count("svg") == 4
    # Ratios, rows, lengths, kernels, Arm.
    assert seen.count("table") == 5
    assert "none: no compiler" in seen.text
    assert "cortex-a76" in seen.text


def test_the_page_needs_nothing_else() -> None:
    text = whole()

    for tag, attributes in Tags(text).seen:
        assert tag not in {"script", "link", "img", "iframe"}
        assert not {"src", "href"} & attributes.keys()
    assert re.search(r"url\(|https?:|@import", text) is None


def test_names_are_text_and_never_markup() -> None:
    text = whole()

    assert "Some &lt;CPU&gt;" in text
    assert "base &amp; co" in text


def test_parts_that_were_not_measured_are_left_out() -> None:
    seen = Tags(page(Results(MACHINE, "nothing")))

    assert seen.count("svg") == seen.count("table") == 0


def marks(plot: Element, tag: str = "circle") -> list[Element]:
    return list(plot.iter(tag))


def test_a_kernel_at_the_roof_stands_on_the_roof() -> None:
    # 10 GB/s of reading 1 MB each 0.1 ms, and 100 GFLOP/s: one on the slope, one on the flat.
    at_reading = kernel(1e6, seconds=1e-4)
    at_peak = kernel(1e8, seconds=1e-3)
    plot = roofline("avx2", [at_reading, at_peak])
    first_roof = marks(plot, "polyline")[0].get("points", "")
    slope_begin, corner, flat_end = (
        tuple(map(float, pair.split(","))) for pair in first_roof.split()
    )
    low, high = ((float(mark.get("cx", "")), float(mark.get("cy", ""))) for mark in marks(plot))

    assert high[1] == pytest.approx(flat_end[1], abs=0.2) == corner[1]
    rise = (corner[1] - slope_begin[1]) / (corner[0] - slope_begin[0])
    assert low[1] == pytest.approx(slope_begin[1] + rise * (low[0] - slope_begin[0]), abs=0.5)


def test_each_type_of_weights_is_a_series_of_its_own() -> None:
    plot = roofline("avx2", [kernel(1e6), kernel(2e6, weights="q8_0"), kernel(3e6)])
    legend = [text.text for text in marks(plot, "text")]

    assert len(marks(plot)) == 3
    assert {"f16", "q8_0"} <= set(legend)


def test_axes_place_values_between_their_ends() -> None:
    axis = Axis("x", 0, 10)
    powers = Axis("x", 1, 100, logarithmic=True)

    assert [axis.place(value) for value in (-1, 0, 5, 10, 11)] == [0, 0, 0.5, 1, 1]
    assert powers.place(10) == pytest.approx(0.5)
    assert powers.ticks() == [1, 10, 100]
    assert axis.ticks() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("values", [[0.0], [1e-6], [3.0, 7.0], [123456.0]])
def test_linear_axes_begin_at_zero_and_hold_all_values(values: list[float]) -> None:
    axis = linear("x", values)

    assert axis.low == 0
    assert axis.high > max(values)
    assert 2 <= len(axis.ticks()) <= 8


def test_logarithmic_axes_hold_all_values() -> None:
    axis = logarithmic("x", [0.5, 2000])

    assert axis.low < 0.5
    assert axis.high > 2000
    assert all(math.isfinite(axis.place(value)) for value in (0.5, 2000))


def test_bars_are_as_long_as_their_values() -> None:
    plot = bars("Ratios", "", [Bar("a", 1), Bar("b", 4, "four times")], at=1)
    short, long = (float(mark.get("width", "")) for mark in marks(plot, "rect"))
    titles = [title.text for title in marks(plot, "title")]

    assert long == pytest.approx(4 * short, abs=0.3)
    assert titles == ["Ratios", "four times"]


def test_joined_points_are_one_line_with_marks() -> None:
    line = Series("wsp", (Point(0, 0), Point(1, 1), Point(2, 2)), joined=True)
    plot = chart("t", linear("x", [2]), linear("y", [2]), [line])

    assert len(marks(plot, "polyline")) == 1
    assert len(marks(plot)) == 3


def test_this_machine_is_described() -> None:
    machine = this_machine()

    assert machine.cpu
    assert machine.n_cpus >= 1
