"""Quantised types of weights: names, numbers, block sizes. It must not need the native module."""

from __future__ import annotations

from enum import Enum


class QuantizedType(str, Enum):
    """A type whose rows are blocks; those named K hold 256 values each, the others 32."""

    Q4_0 = "q4_0"
    Q4_1 = "q4_1"
    Q5_0 = "q5_0"
    Q5_1 = "q5_1"
    Q8_0 = "q8_0"
    Q2_K = "q2_K"
    Q3_K = "q3_K"
    Q4_K = "q4_K"
    Q5_K = "q5_K"
    Q6_K = "q6_K"

    @property
    def number(self) -> int:
        """What model files call a tensor of this type."""
        return _NUMBERS[self]

    @property
    def block_values(self) -> int:
        """Values in one block, which must divide a row's length."""
        return 256 if self.value.endswith("K") else 32


_NUMBERS = {
    QuantizedType.Q4_0: 2,
    QuantizedType.Q4_1: 3,
    QuantizedType.Q5_0: 6,
    QuantizedType.Q5_1: 7,
    QuantizedType.Q8_0: 8,
    QuantizedType.Q2_K: 10,
    QuantizedType.Q3_K: 11,
    QuantizedType.Q4_K: 12,
    QuantizedType.Q5_K: 13,
    QuantizedType.Q6_K: 14,
}
