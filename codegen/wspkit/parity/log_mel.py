"""Log-mel features by OpenAI's definition: the picture of the sound that the encoder sees.

Must not know models.

Source: Radford et al. 2022, section 2.2 (80 or 128 mel bins, 25 ms windows, 10 ms steps); the
constants of the logarithm, the clamp and the scale are those of openai/whisper's audio.py.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wspkit.parity.weights import Array

SAMPLE_RATE_HZ = 16_000
FFT_SAMPLES = 400
HOP_SAMPLES = 160
CHUNK_SAMPLES = 30 * SAMPLE_RATE_HZ
CHUNK_FRAMES = CHUNK_SAMPLES // HOP_SAMPLES


def log_mel(
    samples: npt.NDArray[np.float32],
    filters: npt.NDArray[np.float32],
    dtype: npt.DTypeLike = np.float32,
) -> Array:
    """Features of a recording and of 30 s of silence after it.

    samples: (n,) in [-1, 1], 16 kHz mono, n >= 1. filters: (M, 201). Returns (M, T) of `dtype`, T =
    (n + 480000) // 160; the values span at most 2 (the clamp is at 8 decades below the loudest).
    """
    energies = mel_energies(samples, filters, dtype)
    # NumPy's logarithm of float32 is up to two units off, differently on each kind of processor.
    loud = np.maximum(energies, energies.dtype.type(1e-10))
    log_energies = np.log10(loud, dtype=np.float64).astype(energies.dtype)
    floor = log_energies.max() - energies.dtype.type(8)
    scaled: Array = (
        np.maximum(log_energies, floor) + energies.dtype.type(4)
    ) / energies.dtype.type(4)
    return scaled


def mel_energies(
    samples: npt.NDArray[np.float32], filters: npt.NDArray[np.float32], dtype: npt.DTypeLike
) -> Array:
    """Energy in each mel band: (M, T), before any logarithm.

    Frame t is centred on sample 160 t: the recording is mirrored by 200 samples at its start, and
    at its end mirrored silence is silence.
    """
    silence = np.zeros(CHUNK_SAMPLES, samples.dtype)
    half = FFT_SAMPLES // 2
    padded = np.pad(np.concatenate([samples, silence]), half, mode="reflect").astype(dtype)
    n_frames = (len(samples) + CHUNK_SAMPLES) // HOP_SAMPLES
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT_SAMPLES)[::HOP_SAMPLES][:n_frames]
    spectrum = np.fft.rfft(frames * hann_window().astype(dtype), axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).astype(dtype)
    energies: Array = filters.astype(dtype) @ power.T
    return energies


def hann_window() -> npt.NDArray[np.float64]:
    """(400,): the periodic form, which divides by 400 and not by 399."""
    window: npt.NDArray[np.float64] = 0.5 - 0.5 * np.cos(
        2 * np.pi * np.arange(FFT_SAMPLES) / FFT_SAMPLES
    )
    return window


def window_of(features: Array, first_frame: int) -> Array:
    """The 30 s that begin at a frame, (M, 3000), with zeros where `features` end."""
    part = features[:, first_frame : first_frame + CHUNK_FRAMES]
    return np.pad(part, ((0, 0), (0, CHUNK_FRAMES - part.shape[1])))
