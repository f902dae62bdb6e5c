"""Which files the build files of a package name: CMake's lists, includes, globs of Apple's and
Android's tools, entries for JavaScript. It reads texts and says what is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from posixpath import dirname, join, normpath
from typing import Any

from wspkit.package.places import (
    ANDROID_BUILD,
    ANDROID_MANIFEST,
    GRADLE_BUILD,
    MANIFEST,
    PODSPEC,
    SWIFT_PACKAGE,
)

Files = Mapping[str, bytes]

_CMAKE_SOURCE = re.compile(r"\w[\w./+-]*\.(?:c|cpp|m|mm|h|cmake|metal|S)")
_CMAKE_GLOB = re.compile(r"\$\{package\}/([\w./*+-]+)(?![\w./*+${-])")
# Libraries that are not always packed.
_MAY_BE_ABSENT = re.compile(r"\w+/prebuilt/.*")
_RULES = re.compile(r"\"([\w./-]+\.pro)\"")
_CLASS = re.compile(r"android:name=\"([\w.]+)\"")
_EACH = re.compile(r"foreach\((\w+) ([^)]*)\)\s*add_subdirectory\(([^)]*)\)", re.DOTALL)
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*(?:include|import)[ \t]*"([^"]+)"', re.MULTILINE)
_CODE = (".c", ".cpp", ".h", ".hpp", ".m", ".mm", ".metal")
INCLUDE_FOLDERS = (
    "cpp/include",
    "cpp/src",
    "cpp/jsi",
    "ios",
    "ios/audio",
    "android/generated",
    "android/src/main/cpp",
)
"""Where the compilers of both platforms look."""
_TEXT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_PATHLIKE = re.compile(r"(?:cpp|ios|android|LICENSES)/[\w./*{},+-]+|LICENSE|package\.json")
INSTALL_SCRIPTS = ("preinstall", "install", "postinstall", "prepare", "prepublish")


@dataclass(frozen=True)
class Problem:
    """Something that a package lacks, or has and should not have."""

    path: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.what}"


def missing_files(files: Files) -> list[Problem]:
    """Everything that is named in the package and not in it, sorted."""
    searches: tuple[Callable[[Files], Iterator[Problem]], ...] = (
        _entries,
        _cmake,
        _includes,
        _globs,
        _gradle,
    )
    return sorted(
        {problem for search in searches for problem in search(files)},
        key=lambda one: (one.path, one.what),
    )


def _entries(files: Files) -> Iterator[Problem]:
    manifest: dict[str, Any] = json.loads(files[MANIFEST])
    for key in ("main", "module", "types", "exports"):
        for target in _texts(manifest.get(key)):
            if normpath(target) not in files:
                yield Problem(target, f"{key} of {MANIFEST} names it, and it is missing")
    # React Native's codegen looks there for sources whose names begin so.
    spec = f"{manifest.get('codegenConfig', {}).get('jsSrcsDir', '.')}/Native*.ts"
    if not matching(files, spec):
        yield Problem(spec, f"codegenConfig of {MANIFEST} names it, and it is missing")
    for name in INSTALL_SCRIPTS:
        if name in manifest.get("scripts", {}):
            yield Problem(MANIFEST, f"has the script {name}, which would run on users' machines")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)


def _cmake(files: Files) -> Iterator[Problem]:
    for path in files:
        if not path.startswith("cpp/") or not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        text = re.sub(r"#.*|\"[^\"]*\"", "", files[path].decode())
        for named in {*_listed(text), *_folders(text)}:
            if normpath(join(dirname(path), named)) not in files:
                yield Problem(
                    normpath(join(dirname(path), named)), f"{path} names it, and it is missing"
                )


def _listed(text: str) -> Iterator[str]:
    yield from (word for word in re.split(r"[\s()]+", text) if _CMAKE_SOURCE.fullmatch(word))


def _folders(text: str) -> Iterator[str]:
    for variable, values, folder in _EACH.findall(text):
        for value in values.split():
            yield folder.replace(f"${{{variable}}}", value) + "/CMakeLists.txt"


def _includes(files: Files) -> Iterator[Problem]:
    for path, content in files.items():
        if not path.endswith(_CODE) or not path.startswith(("cpp/", "ios/", "android/")):
            continue
        for operand in _INCLUDE.findall(content):
            name = operand.decode()
            places = (dirname(path), *INCLUDE_FOLDERS)
            if not any(normpath(join(place, name)) in files for place in places):
                yield Problem(path, f'includes "{name}", which is missing')


def _globs(files: Files) -> Iterator[Problem]:
    for path in (PODSPEC, SWIFT_PACKAGE):
        for glob in sorted(set(quoted_paths(files[path].decode()))):
            if not (_MAY_BE_ABSENT.fullmatch(glob) or matching(files, glob)):
                yield Problem(path, f"names {glob}, which is missing")
    for glob in sorted(set(_CMAKE_GLOB.findall(files[ANDROID_BUILD].decode()))):
        # CMake's GLOB_RECURSE looks into folders, too.
        recursive = re.sub(r"/\*(?=\.\w+$)", "/**/*", glob)
        if not (_MAY_BE_ABSENT.fullmatch(glob) or matching(files, recursive)):
            yield Problem(ANDROID_BUILD, f"names {glob}, which is missing")


def _gradle(files: Files) -> Iterator[Problem]:
    for rules in _RULES.findall(files[GRADLE_BUILD].decode()):
        if join("android", rules) not in files:
            yield Problem(GRADLE_BUILD, f"names {rules}, which is missing")
    for name in _CLASS.findall(files[ANDROID_MANIFEST].decode()):
        if f"android/src/main/java/{name.replace('.', '/')}.kt" not in files:
            yield Problem(ANDROID_MANIFEST, f"names the class {name}, which is missing")
    # Without a class of such a name, autolinking leaves the whole package out.
    if not matching(files, "android/src/main/java/**/*Package.kt"):
        yield Problem("android/src/main/java", "has no *Package.kt, which autolinking looks for")


def quoted_paths(text: str) -> Iterator[str]:
    """Strings of Ruby or Swift that are paths or globs of the package."""
    for one, other in _TEXT.findall(text):
        if _PATHLIKE.fullmatch(one or other):
            yield one or other


def matching(files: Files, glob: str) -> list[str]:
    """Files that a glob means, as CocoaPods reads it: **, *, {a,b}; or that lie in a folder."""
    pattern = _pattern(glob)
    return [path for path in files if pattern.fullmatch(path) or path.startswith(f"{glob}/")]


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    out, at = "", 0
    shapes = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "{": "(?:", "}": ")", ",": "|"}
    while at < len(glob):
        for mark, shape in shapes.items():
            if glob.startswith(mark, at):
                out, at = out + shape, at + len(mark)
                break
        else:
            out, at = out + re.escape(glob[at]), at + 1
    return re.compile(out)
