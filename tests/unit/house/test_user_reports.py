"""docs/user-reports.md and the tests named after reports are the same list."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROW = re.compile(r"^\| (\d+) \|.*\| ([^|]+) \|$", re.MULTILINE)
PACKAGE = "belongs to the package"
#: Reports about audio, times, text, options, lifetimes and models; some numbers were never given.
NUMBERS = {*range(1, 83), 88} - {3, 12, 21, 22, 26, 31, 32, 34, 43, 44, 49, 50, 57, 58, 75}


def rows() -> dict[int, str]:
    """The last column by number."""
    text = (ROOT / "docs" / "user-reports.md").read_text(encoding="utf-8")
    return {int(number): tests for number, tests in ROW.findall(text)}


def names_of_tests() -> set[str]:
    """The names of all tests, in C++ and Python."""
    cpp = re.compile(r"^TEST(?:_F|_P)?\(\w+,\s*(\w+)\)", re.MULTILINE)
    python = re.compile(r"^def (test_\w+)", re.MULTILINE)
    names: set[str] = set()
    for path in (ROOT / "cpp" / "tests").rglob("*.cpp"):
        names.update(cpp.findall(path.read_text(encoding="utf-8")))
    for path in (ROOT / "tests").rglob("test_*.py"):
        names.update(python.findall(path.read_text(encoding="utf-8")))
    return names


def reports_of(name: str) -> set[int]:
    """The numbers in a test's name."""
    if match := re.match(r"UserReports(\d+)To(\d+)", name):
        return set(range(int(match[1]), int(match[2]) + 1))
    if match := re.match(r"UserReports(\d+)And(\d+)", name):
        return {int(match[1]), int(match[2])}
    match = re.match(r"(?:UserReport|test_user_report_)(\d+)", name)
    return {int(match[1])} if match else set()


def test_every_report_has_its_row() -> None:
    assert set(rows()) == NUMBERS


def test_every_row_names_tests_that_exist() -> None:
    known = names_of_tests()
    for number, cell in rows().items():
        named = re.findall(r"`(\w+)`", cell)
        assert named or cell == PACKAGE, f"report {number} has no test"
        assert [name for name in named if name not in known] == [], f"report {number}"


def test_every_test_named_after_a_report_stands_in_its_row() -> None:
    cells = rows()
    missing = {
        name
        for name in names_of_tests()
        if (numbers := reports_of(name)) and not any(name in cells[number] for number in numbers)
    }
    assert missing == set()
