"""Which commit a tree is at, and what of it differs from that; asks git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from wspkit.errors import NotFoundError
from wspkit.process import Command, Runner

_NO_TIME_S = 315_532_800  # 1980, the first time that every archive can hold


@dataclass(frozen=True)
class Revision:
    """A state of a tree."""

    commit: str | None
    """Its hash; None for a tree that git does not know."""
    time_s: int
    """Of the commit, seconds since 1970; 1980 without one."""
    changed: tuple[str, ...] = ()
    """Files that differ from the commit, or are not in it; sorted."""

    @property
    def dirty(self) -> bool:
        """Whether the commit alone does not give this tree."""
        return self.commit is None or bool(self.changed)

    @property
    def time(self) -> str:
        """As SPDX writes it: 2026-01-31T12:00:00Z."""
        moment = datetime.fromtimestamp(self.time_s, tz=timezone.utc)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def revision_of(root: Path, paths: Sequence[str], runner: Runner) -> Revision:
    """The revision of a tree, as far as it is about some paths of it."""
    git = ("git", "-C", str(root))
    shown = Command.of(*git, "show", "--no-patch", "--format=%H %ct", "HEAD")
    try:
        head = runner.run(shown, check=False)
    except NotFoundError:
        return Revision(None, _NO_TIME_S)
    if not head.ok:
        return Revision(None, _NO_TIME_S)
    commit, seconds = head.stdout.split()
    status = Command.of(
        *git, "status", "--porcelain", "--untracked-files=all", "--no-renames", "-z", "--", *paths
    )
    entries = runner.run(status).stdout.split("\0")
    changed = tuple(sorted(entry[3:] for entry in entries if entry))
    return Revision(commit, int(seconds), changed)
