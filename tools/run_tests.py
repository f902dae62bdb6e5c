"""Runs one tier of tests, step by step, and ends with what did not run and why.

Usage: .venv/bin/python tools/run_tests.py test | long [--part NAME]

A step that fails stops the run and says which command to repeat. What the steps are stands in
`tier_steps.py`; here are their order, their environment and their reports.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tier_steps import PARTS, REPORTS, ROOT, Step, long_tier, short_tier


@dataclass
class Outcome:
    """What a report says: counts, and each test that was skipped with its reason."""

    passed: int = 0
    failed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


def read_report(path: Path) -> Outcome:
    """Counts of a JUnit file, pytest's or GoogleTest's, or of all of them in a folder."""
    outcome = Outcome()
    files = sorted(path.glob("*.xml")) if path.is_dir() else [path]
    for case in itertools.chain.from_iterable(ET.parse(file).iter("testcase") for file in files):
        suite, name = case.get("classname", ""), case.get("name", "")
        name = f"{suite}::{name}" if suite else name
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome.failed += 1
        elif skipped is not None or case.get("status") in {"notrun", "disabled"}:
            outcome.skipped[name] = skip_reason(skipped)
        else:
            outcome.passed += 1
    return outcome


def skip_reason(skipped: ET.Element | None) -> str:
    """What a test said when it skipped itself; GoogleTest puts the place on a line before that."""
    said = (skipped.get("message", "") if skipped is not None else "").strip().splitlines()
    return said[-1].strip() if said else "no reason given"


def prepare(step: Step) -> dict[str, str]:
    """Clears the place of a step's report; the environment to run the step in."""
    environment = {**os.environ, **step.environment}
    if step.report is not None and step.report.suffix:
        step.report.unlink(missing_ok=True)
    elif step.report is not None:
        shutil.rmtree(step.report, ignore_errors=True)
        # Each GoogleTest program writes a file of its name there.
        environment["GTEST_OUTPUT"] = f"xml:{step.report}/"
    # Tools lie beside the interpreter; a make that runs us is none of our builds' business.
    path = environment.get("PATH", os.defpath)
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        environment.pop(name, None)
    # As the binding's build names them: ccache tells compilers apart by name too.
    if shutil.which("g++", path=environment["PATH"]) is not None:
        environment.setdefault("CC", "gcc")
        environment.setdefault("CXX", "g++")
    # For new trees only: a tree that another generator made keeps it.
    if shutil.which("ninja", path=environment["PATH"]) is not None:
        environment.setdefault("CMAKE_GENERATOR", "Ninja")
    return environment


def run(step: Step) -> int:
    """Runs a step with its output shown; the exit code."""
    print(f"\n== {step.title}", flush=True)
    started = time.monotonic()
    code = subprocess.run(step.command, cwd=ROOT, env=prepare(step), check=False).returncode
    print(f"== {step.title}: {time.monotonic() - started:.0f} s", flush=True)
    return code


def run_group(steps: list[Step]) -> list[int]:
    """Runs a step and those beside it at the same time; their exit codes."""
    others: list[tuple[Step, subprocess.Popen[str], Path]] = []
    for step in steps[1:]:
        said = REPORTS / f"{step.title.replace(',', '').replace(' ', '_')}.log"
        with said.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                step.command, cwd=ROOT, env=prepare(step), stdout=file, stderr=file, text=True
            )
        others.append((step, process, said))
    started = time.monotonic()
    codes = [run(steps[0])]
    for step, process, said in others:
        codes.append(process.wait())
        print(f"\n== {step.title}\n{said.read_text(encoding='utf-8')}", end="")
        print(f"== {step.title}: {time.monotonic() - started:.0f} s", flush=True)
    return codes


def groups(steps: list[Step]) -> list[list[Step]]:
    """Each step with those that run beside it."""
    grouped: list[list[Step]] = []
    for step in steps:
        if step.beside and grouped:
            grouped[-1].append(step)
        else:
            grouped.append([step])
    return grouped


def print_end(outcomes: dict[str, Outcome], not_reached: list[str]) -> None:
    """What did not run and why, then one line that counts everything."""
    print("\nWhat did not run, and why:")
    lines = [f"  {title}: a step before it failed" for title in not_reached]
    for title, outcome in outcomes.items():
        lines += [f"  {title}: {name}: {why}" for name, why in sorted(outcome.skipped.items())]
    why_counts: Counter[str] = Counter()
    for path in REPORTS.glob("left_out_*.json"):
        why_counts.update(json.loads(path.read_text(encoding="utf-8")).values())
    lines += [
        f"  package tests: {count} tests of another tier: {why}"
        for why, count in sorted(why_counts.items())
    ]
    print("\n".join(lines) if lines else "  nothing: every test of this run ran.")
    passed = sum(outcome.passed for outcome in outcomes.values())
    failed = sum(outcome.failed for outcome in outcomes.values())
    skipped = sum(len(outcome.skipped) for outcome in outcomes.values())
    print(f"\n{passed} passed, {failed} failed, {skipped} skipped", flush=True)


def main() -> int:
    """Runs the steps of a tier in order. 0 if all passed, else the code of the step that failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tier", choices=("test", "long"))
    parser.add_argument("--part", default="all")
    arguments = parser.parse_args()
    if arguments.part not in {"all", *PARTS}:
        parser.error(
            f"PART={arguments.part} names no part; there are: {', '.join(['all', *PARTS])}"
        )
    steps = short_tier() if arguments.tier == "test" else long_tier(arguments.part)
    REPORTS.mkdir(parents=True, exist_ok=True)
    outcomes: dict[str, Outcome] = {}
    for path in REPORTS.glob("left_out_*.json"):
        path.unlink()
    done = 0
    for group in groups(steps):
        codes = run_group(group)
        done += len(group)
        for step in group:
            if step.report is not None and step.report.exists():
                outcomes[step.title] = read_report(step.report)
        for step, code in zip(group, codes, strict=True):
            if code != 0:
                named = (f"{k}={v}" for k, v in step.environment.items())
                shown = " ".join([*named, *step.command])
                print(f"\nFAILED: {step.title} (exit code {code}). To repeat it alone:\n  {shown}")
        if any(codes):
            print_end(outcomes, [later.title for later in steps[done:]])
            return next(code for code in codes if code != 0)
    print_end(outcomes, [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
