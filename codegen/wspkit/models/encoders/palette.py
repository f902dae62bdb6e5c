"""A matrix as indices into a table of few values. Must not know what stores them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wspkit.models.encoders.source import Array

_ROUNDS = 30
"""Each brings the sum of squares down; the last ones change next to nothing."""

_BINS = 4096
"""Of the density that the rounds begin with, over the range of the values."""


def palettise(values: Array, n_bits: int) -> tuple[Array, npt.NDArray[np.uint8]]:
    """Table of 2^n_bits values, ascending, and the index of each value into it, in its shape.

    The table makes the sum of squared differences small: Lloyd's rounds (1982) over the distinct
    values with their counts. They begin with as many values everywhere as the third root of the
    density asks for, which is best for many bits (Panter and Dite 1951): the few large weights,
    which matter most, have values of their own. The same on every machine. n_bits: 1 to 8.
    """
    distinct, place, counts = np.unique(
        values.astype(np.float64), return_inverse=True, return_counts=True
    )
    n_before = np.concatenate([[0], np.cumsum(counts)])
    sum_before = np.concatenate([[0.0], np.cumsum(distinct * counts)])
    size = 1 << n_bits
    density, bounds = np.histogram(distinct, bins=_BINS, weights=counts)
    wanted = np.concatenate([[0.0], np.cumsum(np.cbrt(density))])
    table = np.interp((np.arange(size) + 0.5) / size * wanted[-1], wanted, bounds)
    for _ in range(_ROUNDS):
        ends = np.searchsorted(distinct, (table[1:] + table[:-1]) / 2)
        edges = np.concatenate([[0], ends, [len(distinct)]])
        n_values = np.diff(n_before[edges])
        means = np.diff(sum_before[edges]) / np.maximum(n_values, 1)
        table = np.sort(np.where(n_values > 0, means, table))
    index = np.searchsorted((table[1:] + table[:-1]) / 2, distinct)
    return table.astype(values.dtype), index[place].reshape(values.shape).astype(np.uint8)
