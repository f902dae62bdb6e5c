"""Finds the names that a tree defines for the outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from wspkit.prefix.source import Source


@dataclass
class Collection:
    """Names with their kinds: function, data, type, enumerator, macro, namespace, class."""

    names: dict[str, str] = field(default_factory=dict)


def collect(sources: Sequence[Source]) -> Collection:
    """The names that the sources define together."""
    return Collection()
