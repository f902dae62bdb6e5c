"""Every kernel table of this machine against NumPy in float64, with bounds from rounding theory.

u = 2^-24 is the unit roundoff of float32. A sum of n products in any order, fused or not, is within
n u / (1 - n u) times the sum of their magnitudes (Higham 2002, section 3.1): no test can be luckier
or unluckier than that.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.parity.quantizer import quantize

from wspkit import _inspect
from wspkit.parity import layers
from wspkit.parity.block_formats import (
    BLOCK_FORMATS,
    BlockFormat,
    dequantize,
    round_activations,
)
from wspkit.parity.weights import Array

UNIT = 2.0**-24
FORMATS = {"f32": None, "f16": None} | {f.name.lower(): f for f in BLOCK_FORMATS.values()}
TABLES = _inspect.kernel_tables()


def random(*shape: int, seed: int = 0) -> Array:
    values: Array = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    return values


def stored(
    weight_format: str, values: Array
) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint8]], Array]:
    """Bytes of (n, k) values in a format, and the float64 values that they stand for."""
    block_format = FORMATS[weight_format]
    if block_format is not None:
        data = np.frombuffer(quantize(values, block_format), np.uint8)
        return data, dequantize(data, block_format).reshape(values.shape).astype(np.float64)
    narrow = values.astype(np.float16 if weight_format == "f16" else np.float32)
    return np.frombuffer(narrow.tobytes(), np.uint8), narrow.astype(np.float64)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weight_format", FORMATS)
def test_widening_gives_the_stored_values(table: str, weight_format: str) -> None:
    data, values = stored(weight_format, random(1, 416))

    widened = _inspect.kernel_to_f32(table, weight_format, data, 416)

    # The product of a binary16 scale and a code of at most 8 bits is exact in float32, so that a
    # minimum costs one rounding, fused or not: no table may differ in a bit.
    assert np.array_equal(widened, values[0])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("weight_format", ["f32", "f16"])
@pytest.mark.parametrize("n_x", [1, 3, 8])
def test_dots_are_sums_of_products(table: str, weight_format: str, n_x: int) -> None:
    k, n_weights = 384, 37
    data, weights = stored(weight_format, random(n_weights, k))
    x = random(n_x, k, seed=1).astype(np.float64)

    found = _inspect.kernel_dots(table, weight_format, data, n_weights, x)

    bound = (k + 2) * UNIT / (1 - (k + 2) * UNIT) * (np.abs(x) @ np.abs(weights).T)
    assert (np.abs(found - x @ weights.T) <= bound).all()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("block_format", BLOCK_FORMATS.values(), ids=lambda f: f.name)
@pytest.mark.parametrize("n_x", [1, 3, 8])
def test_quantised_dots_are_sums_of_products_with_rounded_activations(
    table: str, block_format: BlockFormat, n_x: int
) -> None:
    k, n_weights = 384, 37
    data, weights = stored(block_format.name.lower(), random(n_weights, k))
    x = random(n_x, k, seed=1)
    rounded = round_activations(x.astype(np.float64))

    found = _inspect.kernel_dots(table, block_format.name.lower(), data, n_weights, x)

    # Sums of codes are exact. What is rounded are products of blocks with their scales, and of
    # minimums, twice each; then they pass two additions in each block at most.
    blocks = data.reshape(-1, block_format.block_bytes)
    minimum = np.zeros((n_weights, k))
    if block_format.has_minimum:
        halves = np.ascontiguousarray(blocks[:, 2:4]).view("<f2").astype(np.float64)
        minimum = np.repeat(halves, 32, axis=1).reshape(n_weights, k)
    magnitude = np.abs(rounded) @ (np.abs(weights - minimum) + np.abs(minimum)).T
    bound = (2 * k / 32 + 3) * UNIT * magnitude
    assert (np.abs(found - rounded @ weights.T) <= bound).all()
    # The bound is sharp: activations that are not rounded are far outside of it.
    assert (np.abs(found - x.astype(np.float64) @ weights.T) > bound).mean() > 0.9


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 17, 33), (64, 48, 384)])
def test_gemm_is_a_matrix_product(table: str, shape: tuple[int, int, int]) -> None:
    n, m, k = shape
    a, b = random(n, k).astype(np.float64), random(m, k, seed=1).astype(np.float64)

    found = _inspect.kernel_gemm(table, a, b)

    bound = k * UNIT / (1 - k * UNIT) * (np.abs(a) @ np.abs(b).T)
    assert (np.abs(found - a @ b.T) <= bound).all()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("block", [7, 64, 1500])
def test_softmax_in_blocks_is_softmax(table: str, block: int) -> None:
    scores = 5 * random(1500)
    expected = layers.softmax(scores.astype(np.float64) * 0.125)

    found = _inspect.kernel_softmax(table, scores, 0.125, block)

    # Relative: exponents below 4 in magnitude carry 4 u each, exp itself 2 u, the sum of 1500
    # positive terms at most 1500 u, and rescaling one u for each block.
    blocks = -(-1500 // block)
    assert found == pytest.approx(expected, rel=(1510 + blocks) * UNIT)


@pytest.mark.parametrize("table", TABLES)
def test_finish_adds_the_bias_and_applies_gelu(table: str) -> None:
    x = np.linspace(-12, 12, 4801, dtype=np.float32)
    bias = np.full_like(x, 0.25)
    expected = layers.gelu(x.astype(np.float64) + 0.25)

    found = _inspect.kernel_finish(table, x, bias, True)

    # The kernel's own bound.
    assert (np.abs(found - expected) <= 4e-7 * np.maximum(1, np.abs(x + 0.25))).all()


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("n", [384, 1280])
def test_layer_norm_centres_and_scales(table: str, n: int) -> None:
    x, gamma, beta = 3 + 2 * random(n), random(n, seed=1), random(n, seed=2)
    wide = [values.astype(np.float64) for values in (x, gamma, beta)]
    expected = layers.layer_norm(wide[0], wide[1], wide[2])

    found = _inspect.kernel_layer_norm(table, x, gamma, beta)

    # Mean and variance are sums of n terms (n u relative at worst), and the centred value loses
    # what the mean, 1.5 deviations from zero, has in rounding.
    normed = np.abs(wide[1]) * (2 + np.abs((wide[0] - wide[0].mean()) / wide[0].std()))
    assert (np.abs(found - expected) <= 2 * n * UNIT * normed + 4 * UNIT).all()


@pytest.mark.parametrize("table", TABLES)
def test_halves_are_rounded_to_nearest_even(table: str) -> None:
    bits = np.arange(0x10000, dtype=np.uint16)
    halves = bits.view(np.float16).astype(np.float32)
    finite = halves[np.isfinite(halves)]
    between = np.concatenate(
        [finite, np.nextafter(finite, np.float32(np.inf)), finite * np.float32(1 + 2.0**-11)]
    )
    values = np.concatenate([between, [np.inf, -np.inf, 65519, 65520, 1e30]]).astype(np.float32)

    found = _inspect.kernel_f32_to_f16(table, values)

    with np.errstate(over="ignore"):
        assert np.array_equal(found, values.astype(np.float16).view(np.uint16))
