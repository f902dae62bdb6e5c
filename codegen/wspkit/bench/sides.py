"""Brings the sides of a comparison together: models and programs of each subject, fetched, made and
built where they are missing; and why a peer cannot take part. Runs no measurement.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wspkit.bench import builds, sources
from wspkit.bench.builds import Build, Isa
from wspkit.bench.rounds import FASTER_WHISPER, OURS, PEERS, WHISPER_CPP, Case
from wspkit.core.quantized_type import QuantizedType
from wspkit.errors import NotFoundError, UsageError, WspError
from wspkit.fetching.cache import exclusive
from wspkit.fetching.progress import ProgressFactory, silent
from wspkit.models.catalogue import load
from wspkit.models.fetch import Options, resolve
from wspkit.models.inspect import inspect
from wspkit.process import Runner

#: Types of weights that are stored as they are; all others are made by quantising.
_PLAIN = ("f16", "f32")


@dataclass(frozen=True)
class Setup:
    """What is to be compared."""

    model: str
    """A name of the catalogue, or the path of a ggml file."""
    weights: tuple[str, ...] = ("f16", "q8_0")
    """Types of the large weights; the first is the one that ratios are of unless they say so."""
    n_threads: int = 1
    isa: Isa = Isa.NATIVE
    peers: tuple[str, ...] = PEERS


@dataclass(frozen=True)
class Sides:
    """What can be measured."""

    cases: tuple[Case, ...]
    missing: dict[str, str] = field(default_factory=dict)
    """Why a peer that was asked for takes no part, by its name."""


@dataclass(frozen=True)
class Workshop:
    """Where things are built, by what, and who is told how far it is."""

    runner: Runner
    repository: Path
    progress: ProgressFactory = silent

    def build(self, build: Build, label: str) -> Build:
        """Builds it, with a bar. Raises as `builds.ensure`."""
        with (
            exclusive(build.directory, waiting=lambda: None),
            self.progress(label, total=len(build.commands())) as bar,
        ):
            return builds.ensure(build, self.runner, bar.update)

    def our_core(self) -> Build:
        """Programs over our core, of today's sources."""
        build = builds.our_core(self.repository, self.repository / "build" / "bench")
        return self.build(build, "building the core")

    def whisper_cpp(self, isa: Isa) -> Build:
        """Programs over whisper.cpp, fetched and built once for each set of instructions."""
        source = sources.whisper_cpp_source(self.progress)
        version = sources.WHISPER_CPP_VERSION
        cache = sources.bench_cache()
        build = builds.whisper_cpp(self.repository, source, cache, isa, version=version)
        return self.build(build, "building whisper.cpp")


def bring_together(setup: Setup, workshop: Workshop) -> Sides:
    """Every case of the setup; those of one type of weights stand together, so that they run
    together.

    Our own side must be there: what it lacks is raised. A peer that cannot be had is missing, with
    its reason.
    """
    if setup.isa is Isa.AVX2 and not builds.is_x86():
        raise UsageError("avx2 is asked for on another machine", expected="--isa native")
    ours = workshop.our_core().program(builds.SUBJECT)
    missing: dict[str, str] = {}
    theirs: Path | None = None
    if WHISPER_CPP in setup.peers:
        try:
            theirs = workshop.whisper_cpp(setup.isa).program(builds.SUBJECT)
        except WspError as error:
            missing[WHISPER_CPP] = str(error)
    checkpoint: Path | None = None
    if FASTER_WHISPER in setup.peers:
        try:
            checkpoint = _checkpoint(setup.model, workshop)
        except WspError as error:
            missing[FASTER_WHISPER] = str(error)

    cases: list[Case] = []
    n_threads, forced = setup.n_threads, setup.isa.environment
    for weights, path in model_files(setup.model, setup.weights, workshop).items():
        cases.append(Case(OURS, weights, path, n_threads, ours, forced))
        if theirs is not None:
            cases.append(Case(WHISPER_CPP, weights, path, n_threads, theirs, forced))
        if checkpoint is not None:
            compute = "float32" if weights in _PLAIN else "int8"
            case = Case(FASTER_WHISPER, compute, checkpoint, n_threads, environment=forced)
            # Two types of quantised weights have one counterpart.
            if case not in cases:
                cases.append(case)
    return Sides(tuple(cases), missing)


def _checkpoint(model: str, workshop: Workshop) -> Path:
    if importlib.util.find_spec("faster_whisper") is None:
        raise NotFoundError(
            "the package faster-whisper is not installed", hint="`pip install faster-whisper`."
        )
    return sources.faster_whisper_directory(model, workshop.progress)


def model_files(model: str, weights: Sequence[str], workshop: Workshop) -> dict[str, Path]:
    """The model's file in each type of weights: the file itself, or made of it once.

    Raises UsageError for a type that the file neither has nor can be made into, and what fetching
    and quantising raise.
    """
    fetching = Options(progress=workshop.progress)
    given = resolve(model, fetch_missing=load().find(model) is not None, options=fetching)
    own = inspect(given).weights
    found = {}
    for name in weights:
        if name == own:
            found[name] = given
        elif name in _PLAIN or own not in _PLAIN:
            raise UsageError(
                f"{given.name} has weights of type {own}, and {name} is asked for",
                expected=f"{own}" if own not in _PLAIN else f"{own} or a quantised type",
            )
        else:
            found[name] = _quantized(given, name, workshop)
    return found


def _quantized(given: Path, weights: str, workshop: Workshop) -> Path:
    from wspkit.models.quantize import plan, quantize  # noqa: PLC0415 - the native module

    try:
        kind = QuantizedType(weights)
    except ValueError:
        known = ", ".join((*_PLAIN, *(one.value for one in QuantizedType)))
        raise UsageError(f"no type of weights {weights!r}", expected=f"one of {known}") from None
    (job,) = plan([given], [kind], sources.bench_cache(), replace=True)
    with exclusive(job.destination, waiting=lambda: None):
        made = job.destination
        if not made.is_file() or made.stat().st_mtime < given.stat().st_mtime:
            with workshop.progress(f"quantising to {weights}", total=job.weight_bytes) as bar:
                quantize(job, n_threads=os.cpu_count() or 1, bar=bar)
    return made
