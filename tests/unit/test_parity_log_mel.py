"""The reference's features against the definition, written out as sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wspkit.parity import log_mel as features


def tone(frequency_hz: float, n: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    t = np.arange(n) / features.SAMPLE_RATE_HZ
    return (0.5 * np.sin(2 * np.pi * frequency_hz * t)).astype(np.float32)


def filters_by_bin() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """As many bands as bins, each of one bin."""
    return np.eye(201, dtype=np.float32)


def test_energy_is_the_squared_fourier_sum_of_the_windowed_frame() -> None:
    samples = np.random.default_rng(0).uniform(-1, 1, 2000).astype(np.float32)
    energies = features.mel_energies(samples, filters_by_bin(), np.float64)
    frame = 5
    start = 160 * frame - 200
    windowed = [
        float(samples[start + i]) * (0.5 - 0.5 * math.cos(2 * math.pi * i / 400))
        for i in range(400)
    ]
    for k in (0, 1, 57, 200):
        real = sum(x * math.cos(2 * math.pi * k * i / 400) for i, x in enumerate(windowed))
        imaginary = sum(x * math.sin(2 * math.pi * k * i / 400) for i, x in enumerate(windowed))
        assert energies[k, frame] == pytest.approx(real**2 + imaginary**2)


def test_first_frame_sees_the_start_mirrored() -> None:
    samples = np.random.default_rng(1).uniform(-1, 1, 2000).astype(np.float32)
    mirrored = np.concatenate([samples[200:0:-1], samples])

    # Frame 0 of the recording is what frame 1.25 of the mirrored one would be: shift by 40 more.
    shifted = np.concatenate([np.zeros(120, np.float32), mirrored])

    energies = features.mel_energies(samples, filters_by_bin(), np.float64)
    by_hand = features.mel_energies(shifted, filters_by_bin(), np.float64)
    assert energies[:, 0] == pytest.approx(by_hand[:, 2])


@pytest.mark.parametrize("n", [1, 160, 16_000, 16_159])
def test_thirty_seconds_of_silence_follow_the_recording(n: int) -> None:
    values = features.log_mel(tone(440, n), filters_by_bin())

    assert values.shape == (201, (n + 480_000) // 160)


def test_a_tone_is_loudest_in_its_own_band() -> None:
    values = features.log_mel(tone(1000, 16_000), filters_by_bin())

    # Bins are 40 Hz apart.
    assert set(values[:, 10:90].argmax(axis=0)) == {25}


def test_values_reach_two_below_the_loudest_and_no_further() -> None:
    values = features.log_mel(tone(1000, 16_000), filters_by_bin(), np.float64)

    assert values.max() - values.min() == pytest.approx(2)


def test_float32_stays_near_float64() -> None:
    samples = np.random.default_rng(2).uniform(-1, 1, 32_000).astype(np.float32)
    wide = features.log_mel(samples, filters_by_bin(), np.float64)

    narrow = features.log_mel(samples, filters_by_bin(), np.float32)

    assert narrow.dtype == np.float32
    # A single bin may be near nothing, where float32 keeps few digits; the mean shows the rest.
    assert np.abs(narrow - wide).mean() < 1e-6


def test_a_window_at_the_end_is_filled_with_zeros() -> None:
    values = np.ones((2, 3100))

    window = features.window_of(values, 3000)

    assert window.shape == (2, 3000)
    assert window[:, :100].all()
    assert not window[:, 100:].any()
