"""The reference's decoder and cache on a random model too small to say anything."""

from __future__ import annotations

import numpy as np
import pytest

from wspkit.parity.decoder import cross_keys_values, decode, empty_cache
from wspkit.parity.weights import Array, Dimensions, Weights

WIDTH, VOCABULARY = 8, 50


def tiny_model() -> Weights:
    """Two layers, two heads, width 8, random weights."""
    random = np.random.default_rng(0)
    tensors: dict[str, Array] = {
        "decoder.token_embedding.weight": random.standard_normal((VOCABULARY, WIDTH)),
        "decoder.positional_embedding": random.standard_normal((16, WIDTH)),
        "decoder.ln.weight": np.ones(WIDTH),
        "decoder.ln.bias": np.zeros(WIDTH),
    }
    for prefix in ("decoder.blocks.0", "decoder.blocks.1"):
        for norm in ("attn_ln", "cross_attn_ln", "mlp_ln"):
            tensors[f"{prefix}.{norm}.weight"] = random.standard_normal(WIDTH)
            tensors[f"{prefix}.{norm}.bias"] = random.standard_normal(WIDTH)
        for attention in ("attn", "cross_attn"):
            for part in ("query", "key", "value", "out"):
                name = f"{prefix}.{attention}.{part}"
                tensors[f"{name}.weight"] = random.standard_normal((WIDTH, WIDTH))
                if part != "key":
                    tensors[f"{name}.bias"] = random.standard_normal(WIDTH)
        tensors[f"{prefix}.mlp.0.weight"] = random.standard_normal((4 * WIDTH, WIDTH))
        tensors[f"{prefix}.mlp.0.bias"] = random.standard_normal(4 * WIDTH)
        tensors[f"{prefix}.mlp.2.weight"] = random.standard_normal((WIDTH, 4 * WIDTH))
        tensors[f"{prefix}.mlp.2.bias"] = random.standard_normal(WIDTH)
    sizes = Dimensions(VOCABULARY, 6, WIDTH, 2, 2, 16, WIDTH, 2, 2, 80, 0)
    return Weights(sizes, np.zeros((80, 201), np.float32), (), tensors)


MODEL = tiny_model()
CROSS = cross_keys_values(MODEL, np.random.default_rng(1).standard_normal((6, WIDTH)))
TOKENS = (3, 1, 4, 1, 5, 9, 2, 6)


@pytest.mark.parametrize("cut", range(1, len(TOKENS)))
def test_two_steps_give_the_logits_of_one(cut: int) -> None:
    whole, _ = decode(MODEL, TOKENS, empty_cache(MODEL), CROSS)

    first, cache = decode(MODEL, TOKENS[:cut], empty_cache(MODEL), CROSS)
    second, cache = decode(MODEL, TOKENS[cut:], cache, CROSS)

    assert np.concatenate([first, second]) == pytest.approx(whole)
    assert cache.n_tokens == len(TOKENS)


def test_a_token_does_not_see_what_comes_after_it() -> None:
    whole, _ = decode(MODEL, TOKENS, empty_cache(MODEL), CROSS)
    other, _ = decode(MODEL, (*TOKENS[:-1], 7), empty_cache(MODEL), CROSS)

    assert np.array_equal(whole[:-1], other[:-1])
    assert not np.allclose(whole[-1], other[-1])


def test_a_cache_is_not_changed_by_a_step() -> None:
    _, cache = decode(MODEL, TOKENS[:3], empty_cache(MODEL), CROSS)

    one, _ = decode(MODEL, TOKENS[3:4], cache, CROSS)
    again, _ = decode(MODEL, TOKENS[3:4], cache, CROSS)

    assert np.array_equal(one, again)


def test_half_caches_hold_nothing_that_binary16_could_not() -> None:
    _, cache = decode(MODEL, TOKENS, empty_cache(MODEL, half=True), CROSS)
    heard = cross_keys_values(
        MODEL, np.random.default_rng(1).standard_normal((6, WIDTH)), half=True
    )

    for layer in (*cache.layers, *heard):
        for stored in (layer.keys, layer.values):
            assert np.array_equal(stored, stored.astype(np.float16).astype(stored.dtype))
