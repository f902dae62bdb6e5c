"""Audio on its way in: WAV files and buffers, and NumPy arrays by one clear rule of conversion.

It must not know models or transcription.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wspkit.core.native import core, int32
from wspkit.core.sources import Source, buffer_of, naming, path_bytes
from wspkit.errors import UsageError

SAMPLE_RATE_HZ: Final = 16000
"""Rate that the models hear."""

Samples = NDArray[np.float32]
"""(n_samples,) float32 in [-1, 1], 16 kHz mono."""


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """How a recording was stored."""

    sample_rate_hz: int
    channels: int
    bits_per_sample: int
    is_float: bool
    n_frames: int
    """Samples per channel in the file."""

    def __str__(self) -> str:
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        kind = "float" if self.is_float else "PCM"
        return f"{self.sample_rate_hz} Hz, {channels}, {self.bits_per_sample}-bit {kind}"


@dataclass(frozen=True, slots=True, eq=False)
class Audio:
    """A recording ready to be transcribed."""

    samples: Samples
    """(n_samples,) float32, 16 kHz mono; read-only if it was decoded from a file."""
    format: AudioFormat | None = None
    """How it was stored; None if it never was."""

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return len(self.samples) / SAMPLE_RATE_HZ

    def __repr__(self) -> str:
        origin = f", from {self.format}" if self.format else ""
        return f"Audio({self.duration_s:.2f} s{origin})"


class AudioFile:
    """A recording that stays in its file and is read as it is transcribed, whatever its length.

    Threads may share it. The file must stay as it is: one that has become shorter meanwhile is an
    InputOutputError.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens a WAV file; raises what `load_audio` raises."""
        with naming(os.fspath(path)):
            self._raw = core.AudioFile(path_bytes(path))

    @property
    def raw(self) -> core.AudioFile:
        """The native object."""
        return self._raw

    @property
    def format(self) -> AudioFormat:
        """How it is stored."""
        return AudioFormat(*self._raw.format)

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self._raw.n_samples / SAMPLE_RATE_HZ

    def __repr__(self) -> str:
        return f"AudioFile({self.duration_s:.2f} s, {self.format})"


AudioLike: TypeAlias = "Audio | ArrayLike"
"""What `as_samples` takes."""


def load_audio(source: Source) -> Audio:
    """Decodes a WAV file: a path, its bytes, or an object with read().

    Any order of chunks, PCM 8 to 32 bit and float 32 or 64, any number of channels (averaged) and
    any sample rate (band-limited resampling to 16 kHz). Raises NotFoundError, InputOutputError,
    BadFormatError (which names what the file is instead), UnsupportedError, OutOfMemoryError.
    """
    if isinstance(source, (str, os.PathLike)):
        with naming(os.fspath(source)):
            raw = core.audio_from_file(path_bytes(source))
    elif (data := buffer_of(source)) is not None:
        raw = core.audio_from_memory(data)
    elif hasattr(source, "read"):
        content = buffer_of(source.read())
        if content is None:
            raise UsageError("a file whose read() gives no bytes", expected='one opened with "rb"')
        raw = core.audio_from_memory(content)
    else:
        raise UsageError(
            f"audio from a {type(source).__name__}", expected="a path, bytes or an open binary file"
        )
    samples, sample_rate_hz, channels, bits_per_sample, is_float, n_frames = raw
    return Audio(
        samples, AudioFormat(sample_rate_hz, channels, bits_per_sample, is_float, n_frames)
    )


def resample(audio: AudioLike, *, from_hz: int, to_hz: int = SAMPLE_RATE_HZ) -> Samples:
    """Brings mono audio to another sample rate, 1 Hz to 1 MHz, band-limited.

    audio: what `as_samples` takes, at from_hz. Raises UsageError for a rate outside the range.
    """
    return core.resample(as_samples(audio), int32("from_hz", from_hz), int32("to_hz", to_hz))


def as_samples(audio: AudioLike) -> Samples:
    """(n_samples,) float32 from what a caller has; a fitting array is taken without a copy.

    float32: taken as it is (copied only if not contiguous, aligned and in native byte order).
    float64: converted; values keep their scale. int16: divided by 32768. Everything else, and any
    shape but one dimension, raises UsageError: a wrong guess at scale or channels is noise.
    The samples must be 16 kHz and mono; see `resample`.
    """
    if isinstance(audio, AudioFile):
        raise UsageError(
            "an AudioFile, which only `transcribe` reads",
            expected="samples in memory",
            hint="Use load_audio().",
        )
    array = np.asarray(audio.samples if isinstance(audio, Audio) else audio)
    if array.ndim != 1:
        raise UsageError(
            f"audio of shape {array.shape}",
            expected="one dimension: (n_samples,), mono",
            hint="Average the channels: audio.mean(axis=...).",
        )
    if array.dtype.kind == "f" and array.dtype.itemsize in {4, 8}:
        # What overflows float32 becomes infinite, and the core names infinite samples.
        with np.errstate(over="ignore"):
            samples: Samples = np.require(array, np.float32, ["C", "A"])
        return samples
    if array.dtype.kind == "i" and array.dtype.itemsize == 2:
        scaled: Samples = np.divide(array, np.float32(32768), dtype=np.float32)
        return scaled
    raise UsageError(
        f"audio of dtype {array.dtype}",
        expected="float32 or float64 in [-1, 1], or int16",
        hint="Convert it yourself, so that the scale is yours.",
    )
