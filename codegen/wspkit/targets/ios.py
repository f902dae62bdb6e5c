"""Apple's systems by Xcode: each slice is one system, made for each of its processors, joined by
lipo; all slices together are an xcframework of static and one of dynamic libraries.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wspkit.bridge.render import render
from wspkit.config.model import Ios, Slice
from wspkit.process import Command
from wspkit.targets.core import BUILD_TYPE, LIBRARY, Library, Request, core_lane, library_of
from wspkit.targets.exports import symbol_list
from wspkit.targets.plan import File, Lane, Plan, Step
from wspkit.targets.profile import Profile
from wspkit.targets.search import Search
from wspkit.targets.xcode import Xcode, find_xcode

NAME = "ios"
_CONAN = {"arm64": "armv8", "x86_64": "x86_64"}


@dataclass(frozen=True)
class _System:
    """What a slice is for."""

    conan: str
    sdk: str
    """As xcrun calls it."""
    triple: str
    """What clang calls it, after the processor; the version stands in it."""
    version: str
    """Lowest version of the system."""
    processors: tuple[str, ...]
    more: Mapping[str, str] = field(default_factory=dict)
    """Settings of Conan beside the version."""
    is_deep: bool = False
    """Frameworks keep their files in a folder for each version, as those of macOS do."""


def _system(slice_: Slice, settings: Ios) -> _System:
    ios, macos = settings.deployment_target, settings.macos_deployment_target
    both = ("arm64", "x86_64")
    systems = {
        "device": _System(
            "iOS", "iphoneos", f"apple-ios{ios}", ios, ("arm64",), {"os.sdk": "iphoneos"}
        ),
        "simulator": _System(
            "iOS",
            "iphonesimulator",
            f"apple-ios{ios}-simulator",
            ios,
            both,
            {"os.sdk": "iphonesimulator"},
        ),
        "macos": _System("Macos", "macosx", f"apple-macos{macos}", macos, both, is_deep=True),
        "catalyst": _System(
            "Macos",
            "macosx",
            f"apple-ios{ios}-macabi",
            macos,
            both,
            {"os.subsystem": "catalyst", "os.subsystem.ios_version": ios},
            is_deep=True,
        ),
        "visionos": _System(
            "visionOS",
            "xros",
            f"apple-xros{settings.visionos_deployment_target}",
            settings.visionos_deployment_target,
            ("arm64",),
            {"os.sdk": "xros"},
        ),
    }
    return systems[slice_]


@dataclass(frozen=True)
class FrameworkView:
    """What the templates of a framework take."""

    name: str
    identifier: str
    version: str
    system_version: str
    version_key: str
    """What Apple calls the lowest version of the system."""
    headers: tuple[str, ...]


@dataclass(frozen=True)
class _Framework:
    """Where the files of a slice's framework lie."""

    folder: Path
    name: str
    is_deep: bool

    @property
    def root(self) -> Path:
        return self.folder / f"{self.name}.framework"

    @property
    def content(self) -> Path:
        return self.root / "Versions" / "A" if self.is_deep else self.root

    @property
    def binary(self) -> Path:
        return self.content / self.name

    @property
    def install_name(self) -> str:
        inside = "Versions/A/" if self.is_deep else ""
        return f"@rpath/{self.name}.framework/{inside}{self.name}"

    @property
    def info(self) -> Path:
        return (
            self.content / "Resources" / "Info.plist"
            if self.is_deep
            else self.content / ("Info.plist")
        )


def framework_name(prefix: str) -> str:
    """The name of the module: of the prefix and the library. Apple has a Speech of its own."""
    return f"{prefix.rstrip('_').capitalize()}{LIBRARY.capitalize()}"


def frameworks(source: Path) -> tuple[str, ...]:
    """Apple's frameworks that the sources link, as their CMake files say."""
    texts = (path.read_text(encoding="utf-8") for path in source.glob("src/*/CMakeLists.txt"))
    return tuple(sorted({name for text in texts for name in re.findall(r"-framework (\w+)", text)}))


