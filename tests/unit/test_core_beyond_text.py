"""What a transcription gives and takes beyond text: times of tokens, alignment heads, silence left
out, parts, candidates, callbacks together, memory before loading. Made-up weights.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit.core import (
    AlignmentPreset,
    CancellationToken,
    Context,
    LogitsFilter,
    Segment,
    SpeechSegment,
    TranscribeOptions,
    Transcription,
    TranscriptionCancelledError,
    estimate_memory,
)
from wspkit.core.alignment import parse_heads
from wspkit.core.native import core
from wspkit.errors import BadFormatError, NotFoundError, UsageError

Audio = NDArray[np.float32]
OPTIONS = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


def with_options(**changes: Any) -> TranscribeOptions:  # noqa: ANN401 - any option
    return dataclasses.replace(OPTIONS, **changes)


def token_ids(result: Transcription) -> list[int]:
    return [token.id for segment in result.segments for token in segment.tokens]


def five_times_abc(context: Context) -> LogitsFilter:
    """A filter that lets nothing pass but five times " abc", one token, and then the end."""
    [abc] = context.tokenize(" abc")

    def only_abc(tokens: list[int], logits: Audio) -> None:
        logits[:] = -np.inf
        logits[abc if tokens.count(abc) < 5 else context.special_tokens.end_of_text] = 0

    return only_abc


# ---- times ----


def test_token_times_are_given_where_they_are_asked_for(context: Context, noise: Audio) -> None:
    without = context.transcribe(noise, OPTIONS)
    assert without.words == ()
    assert all(
        token.start_s is token.end_s is token.dtw_s is None
        for segment in without.segments
        for token in segment.tokens
    )
    result = context.transcribe(noise, with_options(token_timestamps=True))
    assert token_ids(result) == token_ids(without)
    assert result.words == tuple(word for segment in result.segments for word in segment.words)
    for segment in result.segments:
        assert "".join(word.text for word in segment.words) == segment.text
        times = [(token.start_s, token.end_s) for token in segment.tokens]
        for start, end in times:
            assert start is not None
            assert end is not None
            assert segment.start_s <= start <= end <= segment.end_s


def test_max_len_cuts_segments_by_their_length(context: Context, noise: Audio) -> None:
    def segments(**changes: Any) -> list[str]:  # noqa: ANN401 - any option
        options = with_options(no_timestamps=True, **changes)
        result = context.transcribe(noise, options, filter_logits=five_times_abc(context))
        assert result.text == "abc abc abc abc abc"
        return [segment.text for segment in result.segments]

    assert segments() == [" abc abc abc abc abc"]
    assert segments(max_len=4, split_on_word=True) == [" abc"] * 5
    assert segments(max_len=8, split_on_word=True) == [" abc abc", " abc abc", " abc"]


@pytest.mark.parametrize("heads", [1, [(0, 0)], ((0, 1), (0, 0))])
def test_alignment_heads_give_each_text_token_a_time(
    heads: Any,  # noqa: ANN401 - each of the kinds that it may be
    synthetic_model: Path,
    noise: Audio,
) -> None:
    with Context.load(synthetic_model, dtw=heads) as aligned:
        result = aligned.transcribe(noise, OPTIONS)
    text = [t for segment in result.segments for t in segment.tokens if not t.special]
    assert text
    assert all(token.dtw_s is not None and 0 <= token.dtw_s <= 3 for token in text)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ("base.en", "dtw_aheads_preset"),
        ("huge", "dtw is 'huge'; expected one of tiny.en"),
        (0, "dtw_n_top"),
        (2, "dtw_n_top"),
        ([(1, 0)], "alignment heads"),
        ([], "pairs of text layer and head"),
        ([(1, 2, 3)], "pairs of text layer and head"),
        (True, "pairs of text layer and head"),
        (1.5, "pairs of text layer and head"),
    ],
)
def test_heads_that_the_model_has_not_are_refused(
    heads: Any,  # noqa: ANN401 - wrong on purpose
    message: str,
    synthetic_model: Path,
) -> None:
    with pytest.raises(UsageError, match=message):
        Context.load(synthetic_model, dtw=heads)


def test_alignment_presets_are_those_of_the_core() -> None:
    assert list(get_args(AlignmentPreset)) == core.alignment_presets()


def test_heads_have_a_notation_for_the_command_line() -> None:
    assert parse_heads("large-v3") == "large-v3"
    assert parse_heads("top-2") == 2
    assert parse_heads("3:1,4:12") == [(3, 1), (4, 12)]
    for wrong in ("", "top-", "3", "3:1:2", "a:b", "huge"):
        with pytest.raises(UsageError, match="--dtw is"):
            parse_heads(wrong)


# ---- silence, parts, beams, languages ----


def test_only_speech_is_transcribed(context: Context, noise: Audio, tmp_path: Path) -> None:
    model = tmp_path / "silero für später.bin"
    write_synthetic_silero(model, final_bias=20.0)
    options = with_options(vad=True, vad_model_path=model)
    assert context.transcribe(noise, options).speech == (SpeechSegment(0.0, 3.0),)
    silence = tmp_path / "deaf.bin"
    write_synthetic_silero(silence, final_bias=-20.0)
    result = context.transcribe(noise, with_options(vad=True, vad_model_path=str(silence)))
    assert not result.speech
    assert not result.segments
    assert context.transcribe(noise, OPTIONS).speech == ()


@pytest.mark.parametrize("path", ["", "nowhere.bin"])
def test_speech_detection_without_its_model_is_told(
    path: str, context: Context, noise: Audio
) -> None:
    with pytest.raises((UsageError, NotFoundError), match=path or "vad_model_path"):
        context.transcribe(noise, with_options(vad=True, vad_model_path=path))
    assert context.transcribe(noise, OPTIONS).segments


def test_parts_are_transcribed_each_by_itself_with_times_of_the_whole(
    context: Context, noise: Audio
) -> None:
    alone = [context.transcribe(noise[i : i + 16000], OPTIONS) for i in (0, 16000, 32000)]
    percent: list[int] = []
    seen: list[Segment] = []
    result = context.transcribe(
        noise, with_options(n_parts=3), on_progress=percent.append, on_segment=seen.append
    )
    assert token_ids(result) == [token for part in alone for token in token_ids(part)]
    assert tuple(seen) == result.segments
    assert percent == sorted(percent)
    assert percent[-1] == 100


def test_what_a_callback_raises_in_a_part_comes_through(context: Context, noise: Audio) -> None:
    def fail(_: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        context.transcribe(noise, with_options(n_parts=3), on_progress=fail)
    assert context.transcribe(noise, OPTIONS).segments


def test_beams_find_a_text_that_is_at_least_as_probable(context: Context, noise: Audio) -> None:
    def mean_log_probability(result: Transcription) -> float:
        tokens = [token for segment in result.segments for token in segment.tokens]
        return sum(token.log_probability for token in tokens) / len(tokens)

    greedy = context.transcribe(noise, OPTIONS)
    beams = [context.transcribe(noise, with_options(beam_size=5)) for _ in range(2)]
    assert token_ids(beams[0]) == token_ids(beams[1])
    # The sum of rounded terms: some units in the last place of float32.
    assert mean_log_probability(beams[0]) >= mean_log_probability(greedy) - 1e-4


def test_a_seed_repeats_its_draws_and_another_draws_others(context: Context, noise: Audio) -> None:
    def ids(seed: int) -> list[int]:
        options = with_options(temperature=1.0, best_of=1, seed=seed)
        return token_ids(context.transcribe(noise, options))

    assert ids(5) == ids(5)
    assert ids(5) != ids(6)


def test_candidates_are_the_distribution_among_them(context: Context, noise: Audio) -> None:
    every = context.detect_language(noise)
    guess = context.detect_language(noise, candidates=["German", "fr", "it"])
    assert set(guess.probabilities) == {"de", "fr", "it"}
    total = sum(every.probabilities[code] for code in guess.probabilities)
    assert guess.probability == pytest.approx(every.probabilities[guess.code] / total)
    options = with_options(language="auto", language_candidates=("de", "fr", "it"), max_tokens=3)
    result = context.transcribe(noise, options)
    assert result.language == guess.code
    # Summed in another order and precision than above.
    assert result.language_probability == pytest.approx(guess.probability, rel=1e-4)
    with pytest.raises(UsageError, match="'klingon' is no language"):
        context.detect_language(noise, candidates=["klingon"])


# ---- callbacks ----


def test_all_callbacks_work_together(context: Context, noise: Audio) -> None:
    calls: list[str] = []
    threads: set[int] = set()

    def note(name: str) -> None:
        calls.append(name)
        threads.add(threading.get_ident())

    def filter_logits(tokens: list[int], logits: Audio) -> None:
        note("logits")
        assert logits.shape == (context.facts.n_vocab,)
        assert all(isinstance(token, int) for token in tokens)

    result = context.transcribe(
        noise,
        OPTIONS,
        on_progress=lambda _: note("progress"),
        on_segment=lambda _: note("segment"),
        on_window=lambda: note("window"),
        filter_logits=filter_logits,
        cancel=CancellationToken(),
    )
    assert set(calls) == {"progress", "segment", "window", "logits"}
    assert calls.count("segment") == len(result.segments)
    assert calls.index("window") < calls.index("logits") < calls.index("segment")
    assert threads == {threading.get_ident()}
    assert token_ids(result) == token_ids(context.transcribe(noise, OPTIONS))


def test_a_filter_decides_what_is_chosen(context: Context, noise: Audio) -> None:
    options = with_options(no_timestamps=True)
    result = context.transcribe(noise, options, filter_logits=five_times_abc(context))
    assert result.text == "abc abc abc abc abc"


def test_a_window_that_is_refused_ends_the_transcription_without_an_error(
    context: Context, noise: Audio
) -> None:
    assert context.transcribe(noise, OPTIONS, on_window=lambda: False).segments == ()
    assert context.transcribe(noise, OPTIONS, on_window=lambda: None).segments


@pytest.mark.parametrize("place", ["on_progress", "on_segment", "on_window", "filter_logits"])
def test_what_any_callback_raises_comes_through(place: str, context: Context, noise: Audio) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(place)

    listener: dict[str, Any] = {place: fail}
    with pytest.raises(ZeroDivisionError, match=place):
        context.transcribe(noise, OPTIONS, **listener)
    assert context.transcribe(noise, OPTIONS).segments


def test_parts_are_cancelled_together(context: Context, long_noise: Audio) -> None:
    cancel = CancellationToken()
    with pytest.raises(TranscriptionCancelledError):
        context.transcribe(
            long_noise,
            with_options(n_parts=2),
            on_window=cancel.cancel,
            cancel=cancel,
        )


# ---- before loading ----


def test_memory_is_known_before_a_model_is_loaded(
    context: Context, synthetic_model: Path, noise: Audio
) -> None:
    estimate = estimate_memory(synthetic_model)
    stats = context.new_state().transcribe(noise, OPTIONS).stats
    assert estimate.weights_bytes == stats.weights_bytes
    assert estimate.state_bytes == stats.state_bytes


def test_memory_of_what_is_no_model_is_an_error_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"gone\.bin"):
        estimate_memory(tmp_path / "gone.bin")
    (tmp_path / "page.bin").write_text("<!DOCTYPE html>")
    with pytest.raises(BadFormatError, match=r"page\.bin"):
        estimate_memory(tmp_path / "page.bin")


def test_a_context_tells_why_it_computes_where_it_does(context: Context) -> None:
    assert context.backend_reason.startswith(f"{context.backend}: ")
