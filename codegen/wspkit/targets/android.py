"""Android by the NDK: one library for each ABI, all kernels in it, 16 KB pages."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.config.model import Abi, Android
from wspkit.targets.core import BUILD_TYPE, Request, core_lane, library_of
from wspkit.targets.elf import SECTIONS, Linker, steps_after_installation
from wspkit.targets.exports import version_script
from wspkit.targets.ndk import Ndk, assumed_ndk, find_ndk
from wspkit.targets.plan import Lane, Plan
from wspkit.targets.profile import Profile
from wspkit.targets.search import Search

NAME = "android"


@dataclass(frozen=True)
class _Family:
    conan: str
    """What Conan calls the processors."""
    triple: str
    """What clang calls them, before the API level."""


_FAMILIES: dict[Abi, _Family] = {
    "arm64-v8a": _Family("armv8", "aarch64-linux-android"),
    "armeabi-v7a": _Family("armv7", "armv7a-linux-androideabi"),
    "x86_64": _Family("x86_64", "x86_64-linux-android"),
}


def plan_android(request: Request, search: Search) -> Plan:
    """Looks for the NDK; raises NotFoundError or UnsupportedError about it."""
    settings = request.project.config.target.android
    ndk = search.found(lambda: find_ndk(search, settings.ndk), assumed_ndk(settings.ndk))
    exports = version_script(request.functions)
    abis = request.abis or settings.abis
    return Plan(
        "android", tuple(_lane(request, settings, ndk, abi, exports) for abi in dict.fromkeys(abis))
    )


def _lane(request: Request, settings: Android, ndk: Ndk, abi: Abi, exports: str) -> Lane:
    family = _FAMILIES[abi]
    name = f"{NAME}/{abi}"
    profile = Profile(
        title=f"{abi} on Android {settings.min_sdk} or newer, by the NDK",
        settings={
            "os": "Android",
            "os.api_level": str(settings.min_sdk),
            "arch": family.conan,
            "build_type": BUILD_TYPE,
            "compiler": "clang",
            "compiler.version": ndk.clang,
            "compiler.libcxx": "c++_static",
            "compiler.cppstd": "20",
        },
        flags=SECTIONS,
        conf={"tools.android:ndk_path": str(ndk.path)},
    )
    library = library_of(request, name)
    linker = Linker(
        (ndk.program("clang++"), f"--target={family.triple}{settings.min_sdk}"),
        ndk.program("llvm-strip"),
        ("-static-libstdc++", f"-Wl,-z,max-page-size={settings.page_size_bytes}"),
    )
    steps, shared = steps_after_installation(library, library.out / "exports.txt", linker)
    return core_lane(request, name, profile, exports=exports, steps=steps, shared=shared)
