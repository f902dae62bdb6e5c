"""Transcription from Python: callbacks, cancellation, threads, logs, odd audio. Made-up weights."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wspkit.core import (
    CancellationToken,
    Context,
    Segment,
    TranscribeOptions,
    TranscriptionCancelledError,
)
from wspkit.errors import BadFormatError, BusyError, CancelledError, UsageError

# One attempt per window: made-up weights would fall back to the last temperature every time.
OPTIONS = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def long_noise() -> NDArray[np.float32]:
    """Twenty minutes: long enough that whoever stops it stops it in the middle."""
    samples = np.random.default_rng(3).uniform(-0.1, 0.1, 16000 * 1200).astype(np.float32)
    samples.flags.writeable = False
    return samples


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


# ---- cancellation ----


def test_cancelled_before_the_start_gives_nothing(
    context: Context, noise: NDArray[np.float32]
) -> None:
    token = CancellationToken()
    token.cancel()
    with pytest.raises(TranscriptionCancelledError) as caught:
        context.transcribe(noise, OPTIONS, cancel=token)
    assert caught.value.partial.segments == ()
    assert isinstance(caught.value, CancelledError)


def test_cancelled_from_a_callback_keeps_what_was_finished(
    context: Context, long_noise: NDArray[np.float32]
) -> None:
    token = CancellationToken()
    seen: list[Segment] = []

    def stop(segment: Segment) -> None:
        seen.append(segment)
        token.cancel()

    with pytest.raises(TranscriptionCancelledError, match="cancelled after") as caught:
        context.transcribe(long_noise, OPTIONS, on_segment=stop, cancel=token)
    assert seen
    assert caught.value.partial.segments[: len(seen)] == tuple(seen)


def test_cancelled_from_another_thread_stops_in_the_middle(
    context: Context, long_noise: NDArray[np.float32]
) -> None:
    token = CancellationToken()
    seen: list[int] = []
    running = threading.Event()

    def watch() -> None:
        running.wait(60)
        token.cancel()

    thread = threading.Thread(target=watch)
    thread.start()

    def progress(percent: int) -> None:
        seen.append(percent)
        running.set()

    with pytest.raises(TranscriptionCancelledError):
        context.transcribe(long_noise, OPTIONS, on_progress=progress, cancel=token)
    thread.join()
    assert seen[-1] < 100


def test_a_context_is_usable_after_cancellation(
    context: Context, noise: NDArray[np.float32]
) -> None:
    expected = context.transcribe(noise, OPTIONS).segments
    token = CancellationToken()
    token.cancel()
    with pytest.raises(TranscriptionCancelledError):
        context.transcribe(noise, OPTIONS, cancel=token)
    assert context.transcribe(noise, OPTIONS).segments == expected


# ---- threads ----


def later(work: Callable[[], object]) -> threading.Event:
    """Does `work` on another thread, which needs the GIL many times first; the event starts it."""
    start = threading.Event()

    def run() -> None:
        start.wait(60)
        for _ in range(50):
            time.sleep(0.001)
        work()

    threading.Thread(target=run, daemon=True).start()
    return start


def test_other_threads_run_meanwhile(context: Context, long_noise: NDArray[np.float32]) -> None:
    # Without callbacks this thread runs no Python: if it kept the GIL, nobody could cancel.
    token = CancellationToken()
    later(token.cancel).set()
    with pytest.raises(TranscriptionCancelledError):
        context.transcribe(long_noise, OPTIONS, cancel=token)


def test_signal_handlers_run_within_a_call(
    context: Context, long_noise: NDArray[np.float32]
) -> None:
    # A handler that ran only after the call had returned would cancel nothing.
    token = CancellationToken()
    before = signal.signal(signal.SIGUSR1, lambda *_: token.cancel())
    try:
        later(lambda: os.kill(os.getpid(), signal.SIGUSR1)).set()
        with pytest.raises(TranscriptionCancelledError):
            context.transcribe(long_noise, OPTIONS, cancel=token)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_busy_state_refuses_other_threads_and_stays_whole(
    context: Context, long_noise: NDArray[np.float32], noise: NDArray[np.float32]
) -> None:
    token = CancellationToken()
    running = threading.Event()
    outcomes: list[BaseException] = []

    def work() -> None:
        try:
            context.transcribe(
                long_noise, OPTIONS, on_progress=lambda _: running.set(), cancel=token
            )
        except TranscriptionCancelledError as error:
            outcomes.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert running.wait(60)
    with pytest.raises(BusyError, match="in use"):
        context.transcribe(noise, OPTIONS)
    with pytest.raises(BusyError, match="in use"):
        context.detect_language(noise)
    with pytest.raises(BusyError, match="in use"):
        context.close()
    assert not context.closed
    token.cancel()
    thread.join()
    assert len(outcomes) == 1


def test_two_states_of_one_context_work_at_once(
    context: Context, noise: NDArray[np.float32]
) -> None:
    expected = context.transcribe(noise, OPTIONS).segments
    states = [context.new_state() for _ in range(2)]
    found: list[tuple[Segment, ...]] = []

    def work(index: int) -> None:
        found.append(states[index].transcribe(noise, OPTIONS).segments)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected, expected]


# ---- logs ----


def test_log_lines_arrive_in_logging_with_their_levels(
    context: Context, noise: NDArray[np.float32], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="wspkit.core"):
        context.transcribe(noise[:100], OPTIONS)
        context.transcribe(noise, TranscribeOptions(temperature_inc=0.0, max_tokens=4))
        with pytest.raises(BadFormatError):
            Context.load(b"GGUF" + bytes(100))
    records = [record for record in caplog.records if record.name == "wspkit.core"]
    messages = {record.levelno: record.getMessage() for record in records}
    assert "100 ms" in messages[logging.WARNING]
    assert "language" in messages[logging.INFO]
    assert "GGUF" in messages[logging.ERROR]
    assert not any(message.endswith("\n") for message in messages.values())


def test_silent_loggers_cost_nothing_and_break_nothing(
    context: Context, noise: NDArray[np.float32], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.CRITICAL, logger="wspkit.core"):
        context.transcribe(noise, OPTIONS)
    assert not [record for record in caplog.records if record.name == "wspkit.core"]