def plan_ios(request: Request, search: Search) -> Plan:
    """Looks for Xcode; raises NotFoundError or UnsupportedError about it."""
    settings = request.project.config.target.ios
    assumed = Xcode(settings.xcode.least, str(settings.xcode.least[0]))
    xcode = search.found(lambda: find_xcode(search, settings.xcode), assumed)
    name = framework_name(request.project.config.prefix.name)
    exports = symbol_list(request.functions)
    lanes: list[Lane] = []
    files: list[File] = []
    steps: list[Step] = []
    statics: list[str | Path] = []
    frameworks: list[str | Path] = []
    folder = request.directory / NAME
    for slice_ in dict.fromkeys(request.slices or settings.slices):
        system = _system(slice_, settings)
        framework = _Framework(folder / slice_, name, system.is_deep)
        parts = [
            _lane(
                request,
                slice_,
                system,
                processor,
                xcode=xcode,
                install_name=framework.install_name,
                exports=exports,
            )
            for processor in system.processors
        ]
        lanes += parts
        static = folder / slice_ / f"lib{LIBRARY}.a"
        steps += _joined([part.static for part in parts], static, slice_)
        steps += _joined([part.shared for part in parts if part.shared], framework.binary, slice_)
        steps += _bundle(request, framework, parts[0].headers)
        files += _framework_files(request, framework, system)
        statics += ["-library", static, "-headers", parts[0].headers]
        frameworks += ["-framework", framework.root]
    results = (folder / f"{name}-static.xcframework", folder / f"{name}.xcframework")
    for result, words in zip(results, (statics, frameworks), strict=True):
        # xcodebuild does not write over what is there.
        steps.append(Step("clearing", Command.of(request.tools.cmake, "-E", "rm", "-rf", result)))
        make = Command.of("xcodebuild", "-create-xcframework", *words, "-output", result)
        steps.append(Step(f"making {result.name}", make))
    return Plan("ios", tuple(lanes), tuple(files), tuple(steps), results)


def _lane(
    request: Request,
    slice_: Slice,
    system: _System,
    processor: str,
    *,
    xcode: Xcode,
    install_name: str,
    exports: str,
) -> Lane:
    name = f"{NAME}/{slice_}-{processor}"
    profile = Profile(
        title=f"{slice_}, {processor}, by Xcode",
        settings={
            "os": system.conan,
            "os.version": system.version,
            **system.more,
            "arch": _CONAN[processor],
            "build_type": BUILD_TYPE,
            "compiler": "apple-clang",
            "compiler.version": xcode.clang,
            "compiler.libcxx": "libc++",
            "compiler.cppstd": "20",
        },
    )
    library = library_of(request, name)
    shared = library.shared(".dylib")
    target = f"{processor}-{system.triple}"
    linked = (word for name in frameworks(request.source) for word in ("-framework", name))
    return core_lane(
        request,
        name,
        profile,
        exports=exports,
        steps=_linked(
            library,
            shared,
            ("xcrun", "--sdk", system.sdk),
            ("-target", target, "-install_name", install_name, *linked),
        ),
        shared=shared,
    )


def _linked(
    library: Library, shared: Path, xcrun: Sequence[str], words: Sequence[str]
) -> tuple[Step, ...]:
    exports = library.out / "exports.txt"
    link = Command.of(
        *(*xcrun, "clang++", "-dynamiclib", *words, "-Wl,-dead_strip"),
        f"-Wl,-exported_symbols_list,{exports}",
        f"-Wl,-force_load,{library.static}",
        *("-o", shared),
    )
    return (
        Step("linking", link, shared),
        # Local names go; those that are shown stay.
        Step("stripping", Command.of(*xcrun, "strip", "-x", shared)),
        Step("stripping", Command.of(*xcrun, "strip", "-S", library.static)),
    )


def _joined(parts: list[Path], out: Path, slice_: Slice) -> list[Step]:
    command = Command.of("xcrun", "lipo", "-create", *parts, "-output", out)
    return [Step(f"joining {slice_}", command, out)]


def _framework_files(request: Request, framework: _Framework, system: _System) -> list[File]:
    headers = sorted(path.name for path in (request.source / "include").glob("*.h"))
    view = FrameworkView(
        name=framework.name,
        identifier=f"org.{framework.name.lower()}",
        version=request.version,
        system_version=system.version,
        version_key="LSMinimumSystemVersion" if system.is_deep else "MinimumOSVersion",
        headers=tuple(headers),
    )
    module = framework.content / "Modules" / "module.modulemap"
    return [
        File(framework.info, render("build/info.plist.j2", view, command="wsp build")),
        File(module, render("build/module.modulemap.j2", view, command="wsp build")),
    ]


def _bundle(request: Request, framework: _Framework, headers: Path) -> list[Step]:
    cmake = (request.tools.cmake, "-E")
    steps: list[Step] = [
        Step(
            "copying headers",
            Command.of(*cmake, "copy_directory", headers, framework.content / "Headers"),
        )
    ]
    if framework.is_deep:
        links: list[tuple[str, Path]] = [("A", framework.root / "Versions" / "Current")]
        links += [
            (f"Versions/Current/{name}", framework.root / name)
            for name in (framework.name, "Headers", "Modules", "Resources")
        ]
        steps += [
            Step("linking folders", Command.of(*cmake, "create_symlink", target, link), link)
            for target, link in links
        ]
    return steps
