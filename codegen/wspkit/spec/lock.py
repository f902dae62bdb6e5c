"""Whether a change of the surface keeps what callers rely on. It must not know how the lines of a
lock are made.
"""

from __future__ import annotations

from collections.abc import Iterator

FIRST_STABLE = 1
"""Major version of the package from which on nothing goes."""
UNRELEASED = "## Unreleased"
"""How the part of the changelog for the next version begins."""
BREAK = "- Break: "
"""How a line of it begins that allows a break before that."""


def lost_lines(before: str, after: str) -> tuple[str, ...]:
    """The lines of a lock that the next one lacks, without comments."""
    kept = set(after.splitlines())
    return tuple(
        line
        for line in before.splitlines()
        if line and not line.startswith("#") and line not in kept
    )


def lock_problems(before: str, after: str, version: str, changelog: str) -> Iterator[str]:
    """What speaks against a change of the lock.

    version: of the package. Before 1.0.0 a thing may go or change if a line of the changelog's
    unreleased part begins with BREAK and names it.
    """
    lost = lost_lines(before, after)
    if int(version.partition(".")[0]) >= FIRST_STABLE:
        yield from (
            f"{line}: is gone or changed, which no version after 1.0.0 may do" for line in lost
        )
        return
    unreleased = changelog.partition(UNRELEASED)[2].partition("\n## ")[0]
    allowed = [line for line in unreleased.splitlines() if line.startswith(BREAK)]
    for line in lost:
        name = line.split()[2 if len(line.split()) > 2 else 1]
        if not any(name in words for words in allowed):
            yield f"{line}: is gone or changed; say so in the changelog: {BREAK}{name} ..."
