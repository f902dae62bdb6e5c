"""The measures of distance: arrays, token sequences and words."""

from __future__ import annotations

import numpy as np
import pytest

from wspkit.parity.compare import (
    Check,
    Report,
    WordErrors,
    difference,
    first_differing,
    normalized_words,
    word_errors,
)


def test_difference_finds_the_largest_and_where_it_is() -> None:
    found = difference(np.array([[1.0, 2.0], [3.5, -8.0]]), np.array([[1.0, 2.0], [3.0, -8.0]]))

    assert found.max_abs == 0.5
    assert found.index == (1, 0)
    assert found.relative == 0.5 / 8
    assert found.rms == 0.25
    assert found.relative_rms == 0.25 / 8


def test_a_nan_is_infinitely_far() -> None:
    assert difference(np.array([np.nan]), np.array([1.0])).max_abs == np.inf
    assert difference(np.array([1.0]), np.array([np.nan])).max_abs == np.inf


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        difference(np.zeros(2), np.zeros(3))


@pytest.mark.parametrize(
    ("a", "b", "place"),
    [([1, 2], [1, 2], None), ([1, 2], [1, 3], 1), ([1], [1, 2], 1), ([], [], None)],
)
def test_first_difference_of_sequences(a: list[int], b: list[int], place: int | None) -> None:
    assert first_differing(a, b) == place


def test_words_are_compared_in_nfkc_lower_case_without_punctuation() -> None:
    assert normalized_words(" Ｈello,  WORLD — «Ça va?» ﬁne\u3000don't ") == [
        "hello",
        "world",
        "ça",
        "va",
        "fine",
        "dont",
    ]


@pytest.mark.parametrize(
    ("text", "transcript", "errors", "words"),
    [
        ("a b c", "a b c", 0, 3),
        ("a x c", "a b c", 1, 3),
        ("a c", "a b c", 1, 3),
        ("a b b c", "a b c", 1, 3),
        ("", "a b c", 3, 3),
        ("a", "", 1, 0),
        ("c a b", "a b c", 2, 3),
    ],
)
def test_word_errors_are_the_fewest_edits(
    text: str, transcript: str, errors: int, words: int
) -> None:
    assert word_errors(text, transcript) == WordErrors(errors, words)


def test_word_errors_of_recordings_are_pooled_by_adding() -> None:
    pooled = sum([WordErrors(1, 10), WordErrors(2, 20)], WordErrors())

    assert pooled == WordErrors(3, 30)
    assert pooled.rate == 0.1


def test_a_report_names_the_first_failure_and_a_nan_never_passes() -> None:
    report = Report.of([Check("conv", 1, 2), Check("layer 0", np.nan, 2), Check("layer 1", 3, 2)])

    assert report.first_failure is not None
    assert report.first_failure.name == "layer 0"
    assert str(report).splitlines()[0] == "conv: 1 <= 2"
