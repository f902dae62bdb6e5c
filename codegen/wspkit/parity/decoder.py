"""The text decoder with its cache: tokens in, logits out. Must not know how tokens are chosen.

Radford et al. 2022, section 2.2: learned positions, blocks of causal self-attention, attention to
the encoder's output and a perceptron; the output matrix is the token embedding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wspkit.parity.encoder import heard_by, mlp, named_linear, named_norm
from wspkit.parity.layers import attend, linear
from wspkit.parity.weights import Array, Weights

#: Of tokens, and the matrix that makes logits.
EMBEDDING = "decoder.token_embedding.weight"


@dataclass(frozen=True)
class KeysValues:
    """Keys and values of one layer, (n, D) each."""

    keys: Array
    values: Array

    def rounded_to_half(self) -> KeysValues:
        """What is left of them after being stored as binary16; the type in memory stays."""
        dtype = self.keys.dtype
        return KeysValues(
            self.keys.astype(np.float16).astype(dtype), self.values.astype(np.float16).astype(dtype)
        )


@dataclass(frozen=True)
class Cache:
    """What earlier tokens left behind in each layer.

    Made by `empty_cache`, grown by `decode`, never changed in place.
    """

    layers: tuple[KeysValues, ...]
    #: Keys and values are rounded to binary16 when they are stored.
    half: bool = False

    @property
    def n_tokens(self) -> int:
        """Tokens decoded so far: the position of the next one."""
        return len(self.layers[0].keys)


def empty_cache(weights: Weights, *, half: bool = False) -> Cache:
    """Before the first token."""
    dtype = weights[EMBEDDING].dtype
    nothing = np.zeros((0, weights.dimensions.n_text_state), dtype)
    return Cache((KeysValues(nothing, nothing),) * weights.dimensions.n_text_layer, half)


def cross_keys_values(
    weights: Weights, audio: Array, *, half: bool = False
) -> tuple[KeysValues, ...]:
    """Keys and values of the encoder's output for each layer of the decoder, once for a window.

    audio: (1500, D). Keys and values: (1500, D). half: they are stored as binary16.
    """
    layers = []
    for layer in range(weights.dimensions.n_text_layer):
        prefix = f"decoder.blocks.{layer}.cross_attn"
        heard = KeysValues(
            named_linear(weights, f"{prefix}.key", audio),
            named_linear(weights, f"{prefix}.value", audio),
        )
        layers.append(heard.rounded_to_half() if half else heard)
    return tuple(layers)


def decode(
    weights: Weights, tokens: Sequence[int], cache: Cache, cross: Sequence[KeysValues]
) -> tuple[Array, Cache]:
    """One step for tokens that follow those in the cache.

    tokens: (S,). Returns logits (S, V), row s for the token after tokens[s], and the cache with
    these tokens in it. The cache and the new tokens together may not exceed n_text_ctx positions.
    """
    positions = cache.n_tokens + np.arange(len(tokens))
    embedding = weights[EMBEDDING]
    x: Array = embedding[list(tokens)] + weights["decoder.positional_embedding"][positions]
    grown = []
    for layer, (past, heard) in enumerate(zip(cache.layers, cross, strict=True)):
        prefix = f"decoder.blocks.{layer}"
        x, present = self_attention(weights, prefix, x, past, half=cache.half)
        x = cross_attention(weights, prefix, x, heard)
        x = x + mlp(weights, prefix, x)
        grown.append(present)
    x = named_norm(weights, "decoder.ln", x)
    return linear(heard_by(weights, EMBEDDING, x), embedding), Cache(tuple(grown), cache.half)


def self_attention(
    weights: Weights, prefix: str, x: Array, past: KeysValues, *, half: bool
) -> tuple[Array, KeysValues]:
    """(S, D) -> (S, D) around a residual, and the layer's cache with the new rows."""
    normed = named_norm(weights, f"{prefix}.attn_ln", x)
    q = named_linear(weights, f"{prefix}.attn.query", normed)
    new = KeysValues(
        named_linear(weights, f"{prefix}.attn.key", normed),
        named_linear(weights, f"{prefix}.attn.value", normed),
    )
    new = new.rounded_to_half() if half else new
    keys = np.concatenate([past.keys, new.keys])
    values = np.concatenate([past.values, new.values])
    mask = causal_mask(len(x), len(keys)).astype(x.dtype)
    mixed = attend(q, keys, values, weights.dimensions.n_text_head, mask)
    return x + named_linear(weights, f"{prefix}.attn.out", mixed), KeysValues(keys, values)


def cross_attention(weights: Weights, prefix: str, x: Array, heard: KeysValues) -> Array:
    """(S, D) -> (S, D) around a residual: each token looks at the whole window."""
    normed = named_norm(weights, f"{prefix}.cross_attn_ln", x)
    q = named_linear(weights, f"{prefix}.cross_attn.query", normed)
    mixed = attend(q, heard.keys, heard.values, weights.dimensions.n_text_head)
    return x + named_linear(weights, f"{prefix}.cross_attn.out", mixed)


def causal_mask(n_new: int, n_all: int) -> Array:
    """(n_new, n_all): -inf where a new token may not look, which is what comes after it, else 0."""
    row = np.arange(n_all - n_new, n_all)[:, None]
    column = np.arange(n_all)[None, :]
    return np.where(column <= row, 0.0, -np.inf)
