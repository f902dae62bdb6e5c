"""What reports in HTML share: a page that needs nothing else, and tables. Knows no figure."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, tostring

from wspkit.bench.machine import Machine
from wspkit.log import Column

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; font-size: 13px; margin: 1em 0; }
td, th { padding: 2px 10px; border-bottom: 1px solid #8884; text-align: left; }
td.right, th.right { text-align: right; font-variant-numeric: tabular-nums; }
div.wide { overflow-x: auto; }
"""


def blank(title: str) -> tuple[Element, Element]:
    """A page with its title, and the body that takes the rest."""
    html = Element("html", {"lang": "en"})
    head = SubElement(html, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width"})
    SubElement(head, "title").text = title
    SubElement(head, "style").text = _STYLE
    body = SubElement(html, "body")
    SubElement(body, "h1").text = title
    return html, body


def text_of(html: Element) -> str:
    """The whole file as text."""
    return "<!DOCTYPE html>\n" + tostring(html, encoding="unicode", method="html") + "\n"


def machine_line(machine: Machine) -> str:
    """What figures were taken on, in one line."""
    load = "" if machine.load is None else f", load {machine.load:.2f} at the start"
    features = " ".join(machine.features)
    return f"{machine.cpu}, {machine.n_cpus} CPUs ({features}), {machine.platform}{load}"


def table(body: Element, columns: Sequence[Column | str], rows: Sequence[Sequence[str]]) -> None:
    """Adds a table to the page."""
    lines = SubElement(SubElement(body, "div", {"class": "wide"}), "table")
    heads = [column if isinstance(column, Column) else Column(column) for column in columns]
    for tag, cells in [("th", [head.title for head in heads]), *(("td", row) for row in rows)]:
        line = SubElement(lines, "tr")
        for head, text in zip(heads, cells, strict=True):
            attributes = {"class": "right"} if head.right else {}
            SubElement(line, tag, attributes).text = text
