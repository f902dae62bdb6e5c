"""What a prefixed tree says of itself: the prefix, the profile and what names became, from the lock
of `wsp sync` or the stamp of `wsp prefix`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wspkit.errors import BadFormatError, InputOutputError, NotFoundError
from wspkit.prefix.folder import STAMP
from wspkit.upstream.lock import Lock, read_lock
from wspkit.upstream.manifest import manifests

_HEADER = "whisper.h"


@dataclass(frozen=True)
class Described:
    """A tree, and how it came about as far as anybody wrote it down."""

    source: Path
    prefix: str | None = None
    """None: nobody said, or it has none."""
    profile: str | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    lock: Lock | None = None

    @property
    def header(self) -> str:
        """The public header, by its path in the tree. Errors: NotFoundError."""
        headers = [h for m in manifests() for h in m.public_headers if h.endswith(_HEADER)]
        for header in headers:
            path = self.paths.get(header, header)
            if (self.source / path).is_file():
                return path
        raise NotFoundError(
            f"there is no {_HEADER} in {self.source}", expected=" or ".join(sorted(set(headers)))
        )


def describe(source: Path) -> Described:
    """What a tree says of itself. Errors: BadFormatError for a damaged record; InputOutputError."""
    # A synced tree that was then prefixed has both: the stamp is the later.
    stamp = source / STAMP
    try:
        document = json.loads(stamp.read_text(encoding="utf-8"))
        return Described(
            source,
            str(document["prefix"]),
            str(document["profile"]),
            dict(document["names"]),
            dict(document["paths"]),
        )
    except (FileNotFoundError, NotADirectoryError):
        lock = read_lock(source)
    except OSError as error:
        raise InputOutputError(f"{stamp} cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadFormatError(
            f"{stamp}: {error}", expected="what `wsp prefix` writes", hint="Prefix the tree anew."
        ) from error
    if lock is None:
        return Described(source)
    profile = lock.profile.name if lock.profile else None
    return Described(source, lock.prefix, profile, lock.names, lock.paths, lock)
