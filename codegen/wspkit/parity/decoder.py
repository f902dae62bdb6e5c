"""The text decoder with its cache: tokens in, logits out. Must not know how tokens are chosen.

Radford et al. 2022, section 2.2: learned positions, blocks of causal self-attention, attention to
the encoder's output and a perceptron; the output matrix is the token embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wspkit.parity.encoder import mlp
from wspkit.parity.layers import attend, layer_norm, linear
from wspkit.parity.weights import Array, Weights


@dataclass(frozen=True)
class KeysValues:
    """Keys and values of one layer, (n, D) each."""

    keys: Array
    values: Array


@dataclass(frozen=True)
class Cache:
    """What earlier tokens left behind in each layer.

    Made by `empty_cache`, grown by `decode`, never changed in place.
    """

    layers: tuple[KeysValues, ...]

    @property
    def n_tokens(self) -> int:
        """Tokens decoded so far: the position of the next one."""
        return len(self.layers[0].keys)


def empty_cache(weights: Weights) -> Cache:
    """Before the first token."""
    nothing = np.zeros(
        (0, weights.dimensions.n_text_state), weights["decoder.token_embedding.weight"].dtype
    )
    return Cache((KeysValues(nothing, nothing),) * weights.dimensions.n_text_layer)


def cross_keys_values(weights: Weights, audio: Array) -> tuple[KeysValues, ...]:
    """Keys and values of the encoder's output for each layer of the decoder, once for a window.

    audio: (1500, D). Keys and values: (1500, D).
    """
    return tuple(
        KeysValues(
            linear(audio, weights[f"decoder.blocks.{layer}.cross_attn.key.weight"]),
            linear(
                audio,
                weights[f"decoder.blocks.{layer}.cross_attn.value.weight"],
                weights[f"decoder.blocks.{layer}.cross_attn.value.bias"],
            ),
        )
        for layer in range(weights.dimensions.n_text_layer)
    )


def decode(
    weights: Weights, tokens: Sequence[int], cache: Cache, cross: Sequence[KeysValues]
) -> tuple[Array, Cache]:
    """One step for tokens that follow those in the cache.

    tokens: (S,). Returns logits (S, V), row s for the token after tokens[s], and the cache with
    these tokens in it. The cache and the new tokens together may not exceed n_text_ctx positions.
    """
    positions = cache.n_tokens + np.arange(len(tokens))
    x: Array = (
        weights["decoder.token_embedding.weight"][list(tokens)]
        + weights["decoder.positional_embedding"][positions]
    )
    grown = []
    for layer, (past, heard) in enumerate(zip(cache.layers, cross, strict=True)):
        x, present = decoder_block(weights, f"decoder.blocks.{layer}", x, past, heard)
        grown.append(present)
    x = layer_norm(x, weights["decoder.ln.weight"], weights["decoder.ln.bias"])
    return linear(x, weights["decoder.token_embedding.weight"]), Cache(tuple(grown))


def decoder_block(
    weights: Weights, prefix: str, x: Array, past: KeysValues, heard: KeysValues
) -> tuple[Array, KeysValues]:
    """(S, D) -> (S, D), and the layer's cache with the new rows."""
    n_heads = weights.dimensions.n_text_head

    normed = layer_norm(x, weights[f"{prefix}.attn_ln.weight"], weights[f"{prefix}.attn_ln.bias"])
    q = linear(normed, weights[f"{prefix}.attn.query.weight"], weights[f"{prefix}.attn.query.bias"])
    k = linear(normed, weights[f"{prefix}.attn.key.weight"])
    v = linear(normed, weights[f"{prefix}.attn.value.weight"], weights[f"{prefix}.attn.value.bias"])
    present = KeysValues(np.concatenate([past.keys, k]), np.concatenate([past.values, v]))
    mixed = attend(
        q, present.keys, present.values, n_heads, causal_mask(len(x), len(present.keys), x)
    )
    x = x + linear(mixed, weights[f"{prefix}.attn.out.weight"], weights[f"{prefix}.attn.out.bias"])

    normed = layer_norm(
        x, weights[f"{prefix}.cross_attn_ln.weight"], weights[f"{prefix}.cross_attn_ln.bias"]
    )
    q = linear(
        normed,
        weights[f"{prefix}.cross_attn.query.weight"],
        weights[f"{prefix}.cross_attn.query.bias"],
    )
    mixed = attend(q, heard.keys, heard.values, n_heads)
    x = x + linear(
        mixed, weights[f"{prefix}.cross_attn.out.weight"], weights[f"{prefix}.cross_attn.out.bias"]
    )

    return x + mlp(weights, prefix, x), present


def causal_mask(n_new: int, n_all: int, like: Array) -> Array:
    """(n_new, n_all).

    0 where a new token may look, at itself and what was before it, -inf where it may not.
    """
    row = np.arange(n_all - n_new, n_all)[:, None]
    column = np.arange(n_all)[None, :]
    return np.where(column <= row, 0.0, -np.inf).astype(like.dtype)
