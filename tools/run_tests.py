"""Runs one tier of tests, step by step, and ends with what did not run and why.

Usage: .venv/bin/python tools/run_tests.py test | long [--part NAME]

A step that fails stops the run and says which command to repeat. It knows the tools (CMake, CTest,
pytest, libFuzzer) and their reports, and of what is tested only the names.
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
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
REPORTS = BUILD / "reports"
CORES = str(os.cpu_count() or 1)
# A port where nothing listens: a build that reaches for the network fails at once.
PROXIES = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
NO_NETWORK = dict.fromkeys(PROXIES, "http://127.0.0.1:9")
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1:allocator_may_return_null=1",
}
# Every result late, for all that runs below: what is read before wait() is wrong at once.
DEFERRED = {"WSPKIT_BACKEND": "deferred"}
# One real case through Python with late results, in each `make test`; all of them in the long tier.
DEFERRED_CASES = (
    "tests/e2e/test_transcribe.py::test_the_sample_of_the_repository_becomes_its_text",
    "tests/parity/test_layers.py::test_logits_after_a_prompt_follow_the_reference",
)
DEFERRED_ALL = (
    "tests/e2e",
    "tests/parity",
    *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/unit/test_core_*.py")),
)
FUZZ_S = 300


@dataclass(frozen=True)
class Step:
    """A command of the run; report: the JUnit file, or the folder of them, that its tests leave.

    beside: it runs at the same time as the step before it, and its output is shown when it ends.
    """

    title: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    report: Path | None = None
    beside: bool = False


@dataclass
class Outcome:
    """What a report says: counts, and each test that was skipped with its reason."""

    passed: int = 0
    failed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)


def launcher() -> tuple[str, ...]:
    """Compiles through ccache where there is one."""
    if shutil.which("ccache") is None:
        return ()
    return tuple(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX"))


def ctest(
    name: str,
    tree: Path,
    environment: dict[str, str],
    *,
    layers: str = ".",
    jobs: str = CORES,
    beside: bool = False,
) -> Step:
    """The core's tests in a build tree; layers: a regular expression of their names."""
    command = (
        "ctest",
        "--test-dir",
        str(tree),
        "--output-on-failure",
        "--no-tests=error",
        "--tests-regex",
        layers,
        "-j",
        jobs,
    )
    return Step(f"core tests, {name}", command, environment, REPORTS / name, beside)


def preset_steps(preset: str, *options: str) -> list[Step]:
    """Configures and builds a tree of cpp/CMakePresets.json under build/."""
    tree = str(BUILD / f"core-{preset}")
    command = ("cmake", "-S", "cpp", "--preset", preset, "-B", tree, *options, *launcher())
    return [
        Step(f"core, {preset}: configure", command),
        Step(f"core, {preset}: build", ("cmake", "--build", tree, "-j", CORES)),
    ]


def core_steps() -> list[Step]:
    """The core: alone as a library, its tests plain and with late results; sanitized, built."""
    plain = BUILD / "core"
    configure = ("cmake", "-S", "cpp", "-B", str(plain))
    build = ("cmake", "--build", str(plain), "-j", CORES)
    off = ("-DSPEECH_BUILD_TESTS=OFF", "-DSPEECH_TEST_BACKENDS=OFF")
    tests_on = ("-DSPEECH_BUILD_TESTS=ON", "-DSPEECH_TEST_BACKENDS=ON")
    return [
        Step(
            "core alone: configure without tests, Python or network",
            (*configure, *off, *launcher()),
            NO_NETWORK,
        ),
        Step("core alone: build", build, NO_NETWORK),
        Step("core tests: configure", (*configure, *tests_on)),
        Step("core tests: build", build),
        ctest("release", plain, {}),
        # The layers that compute on a back-end; the others would do the same again.
        ctest("deferred", plain, DEFERRED, layers="backend|whisper|session|capi"),
        *preset_steps("sanitize"),
    ]


def pytest_step(
    title: str,
    *arguments: str,
    environment: dict[str, str] | None = None,
    slowest: int = 15,
    beside: bool = False,
) -> Step:
    """Tests under tests/, all of the tier `test` unless arguments name some."""
    report = REPORTS / f"{title.replace(',', '').replace(' ', '_')}.xml"
    command = (sys.executable, "-m", "pytest", *arguments, f"--junitxml={report}")
    return Step(title, (*command, f"--durations={slowest}"), environment or {}, report, beside)


