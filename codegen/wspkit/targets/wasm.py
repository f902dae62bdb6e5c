"""WebAssembly by Zig, which brings compiler, linker, C and C++ library: wasm32, WASI, one thread,
128-bit vectors.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from wspkit.config.version_range import VersionRange
from wspkit.errors import NotFoundError
from wspkit.targets.core import BUILD_TYPE, Request, core_lane, library_of
from wspkit.targets.plan import File, Plan
from wspkit.targets.profile import Profile
from wspkit.targets.search import Search, require

NAME = "wasm"
TRIPLE = "wasm32-wasi"
_INSTALL = "Install it, as in `pip install ziglang`, or name it with ZIG."
#: What throws ends the program, as nothing can be caught. Zig describes each line for debuggers
#: unless it is told not to.
FLAGS = ("-msimd128", "-g0", "-ffunction-sections", "-fdata-sections", "-fignore-exceptions")
_CLANG: dict[tuple[int, ...], str] = {(0, 14): "19", (0, 15): "20", (0, 16): "21", (0, 17): "22"}


@dataclass(frozen=True)
class Zig:
    """Zig, as it was found."""

    program: str
    version: tuple[int, ...]

    @property
    def clang(self) -> str:
        """The version of clang inside: Conan wants to know, and nothing depends on it."""
        return _CLANG.get(self.version[:2], _CLANG[max(_CLANG)])


def find_zig(search: Search, wanted: VersionRange) -> Zig:
    """Zig: named by ZIG, on the PATH, or in the package `ziglang` of this Python's environment.

    Raises NotFoundError or UnsupportedError.
    """
    program = search.environment.get("ZIG") or search.which("zig") or _of_this_environment()
    if program is None:
        raise NotFoundError("no program 'zig'", hint=_INSTALL)
    version = search.version(program, "version", install=_INSTALL)
    require("Zig", version, wanted, key="target.wasm.zig")
    return Zig(program, version)


def _of_this_environment() -> str | None:
    found = importlib.util.find_spec("ziglang")
    folders = found.submodule_search_locations if found is not None else None
    programs = [Path(folder) / "zig" for folder in folders or []]
    return next((str(path) for path in programs if path.is_file()), None)


def plan_wasm(request: Request, search: Search) -> Plan:
    """Looks for Zig; raises NotFoundError or UnsupportedError about it."""
    wanted = request.project.config.target.wasm.zig
    zig = search.found(lambda: find_zig(search, wanted), Zig("zig", wanted.least))
    library = library_of(request, NAME)
    # CMake takes programs of one word.
    words = {"cc": "cc", "c++": "c++", "ar": "ar", "ranlib": "ranlib"}
    scripts = {name: library.folder / "bin" / name for name in words}
    files = tuple(
        File(scripts[name], _script(zig.program, word), executable=True)
        for name, word in words.items()
    )
    profile = Profile(
        title=f"{NAME}, by Zig",
        settings={
            # No system that Conan knows; CMake is told its name below.
            "os": "baremetal",
            "arch": "wasm",
            "build_type": BUILD_TYPE,
            "compiler": "clang",
            # Zig has one C++ library, and refuses to be told which.
            "compiler.version": zig.clang,
            "compiler.cppstd": "20",
        },
        flags=FLAGS,
        compilers={"c": str(scripts["cc"]), "cpp": str(scripts["c++"])},
        variables={"CMAKE_AR": str(scripts["ar"]), "CMAKE_RANLIB": str(scripts["ranlib"])},
        conf={
            "tools.cmake.cmaketoolchain:system_name": "WASI",
            "tools.cmake.cmaketoolchain:system_processor": "wasm32",
        },
    )
    exports = "".join(f"{name}\n" for name in request.functions)
    return Plan("wasm", (core_lane(request, NAME, profile, exports=exports, files=files),))


def _script(zig: str, word: str) -> str:
    target = f" -target {TRIPLE}" if word in {"cc", "c++"} else ""
    return f'#!/bin/sh\nexec "{zig}" {word}{target} "$@"\n'
