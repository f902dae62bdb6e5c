"""Rows of floats as blocks of a quantised type. It must not know model files."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wspkit.core.native import core
from wspkit.core.quantized_type import QuantizedType


def quantize_rows(rows: NDArray[np.float32], to: QuantizedType) -> NDArray[np.uint8]:
    """(n, bytes of a row) from (n, width) floats: the bytes that ggml's quantisers give.

    Rows do not depend on each other, and Python's other threads run meanwhile.
    Errors: UsageError if the type's block does not divide the width, or a value is not finite.
    """
    return core.quantize_rows(rows, to.number)
