"""The core's features and resampler against NumPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.parity.tolerances import LOG_MEL

from wspkit import _inspect
from wspkit.parity.compare import difference
from wspkit.parity.log_mel import log_mel
from wspkit.parity.weights import Weights

Samples = np.ndarray[tuple[int], np.dtype[np.float32]]


@pytest.mark.parametrize("clip", ["jfk", "austen-0870", "asterisk-en"])
def test_features_of_speech_are_those_of_the_reference(
    clip: str, weights: Weights, samples: Callable[[str], Samples]
) -> None:
    expected = log_mel(samples(clip), weights.mel_filters, np.float64)

    actual = _inspect.log_mel(samples(clip), weights.mel_filters)

    assert difference(actual, expected).max_abs <= LOG_MEL


@pytest.mark.parametrize("n", [1, 2, 159, 160, 199, 200, 201, 400, 1599, 16_000])
def test_features_of_a_short_recording_are_those_of_the_reference(n: int, weights: Weights) -> None:
    noise = np.random.default_rng(n).uniform(-1, 1, n).astype(np.float32)
    expected = log_mel(noise, weights.mel_filters, np.float64)

    actual = _inspect.log_mel(noise, weights.mel_filters)

    assert difference(actual, expected).max_abs <= LOG_MEL


def test_silence_has_the_features_of_the_reference(weights: Weights) -> None:
    silence = np.zeros(16_000, np.float32)

    actual = _inspect.log_mel(silence, weights.mel_filters)

    assert np.array_equal(actual, log_mel(silence, weights.mel_filters))


def test_threads_do_not_change_a_bit_of_the_features(
    weights: Weights, samples: Callable[[str], Samples]
) -> None:
    one = _inspect.log_mel(samples("jfk"), weights.mel_filters, 1)

    for n_threads in (2, 3, 4):
        many = _inspect.log_mel(samples("jfk"), weights.mel_filters, n_threads)
        assert np.array_equal(one, many)


@pytest.mark.parametrize("from_hz", [8000, 11_025, 22_050, 44_100, 48_000, 96_000])
def test_resampling_keeps_tones_in_time_and_height(from_hz: int) -> None:
    """Tones below 0.9 of the lower Nyquist rate come out as if sampled at the new rate."""
    top_hz = 0.45 * min(from_hz, 16_000)
    tones_hz = [0.1 * top_hz, 0.5 * top_hz, 0.98 * top_hz]

    def tones(rate_hz: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        t = np.arange(rate_hz) / rate_hz
        signals = [np.sin(2 * np.pi * f * t + i) / 3 for i, f in enumerate(tones_hz)]
        together: np.ndarray[tuple[int], np.dtype[np.float64]] = np.sum(signals, axis=0)
        return together

    actual = _inspect.resample(tones(from_hz).astype(np.float32), from_hz, 16_000)

    # Away from the ends, where the signal is cut; the pass band's ripple is 1e-5.
    middle = slice(2000, 14_000)
    assert len(actual) == 16_000
    assert np.abs(actual - tones(16_000))[middle].max() <= 1e-4
