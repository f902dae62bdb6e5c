"""Trees on disk: reads a source folder, knows what an earlier run left, and puts a result in its
place as a whole or not at all. It knows nothing of names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wspkit.errors import NotFoundError, UnsupportedError, UsageError
from wspkit.fetching.whole_folder import replace_folder

STAMP: Final = ".wsp-prefix.json"
"""The file in a destination that says what was done, by which it is known as ours."""


@dataclass(frozen=True)
class Folder:
    """The files of a folder: relative paths with slashes to contents."""

    files: dict[str, bytes]
    programs: frozenset[str]
    """Files that may be executed."""


def read_folder(folder: Path) -> Folder:
    """All files but git's and our stamp. Errors: NotFoundError, UnsupportedError for a link to a
    folder, and what the operating system says.
    """
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {folder}", expected="a tree of sources")
    files: dict[str, bytes] = {}
    programs: set[str] = set()
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in folders:
            if (link := Path(parent, name)).is_symlink():
                raise UnsupportedError(f"{link} is a link to a folder", expected="a plain folder")
        for name in names:
            path = Path(parent, name)
            relative = path.relative_to(folder).as_posix()
            files[relative] = path.read_bytes()
            if os.access(path, os.X_OK):
                programs.add(relative)
    files.pop(STAMP, None)
    return Folder(files, frozenset(programs))


def check_places(source: Path, destination: Path, prefix: str) -> None:
    """UsageError for folders that lie in each other, for a destination that is somebody's own, and
    for a source that has another prefix of ours already.
    """
    inner, outer = destination.resolve(), source.resolve()
    if inner == outer or outer in inner.parents or inner in outer.parents:
        raise UsageError(
            f"the destination {destination} and the source {source} lie in each other",
            expected="two folders apart",
            hint="Nothing was written.",
        )
    if destination.is_dir():
        ours = (destination / STAMP).is_file() or not any(destination.iterdir())
    else:
        ours = not destination.exists()
    if not ours:
        raise UsageError(
            f"{destination} exists and was not made by wsp prefix (it has no {STAMP})",
            expected="an empty folder, a new one, or an earlier result",
            hint="Remove it yourself if it may go. Nothing was written.",
        )
    before = stamp_of(source).get("prefix")
    if before is not None and before != prefix:
        raise UsageError(
            f"{source} has the prefix {before} already (its {STAMP} says so)",
            expected="the tree that it was made from",
            hint="Nothing was written.",
        )


def stamp_of(folder: Path) -> dict[str, Any]:
    """What an earlier run wrote down; empty if none did, or what it wrote is damaged."""
    try:
        document = json.loads((folder / STAMP).read_bytes())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def replace(destination: Path, folder: Folder, stamp: Mapping[str, object]) -> None:
    """Makes the destination hold these files and the stamp, and nothing else.

    All is written beside it first. Errors: InputOutputError; what was there is there still.
    """
    written = (json.dumps(stamp, ensure_ascii=False, indent=1) + "\n").encode()
    replace_folder(destination, {**folder.files, STAMP: written}, programs=folder.programs)
