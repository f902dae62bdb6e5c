"""Voice activity detection against the NumPy reference, and both against Silero's own model and
rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.parity import silero
from tests.parity.tolerances import VAD_ONNX_PROBABILITY, VAD_PROBABILITY

from wspkit.core import Vad, VadOptions
from wspkit.parity.compare import difference
from wspkit.parity.vad import (
    WINDOW_SAMPLES,
    Array,
    SpeechRules,
    probabilities,
    read_vad_weights,
    speech_segments,
)

Samples = npt.NDArray[np.float32]

CLIPS = ("jfk", "asterisk-en", "austen-0870")
#: Beyond the defaults: short pauses, long ones, a limit that cuts at silences and between them.
RULES = (
    SpeechRules(),
    SpeechRules(threshold=0.3, min_silence_ms=0, min_speech_ms=0, pad_ms=0),
    SpeechRules(threshold=0.8, min_silence_ms=1000, pad_ms=400),
    SpeechRules(max_speech_s=3.0, min_silence_ms=2000),
    SpeechRules(max_speech_s=1.0, min_silence_ms=500, pad_ms=100),
)


@pytest.fixture(scope="module")
def weights(silero_vad: Path) -> dict[str, Array]:
    return read_vad_weights(silero_vad)


@pytest.fixture(scope="module")
def vad(silero_vad: Path) -> Iterator[Vad]:
    with Vad.load(silero_vad) as loaded:
        yield loaded


def options(rules: SpeechRules) -> VadOptions:
    """The same rules for the core."""
    return VadOptions(
        threshold=rules.threshold,
        min_speech_duration_ms=rules.min_speech_ms,
        min_silence_duration_ms=rules.min_silence_ms,
        max_speech_duration_s=rules.max_speech_s if np.isfinite(rules.max_speech_s) else 0.0,
        speech_pad_ms=rules.pad_ms,
    )


def in_samples(vad: Vad, samples: Samples, rules: SpeechRules) -> list[tuple[int, int]]:
    """The core's stretches."""
    return [
        (round(segment.start_s * 16000), round(segment.end_s * 16000))
        for segment in vad.segments(samples, options(rules))
    ]


def assert_same_within_a_window(
    found: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    assert len(found) == len(expected), f"{found} instead of {expected}"
    assert np.abs(np.array(found) - np.array(expected)).max(initial=0) <= WINDOW_SAMPLES


@pytest.mark.parametrize("clip", CLIPS)
def test_probabilities_follow_the_reference(
    clip: str, vad: Vad, weights: dict[str, Array], samples: Callable[[str], Samples]
) -> None:
    found = vad.probabilities(samples(clip))
    expected = probabilities(weights, samples(clip))
    assert expected.min() < 0.05
    assert expected.max() > 0.95
    apart = difference(found, expected)
    assert apart.max_abs <= VAD_PROBABILITY, str(apart)


@pytest.mark.parametrize("clip", CLIPS)
def test_probabilities_follow_the_published_network(
    clip: str, vad: Vad, samples: Callable[[str], Samples]
) -> None:
    apart = difference(vad.probabilities(samples(clip)), silero.probabilities(samples(clip)))
    assert apart.max_abs <= VAD_ONNX_PROBABILITY, str(apart)


@pytest.mark.parametrize("clip", CLIPS)
def test_segments_are_those_of_the_published_network(
    clip: str, vad: Vad, samples: Callable[[str], Samples]
) -> None:
    published = silero.probabilities(samples(clip))
    expected = speech_segments(published, len(samples(clip)), SpeechRules())
    found = in_samples(vad, samples(clip), SpeechRules())
    assert found
    assert_same_within_a_window(found, expected)


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("clip", CLIPS)
def test_the_cores_rules_are_those_of_the_reference(
    clip: str, rules: SpeechRules, vad: Vad, samples: Callable[[str], Samples]
) -> None:
    found = vad.probabilities(samples(clip))
    # The threshold is a float32 in the core.
    exact = SpeechRules(**{**vars(rules), "threshold": float(np.float32(rules.threshold))})
    expected = speech_segments(found, len(samples(clip)), exact)
    assert in_samples(vad, samples(clip), rules) == expected


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("clip", CLIPS)
def test_the_references_rules_are_those_of_silero(
    clip: str, rules: SpeechRules, samples: Callable[[str], Samples]
) -> None:
    found = silero.probabilities(samples(clip))
    expected = silero.rules()(
        list(found),
        threshold=rules.threshold,
        min_speech_duration_ms=rules.min_speech_ms,
        max_speech_duration_s=rules.max_speech_s,
        min_silence_duration_ms=rules.min_silence_ms,
        speech_pad_ms=rules.pad_ms,
        audio_length_samples=len(samples(clip)),
    )
    plain = SpeechRules(**{**vars(rules), "closed_gap_ms": 0, "seamless_cuts": False})
    assert speech_segments(found, len(samples(clip)), plain) == [
        (one["start"], one["end"]) for one in expected
    ]


def test_the_pieces_of_a_stream_give_what_the_whole_gives(
    vad: Vad, samples: Callable[[str], Samples]
) -> None:
    whole = vad.probabilities(samples("austen-0870"))
    vad.reset()
    # Pieces of 10 ms, as a microphone gives them.
    pieces = [
        vad.feed(piece) for piece in np.split(samples("austen-0870"), range(160, 100000, 160))
    ]
    n_whole = len(samples("austen-0870")) // WINDOW_SAMPLES
    assert np.array_equal(np.concatenate(pieces)[:n_whole], whole[:n_whole])
