"""Comparing two transcriptions: each kind of difference by itself, on sequences small enough to
count by hand.
"""

from __future__ import annotations

from itertools import product

import pytest

from wspkit.parity.compare import WordErrors, edits
from wspkit.parity.transcripts import Heard, TimedText, agreement


def heard(*segments: tuple[float, float, str], tokens: tuple[int, ...] = ()) -> Heard:
    timed = tuple(TimedText(*one) for one in segments)
    return Heard("".join(one.text for one in timed).strip(), tokens, timed)


def plain_edits(actual: str, expected: str) -> int:
    """The definition, without any shortening."""
    if not actual or not expected:
        return len(actual) + len(expected)
    return min(
        plain_edits(actual[1:], expected) + 1,
        plain_edits(actual, expected[1:]) + 1,
        plain_edits(actual[1:], expected[1:]) + (actual[0] != expected[0]),
    )


def test_edits_are_the_fewest_whatever_both_begin_and_end_with() -> None:
    words = ["".join(letters) for n in range(5) for letters in product("ab", repeat=n)]
    for actual, expected in product(words, words):
        assert edits(actual, expected) == plain_edits(actual, expected), (actual, expected)


def test_the_same_is_the_same() -> None:
    one = heard((0, 1.5, " Hello there."), tokens=(1, 2, 3))
    found = agreement(one, one)
    assert found.same_text
    assert found.words == WordErrors(0, 2)
    assert (found.tokens, found.first_token) == (1.0, None)
    assert (found.n_segments, found.n_timed) == ((1, 1), 1)
    assert (found.max_time_s, found.mean_time_s) == (0, 0)


def test_nothing_agrees_with_nothing_and_not_with_something() -> None:
    nothing, something = heard(), heard((0, 1, " one two"), tokens=(5, 6))
    found = agreement(nothing, nothing)
    assert (found.same_text, found.tokens, found.max_time_s) == (True, 1.0, None)
    found = agreement(nothing, something)
    assert (found.same_text, found.tokens, found.first_token) == (False, 0.0, 0)
    assert found.words == WordErrors(2, 2)


def test_case_and_marks_differ_in_the_text_and_not_in_the_words() -> None:
    found = agreement(heard((0, 1, " Hello, there")), heard((0, 1, " hello there")))
    assert not found.same_text
    assert found.words == WordErrors(0, 2)
    assert found.n_timed == 0


def test_space_at_the_ends_is_no_difference() -> None:
    assert agreement(Heard(" a b ", (), ()), Heard("a b", (), ())).same_text
    assert not agreement(Heard("a  b", (), ()), Heard("a b", (), ())).same_text


def test_tokens_count_by_the_longer_sequence() -> None:
    one, other = heard(tokens=(1, 2, 3, 4)), heard(tokens=(1, 9, 3, 4, 5))
    found = agreement(one, other)
    assert found.tokens == pytest.approx(1 - 2 / 5)
    assert found.first_token == 1


def test_times_are_those_of_segments_with_the_same_text() -> None:
    one = heard((0, 1, " a"), (1, 2, " b"), (2, 3, " c"))
    other = heard((0.1, 1, " a"), (1, 2, " x"), (2, 3.5, " c"))
    found = agreement(one, other)
    assert (found.n_segments, found.n_timed) == ((3, 3), 2)
    assert found.max_time_s == pytest.approx(0.5)
    assert found.mean_time_s == pytest.approx(0.6 / 4)


def test_a_text_that_comes_twice_is_not_paired_crosswise() -> None:
    one = heard((0, 1, " yes"), (1, 2, " no"), (2, 3, " yes"))
    other = heard((1, 2, " no"), (2, 3, " yes"))
    found = agreement(one, other)
    assert (found.n_segments, found.n_timed, found.max_time_s) == ((3, 2), 2, 0)
