"""The audio encoder: features of 30 s in, 1500 vectors out. Must not know text.

Radford et al. 2022, section 2.2: two convolutions, sinusoidal positions, pre-norm Transformer
blocks, a last norm.
"""

from __future__ import annotations

from collections.abc import Iterator

from wspkit.parity.block_formats import round_activations
from wspkit.parity.layers import attend, convolve, gelu, layer_norm, linear
from wspkit.parity.weights import Array, Weights


def encode(weights: Weights, features: Array) -> Array:
    """features: (M, 3000) in the type of the weights. Returns (1500, D)."""
    *_, (_, output) = encoder_stages(weights, features)
    return output


def encoder_stages(weights: Weights, features: Array) -> Iterator[tuple[str, Array]]:
    """The output of each stage in turn, by name.

    conv1 (3000, D); conv2 (1500, D); positions, layer 0, layer 1 ... and output, all (1500, D).
    """
    w = weights
    x = features.T
    x = gelu(convolve(x, w["encoder.conv1.weight"], w["encoder.conv1.bias"].reshape(-1), stride=1))
    yield "conv1", x
    x = gelu(convolve(x, w["encoder.conv2.weight"], w["encoder.conv2.bias"].reshape(-1), stride=2))
    yield "conv2", x
    x = x + w["encoder.positional_embedding"]
    yield "positions", x
    for layer in range(w.dimensions.n_audio_layer):
        x = encoder_block(w, f"encoder.blocks.{layer}", x)
        yield f"layer {layer}", x
    yield "output", named_norm(w, "encoder.ln_post", x)


def encoder_block(weights: Weights, prefix: str, x: Array) -> Array:
    """(T, D) -> (T, D): self-attention and a two-layer perceptron, each around a residual."""
    normed = named_norm(weights, f"{prefix}.attn_ln", x)
    q = named_linear(weights, f"{prefix}.attn.query", normed)
    k = named_linear(weights, f"{prefix}.attn.key", normed)
    v = named_linear(weights, f"{prefix}.attn.value", normed)
    mixed = attend(q, k, v, weights.dimensions.n_audio_head)
    x = x + named_linear(weights, f"{prefix}.attn.out", mixed)
    return x + mlp(weights, prefix, x)


def mlp(weights: Weights, prefix: str, x: Array) -> Array:
    """(N, D) -> (N, D) by way of (N, 4 D); the decoder's blocks have the same one."""
    normed = named_norm(weights, f"{prefix}.mlp_ln", x)
    hidden = gelu(named_linear(weights, f"{prefix}.mlp.0", normed))
    return named_linear(weights, f"{prefix}.mlp.2", hidden)


def named_linear(weights: Weights, name: str, x: Array) -> Array:
    """The linear layer of that name; key projections have no bias."""
    bias = weights.tensors.get(f"{name}.bias")
    return linear(heard_by(weights, f"{name}.weight", x), weights[f"{name}.weight"], bias)


def heard_by(weights: Weights, matrix: str, x: Array) -> Array:
    """What is left of x when it is multiplied with that matrix."""
    return round_activations(x) if matrix in weights.quantized else x


def named_norm(weights: Weights, name: str, x: Array) -> Array:
    """The layer norm of that name."""
    return layer_norm(x, weights[f"{name}.weight"], weights[f"{name}.bias"])
