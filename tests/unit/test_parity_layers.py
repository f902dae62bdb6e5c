"""The reference's operations against their definitions, written out as loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wspkit.parity import layers
from wspkit.parity.weights import Array


def random(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def test_erf_is_within_2e_14_of_the_c_library() -> None:
    x = np.concatenate([np.linspace(-7, 7, 20_001), [0.0, -0.0, 1e-300, 40.0, -40.0]])

    expected = np.array([math.erf(value) for value in x])

    assert np.abs(layers.erf(x) - expected).max() <= 2e-14


def test_gelu_weighs_by_the_normal_distribution() -> None:
    x = np.array([-10.0, -1.0, 0.0, 1.0, 10.0])
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in x])

    assert layers.gelu(x) == pytest.approx(x * below, abs=1e-12)


def test_softmax_sums_to_one_where_exponentials_would_overflow() -> None:
    shares = layers.softmax(np.array([[1000.0, 1000.0, -np.inf]]))

    assert shares.tolist() == [[0.5, 0.5, 0.0]]


def test_log_softmax_is_the_logarithm_of_softmax() -> None:
    x = random(3, 7)

    assert layers.log_softmax(x) == pytest.approx(np.log(layers.softmax(x)))


def test_layer_norm_gives_rows_of_mean_beta_and_deviation_gamma() -> None:
    x = 5 + 3 * random(4, 400)
    gamma, beta = np.full(400, 2.0), np.full(400, 7.0)

    normed = layers.layer_norm(x, gamma, beta)

    assert normed.mean(axis=1) == pytest.approx(7, abs=1e-12)
    # Not exactly gamma: epsilon is added to a variance of about 9.
    assert normed.std(axis=1) == pytest.approx(2, rel=1e-5)


@pytest.mark.parametrize(("stride", "n_frames"), [(1, 6), (2, 6), (2, 7)])
def test_convolve_slides_a_kernel_of_three_over_padded_frames(stride: int, n_frames: int) -> None:
    x, weight, bias = random(n_frames, 4), random(5, 4, 3, seed=1), random(5, seed=2)
    padded = np.pad(x, ((1, 1), (0, 0)))
    expected = [
        [
            bias[d] + sum(padded[t + j, c] * weight[d, c, j] for c in range(4) for j in range(3))
            for d in range(5)
        ]
        for t in range(0, n_frames, stride)
    ]

    assert layers.convolve(x, weight, bias, stride) == pytest.approx(np.array(expected))


def test_attend_mixes_values_by_scaled_products_head_by_head() -> None:
    q, k, v = random(2, 6), random(5, 6, seed=1), random(5, 6, seed=2)
    expected = np.zeros((2, 6))
    for h in range(2):
        part = slice(3 * h, 3 * h + 3)
        for n in range(2):
            powers = [math.exp(float(q[n, part] @ k[t, part]) / math.sqrt(3)) for t in range(5)]
            for t in range(5):
                expected[n, part] += powers[t] / sum(powers) * v[t, part]

    assert layers.attend(q, k, v, 2) == pytest.approx(expected)


def test_attend_never_looks_behind_the_mask() -> None:
    q, k, v = random(1, 6), random(5, 6, seed=1), random(5, 6, seed=2)
    mask = np.array([[0, 0, -np.inf, -np.inf, -np.inf]])

    assert layers.attend(q, k, v, 2, mask) == pytest.approx(layers.attend(q, k[:2], v[:2], 2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_operation_stays_in_the_type_that_it_was_given(dtype: type) -> None:
    x: Array = random(6, 4).astype(dtype)
    weight: Array = random(4, 4, 3).astype(dtype)
    bias: Array = random(4).astype(dtype)

    results = [
        layers.gelu(x),
        layers.softmax(x),
        layers.layer_norm(x, bias, bias),
        layers.linear(x, weight[:, :, 0], bias),
        layers.convolve(x, weight, bias, 2),
        layers.attend(x, x, x, 2),
    ]

    assert {result.dtype for result in results} == {np.dtype(dtype)}
