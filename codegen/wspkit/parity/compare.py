"""How far two results are apart: arrays, token sequences, texts.

Must not know where either came from.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wspkit.parity.weights import Array


@dataclass(frozen=True)
class Difference:
    """The largest difference between two arrays of one shape, and where it is."""

    max_abs: float
    #: max_abs over the largest magnitude expected; 0 if both arrays are 0.
    relative: float
    #: Root mean square of the difference.
    rms: float
    #: rms over the largest magnitude expected; 0 if both arrays are 0.
    relative_rms: float
    index: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f"{self.max_abs:.3g} at {self.index} (relative {self.relative:.3g}, rms {self.rms:.3g})"
        )


def difference(actual: Array, expected: Array) -> Difference:
    """Compares element by element, in float64. A NaN on either side counts as infinitely far."""
    if actual.shape != expected.shape:
        raise ValueError(f"shapes {actual.shape} and {expected.shape} cannot be compared")
    wide = expected.astype(np.float64)
    distance = np.abs(actual.astype(np.float64) - wide)
    distance[np.isnan(distance)] = np.inf
    at = np.unravel_index(int(distance.argmax()), distance.shape)
    max_abs = float(distance[at])
    rms = float(np.sqrt((distance**2).mean()))
    largest = float(np.abs(wide).max())
    return Difference(
        max_abs=max_abs,
        relative=_over(max_abs, largest),
        rms=rms,
        relative_rms=_over(rms, largest),
        index=tuple(int(i) for i in at),
    )


def _over(distance: float, largest: float) -> float:
    if distance == 0:
        return 0.0
    return distance / largest if largest > 0 else np.inf


def first_differing(actual: Sequence[Hashable], expected: Sequence[Hashable]) -> int | None:
    """The first place where two sequences part, also where one ends.

    None if they are equal.
    """
    for i, (a, b) in enumerate(zip(actual, expected, strict=False)):
        if a != b:
            return i
    return None if len(actual) == len(expected) else min(len(actual), len(expected))


def normalized_words(text: str) -> list[str]:
    """Words as they are counted: NFKC, lower case, punctuation removed, split at white space."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in folded if not unicodedata.category(c).startswith("P")).split()


@dataclass(frozen=True)
class WordErrors:
    """Substitutions, deletions and insertions against a transcript of `words` words.

    Sums pool recordings.
    """

    errors: int = 0
    words: int = 0

    @property
    def rate(self) -> float:
        """Errors per word of the transcript; may exceed 1."""
        return self.errors / self.words if self.words else float(self.errors > 0)

    def __add__(self, other: WordErrors) -> WordErrors:
        return WordErrors(self.errors + other.errors, self.words + other.words)

    def __str__(self) -> str:
        return f"{self.errors} of {self.words} words ({100 * self.rate:.1f} %)"


def word_errors(text: str, transcript: str) -> WordErrors:
    """The fewest edits of words that turn `text` into `transcript`, both normalised."""
    said = normalized_words(transcript)
    return WordErrors(edits(normalized_words(text), said), len(said))


def edits(actual: Sequence[Hashable], expected: Sequence[Hashable]) -> int:
    """The fewest substitutions, deletions and insertions that turn one sequence into the other."""
    begin = first_differing(actual, expected)
    if begin is None:
        return 0
    # What both begin or end with costs nothing, and long recordings differ in few places.
    end = 0
    while end < min(len(actual), len(expected)) - begin and actual[-1 - end] == expected[-1 - end]:
        end += 1
    rest = expected[begin : len(expected) - end]
    row = list(range(len(rest) + 1))
    for i, one in enumerate(actual[begin : len(actual) - end], 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(rest, 1):
            best = min(row[j] + 1, row[j - 1] + 1, diagonal + (one != other))
            diagonal, row[j] = row[j], best
    return row[-1]


@dataclass(frozen=True)
class Check:
    """One quantity held against its limit."""

    name: str
    value: float
    limit: float

    @property
    def passed(self) -> bool:
        """The value is at most the limit; a NaN never is."""
        return self.value <= self.limit

    def __str__(self) -> str:
        sign = "<=" if self.passed else "> "
        return f"{self.name}: {self.value:.3g} {sign} {self.limit:.3g}"


@dataclass(frozen=True)
class Report:
    """Checks in the order in which a model computes: the first that fails is where to look."""

    checks: tuple[Check, ...]

    @classmethod
    def of(cls, checks: Iterable[Check]) -> Report:
        """A report of all the checks."""
        return cls(tuple(checks))

    @property
    def first_failure(self) -> Check | None:
        """The first check that did not pass."""
        return next((check for check in self.checks if not check.passed), None)

    def __str__(self) -> str:
        return "\n".join(str(check) for check in self.checks)
