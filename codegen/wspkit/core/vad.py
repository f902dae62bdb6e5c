"""Voice activity detection: where somebody speaks. It must not know the command line."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Final, final

import numpy as np

from wspkit.core.audio import AudioLike, Samples, as_samples
from wspkit.core.generated.options import VadOptions
from wspkit.core.native import core
from wspkit.core.results import SpeechSegment
from wspkit.core.sources import Source, buffer_of, naming, path_bytes
from wspkit.errors import UsageError

WINDOW_SAMPLES: Final = 512
"""What one probability speaks of: 32 ms."""


@final
class Vad:
    """A voice activity model (Silero) in memory, with the stream that it listens to.

    One call at a time: a second one from another thread raises BusyError. Others may run meanwhile,
    the GIL is released. Give each thread its own.

        with Vad.load("ggml-silero-v6.2.0.bin") as vad:
            for segment in vad.segments(load_audio("speech.wav")):
                print(f"{segment.start_s:7.2f} {segment.end_s:7.2f}")
    """

    def __init__(self, raw: core.Vad, name: str) -> None:
        """Use `Vad.load`."""
        self._raw = raw
        self.name = name
        """What it was loaded from, for messages."""
        self._rest = np.zeros(0, np.float32)

    @classmethod
    def load(cls, source: Source) -> Vad:
        """Loads a Silero model in ggml .bin form: from a path, from bytes, or from an object with
        read().

        Raises NotFoundError, BadFormatError (wrong, cut, foreign or hostile data),
        OutOfMemoryError, InputOutputError; what read() raises comes through.
        """
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            with naming(path):
                return cls(core.Vad.from_path(path_bytes(path)), path)
        if (data := buffer_of(source)) is not None:
            return cls(core.Vad.from_buffer(data), f"{data.nbytes} bytes")
        if hasattr(source, "read"):
            # Less than a megabyte: no need to read it in pieces.
            name = getattr(source, "name", None)
            return cls(
                core.Vad.from_buffer(source.read()), name if isinstance(name, str) else "a file"
            )
        raise UsageError(
            f"a model from a {type(source).__name__}",
            expected="a path, bytes or an open binary file",
        )

    def probabilities(self, audio: AudioLike) -> Samples:
        """Probability of speech in each window of 512 samples, (n_windows,) float32.

        audio: an `Audio`, or what `as_samples` takes: 16 kHz mono. The last window is padded with
        zeros. Begins a fresh stream, and forgets one that `feed` began. Raises UsageError for
        samples that are not finite.
        """
        self._rest = self._rest[:0]
        return self._raw.probabilities(as_samples(audio))

    def segments(
        self, audio: AudioLike, options: VadOptions | None = None
    ) -> tuple[SpeechSegment, ...]:
        """Stretches of speech, in order, apart, inside the recording. Forgets a stream as
        `probabilities` does, and raises what that raises.
        """
        if options is not None and not isinstance(options, VadOptions):
            raise UsageError(f"options of type {type(options).__name__}", expected="VadOptions")
        self._rest = self._rest[:0]
        found = self._raw.segments(as_samples(audio), options or VadOptions())
        # A sample is 0.0000625 s; what float32 adds behind that is noise.
        return tuple(
            SpeechSegment(round(start / 100, 5), round(end / 100, 5)) for start, end in found
        )

    def feed(self, audio: AudioLike) -> Samples:
        """The next piece of a stream, of any length; probabilities of the windows that it
        completes.

        Samples of a window that is not complete wait for the next piece. Pieces give what the whole
        would give. Raises UsageError for samples that are not finite; the stream is as before then.
        """
        samples = np.concatenate([self._rest, as_samples(audio)])
        whole = len(samples) // WINDOW_SAMPLES * WINDOW_SAMPLES
        found = self._raw.probabilities(samples[:whole], goes_on=True)
        self._rest = samples[whole:].copy()
        return found

    def reset(self) -> None:
        """Forgets the stream: the next `feed` begins a new one."""
        self._raw.reset()
        self._rest = self._rest[:0]

    def close(self) -> None:
        """Frees the model. Raises BusyError while a call runs; may be repeated."""
        self._raw.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._raw.closed

    def __enter__(self) -> Vad:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Vad(from {self.name!r}{', closed' if self.closed else ''})"
