"""Finds Android's NDK and says what is in it: by variables of the environment, then in the SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wspkit.config.version_range import VersionRange, version_of
from wspkit.errors import NotFoundError, UnsupportedError
from wspkit.targets.search import Search, shown

_NAMED = ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT")
"""Variables that name one NDK: it is this one or none."""
_SDKS = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
"""Variables that name an SDK, with NDKs of several versions in it."""
_INSTALL = (
    "Install one, as in `sdkmanager 'ndk;28.0.13004108'`, and name it with ANDROID_NDK_HOME; "
    "--dry-run shows the plan without."
)


@dataclass(frozen=True)
class Ndk:
    """An NDK."""

    path: Path
    version: tuple[int, ...]
    host: str = "linux-x86_64"
    """The system that its programs run on, as its folder is called."""
    clang: str = "19"
    """The version of its compiler."""

    def program(self, name: str) -> str:
        """The path of clang++, llvm-strip and their like."""
        return str(self.path / "toolchains" / "llvm" / "prebuilt" / self.host / "bin" / name)


def assumed_ndk(wanted: VersionRange) -> Ndk:
    """Stands for one where none is to be had."""
    return Ndk(Path("$ANDROID_NDK_HOME"), wanted.least)


def find_ndk(search: Search, wanted: VersionRange) -> Ndk:
    """The NDK that the environment names, else the newest of the SDK's that is wanted.

    Raises NotFoundError if there is none, UnsupportedError if its version is not wanted or it is
    for another system.
    """
    for variable in _NAMED:
        if named := search.environment.get(variable):
            version = _version(Path(named))
            if version is None:
                raise NotFoundError(f"no NDK in {named}, which {variable} names", hint=_INSTALL)
            if version not in wanted:
                raise _unwanted(f"NDK {shown(version)} in {named}, which {variable} names", wanted)
            return _described(Path(named), version)
    found = [
        (version, path) for path in _installed(search) if (version := _version(path)) is not None
    ]
    fitting = [one for one in found if one[0] in wanted]
    if fitting:
        version, path = max(fitting)
        return _described(path, version)
    if found:
        versions = ", ".join(shown(version) for version, _ in sorted(found))
        raise _unwanted(f"NDK {versions} in {found[0][1].parent}", wanted)
    raise NotFoundError(
        "no Android NDK",
        expected=f"one that {', '.join(_NAMED)} or {_SDKS[0]} leads to",
        hint=_INSTALL,
    )


def _installed(search: Search) -> Iterator[Path]:
    named = [search.environment[name] for name in _SDKS if search.environment.get(name)]
    # Where Android Studio puts its SDK.
    usual = [search.home / "Android" / "Sdk", search.home / "Library" / "Android" / "sdk"]
    for sdk in dict.fromkeys([*map(Path, named), *usual]):
        yield from sorted((sdk / "ndk").glob("*"))


def _version(path: Path) -> tuple[int, ...] | None:
    try:
        text = (path / "source.properties").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    line = re.search(r"^Pkg\.Revision\s*=\s*(\d.*)$", text, re.MULTILINE)
    return version_of(line[1]) if line else None


def _unwanted(found: str, wanted: VersionRange) -> UnsupportedError:
    return UnsupportedError(
        found, expected=f"NDK {wanted} (target.android.ndk in wsp.toml)", hint=_INSTALL
    )


def _described(path: Path, version: tuple[int, ...]) -> Ndk:
    hosts = sorted((path / "toolchains" / "llvm" / "prebuilt").glob("*"))
    if not hosts:
        raise UnsupportedError(
            f"the NDK in {path} has no compiler",
            expected="a folder below toolchains/llvm/prebuilt",
            hint=_INSTALL,
        )
    clangs = sorted(int(one.name) for one in hosts[0].glob("lib/clang/*") if one.name.isdigit())
    return Ndk(path, version, hosts[0].name, str(clangs[-1]) if clangs else "19")
