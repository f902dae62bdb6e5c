"""Selects the tier of a run and remembers what it left out. It must not know any single test.

`--tier test` (the default) runs all but the tests marked `long(part)`; `--tier long` runs those,
and `--part NAME` one part of them. Markers select tiers and nothing else.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

ALL_PARTS = "all"
_left_out: pytest.StashKey[dict[str, str]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tiers")
    group.addoption("--tier", choices=("test", "long"), default="test", help="tier to run")
    group.addoption("--part", default=ALL_PARTS, help="with --tier long: the one part to run")
    group.addoption(
        "--left-out", type=Path, help="file to write, as JSON: test -> why it did not run"
    )


def part_of(item: pytest.Item) -> str | None:
    """The part of the long tier that a test belongs to; None for a test of the short one."""
    marker = item.get_closest_marker("long")
    if marker is None:
        return None
    if len(marker.args) != 1 or not isinstance(marker.args[0], str) or marker.args[0] == ALL_PARTS:
        raise pytest.UsageError(f"{item.nodeid}: write @pytest.mark.long('part'), naming one part")
    return marker.args[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier, wanted = config.getoption("tier"), config.getoption("part")
    parts = {item: part_of(item) for item in items}
    known = sorted({part for part in parts.values() if part is not None})
    if tier == "long" and wanted not in {ALL_PARTS, *known}:
        raise pytest.UsageError(
            f"PART={wanted} names no part; there are: {', '.join([ALL_PARTS, *known])}"
        )
    left_out: dict[str, str] = {}
    kept: list[pytest.Item] = []
    dropped: list[pytest.Item] = []
    for item in items:
        part = parts[item]
        if tier == "test":
            runs, why = part is None, f"make test-long PART={part}"
        else:
            runs, why = part is not None and wanted in {ALL_PARTS, part}, "another tier or part"
        (kept if runs else dropped).append(item)
        if not runs:
            left_out[item.nodeid] = why
    config.stash[_left_out] = left_out
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        items[:] = kept


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    left_out = config.stash.get(_left_out, {})
    if path := config.getoption("left_out"):
        path.write_text(json.dumps(left_out, indent=2) + "\n", encoding="utf-8")
    if config.getoption("tier") == "test" and left_out:
        terminalreporter.section("left to the long tier")
        for why, count in sorted(Counter(left_out.values()).items()):
            terminalreporter.line(f"{count} tests: {why}")
