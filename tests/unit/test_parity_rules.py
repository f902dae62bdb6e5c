"""The reference's logit rules and greedy loop on hand-made logits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from wspkit.parity.greedy import Model, Window, decode_greedily
from wspkit.parity.logit_rules import Rules, apply_rules
from wspkit.parity.special_tokens import SpecialTokens, special_tokens
from wspkit.parity.transcribe import window_advance
from wspkit.parity.weights import Array

ENGLISH = special_tokens(51864)
RULES = Rules(ENGLISH, blank=220)
FIRST = ENGLISH.first_timestamp
END = ENGLISH.end_of_text
WORD = 1000


def logits(**peaks: float) -> Array:
    """Zeros with peaks: names t50 (timestamp), w1000 (word), end."""
    row = np.zeros(51864)
    for name, height in peaks.items():
        token = END if name == "end" else int(name[1:]) + (FIRST if name[0] == "t" else 0)
        row[token] = height
    return row


def choice(row: Array, history: Sequence[int] = (), earliest: int = FIRST) -> int:
    return int(apply_rules(row, history, earliest, RULES).argmax())


@pytest.mark.parametrize(
    ("n_vocab", "expected"),
    [
        (51864, (50256, 50257, 50357, 50358, 50359, 50360, 50361, 50362, 50363)),
        (51865, (50257, 50258, 50358, 50359, 50360, 50361, 50362, 50363, 50364)),
        (51866, (50257, 50258, 50359, 50360, 50361, 50362, 50363, 50364, 50365)),
    ],
)
def test_special_ids_are_the_published_ones(n_vocab: int, expected: tuple[int, ...]) -> None:
    s = special_tokens(n_vocab)

    assert expected == (
        s.end_of_text,
        s.start_of_transcript,
        s.translate,
        s.transcribe,
        s.speaker_turn,
        s.previous_text,
        s.no_speech,
        s.no_timestamps,
        s.first_timestamp,
    )
    assert n_vocab == s.first_timestamp + 1501


def test_a_multilingual_prompt_names_language_and_task() -> None:
    assert special_tokens(51865).prompt(language=1) == (50258, 50260, 50359)
    assert ENGLISH.prompt() == (50257,)


def test_blank_and_end_are_forbidden_at_the_first_step_only() -> None:
    row = logits(w220=30, end=29, w1000=28)

    assert choice(row) == WORD
    assert choice(row, [WORD]) == 220
    row[220] = 0
    assert choice(row, [WORD]) == END


@pytest.mark.parametrize(
    "field",
    [
        "start_of_transcript",
        "translate",
        "transcribe",
        "speaker_turn",
        "previous_text",
        "no_speech",
        "no_timestamps",
        "first_language",
    ],
)
def test_steering_tokens_are_never_chosen(field: str) -> None:
    row = logits(w1000=20)
    row[getattr(ENGLISH, field)] = 40

    assert choice(row, [WORD]) == WORD


def test_after_text_and_a_timestamp_comes_a_timestamp_or_the_end() -> None:
    row = logits(w1000=40, t100=20, end=19)

    assert choice(row, [FIRST, WORD, FIRST + 100]) == FIRST + 100
    row[END] = 41
    assert choice(row, [FIRST, WORD, FIRST + 100]) == END


@pytest.mark.parametrize("history", [[FIRST], [FIRST, WORD, FIRST + 100, FIRST + 100]])
def test_after_a_pair_or_the_first_timestamp_comes_text(history: list[int]) -> None:
    assert choice(logits(t200=40, w1000=20), history) == WORD


def test_the_first_timestamp_is_within_the_first_second() -> None:
    assert choice(logits(t51=40, t50=30)) == FIRST + 50


def test_time_does_not_go_back() -> None:
    history = [FIRST, WORD, FIRST + 100, FIRST + 100, WORD]

    assert choice(logits(t99=40, t100=30), history, FIRST + 100) == FIRST + 100


def test_timestamps_win_together_though_none_wins_alone() -> None:
    row = logits(w1000=10)
    row[FIRST : FIRST + 100] = 9

    assert choice(row, [FIRST, WORD]) >= FIRST
    row[FIRST : FIRST + 100] = 5  # 100 e^5 < e^10
    assert choice(row, [FIRST, WORD]) == WORD


def test_allowed_tokens_keep_a_probability_that_sums_to_one() -> None:
    logprobs = apply_rules(logits(w1000=10), [WORD], FIRST, RULES)

    assert np.exp(logprobs).sum() == pytest.approx(1)


def script(*rows: Array) -> tuple[list[list[int]], Model]:
    """A model that answers with the rows in turn and notes what it was told."""
    told: list[list[int]] = []

    def step(tokens: Sequence[int]) -> Array:
        told.append(list(tokens))
        return rows[len(told) - 1]

    return told, step


def decode(*rows: Array, frames_left: int = 6000) -> Window:
    _, step = script(*rows)
    return decode_greedily(step, [1], RULES, frames_left=frames_left)


def test_greedy_feeds_each_choice_back_and_stops_at_the_end() -> None:
    told, step = script(
        logits(t0=20), logits(w1000=20), logits(t100=20), logits(end=20), logits(w5=20)
    )

    window = decode_greedily(step, [50257], RULES)

    assert told == [[50257], [FIRST], [WORD], [FIRST + 100]]
    assert window.tokens == (FIRST, WORD, FIRST + 100)
    assert window.advance_frames == 200
    assert not window.failed


def test_greedy_stops_when_a_timestamp_reaches_the_end_of_the_recording() -> None:
    window = decode(logits(t0=20), logits(w1000=20), logits(t100=20), frames_left=205)

    assert window.tokens == (FIRST, WORD, FIRST + 100)


def test_greedy_fails_if_the_end_comes_before_any_timestamp() -> None:
    window = decode(logits(t0=20), logits(w1000=20), logits(end=20))

    assert window.failed


def test_text_without_a_timestamp_is_kept_at_the_end_of_the_recording() -> None:
    window = decode(logits(t0=20), logits(w1000=20), logits(end=20), frames_left=1000)

    assert window.tokens == (FIRST, WORD, END)


def test_a_single_timestamp_at_the_end_moves_the_window_over_all_of_it() -> None:
    assert window_advance([FIRST, WORD, FIRST + 100], 200, 5000, RULES) == 3000
    assert window_advance([FIRST, WORD, FIRST + 100], 200, 1000, RULES) == 1000
    assert window_advance([FIRST, WORD, FIRST + 100, FIRST + 100], 200, 5000, RULES) == 200


def test_special_tokens_of_a_vocabulary_do_not_overlap() -> None:
    s: SpecialTokens = special_tokens(51866)

    assert s.n_languages == 100
    assert s.languages[-1] + 1 == s.translate
