"""How the programs of the benchmark are built, as commands; and building what is not there yet.

A plan is data: building one runs nothing. Programs of whisper.cpp are kept in the cache, in a
folder for each version, set of flags and machine; ours is built again when a source has changed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from wspkit.bench.machine import cpu_features, cpu_name
from wspkit.errors import NotFoundError
from wspkit.process import Command, Runner, tool

SUBJECT = "bench_subject"
KERNELS = "bench_kernels"
FROM_FILE = "bench_from_file"


class Isa(str, Enum):
    """The instructions that all subjects are built for or held to."""

    NATIVE = "native"
    """All that this machine has."""
    AVX2 = "avx2"
    """AVX2 with FMA and F16C, as machines of the last ten years have it."""

    @property
    def environment(self) -> dict[str, str]:
        """What holds subjects to it that choose at run time: our core, and CTranslate2."""
        if self is Isa.NATIVE:
            return {}
        return {"WSPKIT_KERNELS": "avx2", "CT2_FORCE_CPU_ISA": "AVX2"}


@dataclass(frozen=True)
class Build:
    """A CMake tree and what is wanted of it."""

    source: Path
    directory: Path
    targets: tuple[str, ...]
    definitions: tuple[str, ...] = ()
    """-DNAME=VALUE of CMake."""
    folder: str = ""
    """Where below the directory the programs appear."""

    def program(self, name: str) -> Path:
        """A program of the tree, once it is built."""
        return self.directory / self.folder / name

    def commands(self) -> list[Command]:
        """Configure, then build; both do nothing where nothing has changed."""
        cmake = tool("cmake")
        ninja = tool("ninja")
        generator: tuple[str, ...] = ()
        if shutil.which(ninja):
            generator = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}")
        places = ("-S", str(self.source), "-B", str(self.directory))
        kind = ("-DCMAKE_BUILD_TYPE=Release", *self.definitions, "--log-level=WARNING")
        jobs = ("--parallel", str(os.cpu_count() or 1))
        return [
            Command((cmake, *places, *generator, *kind)),
            Command((cmake, "--build", str(self.directory), "--target", *self.targets, *jobs)),
        ]


def our_core(repository: Path, directory: Path, definitions: Sequence[str] = ()) -> Build:
    """All programs of the benchmark over our core."""
    return Build(
        source=repository / "cpp",
        directory=directory,
        targets=(SUBJECT, KERNELS, FROM_FILE),
        definitions=("-DSPEECH_BUILD_BENCH=ON", *definitions),
        folder="bench",
    )


#: What whisper.cpp calls the instructions; each option is off unless named, where NATIVE is off.
_WHISPER_CPP_ISA = {
    Isa.NATIVE: ("-DGGML_NATIVE=ON",),
    Isa.AVX2: (
        *("-DGGML_NATIVE=OFF", "-DGGML_SSE42=ON", "-DGGML_AVX=ON", "-DGGML_AVX2=ON"),
        *("-DGGML_BMI2=ON", "-DGGML_FMA=ON", "-DGGML_F16C=ON"),
    ),
}


def whisper_cpp(
    repository: Path,
    source: Path,
    cache: Path,
    isa: Isa,
    *,
    version: str,
    definitions: Sequence[str] | None = None,
) -> Build:
    """bench_subject over whisper.cpp with its own settings, in a folder of its own.

    definitions: instead of those of `isa`, for another machine than this one.
    """
    flags = _WHISPER_CPP_ISA[isa] if definitions is None else tuple(definitions)
    # What "native" means is the machine's to say.
    machine = (cpu_name(), *cpu_features()) if "-DGGML_NATIVE=ON" in flags else ()
    key = hashlib.sha256("\n".join((version, *flags, *machine)).encode()).hexdigest()[:12]
    return Build(
        source=repository / "cpp" / "bench" / "peer",
        directory=cache / f"whisper.cpp-{version}-{key}",
        targets=(SUBJECT,),
        definitions=(
            f"-DWHISPER_CPP_SOURCE={source}",
            "-DBUILD_SHARED_LIBS=OFF",
            "-DWHISPER_BUILD_EXAMPLES=OFF",
            "-DWHISPER_BUILD_TESTS=OFF",
            "-DWHISPER_BUILD_SERVER=OFF",
            *flags,
        ),
    )


def ensure(
    build: Build, runner: Runner, on_step: Callable[[int], object] = lambda _: None
) -> Build:
    """Runs the build's commands. on_step: gets the number of commands done.

    Raises NotFoundError, with what to install, without a compiler or CMake; CommandError if it
    fails.
    """
    require_tools(build)
    for number, command in enumerate(build.commands(), start=1):
        runner.run(command)
        on_step(number)
    return build


def require_tools(build: Build) -> None:
    """NotFoundError, with what to install, if something is missing that builds it."""
    if shutil.which(tool("cmake")) is None:
        raise NotFoundError("no program 'cmake'", hint="Install cmake, then try again.")
    for language, usual in (("CXX", "c++"), ("C", "cc")):
        prefix = f"-DCMAKE_{language}_COMPILER="
        named = [word.removeprefix(prefix) for word in build.definitions if prefix in word]
        asked = shlex.split(os.environ.get(language if language == "CXX" else "CC", ""))
        compiler = (named or asked or [usual])[0]
        if shutil.which(compiler) is None:
            raise NotFoundError(
                f"no compiler {compiler!r} to build {build.source.name} with",
                hint=f"Install one, as in `apt-get install {_package(compiler)}`.",
            )


def _package(compiler: str) -> str:
    cross = compiler.removesuffix("-g++").removesuffix("-gcc")
    return f"g++-{cross}" if cross != compiler else "g++"


def repository_root() -> Path:
    """Where the sources of the core are. NotFoundError where wsp was installed without them."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "cpp" / "bench" / "subject.c").is_file():
        raise NotFoundError(
            "no sources of the core beside this package",
            expected="a checkout of the repository, with its development install (`make setup`)",
        )
    return root


def is_x86() -> bool:
    """Whether AVX2 can be asked for here."""
    return platform.machine().lower() in {"x86_64", "amd64"}
