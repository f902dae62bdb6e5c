"""The block formats of quantised rows as arrays: bytes in, float32 out.

Must not know files or models.

Every format holds 32 consecutive values of a row in one block: a binary16 scale, for some a
binary16 minimum, for the five-bit formats 4 bytes with the fifth bits (little endian: bit i belongs
to value i), then the codes. Four-bit codes lie in 16 bytes: value i in the low nibble of byte i,
value i + 16 in its high nibble.

    Q4_0  value = scale * (code - 8)           Q4_1  value = scale * code + minimum
    Q5_0  value = scale * (code - 16)          Q5_1  value = scale * code + minimum
    Q8_0  value = scale * code (signed byte)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK_VALUES = 32


@dataclass(frozen=True)
class BlockFormat:
    """Layout of one block. Sizes in bytes; `bits` counts those of one code."""

    name: str
    bits: int
    has_minimum: bool

    @property
    def block_bytes(self) -> int:
        """Scale, minimum, fifth bits and codes together."""
        fifth_bits = 4 if self.bits == 5 else 0
        codes = 32 if self.bits == 8 else 16
        return 2 + (2 if self.has_minimum else 0) + fifth_bits + codes

    @property
    def offset(self) -> int:
        """What is taken from a code before it is scaled, in formats without a minimum."""
        return 0 if self.has_minimum or self.bits == 8 else 1 << (self.bits - 1)


#: By the number that model files use for the type (ggml_type).
BLOCK_FORMATS = {
    2: BlockFormat("Q4_0", 4, has_minimum=False),
    3: BlockFormat("Q4_1", 4, has_minimum=True),
    6: BlockFormat("Q5_0", 5, has_minimum=False),
    7: BlockFormat("Q5_1", 5, has_minimum=True),
    8: BlockFormat("Q8_0", 8, has_minimum=False),
}


def dequantize(data: npt.NDArray[np.uint8], block_format: BlockFormat) -> npt.NDArray[np.float32]:
    """Values of whole blocks.

    data: (n_blocks * block_bytes,) bytes. Returns (n_blocks * 32,) float32. Each value is one
    product (and one sum) of float32, so that two implementations differ by at most one rounding.
    """
    blocks = data.reshape(-1, block_format.block_bytes)
    scale = _halves(blocks, 0)
    minimum = _halves(blocks, 2) if block_format.has_minimum else np.float32(0)
    codes = _codes(blocks[:, 4 if block_format.has_minimum else 2 :], block_format.bits)
    values: npt.NDArray[np.float32] = scale * (codes - np.float32(block_format.offset)) + minimum
    return values.reshape(-1)


def round_activations(x: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.floating[Any]]:
    """What is left of activations that are multiplied with quantised weights, in the type of x.

    x: (..., D), D whole blocks of 32, each with a scale of a 127th of its largest magnitude; values
    are rounded to whole multiples of it, ties to even. Steps are taken in float32, as the core
    takes them, so that equal inputs have equal codes. Not for blocks that are not finite.
    """
    blocks = x.reshape(*x.shape[:-1], -1, BLOCK_VALUES).astype(np.float32)
    largest = np.abs(blocks).max(axis=-1, keepdims=True)
    safe = np.where(largest < np.float32(2.0**-100), np.float32(np.inf), largest)
    codes = np.rint(blocks * (np.float32(127) / safe))
    scale = np.where(np.isinf(safe), np.float32(0), largest / np.float32(127))
    rounded: npt.NDArray[np.floating[Any]] = scale.astype(x.dtype) * codes.astype(x.dtype)
    return rounded.reshape(x.shape)


def _codes(tails: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.float32]:
    """Codes of each block from what follows its scale and minimum: (n_blocks, 32)."""
    if bits == 8:
        return tails.view(np.int8).astype(np.float32)
    nibbles = tails[:, -16:]
    codes = np.concatenate([nibbles & 15, nibbles >> 4], axis=1)
    if bits == 5:
        codes = codes | np.unpackbits(tails[:, :4], axis=1, bitorder="little") << 4
    return codes.astype(np.float32)


def _halves(blocks: npt.NDArray[np.uint8], at: int) -> npt.NDArray[np.float32]:
    """The binary16 at byte `at` of each block: (n_blocks, 1) float32."""
    return np.ascontiguousarray(blocks[:, at : at + 2]).view("<f2").astype(np.float32)
