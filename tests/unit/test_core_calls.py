"""Calls from Python: cancellation, threads, signals, logs. On a model with made-up weights."""

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
from wspkit.errors import BadFormatError, BusyError, CancelledError

# One attempt per window: made-up weights would fall back to the last temperature every time.
OPTIONS = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


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
