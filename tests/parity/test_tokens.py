"""Greedy token sequences: the core against the reference, and against itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from wspkit import _inspect
from wspkit.core import Context, TranscribeOptions, Transcription
from wspkit.parity.compare import first_differing
from wspkit.parity.greedy import decode_greedily, reference_model
from wspkit.parity.logit_rules import Rules
from wspkit.parity.special_tokens import special_tokens
from wspkit.parity.transcribe import Options, transcribe
from wspkit.parity.weights import Array, Weights, read_weights

Samples = np.ndarray[tuple[int], np.dtype[np.float32]]
GetSamples = Callable[[str], Samples]

#: Temperature 0 only, each window by itself: what the reference does.
GREEDY = TranscribeOptions(language="en", temperature_inc=0.0, n_max_text_ctx=0, n_threads=2)


@pytest.fixture(scope="module", params=["f32", "f16"])
def context(
    request: pytest.FixtureRequest, tiny_en_f32: Path, tiny_en_f16: Path
) -> Iterator[Context]:
    with Context.load(tiny_en_f32 if request.param == "f32" else tiny_en_f16) as loaded:
        yield loaded


def core_tokens(result: Transcription) -> list[int]:
    return [token.id for segment in result.segments for token in segment.tokens]


def as_in_segments(tokens: Sequence[int], first_timestamp: int) -> list[int]:
    """Segments keep the timestamp that ends them, not its twin that begins the next."""
    return [
        token
        for before, token in zip((0, *tokens), tokens, strict=False)
        if not (before > first_timestamp and token > first_timestamp)
    ]


@pytest.mark.parametrize("clip", ["jfk", "austen-0870", "austen-0890"])
def test_the_core_s_logits_lead_to_the_tokens_of_the_reference(
    clip: str,
    core_model: _inspect.Model,
    weights: Weights,
    features: Callable[[str], Array],
    heard: Callable[[str], Array],
) -> None:
    special = special_tokens(weights.dimensions.n_vocab)
    rules = Rules(special, weights.words.index(b" "))
    expected = decode_greedily(reference_model(weights, heard(clip)), special.prompt(), rules)
    engine = _inspect.Engine(core_model)
    engine.encode(features(clip))
    position = 0

    def step(tokens: Sequence[int]) -> Array:
        nonlocal position
        n = len(tokens)
        positions = range(position, position + n)
        position += n
        logits = engine.decode(tokens, positions, [0] * n, [i == n - 1 for i in range(n)])
        last: Array = logits[0]
        return last

    actual = decode_greedily(step, special.prompt(), rules)

    assert first_differing(actual.tokens, expected.tokens) is None
    assert actual.advance_frames == expected.advance_frames


@pytest.mark.parametrize("clip", ["jfk", "austen-0870", "austen-0890", "asterisk-en"])
def test_a_transcription_has_the_tokens_of_the_reference(
    clip: str, context: Context, weights: Weights, samples: GetSamples
) -> None:
    expected = transcribe(weights, samples(clip))
    first_timestamp = special_tokens(weights.dimensions.n_vocab).first_timestamp

    actual = context.transcribe(samples(clip), GREEDY)

    assert core_tokens(actual) == as_in_segments(expected.tokens, first_timestamp)
    assert actual.text == expected.text.strip()


def test_a_multilingual_model_has_the_tokens_of_the_reference(
    base_f16: Path, samples: GetSamples
) -> None:
    weights = read_weights(base_f16)
    expected = transcribe(weights, samples("jfk"), Options(language=0))
    first_timestamp = special_tokens(weights.dimensions.n_vocab).first_timestamp

    with Context.load(base_f16) as context:
        actual = context.transcribe(samples("jfk"), GREEDY)

    assert core_tokens(actual) == as_in_segments(expected.tokens, first_timestamp)


def test_one_two_and_four_threads_give_the_same_tokens(
    context: Context, samples: GetSamples
) -> None:
    results = [
        context.transcribe(samples("jfk"), TranscribeOptions(language="en", n_threads=n))
        for n in (1, 2, 4)
    ]

    assert core_tokens(results[0])
    assert results[0].segments == results[1].segments == results[2].segments


def test_the_same_clip_twice_on_one_context_gives_the_same_tokens(
    context: Context, samples: GetSamples
) -> None:
    options = TranscribeOptions(language="en", n_threads=2)

    once = context.transcribe(samples("austen-0870"), options)
    twice = context.transcribe(samples("austen-0870"), options)

    assert core_tokens(once)
    assert once.segments == twice.segments


def test_a_second_clip_gives_what_a_fresh_context_gives(
    tiny_en_f16: Path, context: Context, samples: GetSamples
) -> None:
    options = TranscribeOptions(language="en", n_threads=2)
    context.transcribe(samples("jfk"), options)
    second = context.transcribe(samples("austen-0870"), options)

    with Context.load(tiny_en_f16) as fresh:
        alone = fresh.transcribe(samples("austen-0870"), options)

    assert core_tokens(second)
    assert second.segments == alone.segments
