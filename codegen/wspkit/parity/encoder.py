"""The audio encoder: features of 30 s in, 1500 vectors out. Must not know text.

Radford et al. 2022, section 2.2: two convolutions, sinusoidal positions, pre-norm Transformer
blocks, a last norm.
"""

from __future__ import annotations

from collections.abc import Iterator

from wspkit.parity.layers import attend, convolve, gelu, layer_norm, linear
from wspkit.parity.weights import Array, Weights


def encode(weights: Weights, features: Array) -> Array:
    """features: (M, 3000) in the type of the weights. Returns (1500, D)."""
    *_, (_, output) = encoder_stages(weights, features)
    return output


def encoder_stages(weights: Weights, features: Array) -> Iterator[tuple[str, Array]]:
    """The output of each stage in turn, named.

    Conv1 (3000, D), conv2 (1500, D), positions, layer 0 ..., output (1500, D).
    """
    x = features.T
    x = gelu(
        convolve(
            x, weights["encoder.conv1.weight"], weights["encoder.conv1.bias"].reshape(-1), stride=1
        )
    )
    yield "conv1", x
    x = gelu(
        convolve(
            x, weights["encoder.conv2.weight"], weights["encoder.conv2.bias"].reshape(-1), stride=2
        )
    )
    yield "conv2", x
    x = x + weights["encoder.positional_embedding"]
    yield "positions", x
    for layer in range(weights.dimensions.n_audio_layer):
        x = encoder_block(weights, f"encoder.blocks.{layer}", x)
        yield f"layer {layer}", x
    yield (
        "output",
        layer_norm(x, weights["encoder.ln_post.weight"], weights["encoder.ln_post.bias"]),
    )


def encoder_block(weights: Weights, prefix: str, x: Array) -> Array:
    """(T, D) -> (T, D): self-attention and a two-layer perceptron, each around a residual."""
    normed = layer_norm(x, weights[f"{prefix}.attn_ln.weight"], weights[f"{prefix}.attn_ln.bias"])
    q = linear(normed, weights[f"{prefix}.attn.query.weight"], weights[f"{prefix}.attn.query.bias"])
    k = linear(normed, weights[f"{prefix}.attn.key.weight"])
    v = linear(normed, weights[f"{prefix}.attn.value.weight"], weights[f"{prefix}.attn.value.bias"])
    mixed = attend(q, k, v, weights.dimensions.n_audio_head)
    x = x + linear(mixed, weights[f"{prefix}.attn.out.weight"], weights[f"{prefix}.attn.out.bias"])
    return x + mlp(weights, prefix, x)


def mlp(weights: Weights, prefix: str, x: Array) -> Array:
    """(N, D) -> (N, D) by way of (N, 4 D); the decoder's blocks have the same one."""
    normed = layer_norm(x, weights[f"{prefix}.mlp_ln.weight"], weights[f"{prefix}.mlp_ln.bias"])
    hidden = gelu(
        linear(normed, weights[f"{prefix}.mlp.0.weight"], weights[f"{prefix}.mlp.0.bias"])
    )
    return linear(hidden, weights[f"{prefix}.mlp.2.weight"], weights[f"{prefix}.mlp.2.bias"])
