"""The record in a synced tree of how it came about, by which it can be checked and made again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from wspkit.errors import BadFormatError, InputOutputError

NAME = "sync-lock.json"
FORMAT = 1


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LockedSource(_Entry):
    """Where the tree came from, and what it really was."""

    asked: str
    """What was asked for: "pypi:pywhispercpp==1.5.1", "self" or a directory."""
    project: str
    version: str
    root: str
    """Where the tree lies in the package or directory."""
    archive_sha256: str | None
    """Of the package; None for a directory."""
    tree_sha256: str
    """Of the files that were taken, before anything was changed."""


class LockedProfile(_Entry):
    """Which names were meant."""

    name: str
    sha256: str


class LockedPatch(_Entry):
    """A change that was made."""

    name: str
    reason: str
    sha256: str
    paths: tuple[str, ...]


class Lock(_Entry):
    """Everything that decided what the tree is, and the checksum of each of its files."""

    format: int = FORMAT
    tool: str
    """The version of wsp."""
    source: LockedSource
    optional_groups: tuple[str, ...]
    prefix: str | None
    """None for a tree whose names are upstream's."""
    profile: LockedProfile | None
    patches: tuple[LockedPatch, ...]
    unknown: tuple[str, ...]
    """Files of upstream that the manifest did not know, and that were not taken."""
    files: Mapping[str, str]
    """SHA-256 by path."""
    names: Mapping[str, str]
    """What each renamed name became."""
    paths: Mapping[str, str]
    """Likewise each file that was renamed."""

    def text(self) -> str:
        """The file: sorted, one entry a line, no time and no machine in it."""
        return json.dumps(self.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def sha256(content: bytes) -> str:
    """As the lock writes it."""
    return hashlib.sha256(content).hexdigest()


def read_lock(directory: Path) -> Lock | None:
    """The lock of a synced tree, None if there is none.

    Errors: BadFormatError for one that is damaged or of another format; InputOutputError.
    """
    path = directory / NAME
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise InputOutputError(f"{path} cannot be read: {error}") from error
    try:
        return Lock.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise BadFormatError(
            f"{path}: {place}: {first['msg']}",
            expected=f"a lock of format {FORMAT}",
            hint="Remove the tree and sync it anew.",
        ) from error
