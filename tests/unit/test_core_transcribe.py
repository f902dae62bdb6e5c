"""Transcription from Python: results, odd audio, callbacks. Made-up weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wspkit.core import (
    Context,
    Segment,
    TranscribeOptions,
)
from wspkit.errors import BusyError, UsageError

# One attempt per window: made-up weights would fall back to the last temperature every time.
OPTIONS = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


# ---- results ----


def test_results_are_typed_and_in_order(context: Context, noise: NDArray[np.float32]) -> None:
    result = context.transcribe(noise, OPTIONS)
    assert result.language == "en"
    assert result.duration_s == 3.0
    assert result.segments
    for segment in result.segments:
        assert 0 <= segment.start_s <= segment.end_s
        assert 0 <= segment.no_speech_probability <= 1
        for token in segment.tokens:
            assert 0 <= token.probability <= 1
            # Both were computed in float32: 1e-5 is some units of its last place.
            assert np.exp(token.log_probability) == pytest.approx(token.probability, rel=1e-5)
            assert token.special == (token.id >= context.special_tokens.end_of_text)
    starts = [segment.start_s for segment in result.segments]
    assert starts == sorted(starts)


def test_segment_text_is_the_text_of_its_tokens(
    context: Context, noise: NDArray[np.float32]
) -> None:
    for segment in context.transcribe(noise, OPTIONS).segments:
        data = b"".join(token.data for token in segment.tokens if not token.special)
        assert segment.text == data.decode("utf-8", "replace")


def test_stats_are_those_of_one_call(context: Context, noise: NDArray[np.float32]) -> None:
    first = context.transcribe(noise, OPTIONS).stats
    second = context.transcribe(noise, OPTIONS).stats
    assert first.n_windows == second.n_windows == 1
    assert first.n_tokens == second.n_tokens > 0
    assert second.load_ms == first.load_ms > 0
    phases = second.mel_ms + second.encode_ms + second.prompt_ms + second.decode_ms
    assert 0 < phases <= second.total_ms
    assert second.audio_s == 3.0
    assert second.n_threads == 1
    assert second.weights_bytes > 1_000_000
    assert second.state_bytes > 0


def test_fallbacks_are_counted_once_whatever_their_reason(
    context: Context, noise: NDArray[np.float32]
) -> None:
    # Temperatures 0, 0.5 and 1; 40 tokens in each, and no 32 of them have as much entropy as that.
    options = TranscribeOptions(
        language="en",
        temperature_inc=0.5,
        best_of=1,
        no_timestamps=True,
        max_tokens=40,
        entropy_thold=10.0,
    )
    stats = context.transcribe(noise, options).stats
    assert stats.n_fallbacks == 2 * stats.n_windows


def test_the_same_audio_gives_the_same_tokens_again_and_with_more_threads(
    context: Context, noise: NDArray[np.float32]
) -> None:
    def ids(n_threads: int) -> list[int]:
        options = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=n_threads)
        segments = context.transcribe(noise, options).segments
        return [token.id for segment in segments for token in segment.tokens]

    expected = ids(1)
    assert expected
    assert ids(1) == ids(2) == ids(4) == expected


def test_audio_is_only_read(context: Context) -> None:
    samples = np.random.default_rng(4).uniform(-0.1, 0.1, 16000).astype(np.float32)
    before = samples.copy()
    context.transcribe(samples, OPTIONS)
    assert np.array_equal(samples, before)


def test_language_guess_is_a_distribution(context: Context, noise: NDArray[np.float32]) -> None:
    guess = context.detect_language(noise)
    assert guess.probability == max(guess.probabilities.values())
    assert sum(guess.probabilities.values()) == pytest.approx(1, abs=1e-4)
    result = context.transcribe(noise, TranscribeOptions(temperature_inc=0.0, max_tokens=4))
    assert result.language == guess.code


# ---- odd audio ----


@pytest.mark.parametrize("n_samples", [0, 1, 4, 200, 1584])
def test_audio_under_100_ms_gives_no_segments(n_samples: int, context: Context) -> None:
    result = context.transcribe(np.full(n_samples, 0.1, np.float32), OPTIONS)
    assert result.segments == ()
    assert result.text == ""
    assert result.duration_s == n_samples / 16000


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("position", [0, 23999, -1])
def test_samples_that_are_not_finite_are_refused(
    value: float, position: int, context: Context, noise: NDArray[np.float32]
) -> None:
    samples = noise.copy()
    samples[position] = value
    with pytest.raises(UsageError, match=r"(?i)nan|infinit|finite"):
        context.transcribe(samples, OPTIONS)


def test_options_of_another_type_are_refused(context: Context) -> None:
    with pytest.raises(UsageError, match="TranscribeOptions"):
        context.transcribe(np.zeros(4800), {"language": "en"})  # type: ignore[arg-type]


def test_a_refusal_leaves_the_context_usable(context: Context, noise: NDArray[np.float32]) -> None:
    with pytest.raises(UsageError):
        context.transcribe(np.array([np.nan] * 16000, np.float32), OPTIONS)
    assert context.transcribe(noise, OPTIONS).segments


def test_unknown_languages_are_refused_by_name(
    context: Context, noise: NDArray[np.float32]
) -> None:
    with pytest.raises(UsageError, match="klingon"):
        context.transcribe(noise, TranscribeOptions(language="klingon"))


# ---- callbacks ----


def test_progress_rises_to_100(context: Context, noise: NDArray[np.float32]) -> None:
    seen: list[int] = []
    # Three windows.
    context.transcribe(np.tile(noise, 25), OPTIONS, on_progress=seen.append)
    assert seen == sorted(seen)
    assert len(seen) > 1
    assert seen[0] >= 0
    assert seen[-1] == 100


@pytest.mark.parametrize("n_samples", [0, 100, 1600, 16000, 32000])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"no_timestamps": True},
        {"duration_ms": 100_000},
        {"offset_ms": 1500},
        {"offset_ms": 100_000},
    ],
    ids=str,
)
def test_progress_ends_at_100_for_any_length(
    n_samples: int, options: dict[str, int], context: Context, noise: NDArray[np.float32]
) -> None:
    seen: list[int] = []
    chosen = dataclasses.replace(OPTIONS, **options)  # type: ignore[arg-type]
    context.transcribe(noise[:n_samples], chosen, on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 100
    assert min(seen) >= 0


def test_segments_arrive_one_by_one_and_are_those_of_the_result(
    context: Context, noise: NDArray[np.float32]
) -> None:
    seen: list[Segment] = []
    result = context.transcribe(np.tile(noise, 25), OPTIONS, on_segment=seen.append)
    assert tuple(seen) == result.segments


class CallbackError(Exception):
    """What the callbacks of these tests raise."""


@pytest.mark.parametrize("name", ["on_progress", "on_segment"])
def test_what_a_callback_raises_stops_the_work_and_comes_through(
    name: str, context: Context, long_noise: NDArray[np.float32]
) -> None:
    calls = []

    def refuse(value: object) -> None:
        calls.append(value)
        raise CallbackError("enough")

    with pytest.raises(CallbackError, match="enough"):
        context.transcribe(long_noise, OPTIONS, **{name: refuse})  # type: ignore[arg-type]
    assert len(calls) == 1


def test_a_callback_may_not_use_its_own_state_but_another(
    context: Context, noise: NDArray[np.float32]
) -> None:
    other = context.new_state()
    results = []

    def nested(_: Segment) -> None:
        with pytest.raises(BusyError):
            context.transcribe(noise, OPTIONS)
        results.append(other.transcribe(noise[:16000], OPTIONS))

    context.transcribe(noise, OPTIONS, on_segment=nested)
    assert results
