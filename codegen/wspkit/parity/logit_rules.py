"""The rules that forbid tokens before one is chosen, each a function on a row of logits.

Must not know a model.

A rule gets the logits (V,) and changes them in place; a forbidden token has -inf. `history` are the
tokens chosen so far in this window, without the prompt. Order and content are whisper.cpp's; most
are openai/whisper's too, from its decoding.py (SuppressBlank, SuppressTokens, ApplyTimestampRules).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from wspkit.parity.layers import log_softmax
from wspkit.parity.special_tokens import SECONDS_PER_TIMESTAMP, SpecialTokens
from wspkit.parity.weights import Array


@dataclass(frozen=True)
class Rules:
    """What the rules need to know. Defaults are those of a transcription."""

    special: SpecialTokens
    #: The token that is a single space.
    blank: int
    #: Seconds: the first timestamp is at most this.
    max_first_timestamp_s: float = 1.0
    #: Forbidden at every step, on top of the special tokens.
    also_suppressed: tuple[int, ...] = ()


def apply_rules(
    logits: Array, history: Sequence[int], earliest_timestamp: int, rules: Rules
) -> Array:
    """Log-probabilities (V,) of what may come next, -inf for what may not.

    logits: (V,), left as they are. earliest_timestamp: the last timestamp that moved the window, or
    the first of all.
    """
    row = logits.copy()
    if not history:
        suppress(row, (rules.blank, rules.special.end_of_text))
    suppress(row, never_chosen(rules.special))
    suppress(row, rules.also_suppressed)
    pair_timestamps(row, history, rules.special)
    if not history:
        limit_first_timestamp(row, rules)
    keep_time_forward(row, earliest_timestamp, rules.special)
    logprobs = log_softmax(row)
    prefer_timestamps_by_mass(logprobs, rules.special)
    return logprobs


def suppress(row: Array, tokens: Iterable[int]) -> None:
    """Forbids the tokens."""
    row[list(tokens)] = -np.inf


def never_chosen(special: SpecialTokens) -> tuple[int, ...]:
    """Special tokens that steer the model and are no part of a transcript."""
    return (
        special.no_timestamps,
        special.start_of_transcript,
        special.no_speech,
        special.speaker_turn,
        special.translate,
        special.transcribe,
        special.previous_text,
        *special.languages,
    )


def pair_timestamps(row: Array, history: Sequence[int], special: SpecialTokens) -> None:
    """Timestamps come in pairs, but for the first and the one before the end.

    After text and a timestamp must come a timestamp or the end; after two timestamps, or the first
    of all, no other.
    """
    first = special.first_timestamp
    last_is_timestamp = len(history) >= 1 and history[-1] >= first
    one_before_is_timestamp = len(history) < 2 or history[-2] >= first
    if last_is_timestamp and one_before_is_timestamp:
        row[first:] = -np.inf
    elif last_is_timestamp:
        row[: special.end_of_text] = -np.inf


def limit_first_timestamp(row: Array, rules: Rules) -> None:
    """A transcript begins within the first second, or whatever was asked for."""
    latest = round(rules.max_first_timestamp_s / SECONDS_PER_TIMESTAMP)
    row[rules.special.first_timestamp + latest + 1 :] = -np.inf


def keep_time_forward(row: Array, earliest_timestamp: int, special: SpecialTokens) -> None:
    """No timestamp before one that was already given."""
    row[special.first_timestamp : earliest_timestamp] = -np.inf


def prefer_timestamps_by_mass(logprobs: Array, special: SpecialTokens) -> None:
    """If all timestamps together are more probable than the best other token, one of them it is."""
    first = special.first_timestamp
    stamps = logprobs[first:]
    best = stamps.max()
    if best == -np.inf:
        return
    mass = best + np.log(np.exp(stamps - best).sum())
    if mass > logprobs[:first].max():
        logprobs[:first] = -np.inf
