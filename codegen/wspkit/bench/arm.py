"""Instructions that Arm processors would execute: both cores cross-built for one architecture, run
under QEMU on several processors, counted by a plugin between marks. Prints nothing.

An emulator's time says nothing; its count of instructions is exact and the same in every run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wspkit.bench import builds, sources
from wspkit.bench.builds import SUBJECT, Build, Isa
from wspkit.bench.rounds import OURS, WHISPER_CPP
from wspkit.bench.sides import Workshop, model_files
from wspkit.errors import BadFormatError, NotFoundError, UsageError
from wspkit.log import Column
from wspkit.process import Command, Runner

#: Processors of QEMU, and what both sides are compiled for, all that the processor has: armv8,
#: with dot products and binary16, with matrix products of 8 bits, and with scalable vectors too.
PROCESSORS = {
    "cortex-a53": "armv8-a",
    "cortex-a76": "armv8.2-a+fp16+dotprod",
    "max,sve=off": "armv8.6-a+fp16",
    "max": "armv8.6-a+fp16+sve2",
}
QEMU = "qemu-aarch64"
COMPILER = "aarch64-linux-gnu-"

#: What is counted, between which marks of bench_subject.
SPANS = {"encoder": (1, 2), "decoder step": (3, 4)}


@dataclass(frozen=True)
class ArmFigure:
    """Instructions of one part of the work on one processor."""

    processor: str
    weights: str
    part: str
    """A name of `SPANS`."""
    ours: int
    theirs: int | None
    """whisper.cpp's; None where only our side ran."""

    @property
    def share(self) -> float | None:
        """Ours over theirs."""
        return None if not self.theirs else self.ours / self.theirs


def cross_definitions(march: str) -> tuple[str, ...]:
    """CMake's for programs of Linux on aarch64 that need no libraries."""
    return (
        "-DCMAKE_SYSTEM_NAME=Linux",
        "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
        f"-DCMAKE_C_COMPILER={COMPILER}gcc",
        f"-DCMAKE_CXX_COMPILER={COMPILER}g++",
        f"-DCMAKE_C_FLAGS=-march={march}",
        f"-DCMAKE_CXX_FLAGS=-march={march}",
        "-DCMAKE_EXE_LINKER_FLAGS=-static",
    )


def our_build(repository: Path, march: str) -> Build:
    """bench_subject over our core."""
    name = re.sub(r"\W+", "-", march)
    directory = repository / "build" / "bench-arm" / name
    build = builds.our_core(repository, directory, cross_definitions(march))
    return Build(build.source, directory, (SUBJECT,), build.definitions, build.folder)


def their_build(repository: Path, source: Path, cache: Path, march: str) -> Build:
    """bench_subject over whisper.cpp; ggml takes the architecture by a name of its own as well."""
    flags = (
        *cross_definitions(march),
        "-DGGML_NATIVE=OFF",
        f"-DGGML_CPU_ARM_ARCH={march}",
        # One thread, and no library of OpenMP to link in.
        "-DGGML_OPENMP=OFF",
    )
    return builds.whisper_cpp(
        repository,
        source,
        cache,
        Isa.NATIVE,
        version=sources.WHISPER_CPP_VERSION,
        definitions=flags,
    )


def plugin_command(repository: Path, plugin: Path, qemu_version: str) -> Command:
    """Compiles the plugin that counts, for the interface that this QEMU has."""
    major = re.search(r"version (\d+)", qemu_version)
    api = 2 if major and int(major[1]) >= 9 else 1
    return Command.of(
        *("cc", "-O2", "-shared", "-fPIC", f"-DQEMU_PLUGIN_API={api}", "-o", plugin),
        repository / "cpp" / "bench" / "count_instructions.c",
    )


def count_command(
    program: Path, model: Path, samples: Path, *, processor: str, plugin: Path, counts: Path
) -> Command:
    """One emulated run that leaves its counts in a file."""
    return Command.of(
        *(QEMU, "-cpu", processor, "-plugin", f"{plugin},out={counts}"),
        *(program, model, samples, "en", "1", "count"),
    )


