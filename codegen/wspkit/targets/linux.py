"""Linux on three processor families, by GCC: the system's, or a cross-compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wspkit.config.model import Linux
from wspkit.targets.core import BUILD_TYPE, Request, core_lane, library_of
from wspkit.targets.elf import SECTIONS, Linker, steps_after_installation
from wspkit.targets.exports import version_script
from wspkit.targets.plan import Plan
from wspkit.targets.profile import Profile
from wspkit.targets.search import Search, require

LinuxName = Literal["linux-x86_64", "linux-aarch64", "linux-armhf"]


@dataclass(frozen=True)
class _Family:
    conan: str
    """What Conan calls the processors."""
    cmake: str
    """What CMake calls them."""
    package: str
    """Debian's package of the compiler."""
    flags: tuple[str, ...] = ()


_FAMILIES: dict[LinuxName, _Family] = {
    "linux-x86_64": _Family("x86_64", "x86_64", "g++"),
    "linux-aarch64": _Family("armv8", "aarch64", "g++-aarch64-linux-gnu"),
    # NEON with fused multiplication: what every processor with 64 bits can also do with 32.
    "linux-armhf": _Family("armv7hf", "armv7l", "g++-arm-linux-gnueabihf", ("-mfpu=neon-vfpv4",)),
}


def plan_linux(name: LinuxName, request: Request, search: Search) -> Plan:
    """Looks for the compiler; raises NotFoundError or UnsupportedError about it."""
    targets = request.project.config.target
    settings: Linux = {
        "linux-x86_64": targets.linux_x86_64,
        "linux-aarch64": targets.linux_aarch64,
        "linux-armhf": targets.linux_armhf,
    }[name]
    family = _FAMILIES[name]
    version = search.found(lambda: _gcc(search, name, settings, family), settings.gcc.least)
    gcc, gxx = f"{settings.compiler}gcc", f"{settings.compiler}g++"
    profile = Profile(
        title=f"{name}, by {gxx}",
        settings={
            "os": "Linux",
            "arch": family.conan,
            "build_type": BUILD_TYPE,
            "compiler": "gcc",
            "compiler.version": str(version[0]),
            "compiler.libcxx": "libstdc++11",
            "compiler.cppstd": "20",
        },
        flags=(*family.flags, *SECTIONS),
        compilers={"c": gcc, "cpp": gxx},
        conf={
            "tools.cmake.cmaketoolchain:system_name": "Linux",
            "tools.cmake.cmaketoolchain:system_processor": family.cmake,
        },
    )
    library = library_of(request, name)
    linker = Linker((gxx,), f"{settings.compiler}strip")
    steps, shared = steps_after_installation(library, library.out / "exports.txt", linker)
    exports = version_script(request.functions)
    return Plan(
        name, (core_lane(request, name, profile, exports=exports, steps=steps, shared=shared),)
    )


def _gcc(search: Search, name: LinuxName, settings: Linux, family: _Family) -> tuple[int, ...]:
    install = f"Install it, as in `apt-get install {family.package}`."
    version = search.version(f"{settings.compiler}g++", "-dumpfullversion", install=install)
    require("GCC", version, settings.gcc, key=f"target.{name}.gcc")
    return version
