"""The reference of voice activity detection: Silero's network in NumPy, from the same file, and the
rules that make stretches of speech. Must not know the core.

Written for reading: a window at a time, a rule at a time. The file: magic "ggml"; the length and
text of the model's kind; version (3 int32), window, context; number of convolutions, three sizes
each; four sizes of the last layers; then tensors as in a Whisper model (`weights.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError

Array = npt.NDArray[np.float64]

WINDOW_SAMPLES = 512
CONTEXT_SAMPLES = 64
_HOP_SAMPLES = 128
_STRIDES = (1, 2, 2, 1)
_SAMPLES_PER_MS = 16
_HEADER_BYTES = 4 + 4 + 10 + 4 * (3 + 2 + 1 + 4 * 3 + 4)


def read_vad_weights(path: Path) -> dict[str, Array]:
    """Tensors by name without "_model.", outermost dimension first, in float64.

    BadFormatError if it is no Silero file.
    """
    data = path.read_bytes()
    if data[:18] != struct.pack("<Ii", 0x67676D6C, 10) + b"silero-16k":
        raise BadFormatError(f"{path} is no Silero model in ggml form")
    tensors: dict[str, Array] = {}
    at = _HEADER_BYTES
    while at < len(data):
        n_dims, n_name, kind = struct.unpack_from("<3i", data, at)
        shape = struct.unpack_from(f"<{n_dims}i", data, at + 12)[::-1]
        at += 12 + 4 * n_dims
        name = data[at : at + n_name].decode().removeprefix("_model.")
        at += n_name
        dtype = np.dtype("<f2" if kind == 1 else "<f4")
        n_values = int(np.prod(shape, dtype=np.int64))
        values = np.frombuffer(data, dtype, n_values, at)
        tensors[name] = values.astype(np.float64).reshape(shape)
        at += n_values * dtype.itemsize
    return tensors


def probabilities(weights: Mapping[str, Array], samples: npt.NDArray[np.float32]) -> Array:
    """Probability of speech in each window, from a fresh stream; the last window is zero-padded.

    samples: (n,) at 16 kHz.
    """
    padded = np.pad(samples.astype(np.float64), (0, -len(samples) % WINDOW_SAMPLES))
    context = np.zeros(CONTEXT_SAMPLES)
    hidden, cell = np.zeros(128), np.zeros(128)
    result = []
    for window in padded.reshape(-1, WINDOW_SAMPLES):
        features = _encode(weights, np.concatenate([context, window]))
        hidden, cell = _lstm(weights, features, hidden, cell)
        last = weights["decoder.decoder.2.weight"] @ np.maximum(hidden, 0)
        result.append(_sigmoid(last + weights["decoder.decoder.2.bias"]))
        context = window[-CONTEXT_SAMPLES:]
    return np.array(result)


def _encode(weights: Mapping[str, Array], samples: Array) -> Array:
    """Features (128,) of a window with its context in front."""
    padded = np.pad(samples, (0, 64), mode="reflect")
    basis = weights["stft.forward_basis_buffer"][:, 0]
    n_bins = len(basis) // 2
    starts = range(0, len(padded) - basis.shape[1] + 1, _HOP_SAMPLES)
    spectrum = np.array([basis @ padded[start : start + basis.shape[1]] for start in starts]).T
    columns = np.hypot(spectrum[:n_bins], spectrum[n_bins:])
    for layer, stride in enumerate(_STRIDES):
        weight = weights[f"encoder.{layer}.reparam_conv.weight"]
        bias = weights[f"encoder.{layer}.reparam_conv.bias"]
        inner = np.pad(columns, ((0, 0), (1, 1)))
        columns = np.array(
            [
                np.tensordot(weight, inner[:, start : start + 3], axes=2) + bias
                for start in range(0, inner.shape[1] - 2, stride)
            ]
        ).T
        columns = np.maximum(columns, 0)
    features: Array = columns[:, 0]
    return features


def _lstm(
    weights: Mapping[str, Array], features: Array, hidden: Array, cell: Array
) -> tuple[Array, Array]:
    """The next output and the next cells."""
    gates = (
        weights["decoder.rnn.weight_ih"] @ features
        + weights["decoder.rnn.bias_ih"]
        + weights["decoder.rnn.weight_hh"] @ hidden
        + weights["decoder.rnn.bias_hh"]
    )
    enter, forget, candidate, leave = np.split(gates, 4)
    cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(candidate)
    return _sigmoid(leave) * np.tanh(cell), cell


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


@dataclass(frozen=True)
class SpeechRules:
    """What counts as speech; the defaults are whisper.h's."""

    threshold: float = 0.5
    min_speech_ms: int = 250
    min_silence_ms: int = 100
    max_speech_s: float = float("inf")
    pad_ms: int = 30
    closed_gap_ms: int = 200
    """Smaller gaps are closed: whisper.cpp's rule, which Silero's own function has not."""
    seamless_cuts: bool = True
    """Speech that is cut without a silence goes on in the same window; Silero's own function leaves
    that window out, and so a thirtieth of a second of speech that is not padded.
    """