def spans(text: str) -> dict[str, int]:
    """Instructions of each part, from the plugin's file. BadFormatError if a mark is missing."""
    try:
        marks = {int(mark): int(count) for mark, count in map(str.split, text.splitlines())}
        return {part: marks[end] - marks[begin] for part, (begin, end) in SPANS.items()}
    except (ValueError, KeyError) as error:
        raise BadFormatError(
            f"counts {text[:200]!r}", expected="marks 1 to 4, each with a count"
        ) from error


def measure(
    workshop: Workshop,
    *,
    model: str,
    weights: Sequence[str],
    processors: Sequence[str],
    samples: Path,
    directory: Path,
    with_peer: bool = True,
    on_run: Callable[[int], object] = lambda _: None,
) -> list[ArmFigure]:
    """Builds what is missing and counts. directory: for files of counts; on_run: runs done.

    Raises NotFoundError with what to install, UsageError for a processor that is not known, and
    what building, fetching and running raise.
    """
    if unknown := [name for name in processors if name not in PROCESSORS]:
        raise UsageError(
            f"processor {unknown[0]!r}", expected=f"one of {', '.join(map(repr, PROCESSORS))}"
        )
    plugin = directory / "count_instructions.so"
    runner = workshop.runner
    version = _qemu_version(runner)
    runner.run(plugin_command(workshop.repository, plugin, version))
    files = model_files(model, weights, workshop)
    done = 0
    figures = []
    for processor in processors:
        programs = _programs(workshop, PROCESSORS[processor], with_peer=with_peer)
        for name, path in files.items():
            counted = {}
            for subject, program in programs.items():
                counts = directory / "counts"
                runner.run(
                    count_command(
                        program, path, samples, processor=processor, plugin=plugin, counts=counts
                    )
                )
                counted[subject] = spans(counts.read_text(encoding="ascii"))
                done += 1
                on_run(done)
            figures += _figures(processor, name, counted)
    return figures


def _qemu_version(runner: Runner) -> str:
    try:
        return runner.run(Command.of(QEMU, "--version")).stdout
    except NotFoundError as error:
        raise NotFoundError(
            error.found,
            hint="Install qemu-user: the static build of it cannot load the plugin that counts.",
        ) from error


def _programs(workshop: Workshop, march: str, *, with_peer: bool) -> dict[str, Path]:
    repository = workshop.repository
    plans = {OURS: our_build(repository, march)}
    if with_peer:
        source = sources.whisper_cpp_source(workshop.progress)
        plans[WHISPER_CPP] = their_build(repository, source, sources.bench_cache(), march)
    return {
        subject: workshop.build(plan, f"building {subject} for {march}").program(SUBJECT)
        for subject, plan in plans.items()
    }


def _figures(
    processor: str, weights: str, counted: Mapping[str, Mapping[str, int]]
) -> list[ArmFigure]:
    theirs = counted.get(WHISPER_CPP, {})
    return [
        ArmFigure(processor, weights, part, counted[OURS][part], theirs.get(part)) for part in SPANS
    ]


COLUMNS = (
    Column("processor"),
    Column("weights"),
    Column("part"),
    *(Column(title, right=True) for title in ("wsp, millions", "whisper.cpp, millions", "share")),
)


def cells(figure: ArmFigure) -> list[str]:
    """A row of the table under COLUMNS."""
    return [
        figure.processor,
        figure.weights,
        figure.part,
        f"{figure.ours / 1e6:.1f}",
        "" if figure.theirs is None else f"{figure.theirs / 1e6:.1f}",
        "" if figure.share is None else f"{figure.share:.2f}",
    ]


def document(figures: Sequence[ArmFigure]) -> list[dict[str, Any]]:
    """The same for machines."""
    return [{**asdict(figure), "share": figure.share} for figure in figures]