def left_out(half: str) -> tuple[str, str]:
    """Options of pytest: the file for what a half of the package tests did not run."""
    return "--left-out", str(REPORTS / f"left_out_{half}.json")


def short_tier() -> list[Step]:
    """`make test`."""
    return [
        *core_steps(),
        # Most tests use one core. Real speech takes as long as the two beside it together.
        pytest_step(
            "package tests, real speech", *("tests/parity", "tests/e2e"), *left_out("speech")
        ),
        pytest_step(
            "package tests, units",
            *("tests/unit", "tests/js", "tests/jsi"),
            *left_out("units"),
            beside=True,
        ),
        ctest("sanitized", BUILD / "core-sanitize", SANITIZERS, jobs="1", beside=True),
        pytest_step("package tests, deferred", *DEFERRED_CASES, environment=DEFERRED, slowest=2),
    ]


def deferred_part() -> list[Step]:
    """All that computes, through Python, with late results."""
    return [pytest_step("package tests, all deferred", *DEFERRED_ALL, environment=DEFERRED)]


def threads_part() -> list[Step]:
    """The tests of the core under ThreadSanitizer."""
    tree = BUILD / "core-sanitize-threads"
    return [*preset_steps("sanitize-threads"), ctest("sanitize-threads", tree, SANITIZERS)]


def fuzz_part() -> list[Step]:
    """Each libFuzzer program from small files on. What it finds lies in build/fuzz."""
    programs, work = BUILD / "core-fuzz" / "fuzz", BUILD / "fuzz"
    names = ("wav", "model", "vad_model", "tokenizer", "grammar")
    seeds = {name: work / f"{name}-seeds" for name in names}
    folders = [str(path) for name in seeds for path in (work / name, seeds[name])]
    steps = [
        *preset_steps("fuzz"),
        Step("fuzz: folders", ("cmake", "-E", "make_directory", *folders)),
        Step("fuzz: WAV seeds", (sys.executable, "cpp/fuzz/make_wav_seeds.py", str(seeds["wav"]))),
        *(
            Step(
                f"fuzz: {name} seed",
                (str(programs / f"seed_{name}"), str(seeds[name] / "whole.bin")),
            )
            for name in ("model", "vad_model")
        ),
        *(
            Step(
                f"fuzz: {name} seeds",
                (sys.executable, "cpp/fuzz/make_text_seeds.py", name, str(seeds[name])),
            )
            for name in ("tokenizer", "grammar")
        ),
    ]
    limits = (f"-max_total_time={FUZZ_S}", "-timeout=10", "-rss_limit_mb=2048", "-verbosity=0")
    for index, (name, seed) in enumerate(seeds.items()):
        place = (f"-artifact_prefix={work}/{name}-finding-", str(work / name), str(seed))
        command = (str(programs / f"fuzz_{name}"), *limits, "-print_final_stats=1", *place)
        # Each uses one core: two at a time.
        steps.append(Step(f"fuzz: {name}", command, SANITIZERS, beside=index % 2 == 1))
    return steps


def marked_part(part: str) -> list[Step]:
    """The tests that are marked `long(part)`."""
    return [pytest_step(f"package tests, {part}", "--tier", "long", "--part", part)]


# The parts of `make test-long`, as tests/README.md describes them.
PARTS: dict[str, Callable[[], list[Step]]] = {
    "deferred": deferred_part,
    "threads": threads_part,
    "fuzz": fuzz_part,
    "tidy": lambda: marked_part("tidy"),
    "peers": lambda: marked_part("peers"),
    "kernels": lambda: marked_part("kernels"),
    "jsi": lambda: marked_part("jsi"),
    "packaging": lambda: marked_part("packaging"),
    "prefix": lambda: marked_part("prefix"),
    "upstream": lambda: marked_part("upstream"),
}


def long_tier(part: str) -> list[Step]:
    """`make test-long`. KeyError for a part that is not there."""
    if part == "all":
        return [step for steps in PARTS.values() for step in steps()]
    return PARTS[part]()


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
