"""The core against the reference, layer by layer, from F32 and F16 weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.parity.tolerances import (
    BATCHED_LOGITS,
    CROSS_RELATIVE,
    ENCODER_OUTPUT,
    ENCODER_RMS,
    ENCODER_STAGE_RMS,
    LOGITS,
)

from wspkit import _inspect
from wspkit.parity import layers
from wspkit.parity.compare import Check, Report, difference
from wspkit.parity.decoder import cross_keys_values, decode, empty_cache
from wspkit.parity.encoder import encode, encoder_stages, named_norm
from wspkit.parity.weights import Array, Weights

#: What tiny.en says of jfk.wav, timestamps included: steps of real speech.
TOKENS = (
    *(50257, 50363, 843, 523, 616, 5891, 3399, 1265, 407, 644, 534, 1499, 460, 466, 329, 345),
    *(50763, 50763, 1265, 644, 345, 460, 466, 329, 534, 1499, 13, 50913),
)


@pytest.fixture(scope="module")
def engine(core_model: _inspect.Model, features: Callable[[str], Array]) -> _inspect.Engine:
    """One sequence, after jfk.wav."""
    engine = _inspect.Engine(core_model)
    engine.encode(features("jfk"))
    return engine


def steps(engine: _inspect.Engine, tokens: tuple[int, ...], first: int = 0) -> Array:
    """Logits (S, V) of tokens fed one at a time to sequence 0."""
    rows = [engine.decode([token], [first + i], [0], [True])[0] for i, token in enumerate(tokens)]
    return np.array(rows)


def test_every_stage_of_the_encoder_follows_the_reference(
    core_model: _inspect.Model, weights: Weights, features: Callable[[str], Array]
) -> None:
    stages = dict(encoder_stages(weights, features("jfk")))
    n_layers = weights.dimensions.n_audio_layer
    heard = {
        "conv1": core_model.first_convolution(features("jfk")),
        "positions": core_model.encoder_prefix(features("jfk"), 0, normed=False),
    }
    expected = {"conv1": stages["conv1"], "positions": stages["positions"]}
    for layer in range(n_layers):
        # A layer's own output reaches magnitudes of hundreds in a few columns; behind the last
        # norm, where the decoder looks, all columns count.
        name = f"layer {layer}"
        heard[name] = core_model.encoder_prefix(features("jfk"), layer + 1)
        expected[name] = named_norm(weights, "encoder.ln_post", stages[name])

    report = Report.of(
        Check(name, difference(heard[name], expected[name]).relative_rms, ENCODER_STAGE_RMS)
        for name in expected
    )

    assert report.first_failure is None, str(report)


@pytest.mark.parametrize("clip", ["jfk", "austen-0870", "austen-0890"])
def test_the_encoder_hears_what_the_reference_hears(
    clip: str,
    core_model: _inspect.Model,
    features: Callable[[str], Array],
    heard: Callable[[str], Array],
) -> None:
    output = _inspect.Engine(core_model).encode(features(clip))

    found = difference(output, heard(clip))
    assert found.max_abs <= ENCODER_OUTPUT
    assert found.rms <= ENCODER_RMS


def test_a_shorter_window_gives_what_the_reference_gives_for_it(
    core_model: _inspect.Model, weights: Weights, features: Callable[[str], Array]
) -> None:
    short = features("jfk")[:, :1100]
    positions = weights["encoder.positional_embedding"][:550]
    fewer = Weights(
        weights.dimensions,
        weights.mel_filters,
        weights.words,
        {**weights.tensors, "encoder.positional_embedding": positions},
    )

    output = _inspect.Engine(core_model).encode(short)

    found = difference(output, encode(fewer, short))
    assert found.max_abs <= ENCODER_OUTPUT
    assert found.rms <= ENCODER_RMS


def test_cross_attention_sees_the_keys_and_values_of_the_reference(
    core_model: _inspect.Model, weights: Weights, heard: Callable[[str], Array]
) -> None:
    expected = cross_keys_values(weights, heard("jfk"))

    actual = core_model.cross_keys_values(heard("jfk"))

    report = Report.of(
        Check(f"{kind} {layer}", difference(ours, theirs).relative, CROSS_RELATIVE)
        for layer, ((keys, values), right) in enumerate(zip(actual, expected, strict=True))
        for kind, ours, theirs in (("keys", keys, right.keys), ("values", values, right.values))
    )
    assert report.first_failure is None, str(report)


def test_logits_of_single_steps_follow_the_reference(
    engine: _inspect.Engine, weights: Weights, heard: Callable[[str], Array]
) -> None:
    expected, _ = decode(
        weights, TOKENS, empty_cache(weights), cross_keys_values(weights, heard("jfk"))
    )

    engine.cache.clear()
    actual = steps(engine, TOKENS)

    assert difference(actual, expected).max_abs <= LOGITS


def test_logits_after_a_prompt_follow_the_reference(
    engine: _inspect.Engine, weights: Weights, heard: Callable[[str], Array]
) -> None:
    expected, _ = decode(
        weights, TOKENS, empty_cache(weights), cross_keys_values(weights, heard("jfk"))
    )
    n = len(TOKENS)

    engine.cache.clear()
    actual = engine.decode(TOKENS, range(n), [0] * n, [i == n - 1 for i in range(n)])

    assert difference(actual[0], expected[-1]).max_abs <= LOGITS


def test_sequences_in_one_batch_get_the_logits_of_sequences_alone(
    core_model: _inspect.Model, features: Callable[[str], Array]
) -> None:
    """Three sequences share a prompt and then part, as candidates of one window do."""
    prompt, tails = TOKENS[:6], ((3399, 1265, 407), (11, 290, 262), (13, 50463, 50463))
    n = len(prompt)
    alone = []
    for tail in tails:
        engine = _inspect.Engine(core_model)
        engine.encode(features("jfk"))
        engine.decode(prompt, range(n), [0] * n, [i == n - 1 for i in range(n)])
        alone.append(steps(engine, tail, first=n))

    batch = _inspect.Engine(core_model, n_sequences=3)
    batch.encode(features("jfk"))
    batch.decode(prompt, range(n), [0] * n, [i == n - 1 for i in range(n)])
    for sequence in (1, 2):
        batch.cache.copy(0, sequence)
    for i in range(3):
        row = [tail[i] for tail in tails]
        together = batch.decode(row, [n + i] * 3, [0, 1, 2], [True] * 3)
        for sequence in range(3):
            apart = difference(together[sequence], alone[sequence][i])
            assert apart.max_abs <= BATCHED_LOGITS, (i, sequence)


def test_positions_that_were_removed_are_forgotten(engine: _inspect.Engine) -> None:
    engine.cache.clear()
    right = steps(engine, TOKENS[:5])

    engine.cache.remove(0, begin=3)
    steps(engine, (7, 8, 9), first=3)
    engine.cache.remove(0, begin=3)
    again = steps(engine, TOKENS[3:5], first=3)

    # The same cells in the same order: not a bit differs.
    assert np.array_equal(again, right[3:])


@pytest.mark.parametrize("n_threads", [2, 4])
def test_threads_do_not_change_a_bit(
    n_threads: int, core_model: _inspect.Model, features: Callable[[str], Array]
) -> None:
    one = _inspect.Engine(core_model, n_threads=1)
    many = _inspect.Engine(core_model, n_threads=n_threads)

    assert np.array_equal(one.encode(features("jfk")), many.encode(features("jfk")))
    assert np.array_equal(steps(one, TOKENS[:4]), steps(many, TOKENS[:4]))


def test_tolerances_are_below_the_smallest_likely_mistakes(
    monkeypatch: pytest.MonkeyPatch,
    weights: Weights,
    features: Callable[[str], Array],
    heard: Callable[[str], Array],
) -> None:
    """The tanh form of GELU and a norm's epsilon of another library must not pass unseen."""

    def tanh_gelu(x: Array) -> Array:
        inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
        activated: Array = (0.5 * x * (1 + np.tanh(inner))).astype(x.dtype)
        return activated

    right = heard("jfk")  # before anything is patched: the result is kept for other tests
    with monkeypatch.context() as patch:
        patch.setattr("wspkit.parity.encoder.gelu", tanh_gelu)
        assert difference(encode(weights, features("jfk")), right).rms > ENCODER_RMS
    with monkeypatch.context() as patch:
        patch.setattr(layers, "LAYER_NORM_EPSILON", 1e-6)
        assert difference(encode(weights, features("jfk")), right).rms > ENCODER_RMS