def speech_segments(
    found: Sequence[float] | npt.NDArray[np.floating[Any]], n_samples: int, rules: SpeechRules
) -> list[tuple[int, int]]:
    """Stretches of speech in samples, from one probability per window.

    Silero's rules, but for the last two of SpeechRules.
    """
    most = (
        16000 * rules.max_speech_s - WINDOW_SAMPLES - 2 * rules.pad_ms * _SAMPLES_PER_MS
        if np.isfinite(rules.max_speech_s)
        else np.inf
    )
    most = max(most, WINDOW_SAMPLES)
    segments = _stretches(found, n_samples, rules, most)
    closed: list[tuple[int, int]] = []
    for begin, end in segments:
        near = closed and begin - closed[-1][1] < rules.closed_gap_ms * _SAMPLES_PER_MS
        if near and end - closed[-1][0] <= most:
            closed[-1] = (closed[-1][0], end)
        else:
            closed.append((begin, end))
    return _padded(closed, rules.pad_ms * _SAMPLES_PER_MS, n_samples)


def _stretches(
    found: Sequence[float] | npt.NDArray[np.floating[Any]],
    n_samples: int,
    rules: SpeechRules,
    most: float,
) -> list[tuple[int, int]]:
    lower = max(rules.threshold - 0.15, 0.01)
    segments: list[tuple[int, int]] = []
    silences: list[tuple[int, int]] = []
    begin = silence = -1

    def end_at(end: int) -> None:
        if end - begin > rules.min_speech_ms * _SAMPLES_PER_MS:
            segments.append((begin, end))

    for i, probability in enumerate(found):
        at = i * WINDOW_SAMPLES
        speaks = probability >= rules.threshold
        if speaks and silence >= 0:
            if at - silence > 98 * _SAMPLES_PER_MS:
                silences.append((silence, at))
            silence = -1
        if begin < 0:
            if speaks:
                begin, silences = at, []
            continue
        if at - begin > most:
            seamless = speaks and rules.seamless_cuts
            end, again = _longest(silences) if silences else (at, at if seamless else -1)
            segments.append((begin, end))
            begin, silence, silences = again, -1, []
        if begin >= 0 and probability < lower:
            silence = at if silence < 0 else silence
            if at - silence >= rules.min_silence_ms * _SAMPLES_PER_MS:
                end_at(silence)
                begin = silence = -1
    if begin >= 0:
        end_at(n_samples)
    return segments


def _longest(silences: list[tuple[int, int]]) -> tuple[int, int]:
    """The first of the longest."""
    return max(silences, key=lambda one: one[1] - one[0])


def _padded(segments: list[tuple[int, int]], pad: int, n_samples: int) -> list[tuple[int, int]]:
    begins = [begin for begin, _ in segments]
    ends = [end for _, end in segments]
    for i in range(len(segments) - 1):
        gap = begins[i + 1] - ends[i]
        each = gap // 2 if gap < 2 * pad else pad
        ends[i] += each
        begins[i + 1] -= each
    if segments:
        begins[0] = max(0, begins[0] - pad)
        ends[-1] = min(n_samples, ends[-1] + pad)
    return list(zip(begins, ends, strict=True))
