"""Which files of the tree are in the npm package, and where. It reads them and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from wspkit.errors import NotFoundError

MANIFEST: Final = "package.json"
PODSPEC: Final = "wsp-rn.podspec"
SWIFT_PACKAGE: Final = "Package.swift"
ANDROID_BUILD: Final = "android/CMakeLists.txt"
GRADLE_BUILD: Final = "android/build.gradle"
ANDROID_MANIFEST: Final = "android/src/main/AndroidManifest.xml"
LINKING: Final = "react-native.config.js"
"""Tells React Native's autolinking what an app's native build has to have."""
EXPORTS: Final = "android/exports.map"
"""For the linker: the names that the shared library on Android shows."""
PREFIX_RECORD: Final = "cpp/.wsp-prefix.json"
"""Says to `wsp build` which prefix the sources have."""
BILL: Final = "sbom.spdx.json"
PROVENANCE: Final = "provenance.json"
LICENSES: Final = "LICENSES"

SOURCES: Final = ("cpp", "ios", "android", "js", "codegen", "LICENSE", "wsp.toml")
"""What of the tree decides what is in the package, besides the compiler of its JavaScript."""


@dataclass(frozen=True)
class Part:
    """Files of one folder that are packed."""

    folder: str
    globs: tuple[str, ...]
    without: frozenset[str] = frozenset()
    """Endings of files that are not."""


OWN_CORE: Final = Part(
    "cpp",
    ("CMakeLists.txt", "conanfile.py", "cmake/*", "include/*", "src/**/*"),
    # Apple's builds would compile the kernels beside the text of them that the library carries.
    without=frozenset({".metal"}),
)
BINDING: Final = Part("cpp/jsi", ("*.cpp", "*.h", "generated/*"))
PLATFORMS: Final = (Part("ios", ("**/*",)), Part("android", ("**/*",)))

# Tools of a platform find these at the top of a package.
_AT_THE_TOP = {f"ios/{PODSPEC}": PODSPEC, f"ios/{SWIFT_PACKAGE}": SWIFT_PACKAGE}
# What builds and tests leave or need in the platforms' folders.
_LEFT_OUT = frozenset({"build", "test", "tests", "androidTest"})


def files_of(root: Path, parts: tuple[Part, ...]) -> dict[str, Path]:
    """Path in the package -> file, sorted. Raises NotFoundError for a folder that is not there."""
    found: dict[str, Path] = {}
    for part in parts:
        folder = root / part.folder
        if not folder.is_dir():
            raise NotFoundError(f"there is no folder {folder}", expected="a whole tree of wsp")
        for glob in part.globs:
            for path in _files(folder, glob):
                if path.suffix in part.without:
                    continue
                inside = path.relative_to(root).as_posix()
                found[_AT_THE_TOP.get(inside, inside)] = path
    return dict(sorted(found.items()))


def _files(folder: Path, glob: str) -> Iterator[Path]:
    for path in folder.glob(glob):
        inside = PurePosixPath(path.relative_to(folder).as_posix()).parts
        hidden = any(name.startswith(".") or name in _LEFT_OUT for name in inside)
        if path.is_file() and not hidden:
            yield path
