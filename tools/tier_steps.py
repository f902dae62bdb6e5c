"""What each tier of tests runs: commands, as data. It knows the tools (CMake, CTest, pytest,
libFuzzer, QEMU), and of what is tested only the names; `run_tests.py` runs it.
"""

from __future__ import annotations

import os
import shutil
import sys
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
            *("tests/unit", "tests/plans", "tests/pack", "tests/js", "tests/jsi"),
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


# Processors of QEMU on which the whole suite of the core runs: no extension, dot products and
# binary16, products of matrices of 8 bits, and scalable vectors too.
EMULATED = {
    "aarch64": ("cortex-a53", "cortex-a76", "max,sve=off", "max"),
    "armhf": ("max",),
}
EMULATORS = {"aarch64": "qemu-aarch64", "armhf": "qemu-arm"}


def arm_part() -> list[Step]:
    """The core's whole suite on emulated processors, built by the toolchains of `wsp build`."""
    targets = [word for name in EMULATED for word in ("--target", f"linux-{name}")]
    steps = [Step("arm: libraries", (sys.executable, "-m", "wspkit.cli.app", "build", *targets))]
    for name in EMULATED:
        toolchain = BUILD / "targets" / f"linux-{name}" / "build" / "MinSizeRel" / "generators"
        options = (
            f"-DCMAKE_TOOLCHAIN_FILE={toolchain / 'conan_toolchain.cmake'}",
            "-DCMAKE_BUILD_TYPE=MinSizeRel",
            *launcher(),
        )
        # Debian ships GoogleTest as sources too; its library is for this machine.
        googletest, tests = BUILD / "arm" / f"googletest-{name}", BUILD / f"core-{name}"
        place = googletest / "installed"
        googletest_options = ("-DBUILD_GMOCK=OFF", f"-DCMAKE_INSTALL_PREFIX={place}")
        tests_options = (
            "-DSPEECH_BUILD_TESTS=ON",
            "-DSPEECH_TEST_BACKENDS=ON",
            "-DCMAKE_EXE_LINKER_FLAGS=-static",
            f"-DGTest_DIR={place}/lib/cmake/GTest",
            f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATORS[name]}",
        )
        for what, source, tree, more in (
            ("GoogleTest", "/usr/src/googletest", googletest, googletest_options),
            ("tests", "cpp", tests, tests_options),
        ):
            configure = ("cmake", "-S", source, "-B", str(tree), *options, *more)
            steps.append(Step(f"arm, {name}: configure {what}", configure))
            steps.append(
                Step(f"arm, {name}: build {what}", ("cmake", "--build", str(tree), "-j", CORES))
            )
            if what == "GoogleTest":
                install = ("cmake", "--install", str(tree))
                steps.append(Step(f"arm, {name}: install {what}", install))
    runs = [(name, processor) for name, some in EMULATED.items() for processor in some]
    for index, (name, processor) in enumerate(runs):
        # An emulated processor uses one of ours: two at a time.
        steps.append(
            ctest(
                f"{name}-{processor}",
                BUILD / f"core-{name}",
                {"QEMU_CPU": processor},
                jobs="1",
                beside=index % 2 == 1,
            )
        )
    return [*steps, *marked_part("arm")]


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
    "metal": lambda: marked_part("metal"),
    "jsi": lambda: marked_part("jsi"),
    "packaging": lambda: marked_part("packaging"),
    "prefix": lambda: marked_part("prefix"),
    "upstream": lambda: marked_part("upstream"),
    "coreml": lambda: marked_part("coreml"),
    "openvino": lambda: marked_part("openvino"),
    "arm": arm_part,
    "wasm": lambda: marked_part("wasm"),
    "systems": lambda: marked_part("systems"),
    "pack": lambda: marked_part("pack"),
    "android": lambda: marked_part("android"),
}


def long_tier(part: str) -> list[Step]:
    """`make test-long`. KeyError for a part that is not there."""
    if part == "all":
        return [step for steps in PARTS.values() for step in steps()]
    return PARTS[part]()
