"""Versions that a tool may have, written as ">=28,<31". It knows no tool."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator

_BOUND = re.compile(r"\s*(>=|<)\s*(\d+(?:\.\d+)*)\s*")


def version_of(text: str) -> tuple[int, ...]:
    """The first version in what a program says of itself: (3, 25, 1) of "cmake version 3.25.1".

    ValueError if there is none.
    """
    found = re.search(r"\d+(?:\.\d+)*", text)
    if found is None:
        raise ValueError(f"no version in {text!r}")
    return tuple(int(part) for part in found[0].split("."))


@dataclass(frozen=True)
class VersionRange:
    """All versions from one on, or from one on and below another."""

    text: str
    """As written: ">=28" or ">=28,<31"."""
    least: tuple[int, ...]
    below: tuple[int, ...] | None = None

    def __contains__(self, version: object) -> bool:
        if not isinstance(version, tuple):
            return False
        return _padded(version) >= _padded(self.least) and (
            self.below is None or _padded(version) < _padded(self.below)
        )

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: object) -> VersionRange:
        """From its text; a range comes back as it is. ValueError for anything else."""
        if isinstance(text, VersionRange):
            return text
        expected = 'a range of versions as ">=28" or ">=28,<31"'
        if not isinstance(text, str):
            raise ValueError(f"expected {expected}, not {text!r}")  # noqa: TRY004 - pydantic's kind
        bounds = [_BOUND.fullmatch(part) for part in text.split(",")]
        found = {bound[1]: version_of(bound[2]) for bound in bounds if bound}
        if len(found) != len(bounds) or ">=" not in found:
            raise ValueError(f"expected {expected}, not {text!r}")
        result = cls(text, found[">="], found.get("<"))
        if result.below is not None and _padded(result.below) <= _padded(result.least):
            raise ValueError(f"no version is in {text!r}; expected {expected}")
        return result


def _padded(version: tuple[int, ...]) -> tuple[int, ...]:
    # 28 and 28.0 are one version; nobody counts further than this.
    return (*version, 0, 0, 0, 0)[:4]


Versions = Annotated[VersionRange, BeforeValidator(VersionRange.parse)]
"""A key of a model that takes a range."""
