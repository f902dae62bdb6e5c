"""Writes a small complete Whisper model with made-up weights, for tests without downloads.

It writes nonsense as text, but by the same code as a real model. It must not know what is tested.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wspkit.models.convert.ggml_writer import write_preamble, write_tensor
from wspkit.models.ggml_types import Hyperparameters

WIDTH = 64
SIZES = Hyperparameters(
    n_vocab=51865,
    n_audio_ctx=1500,
    n_audio_state=WIDTH,
    n_audio_head=2,
    n_audio_layer=1,
    n_text_ctx=448,
    n_text_state=WIDTH,
    n_text_head=2,
    n_text_layer=1,
    n_mels=80,
    ftype=1,
)


def write_synthetic_model(path: Path) -> None:
    """Writes a multilingual model of one narrow layer in each half, in F16; about 7 MB."""
    with path.open("wb") as file:
        write_preamble(file, SIZES, _filters(), _words())
        for name, values in _tensors():
            write_tensor(file, name, values)


def _words() -> list[bytes]:
    # All single bytes, so that every text can be tokenized; then " a", " b", ... " aa", " ab", ...,
    # so that each word is reached by merging one letter at a time.
    single = [bytes([value]) for value in range(256)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = (
        (" " + "".join(word)).encode()
        for length in itertools.count(1)
        for word in itertools.product(letters, repeat=length)
    )
    return [*single, *itertools.islice(words, 50257 - 256)]


def _filters() -> NDArray[np.float32]:
    bins = np.arange(201, dtype=np.float32)
    centres = np.linspace(1, 199, 80, dtype=np.float32)[:, None]
    filters: NDArray[np.float32] = np.maximum(0, 1 - np.abs(bins - centres) / 3)
    return filters.astype(np.float32)


def _tensors() -> Iterator[tuple[str, NDArray[np.generic]]]:
    random = np.random.default_rng(1)

    def weights(name: str, *shape: int, half: bool = True) -> tuple[str, NDArray[np.generic]]:
        # Variance 1 / inputs keeps activations near 1.
        scale = math.sqrt(3 / math.prod(shape[1:]))
        values = random.uniform(-scale, scale, shape)
        return name, values.astype(np.float16 if half else np.float32)

    def vector(name: str, size: int = WIDTH, centre: float = 0) -> tuple[str, NDArray[np.generic]]:
        return name, (centre + random.uniform(-0.05, 0.05, size)).astype(np.float32)

    def norm(name: str) -> Iterator[tuple[str, NDArray[np.generic]]]:
        yield vector(f"{name}.weight", centre=1)
        yield vector(f"{name}.bias")

    def attention(name: str) -> Iterator[tuple[str, NDArray[np.generic]]]:
        for part in ("query", "key", "value", "out"):
            yield weights(f"{name}.{part}.weight", WIDTH, WIDTH)
            if part != "key":
                yield vector(f"{name}.{part}.bias")

    def block(name: str, *attentions: str) -> Iterator[tuple[str, NDArray[np.generic]]]:
        for part in attentions:
            yield from attention(f"{name}.{part}")
            yield from norm(f"{name}.{part}_ln")
        yield weights(f"{name}.mlp.0.weight", 4 * WIDTH, WIDTH)
        yield vector(f"{name}.mlp.0.bias", 4 * WIDTH)
        yield weights(f"{name}.mlp.2.weight", WIDTH, 4 * WIDTH)
        yield vector(f"{name}.mlp.2.bias")
        yield from norm(f"{name}.mlp_ln")

    yield weights("encoder.positional_embedding", SIZES.n_audio_ctx, WIDTH, half=False)
    for number, channels in ((1, SIZES.n_mels), (2, WIDTH)):
        yield weights(f"encoder.conv{number}.weight", WIDTH, channels, 3)
        name, bias = vector(f"encoder.conv{number}.bias")
        yield name, bias.reshape(WIDTH, 1)
    yield from block("encoder.blocks.0", "attn")
    yield from norm("encoder.ln_post")
    yield weights("decoder.positional_embedding", SIZES.n_text_ctx, WIDTH, half=False)
    yield weights("decoder.token_embedding.weight", SIZES.n_vocab, WIDTH)
    yield from block("decoder.blocks.0", "attn", "cross_attn")
    yield from norm("decoder.ln")
