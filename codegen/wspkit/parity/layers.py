"""The operations that encoder and decoder are made of, on plain arrays.

Must not know where weights come from.

Arithmetic is done in the type of the inputs, float32 or float64, except the error function, which
is always float64.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from wspkit.parity.weights import Array

LAYER_NORM_EPSILON = 1e-5

#: Nodes of the error function's table: 1024 in a unit, up to 6, where 1 - erf(x) < 2e-17.
_NODES_PER_UNIT = 1024
_LAST_NODE = 6 * _NODES_PER_UNIT
_ERF_AT_NODES = np.array([math.erf(i / _NODES_PER_UNIT) for i in range(_LAST_NODE + 1)])


def erf(x: Array) -> npt.NDArray[np.float64]:
    """The error function, to 2e-14.

    Taylor's series to the third order around the nearest of the table's nodes. The rest is at most
    max|erf''''| / 24 * (1/2048)^4 = 5.3 / 24 * 5.7e-14 = 1.3e-14.
    """
    magnitude = np.minimum(np.abs(x.astype(np.float64)), 6.0)
    node = np.rint(magnitude * _NODES_PER_UNIT).astype(np.int64)
    a = node / _NODES_PER_UNIT
    d = magnitude - a
    slope = 2 / math.sqrt(math.pi) * np.exp(-a * a)
    value = _ERF_AT_NODES[node] + slope * d * (1 - a * d + (2 * a * a - 1) / 3 * d * d)
    signed: npt.NDArray[np.float64] = np.copysign(value, x)
    return signed


def gelu(x: Array) -> Array:
    """Gaussian error linear unit, x * P(standard normal <= x): the exact form, without tanh.

    Hendrycks and Gimpel 2016.
    """
    half: Array = (0.5 * x * (1 + erf(x / math.sqrt(2)))).astype(x.dtype)
    return half


def softmax(x: Array) -> Array:
    """Over the last dimension; the maximum is taken off first so that nothing overflows."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    shares: Array = powers / powers.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(x: Array) -> Array:
    """Logarithm of softmax over the last dimension; -inf stays -inf."""
    shifted = x - x.max(axis=-1, keepdims=True)
    logs: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    """(N, D) -> (N, D): each row to mean 0 and variance 1, then scaled and shifted.

    Ba et al. 2016.
    """
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    normed: Array = centred / np.sqrt(variance + x.dtype.type(LAYER_NORM_EPSILON)) * gamma + beta
    return normed


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """(N, D_in) -> (N, D_out). weight: (D_out, D_in), bias: (D_out,)."""
    product: Array = x @ weight.T
    return product if bias is None else product + bias


def convolve(x: Array, weight: Array, bias: Array, stride: int) -> Array:
    """(T, C) -> ((T - 1) // stride + 1, D): kernel of 3 frames, one frame of zeros on both sides.

    weight: (D, C, 3). bias: (D,).
    """
    padded = np.pad(x, ((1, 1), (0, 0)))
    patches = np.lib.stride_tricks.sliding_window_view(padded, 3, axis=0)[::stride]  # (T_out, C, 3)
    return linear(patches.reshape(len(patches), -1), weight.reshape(len(weight), -1), bias)


def attend(q: Array, k: Array, v: Array, n_heads: int, mask: Array | None = None) -> Array:
    """Scaled dot-product attention, head by head. Vaswani et al. 2017, section 3.2.

    q: (N, D). k, v: (T, D). mask: (N, T), 0 or -inf, added to the scores. Returns (N, D). D = H *
    K, head h holds columns h K .. (h + 1) K - 1.
    """
    head_width = q.shape[1] // n_heads
    scale = q.dtype.type(1 / math.sqrt(head_width))
    out = np.empty_like(q)
    for h in range(n_heads):
        columns = slice(h * head_width, (h + 1) * head_width)
        scores = (q[:, columns] * scale) @ k[:, columns].T
        out[:, columns] = softmax(scores if mask is None else scores + mask) @ v[:, columns]
    return out
