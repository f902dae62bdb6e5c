"""The mel filter bank that a model file carries, by Slaney's formula; knows nothing of files or
models.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SAMPLE_RATE_HZ = 16_000
N_FFT = 400
N_BINS = N_FFT // 2 + 1
"""Bins of the real spectrum of one 25 ms frame."""

_LINEAR_HZ_PER_MEL = 200.0 / 3.0
_BREAK_HZ = 1000.0
_BREAK_MEL = _BREAK_HZ / _LINEAR_HZ_PER_MEL
_LOG_STEP = np.log(6.4) / 27.0


def mel_to_hz(mels: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Slaney's scale: linear up to 1 kHz, then 27 steps for each factor of 6.4."""
    linear = _LINEAR_HZ_PER_MEL * mels
    logarithmic = _BREAK_HZ * np.exp(_LOG_STEP * (mels - _BREAK_MEL))
    return np.where(mels >= _BREAK_MEL, logarithmic, linear)


def hz_to_mel(hz: float) -> float:
    """The inverse of `mel_to_hz` for one frequency."""
    if hz < _BREAK_HZ:
        return hz / _LINEAR_HZ_PER_MEL
    return float(_BREAK_MEL + np.log(hz / _BREAK_HZ) / _LOG_STEP)


def mel_filters(n_mels: int) -> npt.NDArray[np.float32]:
    """The filter bank of `n_mels` triangles of equal area between 0 and 8000 Hz.

    Returns (n_mels, 201) float32, rows in rising frequency. The triangles are rounded to float32
    before they are scaled to equal area, and again after: that order gives OpenAI's numbers to the
    last bit. Source: Slaney, Auditory Toolbox (1998); Radford et al. 2022, section 2.2.
    """
    edges_hz = mel_to_hz(np.linspace(0.0, hz_to_mel(SAMPLE_RATE_HZ / 2), n_mels + 2))
    bins_hz = np.arange(N_BINS) * (SAMPLE_RATE_HZ / N_FFT)
    widths_hz = np.diff(edges_hz)
    distance = edges_hz[:, None] - bins_hz[None, :]
    rising = -distance[:-2] / widths_hz[:-1, None]
    falling = distance[2:] / widths_hz[1:, None]
    triangles = np.maximum(0.0, np.minimum(rising, falling)).astype(np.float32)
    area = 2.0 / (edges_hz[2:] - edges_hz[:-2])
    return (triangles * area[:, None]).astype(np.float32)
