"""The steps that make the core's library, the same for every target: Conan writes the toolchain,
CMake configures, builds and installs. It knows no target.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit.config.load import Project
from wspkit.config.model import Abi, Slice
from wspkit.errors import UsageError
from wspkit.process import Command
from wspkit.targets.exports import public_functions
from wspkit.targets.plan import File, Lane, Step
from wspkit.targets.profile import Profile, build_profile
from wspkit.targets.search import Search, find_cmake, find_conan, find_ninja

LIBRARY = "speech"
"""What the CMake project calls its library."""
BUILD_TYPE = "MinSizeRel"
"""Small; what computes is compiled for speed all the same, as the CMake project has it."""


@dataclass(frozen=True)
class Tools:
    """What every target is built with."""

    cmake: str
    conan: str
    ninja: str
    launcher: str | None
    """Program in front of the compiler; None for none."""
    system: str
    """Of the machine that builds, as Python calls it."""
    machine: str
    """Its processors, as Python calls them."""


@dataclass(frozen=True)
class Request:
    """What is to be built."""

    project: Project
    source: Path
    """Folder with the core's CMakeLists.txt; absolute."""
    directory: Path
    """Where targets are built, one folder each; absolute."""
    tools: Tools
    jobs: int = 1
    """Compilers at the same time in each lane."""
    abis: tuple[Abi, ...] = ()
    """Of Android; those of wsp.toml if empty."""
    slices: tuple[Slice, ...] = ()
    """Of Apple; those of wsp.toml if empty."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The public functions of the sources."""
        return public_functions(self.source)

    @property
    def version(self) -> str:
        """The version of the sources, as their CMakeLists.txt says; 0 where it does not."""
        text = (self.source / "CMakeLists.txt").read_text(encoding="utf-8")
        found = re.search(r"^project\(\w+ VERSION ([\d.]+)", text, re.MULTILINE)
        return found[1] if found else "0"


def find_tools(search: Search, project: Project) -> Tools:
    """Looks for CMake, Conan, Ninja and a launcher. Raises as `search` does."""
    return Tools(
        cmake=find_cmake(search, project.config.build.cmake),
        conan=find_conan(search),
        ninja=find_ninja(search),
        launcher=search.launcher(),
        system=search.system,
        machine=platform.machine(),
    )


@dataclass(frozen=True)
class Library:
    """Where a lane's results lie."""

    folder: Path
    """The lane's own."""

    @property
    def build(self) -> Path:
        """Where Conan's recipe lays CMake's tree."""
        return self.folder / "build" / BUILD_TYPE

    @property
    def out(self) -> Path:
        """Where the library and its headers are installed."""
        return self.folder / "out"

    @property
    def static(self) -> Path:
        """The static library."""
        return self.out / "lib" / f"lib{LIBRARY}.a"

    def shared(self, suffix: str) -> Path:
        """The shared one: its suffix is the system's."""
        return self.out / "lib" / f"lib{LIBRARY}{suffix}"


def check_folder(request: Request, lane: str) -> None:
    """UsageError if a lane's folder holds the build of other sources: CMake would refuse it."""
    try:
        cache = (library_of(request, lane).build / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return
    found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.MULTILINE)
    if found and Path(found[1]).resolve() != request.source.resolve():
        raise UsageError(
            f"{request.directory / lane} holds a build of {found[1]}",
            expected=f"one of {request.source}, or none",
            hint="Name another folder with --out, or delete this one.",
        )


def library_of(request: Request, lane: str) -> Library:
    """Places of a lane, by its name."""
    return Library(request.directory / lane)


def core_lane(
    request: Request,
    name: str,
    profile: Profile,
    *,
    exports: str,
    files: Sequence[File] = (),
    steps: Sequence[Step] = (),
    shared: Path | None = None,
) -> Lane:
    """A lane. exports: text of the list of names, for the system's linker; files: what the compiler
    needs beside the profile; steps: what follows the installation.
    """
    tools, library = request.tools, library_of(request, name)
    launchers = {}
    if tools.launcher:
        launchers = {f"CMAKE_{word}_COMPILER_LAUNCHER": tools.launcher for word in ("C", "CXX")}
    variables = {**(profile.variables or {}), **launchers}
    host = library.folder / "host.profile"
    build = library.folder / "build.profile"
    names = library.out / "exports.txt"
    return Lane(
        name,
        (
            Profile(
                profile.title,
                profile.settings,
                profile.flags,
                profile.compilers,
                variables,
                profile.conf,
            ).file(host),
            build_profile(build, tools.system, tools.machine),
            File(names, exports),
            *files,
        ),
        (*_steps(request, library, host, build), *steps),
        static=library.static,
        headers=library.out / "include",
        exports=names,
        shared=shared,
    )


def _steps(request: Request, library: Library, host: Path, build: Path) -> tuple[Step, ...]:
    tools = request.tools
    toolchain = library.build / "generators" / "conan_toolchain.cmake"
    conan = Command.of(
        *(tools.conan, "install", request.source),
        *("--profile:host", host, "--profile:build", build),
        *("--output-folder", library.folder, "--no-remote"),
        # A cache of its own: what other lanes and the user's projects have is none of its business.
        CONAN_HOME=str(library.folder / "conan"),
    )
    configure = Command.of(
        *(tools.cmake, "-S", request.source, "-B", library.build),
        *("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}"),
        f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
        f"-DCMAKE_BUILD_TYPE={BUILD_TYPE}",
        f"-DCMAKE_INSTALL_PREFIX={library.out}",
        "--log-level=WARNING",
    )
    compiling = Command.of(tools.cmake, "--build", library.build, "--parallel", str(request.jobs))
    return (
        Step("writing the toolchain", conan),
        Step("configuring", configure),
        Step("compiling", compiling),
        # What an older version of the sources installed goes.
        Step(
            "clearing",
            Command.of(
                tools.cmake, "-E", "rm", "-rf", library.out / "include", library.out / "lib"
            ),
        ),
        Step("installing", Command.of(tools.cmake, "--install", library.build)),
    )
