"""The marker `long` selects tiers, a run says what it left out, and one line counts everything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import run_tests
import tier_steps

TIERS = Path(__file__).resolve().parents[1] / "tiers.py"
MODULE = """
import pytest

def test_short(): pass

@pytest.mark.long("speech")
def test_speech(): pass

@pytest.mark.long("speed")
@pytest.mark.parametrize("threads", [1, 2])
def test_speed(threads): pass
"""
INI = "[pytest]\nmarkers =\n    long(part): a part of the long tier\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of one short test and two parts, under the tiers of this repository."""
    (tmp_path / "conftest.py").write_text(TIERS.read_text(encoding="utf-8"))
    (tmp_path / "pytest.ini").write_text(INI)
    (tmp_path / "test_some.py").write_text(MODULE)
    return tmp_path


def run(suite: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", *options)
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(
        command, cwd=suite, env=environment, capture_output=True, text=True, check=False
    )


def ran(result: subprocess.CompletedProcess[str]) -> list[str]:
    return [
        line.split(" ")[0].rpartition("::")[2]
        for line in result.stdout.splitlines()
        if " PASSED" in line
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["test_short"]),
        (("--tier", "test"), ["test_short"]),
        (("--tier", "long"), ["test_speech", "test_speed[1]", "test_speed[2]"]),
        (("--tier", "long", "--part", "speech"), ["test_speech"]),
    ],
)
def test_a_tier_runs_its_own_tests_and_no_others(
    suite: Path, options: tuple[str, ...], expected: list[str]
) -> None:
    assert ran(run(suite, *options)) == expected


def test_a_run_lists_what_it_left_to_the_long_tier(suite: Path) -> None:
    result = run(suite, "--left-out", "left_out.json")
    assert "2 tests: make test-long PART=speed" in result.stdout
    left_out = json.loads((suite / "left_out.json").read_text())
    assert left_out["test_some.py::test_speech"] == "make test-long PART=speech"
    assert len(left_out) == 3


def test_an_unknown_part_is_refused_with_the_known_ones(suite: Path) -> None:
    result = run(suite, "--tier", "long", "--part", "sped")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "PART=sped names no part; there are: all, speech, speed" in result.stderr


def test_a_long_test_without_a_part_is_refused(suite: Path) -> None:
    (suite / "test_some.py").write_text(MODULE.replace('long("speech")', "long"))
    result = run(suite)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "naming one part" in result.stderr


def test_the_runner_refuses_an_unknown_part_with_the_known_ones(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["run_tests.py", "long", "--part", "fuz"])
    with pytest.raises(SystemExit) as exit_:
        run_tests.main()
    assert exit_.value.code == 2
    said = capsys.readouterr().err
    assert "PART=fuz names no part; there are: all, deferred, threads, fuzz, " in said


def test_every_part_has_steps_of_its_own_and_all_is_all_of_them() -> None:
    steps = {part: tier_steps.long_tier(part) for part in tier_steps.PARTS}
    assert all(steps.values())
    titles = [step.title for part in steps.values() for step in part]
    assert [step.title for step in tier_steps.long_tier("all")] == titles
    assert len(set(titles)) == len(titles)


def test_every_part_is_described_and_every_mark_names_a_part() -> None:
    readme = (TIERS.parent / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Parts of")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(tier_steps.PARTS)
    files = [path for path in TIERS.parent.rglob("test_*.py") if path != Path(__file__)]
    marked = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert set(re.findall(r"mark\.long\(\"(\w+)\"", marked)) <= set(tier_steps.PARTS)


def test_both_tiers_run_real_cases_with_late_results() -> None:
    for tier in (tier_steps.short_tier(), tier_steps.long_tier("deferred")):
        late = [step for step in tier if step.environment == {"WSPKIT_BACKEND": "deferred"}]
        named = " ".join(late[-1].command)
        assert "pytest" in named
        assert "tests/e2e" in named
        assert "tests/parity" in named


GOOGLETEST_REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1" disabled="0" errors="0" name="AllTests">
  <testsuite name="Base" tests="4" failures="1" disabled="0" skipped="1" errors="0">
    <testcase name="A" file="a.cpp" line="1" status="run" result="completed" classname="Base" />
    <testcase name="B" file="a.cpp" line="2" status="run" result="completed" classname="Base" />
    <testcase name="C" file="a.cpp" line="3" status="run" result="completed" classname="Base">
      <failure message="no" type="">no</failure>
    </testcase>
    <testcase name="D" file="a.cpp" line="4" status="run" result="skipped" classname="Kernels">
      <skipped message="a.cpp:10&#x0A;no AVX2 here"><![CDATA[a.cpp:10
no AVX2 here]]></skipped>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_a_report_gives_counts_and_the_reason_of_each_skip(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_text(GOOGLETEST_REPORT)
    outcome = run_tests.read_report(path)
    assert (outcome.passed, outcome.failed) == (2, 1)
    assert outcome.skipped == {"Kernels::D": "no AVX2 here"}


def test_a_folder_of_reports_counts_as_one(tmp_path: Path) -> None:
    for layer in ("base", "text"):
        (tmp_path / f"test_{layer}.xml").write_text(GOOGLETEST_REPORT)
    outcome = run_tests.read_report(tmp_path)
    assert (outcome.passed, outcome.failed) == (4, 2)


def last_lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if line]


def test_a_run_ends_with_one_line_that_counts_everything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes = {
        "core": run_tests.Outcome(passed=2, failed=1, skipped={"kernels.d": "no AVX2 here"}),
        "package": run_tests.Outcome(passed=3),
    }
    run_tests.print_end(outcomes, ["a step of its own"])
    lines = last_lines(capsys)
    assert "  core: kernels.d: no AVX2 here" in lines
    assert "  a step of its own: a step before it failed" in lines
    assert lines[-1] == "5 passed, 1 failed, 1 skipped"


def test_a_run_that_left_nothing_out_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    run_tests.print_end({"core": run_tests.Outcome(passed=2)}, [])
    assert last_lines(capsys)[-2:] == [
        "  nothing: every test of this run ran.",
        "2 passed, 0 failed, 0 skipped",
    ]


def test_the_short_tier_takes_every_folder_of_tests() -> None:
    tests = tier_steps.ROOT / "tests"
    folders = {path.relative_to(tests).parts[0] for path in tests.rglob("test_*.py")}
    arguments = {word for step in tier_steps.short_tier() for word in step.command}
    assert {f"tests/{folder}" for folder in folders} <= arguments
