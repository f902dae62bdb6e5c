"""What is true of a package once it is compiled: it builds by its own files, collides with nothing,
shows what it should, is aligned and small, and hears. Commands go to a runner; Linux only.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from wspkit.config.load import Project
from wspkit.config.model import Linux
from wspkit.errors import BadFormatError, BudgetError, CollisionError
from wspkit.fetching.whole_folder import holds, replace_folder
from wspkit.package.native import public_functions
from wspkit.package.react_native import include_folders
from wspkit.prefix.audit import Finding, against_exports, audit
from wspkit.prefix.profile import load_profile
from wspkit.prefix.symbols import read_symbols
from wspkit.process import Command, Runner
from wspkit.targets.exports import version_script

Target = Literal["linux-x86_64", "linux-aarch64"]
TARGETS: Final[tuple[Target, ...]] = ("linux-x86_64", "linux-aarch64")

_SECTIONS: Final = ("-ffunction-sections", "-fdata-sections")
COUNTED: Final = (
    "core with every kernel table, and binding, in one stripped shared library; not the C++ "
    "runtime, and nothing of React Native"
)
_CLANG: Final = "clang++-19"
_ENTRY: Final = "kit_module"
# What React Native's Gradle plugin writes into an app, as far as the linker sees it.
_REGISTRATION: Final = f"""#include <NativeWsp.h>
extern "C" __attribute__((visibility("default"))) facebook::react::TurboModule* {_ENTRY}(
    std::shared_ptr<facebook::react::CallInvoker> invoker) {{
  return new facebook::react::NativeWsp(std::move(invoker));
}}
"""


@dataclass(frozen=True)
class Proof:
    """What was found true for one target."""

    target: Target
    core: Path
    """The core's static library."""
    library: Path
    """Core and binding in a stripped shared library."""
    library_bytes: int
    names: int
    """Different global names that were looked at."""
    alignment_bytes: int
    """Of the library's segments, the smallest."""


# What CMake and clang call the processors.
_MACHINES: Final[Mapping[Target, str]] = {"linux-x86_64": "x86_64", "linux-aarch64": "aarch64"}


def prove(
    files: Mapping[str, bytes],
    target: Target,
    project: Project,
    build: Path,
    runner: Runner,
    *,
    jobs: int,
) -> Proof:
    """Compiles a package in a folder of its own and looks at what comes out. Needs CMake, GCC for
    the target, clang 19 and its linker.

    Errors: CommandError if something does not compile; CollisionError for a name that another copy
    could define, BadFormatError for wrong exports or alignment, BudgetError for too large a
    library; NotFoundError without CMake or a compiler.
    """
    work = _Work(target, project, build / target, runner, jobs)
    if not holds(work.package, files):
        replace_folder(work.package, files)
    core = work.core()
    objects = work.binding()
    library = work.linked(core, objects, public_functions(files))
    names = work.audited([core, *objects])
    work.check_exports(library, public_functions(files))
    alignment = segment_alignment(library.read_bytes(), library.name)
    page = project.config.target.android.page_size_bytes
    if alignment < page:
        raise BadFormatError(
            f"{library} is aligned to {alignment} bytes", expected=f"pages of {page} bytes"
        )
    proof = Proof(target, core, library, library.stat().st_size, names, alignment)
    check_budget(proof, project)
    return proof


def check_budget(proof: Proof, project: Project) -> None:
    """BudgetError if the library is larger than wsp.toml allows."""
    limit = project.config.budget.library_bytes.get(proof.target, proof.library_bytes)
    if proof.library_bytes > limit:
        raise BudgetError(
            f"{proof.library} has {proof.library_bytes:,} bytes",
            expected=f"at most {limit:,} (budget.library_bytes.{proof.target} in wsp.toml)",
            hint="See what grew with `nm --size-sort`, or raise the limit.",
        )


