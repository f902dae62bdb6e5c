"""Every function of the public headers and every option has a test, and docs/api/coverage.md says
which.
"""

from __future__ import annotations

import pytest

import coverage_table


@pytest.fixture(scope="module")
def page() -> str:
    """The table of today."""
    return coverage_table.page()


def test_every_function_and_option_has_a_test(page: str) -> None:
    without = [line for line in page.splitlines() if "**none**" in line]
    assert without == []


def test_the_table_sees_the_whole_interface() -> None:
    # What they are today; fewer would mean that the headers were not understood.
    assert len(coverage_table.functions("whisper.h")) == 134
    assert len(coverage_table.functions("whisper_ext.h")) >= 30
    assert len(list(coverage_table.options())) >= 80


def test_the_committed_table_is_that_of_today(page: str) -> None:
    committed = coverage_table.PAGE.read_text(encoding="utf-8")
    assert committed == page, "run .venv/bin/python tools/coverage_table.py"
