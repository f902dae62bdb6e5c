"""The encoder as a graph, once for all tools that build one: Radford et al. 2022, section 2.2.

Letters: T frames after the convolutions, M mel bins, D width, H heads. What a node is, and how it
is made, is the tool's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from wspkit.models.encoders.source import Array, Encoder

INPUT = "logmel_data"
"""(1, M, 2T) log-mel features; the name is whisper.cpp's for Core ML."""

OUTPUT = "output"
"""(1, T, D) what the decoder attends to; the name is whisper.cpp's."""

EPSILON = 1e-5
"""Of every norm, as the models were trained."""

Node = TypeVar("Node")


class Operations(Protocol[Node]):
    """What a tool must bring. All nodes have a first dimension of 1."""

    def convolve(self, x: Node, weight: Array, bias: Array, stride: int) -> Node:
        """(1, C, T) -> (1, D, (T - 1) // stride + 1): one frame of zeros on both sides.

        weight: (D, C, 3). bias: (D,).
        """
        ...

    def frames_first(self, x: Node) -> Node:
        """(1, D, T) -> (1, T, D)."""
        ...

    def add_positions(self, x: Node, table: Array) -> Node:
        """(1, T, D) plus the first T rows of the table (n_audio_ctx, D)."""
        ...

    def linear(self, x: Node, weight: Array, bias: Array | None) -> Node:
        """(1, T, D_in) -> (1, T, D_out). weight: (D_out, D_in). bias: (D_out,)."""
        ...

    def gelu(self, x: Node) -> Node:
        """The exact one, by the error function."""
        ...

    def layer_norm(self, x: Node, gamma: Array, beta: Array) -> Node:
        """Over the last dimension. gamma, beta: (D,)."""
        ...

    def attend(self, q: Node, k: Node, v: Node, n_heads: int) -> Node:
        """Scaled dot-product attention, (1, T, D) each, without a mask."""
        ...

    def add(self, x: Node, y: Node) -> Node:
        """The sum."""
        ...


def record_encoder(
    operations: Operations[Node],
    encoder: Encoder,
    mel: Node,
    on_layer: Callable[[int], object] = lambda _: None,
) -> Node:
    """(1, M, 2T) -> (1, T, D). on_layer is told how many layers are recorded."""
    op = operations
    x = mel
    for number, stride in ((1, 1), (2, 2)):
        bias = encoder[f"conv{number}.bias"].reshape(-1)
        x = op.gelu(op.convolve(x, encoder[f"conv{number}.weight"], bias, stride))
    x = op.add_positions(op.frames_first(x), encoder["positional_embedding"])
    for layer in range(encoder.sizes.n_audio_layer):
        x = _record_layer(op, encoder, f"blocks.{layer}", x)
        on_layer(layer + 1)
    return _norm(op, encoder, "ln_post", x)


def _record_layer(op: Operations[Node], encoder: Encoder, name: str, x: Node) -> Node:
    normed = _norm(op, encoder, f"{name}.attn_ln", x)
    q, k, v = (
        _linear(op, encoder, f"{name}.attn.{part}", normed) for part in ("query", "key", "value")
    )
    mixed = op.attend(q, k, v, encoder.sizes.n_audio_head)
    x = op.add(x, _linear(op, encoder, f"{name}.attn.out", mixed))
    normed = _norm(op, encoder, f"{name}.mlp_ln", x)
    hidden = op.gelu(_linear(op, encoder, f"{name}.mlp.0", normed))
    return op.add(x, _linear(op, encoder, f"{name}.mlp.2", hidden))


def _linear(op: Operations[Node], encoder: Encoder, name: str, x: Node) -> Node:
    """Key projections have no bias."""
    return op.linear(x, encoder[f"{name}.weight"], encoder.tensors.get(f"{name}.bias"))


def _norm(op: Operations[Node], encoder: Encoder, name: str, x: Node) -> Node:
    return op.layer_norm(x, encoder[f"{name}.weight"], encoder[f"{name}.bias"])


def head_scale(width: int, n_heads: int) -> np.float32:
    """By what queries are multiplied. Vaswani et al. 2017, section 3.2.1."""
    scale: np.float32 = np.float32(1 / math.sqrt(width // n_heads))
    return scale
