"""When each token is spoken, by what the decoder attends to. Must not know how tokens are chosen.

openai/whisper timing.py, find_alignment(): the attention of some heads is normalised over the
tokens, smoothed over time by a median, averaged, and warped onto the audio.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wspkit.parity.decoder import cross_attention, cross_keys_values, empty_cache, self_attention
from wspkit.parity.encoder import mlp, named_linear, named_norm
from wspkit.parity.layers import softmax
from wspkit.parity.weights import Array, Weights

MEDIAN_WIDTH = 7

#: (layer, head) of tiny.en that follow the audio. openai/whisper, whisper/__init__.py.
TINY_EN_HEADS = ((1, 0), (2, 0), (2, 5), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4))


def attention(
    weights: Weights, tokens: Sequence[int], audio: Array, heads: Sequence[tuple[int, int]]
) -> Array:
    """What heads, (layer, head) each, look at while the decoder reads a whole text.

    tokens: (S,). audio: (T, D), the frames of the encoder's output that may be looked at. Returns
    (len(heads), S, T), each row adding up to 1.
    """
    nothing = empty_cache(weights)
    embedding = weights["decoder.token_embedding.weight"]
    x: Array = embedding[list(tokens)] + weights["decoder.positional_embedding"][: len(tokens)]
    found: dict[tuple[int, int], Array] = {}
    for layer, (past, heard) in enumerate(
        zip(nothing.layers, cross_keys_values(weights, audio), strict=True)
    ):
        prefix = f"decoder.blocks.{layer}"
        x, _ = self_attention(weights, prefix, x, past, half=False)
        q = named_linear(
            weights, f"{prefix}.cross_attn.query", named_norm(weights, f"{prefix}.cross_attn_ln", x)
        )
        width = q.shape[1] // weights.dimensions.n_text_head
        for head in range(weights.dimensions.n_text_head):
            columns = slice(head * width, (head + 1) * width)
            scores = q[:, columns] @ heard.keys[:, columns].T / q.dtype.type(math.sqrt(width))
            found[layer, head] = softmax(scores)
        x = cross_attention(weights, prefix, x, heard)
        x = x + mlp(weights, prefix, x)
    return np.array([found[head] for head in heads])


def first_frames(weights: Array, first_row: int, n_rows: int) -> list[int]:
    """Where each of the rows first_row .. first_row + n_rows - 1 begins on the cheapest path.

    weights: (H, S, T). The path goes from the first row's frame 0 to the last row's last frame.
    """
    wide = weights.astype(np.float64)
    normed = (wide - wide.mean(axis=1, keepdims=True)) / wide.std(axis=1, keepdims=True)
    reach = MEDIAN_WIDTH // 2
    mirrored = np.pad(normed, ((0, 0), (0, 0), (reach, reach)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, MEDIAN_WIDTH, axis=-1)
    smoothed: Array = np.median(windows, axis=-1).mean(axis=0)
    return _cheapest_path(-smoothed[first_row : first_row + n_rows])


def _cheapest_path(cost: Array) -> list[int]:
    n_rows, n_frames = cost.shape
    total = np.full((n_rows, n_frames), np.inf)
    for row in range(n_rows):
        for frame in range(n_frames):
            before = [
                total[row - 1, frame - 1] if row and frame else np.inf,
                total[row - 1, frame] if row else np.inf,
                total[row, frame - 1] if frame else np.inf,
            ]
            start = 0.0 if row == frame == 0 else np.inf
            total[row, frame] = cost[row, frame] + min(start, *before)
    first = [0] * n_rows
    row, frame = n_rows - 1, n_frames - 1
    while row or frame:
        first[row] = frame
        steps = [
            (total[row - r, frame - f], -r - f, row - r, frame - f)
            for r, f in ((0, 1), (1, 0), (1, 1))
            if row >= r and frame >= f
        ]
        *_, row, frame = min(steps)
    first[0] = 0
    return first
