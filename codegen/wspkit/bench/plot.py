"""Plots as SVG elements: scatter and lines over linear or logarithmic axes, and bars. Knows numbers
and labels, not what they are of.

Colours work on light and dark paper alike; every mark has a title that a browser shows under the
pointer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 76, 20, 34, 54
COLOURS = (
    *("#3b7dd8", "#d8663b", "#3ba55d", "#a05bc9", "#b98a12", "#c94f7c", "#4c9fa6", "#7a7a7a"),
    *("#6b8e23", "#8b5a2b", "#5f6ad4", "#e0559f", "#2e8b8b", "#c0392b"),
)


@dataclass(frozen=True)
class Point:
    """One mark."""

    x: float
    y: float
    title: str = ""


@dataclass(frozen=True)
class Series:
    """Marks of one colour under one name."""

    name: str
    points: tuple[Point, ...]
    joined: bool = False
    """Whether a line joins them."""
    dashed: bool = False
    marked: bool = True
    """Whether each point has a mark."""


@dataclass(frozen=True)
class Bar:
    """One bar, and how it is to be read."""

    label: str
    value: float
    note: str = ""


@dataclass(frozen=True)
class Axis:
    """One direction of a plot: its ends, in the figures' own unit."""

    label: str
    low: float
    high: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """0 at `low`, 1 at `high`, clamped."""
        if self.logarithmic:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return min(max(share, 0.0), 1.0)

    def ticks(self) -> list[float]:
        """Round values between the ends."""
        if self.logarithmic:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        step = _round_step((self.high - self.low) / 6)
        count = math.floor((self.high - self.low) / step + 1e-9)
        return [self.low + step * number for number in range(count + 1)]


def linear(label: str, values: Sequence[float]) -> Axis:
    """From 0 to a little above the highest value."""
    return Axis(label, 0, max([*values, 1e-9]) * 1.08)


def logarithmic(label: str, values: Sequence[float]) -> Axis:
    """From below the lowest value to above the highest; values are above 0."""
    return Axis(label, min(values) / 1.5, max(values) * 1.5, logarithmic=True)


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in (1, 2, 5, 10) if power * step >= least)


@dataclass
class _Canvas:
    """An SVG drawing with axes."""

    title: str
    x: Axis
    y: Axis
    height: int = HEIGHT
    left: int = LEFT
    root: Element = field(init=False)

    def __post_init__(self) -> None:
        box = f"0 0 {WIDTH} {self.height}"
        self.root = Element("svg", {"viewBox": box, "role": "img", "width": "100%"})
        SubElement(self.root, "title").text = self.title
        self.text(self.left, 18, self.title, weight="bold")

    def across(self, value: float) -> float:
        return self.left + self.x.place(value) * (WIDTH - self.left - RIGHT)

    def up(self, value: float) -> float:
        return self.height - BOTTOM - self.y.place(value) * (self.height - TOP - BOTTOM)

    def text(
        self, x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal"
    ) -> None:
        attributes = {
            "x": _number(x),
            "y": _number(y),
            "text-anchor": anchor,
            "font-weight": weight,
            "font-size": "12",
            "fill": "currentColor",
        }
        SubElement(self.root, "text", attributes).text = text

    def line(self, ends: tuple[float, float, float, float], stroke: str, dash: str = "") -> None:
        x1, y1, x2, y2 = map(_number, ends)
        attributes = {"x1": x1, "y1": y1, "x2": x2, "y2": y2, "stroke": stroke}
        SubElement(self.root, "line", attributes | ({"stroke-dasharray": dash} if dash else {}))

    def x_axis(self) -> None:
        base = self.height - BOTTOM
        for tick in self.x.ticks():
            place = self.across(tick)
            self.line((place, TOP, place, base), "#8884")
            self.text(place, base + 16, f"{tick:g}", anchor="middle")
        self.text((self.left + WIDTH - RIGHT) / 2, base + 38, self.x.label, anchor="middle")

    def y_axis(self) -> None:
        for tick in self.y.ticks():
            place = self.up(tick)
            self.line((self.left, place, WIDTH - RIGHT, place), "#8884")
            self.text(self.left - 6, place + 4, f"{tick:g}", anchor="end")
        self.text(6, TOP - 4, self.y.label)

    def titled(self, element: Element, title: str) -> None:
        if title:
            SubElement(element, "title").text = title


def chart(title: str, x: Axis, y: Axis, series: Sequence[Series]) -> Element:
    """Points and lines over two axes, with a legend."""
    canvas = _Canvas(title, x, y)
    canvas.x_axis()
    canvas.y_axis()
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        if one.joined:
            places = (
                f"{_number(canvas.across(p.x))},{_number(canvas.up(p.y))}" for p in one.points
            )
            attributes = {"points": " ".join(places), "fill": "none", "stroke": colour}
            attributes |= {"stroke-width": "2"}
            attributes |= {"stroke-dasharray": "6 4"} if one.dashed else {}
            SubElement(canvas.root, "polyline", attributes)
        for point in one.points if one.marked else ():
            place = {"cx": _number(canvas.across(point.x)), "cy": _number(canvas.up(point.y))}
            mark = SubElement(canvas.root, "circle", place | {"r": "4", "fill": colour})
            canvas.titled(mark, point.title)
        row = TOP + 14 * number
        SubElement(
            canvas.root,
            "rect",
            {"x": str(LEFT + 8), "y": str(row + 4), "width": "10", "height": "10", "fill": colour},
        )
        canvas.text(LEFT + 24, row + 13, one.name)
    return canvas.root


def bars(title: str, label: str, values: Sequence[Bar], at: float | None = None) -> Element:
    """Horizontal bars under each other. at: where a line stands that they are compared with."""
    highest = [bar.value for bar in values] + ([at] if at is not None else [])
    rows = max(len(values), 1)
    canvas = _Canvas(
        title, linear(label, highest), Axis("", 0, rows), TOP + BOTTOM + 26 * rows, left=250
    )
    canvas.x_axis()
    for number, bar in enumerate(values):
        top = TOP + 26 * number + 4
        place = {"x": str(canvas.left), "y": str(top), "height": "18", "fill": COLOURS[0]}
        width = _number(max(canvas.across(bar.value) - canvas.left, 1))
        mark = SubElement(canvas.root, "rect", place | {"width": width})
        canvas.titled(mark, bar.note)
        canvas.text(canvas.left - 8, top + 13, bar.label, anchor="end")
        canvas.text(canvas.left + 6, top + 13, f"{bar.value:.2f}", weight="bold")
    if at is not None:
        place_at = canvas.across(at)
        canvas.line((place_at, TOP, place_at, canvas.height - BOTTOM), COLOURS[1], "4 3")
    return canvas.root


def _number(value: float) -> str:
    return f"{value:.1f}"
