"""How far two transcriptions of one recording are apart: text, tokens, times.

Must not know where either came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from wspkit.parity.compare import WordErrors, edits, first_differing, word_errors


@dataclass(frozen=True)
class TimedText:
    """A segment."""

    start_s: float
    end_s: float
    text: str


@dataclass(frozen=True)
class Heard:
    """What was made of a recording."""

    text: str
    tokens: tuple[int, ...]
    """Ids of the text's tokens, without timestamps and other marks."""
    segments: tuple[TimedText, ...]


@dataclass(frozen=True)
class Agreement:
    """How far one transcription agrees with another."""

    same_text: bool
    """To the last character, but for space at the ends."""
    words: WordErrors
    """Words that are others, missing or too many, case and punctuation aside; of the other's."""
    tokens: float
    """Share of the longer sequence that needs no change to become the other, 0 to 1."""
    first_token: int | None
    """Where the two sequences part first; None if they are the same."""
    n_segments: tuple[int, int]
    n_timed: int
    """Pairs of segments with the same text, whose times can be compared."""
    max_time_s: float | None
    """The largest difference of a start or an end of such pairs; None without any."""
    mean_time_s: float | None


def agreement(one: Heard, other: Heard) -> Agreement:
    """How far `one` agrees with `other`; nothing on both sides agrees wholly."""
    longer = max(len(one.tokens), len(other.tokens))
    pairs = _pairs(one.segments, other.segments)
    apart = [
        distance
        for a, b in pairs
        for distance in (abs(a.start_s - b.start_s), abs(a.end_s - b.end_s))
    ]
    return Agreement(
        same_text=one.text.strip() == other.text.strip(),
        words=word_errors(one.text, other.text),
        tokens=1 - edits(one.tokens, other.tokens) / longer if longer else 1.0,
        first_token=first_differing(one.tokens, other.tokens),
        n_segments=(len(one.segments), len(other.segments)),
        n_timed=len(pairs),
        max_time_s=max(apart, default=None),
        mean_time_s=sum(apart) / len(apart) if apart else None,
    )


def _pairs(
    ours: Sequence[TimedText], theirs: Sequence[TimedText]
) -> list[tuple[TimedText, TimedText]]:
    """Segments of the same text, in order: a text that comes twice is not paired crosswise."""
    one, other = ([" ".join(segment.text.split()) for segment in side] for side in (ours, theirs))
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    return [(ours[a + i], theirs[b + i]) for a, b, size in blocks for i in range(size)]
