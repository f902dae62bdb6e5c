"""What wsp.toml may say: one frozen model per table, each key with its default and its meaning.

Every key may be left out. docs/api/config.md is made of these texts.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field

from wspkit.config.version_range import VersionRange, Versions
from wspkit.tables import Table

T = TypeVar("T")
TargetName = Literal["linux-x86_64", "linux-aarch64", "linux-armhf", "wasm", "android", "ios"]
Abi = Literal["arm64-v8a", "armeabi-v7a", "x86_64"]
Slice = Literal["device", "simulator", "macos", "catalyst", "visionos"]
SystemVersion = Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")]


def _below(path: str) -> str:
    if not path or path.startswith("/") or ".." in path.split("/"):
        raise ValueError(f"expected a path below the folder of wsp.toml, not {path!r}")
    return path


Folder = Annotated[str, AfterValidator(_below)]
"""A path with forward slashes below the folder of wsp.toml."""


def _some(names: tuple[T, ...]) -> tuple[T, ...]:
    if not names:
        raise ValueError("expected at least one, not an empty list")
    return names


def _prefix(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9]*_", name):
        raise ValueError(
            f'expected lower-case letters and digits, then an underscore, as "wsp_", not {name!r}'
        )
    return name


class Package(Table):
    """The npm package."""

    name: Annotated[str, Field(pattern=r"^(@[a-z0-9-]+/)?[a-z0-9][a-z0-9._-]*$")] = "wsp.rn"
    """Its name on npm."""
    directory: Folder = "build/npm"
    """Where `wsp stage` lays its files, below the folder of wsp.toml."""


class Prefix(Table):
    """What goes in front of every global name of the packed sources."""

    name: Annotated[str, AfterValidator(_prefix)] = "wsp_"
    """Lower-case letters and digits, then an underscore; macros get it in capitals."""
    profile: Annotated[str, Field(min_length=1)] = "strict"
    """`strict` (every name), `compat` (all but those of whisper.h), or the path of a profile."""


class Core(Table):
    """Which core is packed."""

    choice: Literal["ours", "upstream"] = "ours"
    """`ours` is cpp/ of this tree, `upstream` a synced and prefixed whisper.cpp."""
    upstream: Annotated[str, Field(min_length=1)] = "npm:nodejs-whisper@0.3.1"
    """Where `wsp sync` gets whisper.cpp from, if it is to be packed."""


class Build(Table):
    """What all targets share."""

    source: Folder = "cpp"
    """Folder of the core's sources, below the folder of wsp.toml."""
    directory: Folder = "build/targets"
    """Where targets are built, one folder each, below the folder of wsp.toml."""
    cmake: Versions = VersionRange.parse(">=3.22")
    """Versions of CMake that may build."""


class Linux(Table):
    """One processor family under Linux, built by GCC."""

    compiler: str
    """What stands before `gcc` and `g++` in the names of the compilers; empty for the system's."""
    gcc: Versions = VersionRange.parse(">=11")
    """Versions of GCC that may build: the standard library of 11 is the first that suffices."""


class Wasm(Table):
    """WebAssembly with 128-bit vectors, WASI, one thread."""

    zig: Versions = VersionRange.parse(">=0.14")
    """Versions of Zig that may build; it brings compiler, linker, C and C++ library."""


class Android(Table):
    """Android, one library for each ABI."""

    abis: Annotated[tuple[Abi, ...], Field(strict=False), AfterValidator(_some)] = (
        "arm64-v8a",
        "armeabi-v7a",
        "x86_64",
    )
    """ABIs that are built when none is named."""
    min_sdk: Annotated[int, Field(ge=21, le=36)] = 24
    """Lowest Android API that the libraries run on; React Native 0.76 asks for 24."""
    ndk: Versions = VersionRange.parse(">=28,<31")
    """Versions of the NDK that may build: clang of r28 is the first that takes Arm's instruction
    sets for single functions.
    """
    page_size_bytes: Literal[4096, 16384] = 16384
    """Alignment of segments; Google Play asks for 16384."""


class Ios(Table):
    """Apple's systems, one xcframework of several slices."""

    slices: Annotated[tuple[Slice, ...], Field(strict=False), AfterValidator(_some)] = (
        "device",
        "simulator",
    )
    """Slices that are built when none is named."""
    deployment_target: SystemVersion = "15.1"
    """Lowest iOS, also of the simulator and of Catalyst; React Native 0.76 asks for 15.1."""
    macos_deployment_target: SystemVersion = "12.0"
    """Lowest macOS of the slice `macos`."""
    visionos_deployment_target: SystemVersion = "1.0"
    """Lowest visionOS of the slice `visionos`."""
    xcode: Versions = VersionRange.parse(">=16")
    """Versions of Xcode that may build."""


class Targets(Table):
    """What the core can be built for."""

    linux_x86_64: Linux = Field(default=Linux(compiler=""), alias="linux-x86_64")
    """64-bit x86."""
    linux_aarch64: Linux = Field(
        default=Linux(compiler="aarch64-linux-gnu-"), alias="linux-aarch64"
    )
    """64-bit Arm."""
    linux_armhf: Linux = Field(default=Linux(compiler="arm-linux-gnueabihf-"), alias="linux-armhf")
    """32-bit Arm with NEON and hard floating point."""
    wasm: Wasm = Wasm()
    """WebAssembly."""
    android: Android = Android()
    """Android."""
    ios: Ios = Ios()
    """iOS and its relatives."""


class Budget(Table):
    """Sizes that may not be exceeded; `wsp build` and `wsp pack` fail beyond them."""

    tarball_bytes: Annotated[int, Field(gt=0)] = 1_500_000
    """The packed npm package without prebuilt binaries."""
    library_bytes: dict[TargetName, Annotated[int, Field(gt=0)]] = Field(default_factory=dict)
    """For each target, the stripped shared library of core and bridge, each of its ABIs or slices;
    the C++ runtime and React Native's own code are not counted. A target that is not named has no
    limit.
    """


class Config(Table):
    """The whole file."""

    package: Package = Package()
    """The npm package."""
    prefix: Prefix = Prefix()
    """The prefix of the packed sources."""
    core: Core = Core()
    """Which core is packed."""
    build: Build = Build()
    """What all targets share."""
    target: Targets = Targets()
    """One table for each target."""
    budget: Budget = Budget()
    """Limits of size."""
