"""The walk over a recording: window by window, each beginning where the last one's speech ended.

Greedy, at temperature 0 and without fallback to higher temperatures, which draw at random. Must not
know how a window is decoded. Source: Radford et al. 2022, section 4.5; whisper.cpp for the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wspkit.parity.encoder import encode
from wspkit.parity.greedy import (
    SHORTEST_REST_FRAMES,
    WINDOW_FRAMES,
    Model,
    Window,
    decode_greedily,
    reference_model,
)
from wspkit.parity.log_mel import FFT_SAMPLES, HOP_SAMPLES, log_mel, window_of
from wspkit.parity.logit_rules import Rules
from wspkit.parity.special_tokens import special_tokens
from wspkit.parity.weights import Weights

#: Frames: a window that begins this near the end is decoded without the text before it.
LAST_FRAMES_WITHOUT_PAST = 500

#: The model for the window that begins at a frame.
Listener = Callable[[int], Model]


@dataclass(frozen=True)
class Options:
    """How a recording is transcribed."""

    #: Number of the language, for multilingual models.
    language: int | None = None
    #: Tokens of the text so far that are repeated to the model before each window, at most.
    n_most_past_tokens: int = 0
    #: A window is silence if its no-speech probability is above the one and the average
    #: log-probability of its tokens below the other.
    no_speech_threshold: float = 0.6
    logprob_threshold: float = -1.0


@dataclass(frozen=True)
class Transcript:
    """All windows in turn, and what their tokens say."""

    windows: tuple[Window, ...]
    text: str

    @property
    def tokens(self) -> tuple[int, ...]:
        """Of all windows."""
        return tuple(token for window in self.windows for token in window.tokens)


def transcribe(
    weights: Weights, samples: npt.NDArray[np.float32], options: Options | None = None
) -> Transcript:
    """Greedy transcription with the NumPy reference. samples: (n,) in [-1, 1], 16 kHz mono."""
    features = log_mel(samples, weights.mel_filters)

    def listen(first_frame: int) -> Model:
        return reference_model(weights, encode(weights, window_of(features, first_frame)))

    return walk(listen, heard_frames(len(samples)), weights, options or Options())


def heard_frames(n_samples: int) -> int:
    """Frames that a recording fills up to half an analysis window before its end.

    The count of whisper.cpp, where the walk ends.
    """
    return max(0, 1 + (n_samples - FFT_SAMPLES // 2) // HOP_SAMPLES)


def walk(listen: Listener, n_frames: int, weights: Weights, options: Options) -> Transcript:
    """Decodes windows until at most 100 ms of the recording's n_frames are left.

    `weights` gives the vocabulary; what is heard comes from `listen`, the reference or another
    implementation.
    """
    special = special_tokens(weights.dimensions.n_vocab)
    rules = Rules(special, blank=weights.words.index(b" "))
    task = special.prompt(options.language)
    past: list[int] = []
    windows: list[Window] = []
    seek = 0
    while seek + SHORTEST_REST_FRAMES < n_frames:
        if seek > 0 and seek + LAST_FRAMES_WITHOUT_PAST >= n_frames:
            past.clear()
        n_past = min(len(past), options.n_most_past_tokens, weights.dimensions.n_text_ctx // 2)
        prompt = (special.previous_text, *past[-n_past:], *task) if n_past else task
        window = decode_greedily(listen(seek), prompt, rules, frames_left=n_frames - seek)
        if not is_silence(window, options):
            windows.append(window)
            past.extend(window.tokens)
        seek += window_advance(window.tokens, window.advance_frames, n_frames - seek, rules)
    text = b"".join(
        weights.words[token] for w in windows for token in w.tokens if token < special.end_of_text
    )
    return Transcript(tuple(windows), text.decode("utf-8", "replace"))


def is_silence(window: Window, options: Options) -> bool:
    """Improbable words where the model hears no speech."""
    average = float(np.mean(window.logprobs)) if window.logprobs else -np.inf
    return (
        window.no_speech_probability > options.no_speech_threshold
        and average < options.logprob_threshold
    )


def window_advance(tokens: Sequence[int], frames: int, frames_left: int, rules: Rules) -> int:
    """Frames to the next window: to the last timestamp, or all that were heard.

    Text that ends with a single timestamp says that no speech follows it in the window.
    """
    first = rules.special.first_timestamp
    if len(tokens) > 1 and tokens[-1] > first and tokens[-2] < first:
        return min(frames_left, WINDOW_FRAMES)
    return frames
