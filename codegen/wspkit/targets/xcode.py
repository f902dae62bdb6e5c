"""Finds Xcode and says which compiler is in it: the one that xcode-select has chosen."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.config.version_range import VersionRange
from wspkit.errors import NotFoundError, UnsupportedError
from wspkit.process import Command
from wspkit.targets.search import Search, require

_INSTALL = (
    "Install Xcode, then choose it with `sudo xcode-select -s /Applications/Xcode.app` or with "
    "DEVELOPER_DIR."
)


@dataclass(frozen=True)
class Xcode:
    """An Xcode."""

    version: tuple[int, ...]
    clang: str
    """The version of Apple's clang."""


def find_xcode(search: Search, wanted: VersionRange) -> Xcode:
    """The chosen Xcode.

    Raises UnsupportedError where there cannot be one, where only the command-line tools are
    chosen, and if its version is not wanted; NotFoundError if none is chosen.
    """
    if search.system != "Darwin":
        raise UnsupportedError(
            f"Apple's systems are built by Xcode, which runs on macOS, and this is {search.system}",
            hint="Run this on a Mac; --dry-run shows the plan here, too.",
        )
    try:
        chosen = search.runner.run(Command.of("xcode-select", "-p"), check=False)
    except NotFoundError as error:
        raise NotFoundError("no Xcode", hint=_INSTALL) from error
    if not chosen.ok:
        raise NotFoundError("no Xcode is chosen", hint=_INSTALL)
    path = search.environment.get("DEVELOPER_DIR") or chosen.stdout.strip()
    if "CommandLineTools" in path:
        raise UnsupportedError(
            f"only the command-line tools are chosen: {path}",
            expected="Xcode, which has the systems' SDKs",
            hint=_INSTALL,
        )
    version = search.version("xcodebuild", "-version", install=_INSTALL)
    require("Xcode", version, wanted, key="target.ios.xcode")
    clang = search.version("xcrun", "clang", "--version", install=_INSTALL)
    return Xcode(version, str(clang[0]))
