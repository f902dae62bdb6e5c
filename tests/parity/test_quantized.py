"""Quantised weights in the core against the reference, which rounds activations in the same way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.parity.quantizer import quantize, write_quantized
from tests.parity.tolerances import (
    CROSS_RELATIVE,
    QUANTIZED_ENCODER_OUTPUT,
    QUANTIZED_LOGITS,
    QUANTIZED_LOGITS_RMS,
)

from wspkit import _inspect
from wspkit.parity.block_formats import BLOCK_FORMATS, BlockFormat, dequantize
from wspkit.parity.compare import difference
from wspkit.parity.decoder import cross_keys_values, decode, empty_cache
from wspkit.parity.encoder import encode
from wspkit.parity.weights import Array, Weights, read_weights

TOKENS = (50257, 50363, 843, 523, 616, 5891, 3399, 1265)


@pytest.mark.parametrize("block_format", BLOCK_FORMATS.values(), ids=lambda f: f.name)
def test_the_quantiser_of_these_tests_stays_within_half_a_step(block_format: BlockFormat) -> None:
    values = np.random.default_rng(0).standard_normal(3200).astype(np.float32)

    data = np.frombuffer(quantize(values, block_format), np.uint8)

    blocks = values.reshape(-1, 32)
    steps = (1 << block_format.bits) - 2
    if block_format.has_minimum:
        step = (blocks.max(axis=1) - blocks.min(axis=1)) / (steps + 1)
    else:
        step = 2 * np.abs(blocks).max(axis=1) / steps
    error = np.abs(dequantize(data, block_format).reshape(-1, 32) - blocks)
    # Half a step for the code, and 2^-11 of the extremes for scale and minimum in binary16.
    allowed = 0.5 * step + 2.0**-10 * np.abs(blocks).max(axis=1)
    assert (error <= allowed[:, None]).all()


@pytest.fixture(scope="module", params=BLOCK_FORMATS, ids=lambda d: BLOCK_FORMATS[d].name)
def quantized_path(
    request: pytest.FixtureRequest, weights: Weights, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """tiny.en in one block format."""
    return write_quantized(weights, tmp_path_factory.mktemp("model") / "m.bin", request.param)


def test_a_quantised_layer_multiplies_with_rounded_activations(
    quantized_path: Path, heard: Callable[[str], Array]
) -> None:
    widened = read_weights(quantized_path)
    unrounded = replace(widened, quantized=frozenset())

    actual = _inspect.Model(str(quantized_path)).cross_keys_values(heard("jfk"))

    for layer, (ours, right, wrong) in enumerate(
        zip(
            actual,
            cross_keys_values(widened, heard("jfk")),
            cross_keys_values(unrounded, heard("jfk")),
            strict=True,
        )
    ):
        for kind, values in zip(("keys", "values"), ours, strict=True):
            assert difference(values, getattr(right, kind)).relative <= CROSS_RELATIVE, layer
            # Equal inputs have equal codes: who rounds otherwise, or not at all, is far off.
            assert difference(values, getattr(wrong, kind)).relative >= 50 * CROSS_RELATIVE, layer


def test_a_quantised_model_computes_what_its_blocks_say(
    quantized_path: Path, features: Callable[[str], Array]
) -> None:
    widened = read_weights(quantized_path)
    audio = encode(widened, features("jfk"))
    expected, _ = decode(widened, TOKENS, empty_cache(widened), cross_keys_values(widened, audio))

    engine = _inspect.Engine(_inspect.Model(str(quantized_path)))
    output = engine.encode(features("jfk"))
    actual = [engine.decode([token], [i], [0], [True])[0] for i, token in enumerate(TOKENS)]

    assert np.quantile(np.abs(output - audio), 0.99) <= QUANTIZED_ENCODER_OUTPUT
    found = difference(np.array(actual), expected)
    assert found.rms <= QUANTIZED_LOGITS_RMS
    assert found.max_abs <= QUANTIZED_LOGITS