@dataclass(frozen=True)
class _Work:
    target: Target
    project: Project
    folder: Path
    runner: Runner
    jobs: int

    @property
    def package(self) -> Path:
        return self.folder / "package"

    @property
    def settings(self) -> Linux:
        targets = self.project.config.target
        return targets.linux_x86_64 if self.target == "linux-x86_64" else targets.linux_aarch64

    @property
    def machine(self) -> str:
        return _MACHINES[self.target]

    def core(self) -> Path:
        """The static library, as anybody makes it who has CMake and a compiler."""
        build = self.folder / "core"
        prefix = self.settings.compiler
        cross = (
            f"-DCMAKE_C_COMPILER={prefix}gcc",
            f"-DCMAKE_CXX_COMPILER={prefix}g++",
            *(
                ("-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_SYSTEM_PROCESSOR={self.machine}")
                if prefix
                else ()
            ),
        )
        self.runner.run(
            Command.of(
                *(
                    "cmake",
                    "-S",
                    self.package / "cpp",
                    "-B",
                    build,
                    "-DCMAKE_BUILD_TYPE=MinSizeRel",
                ),
                *(f"-DCMAKE_{word}_FLAGS={' '.join(_SECTIONS)}" for word in ("C", "CXX")),
                *cross,
            )
        )
        self.runner.run(Command.of("cmake", "--build", build, "--parallel", str(self.jobs)))
        (library,) = build.glob("*.a")
        return library

    def binding(self) -> list[Path]:
        """The objects of the binding and of what registers it, by clang: GCC refuses React Native's
        headers.
        """
        objects = self.folder / "binding"
        registration = objects / "registration.cpp"
        objects.mkdir(parents=True, exist_ok=True)
        registration.write_text(_REGISTRATION, encoding="utf-8")
        jsi = self.package / "cpp" / "jsi"
        sources = [*sorted(jsi.rglob("*.cpp")), registration]
        own = ("cpp/jsi", "cpp/include", "android/generated")
        launcher = os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER", "")
        flags = (
            *filter(None, [launcher]),
            *(_CLANG, f"--target={self.machine}-linux-gnu", "-std=c++20", "-fPIC"),
            *("-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Oz", "-DNDEBUG", *_SECTIONS),
            "-fno-asynchronous-unwind-tables",
            *(f"-I{self.package / folder}" for folder in own),
            *(word for path in include_folders(self.runner) for word in ("-isystem", str(path))),
        )
        made = {source: objects / f"{source.stem}.o" for source in sources}
        commands = [Command.of(*flags, "-c", source, "-o", out) for source, out in made.items()]
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self.runner.run, commands))
        return list(made.values())

    def linked(self, core: Path, objects: Sequence[Path], functions: Sequence[str]) -> Path:
        """Core and binding as one library that shows the public names, stripped."""
        script, library = self.folder / "exports.map", self.folder / "libkit.so"
        script.write_text(version_script((*functions, _ENTRY)), encoding="utf-8")
        page = self.project.config.target.android.page_size_bytes
        self.runner.run(
            Command.of(
                # The linker of Android's NDK, and what android/CMakeLists.txt asks of it.
                *(_CLANG, f"--target={self.machine}-linux-gnu", "-fuse-ld=lld", "-shared"),
                *("-Wl,--gc-sections", "-Wl,--icf=safe", "-Wl,--exclude-libs,libstdc++.a"),
                *(f"-Wl,--version-script={script}", f"-Wl,-z,max-page-size={page}"),
                *objects,
                *("-Wl,--whole-archive", core, "-Wl,--no-whole-archive"),
                *("-lpthread", "-o", library),
            )
        )
        strip = f"{self.settings.compiler}strip"
        self.runner.run(Command.of(strip, "--strip-unneeded", library))
        return library

    def audited(self, files: Sequence[Path]) -> int:
        """How many names there are. CollisionError for one without the prefix."""
        prefix = self.project.config.prefix
        own = self.project.root / prefix.profile
        profile = load_profile(own if own.is_file() else prefix.profile)
        symbols = read_symbols(files, self.runner, nm=f"{self.settings.compiler}nm")
        # What registers the binding stands for the app.
        ours = [one for one in symbols if not one.place.endswith("registration.o")]
        found = [one for one in audit(ours, prefix.name, profile).findings if not _is_of_react(one)]
        if found:
            shown = ", ".join(f"{one.readable} ({one.kind})" for one in found[:5])
            raise CollisionError(
                f"{len(found)} names of the package could meet another copy's: {shown}",
                hint="Run `wsp audit` on the sources for all of them.",
            )
        return len({one.name for one in ours})

    def check_exports(self, library: Path, functions: Sequence[str]) -> None:
        """BadFormatError if the library shows another set of names than the list has."""
        symbols = read_symbols([library], self.runner, nm=f"{self.settings.compiler}nm")
        found = against_exports(symbols, (*functions, _ENTRY))
        if found:
            shown = ", ".join(f"{one.readable} ({one.kind})" for one in found[:5])
            raise BadFormatError(
                f"{library} does not show the public names alone: {shown}",
                expected="what android/exports.map lists",
            )


def _is_of_react(finding: Finding) -> bool:
    # Inline functions of its headers are the same in every module of an app, and meant to be one.
    return finding.kind in ("weak", "instance") and "facebook::" in finding.readable


def segment_alignment(content: bytes, name: str) -> int:
    """The smallest alignment of a 64-bit ELF file's loaded segments, in bytes (System V ABI)."""
    if content[:5] != b"\x7fELF\x02":
        raise BadFormatError(f"{name} is no 64-bit ELF file")
    offset, size, count = struct.unpack_from("<Q14xHH", content, 32)
    headers = [struct.unpack_from("<II40xQ", content, offset + i * size) for i in range(count)]
    aligned = [alignment for kind, _, alignment in headers if kind == 1]
    if not aligned:
        raise BadFormatError(f"{name} has no segment to load")
    return int(min(aligned))
