"""Makes quantised model files for tests from an F32 one, by the plainest way to each block format.

Any codes do: what is tested is that the core computes with what the blocks say. Scales come from
each block's range, without the searches of a quantiser that is meant to be good.
"""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.parity.block_formats import BLOCK_FORMATS, BLOCK_VALUES, BlockFormat
from wspkit.parity.weights import MAGIC, Array, Weights

#: The file's number for models whose matrices have a type, by the type's number.
FILE_TYPES = {2: 2, 3: 3, 6: 8, 7: 9, 8: 7}
QUANTIZATION_VERSION = 2
F32 = 0
#: Convolutions may be F16 or F32 and never quantised; so may no table of positions.
NEVER_QUANTIZED = ("conv1", "conv2", "positional_embedding")


def quantize(values: Array, block_format: BlockFormat) -> bytes:
    """(n,) values, n a multiple of 32, as blocks."""
    blocks = values.reshape(-1, BLOCK_VALUES).astype(np.float32)
    highest = (1 << block_format.bits) - 1
    minimum = np.zeros((len(blocks), 1), np.float32)
    if block_format.has_minimum:
        minimum = half(blocks.min(axis=1, keepdims=True))
        scale = half((blocks.max(axis=1, keepdims=True) - minimum) / highest)
        offset = 0
    elif block_format.bits == 8:
        scale = half(np.abs(blocks).max(axis=1, keepdims=True) / 127)
        offset = 0
    else:
        offset = block_format.offset
        scale = half(np.abs(blocks).max(axis=1, keepdims=True) / (offset - 1))
    safe = np.where(scale == 0, 1, scale)
    codes = np.rint((blocks - minimum) / safe).astype(np.int32) + offset
    parts = [scale.astype("<f2").view(np.uint8)]
    if block_format.has_minimum:
        parts.append(minimum.astype("<f2").view(np.uint8))
    if block_format.bits == 8:
        parts.append(np.clip(codes, -127, 127).astype(np.int8).view(np.uint8))
    else:
        parts += packed(np.clip(codes, 0, highest).astype(np.uint8), block_format.bits)
    return np.concatenate(parts, axis=1).tobytes()


def packed(codes: npt.NDArray[np.uint8], bits: int) -> list[npt.NDArray[np.uint8]]:
    """(n, 32) codes of four or five bits as the bytes of a block: fifth bits, then nibbles."""
    nibbles = ((codes[:, :16] & 15) | (codes[:, 16:] & 15) << 4).astype(np.uint8)
    if bits == 4:
        return [nibbles]
    return [np.packbits((codes >> 4).astype(np.uint8), axis=1, bitorder="little"), nibbles]


def half(values: Array) -> npt.NDArray[np.float32]:
    """Rounded to binary16, as scales and minima are stored."""
    return values.astype(np.float16).astype(np.float32)


def write_quantized(weights: Weights, path: Path, dtype: int) -> Path:
    """The model with its matrices in the block format that model files number `dtype`."""
    with path.open("wb") as file:
        sizes = list(vars(weights.dimensions).values())
        sizes[-1] = FILE_TYPES[dtype] + 1000 * QUANTIZATION_VERSION
        file.write(struct.pack("<I11i", MAGIC, *sizes))
        file.write(struct.pack("<2i", *weights.mel_filters.shape))
        file.write(weights.mel_filters.astype("<f4").tobytes())
        file.write(struct.pack("<i", len(weights.words)))
        for word in weights.words:
            file.write(struct.pack("<i", len(word)) + word)
        for name, tensor in weights.tensors.items():
            quantized = tensor.ndim == 2 and not any(part in name for part in NEVER_QUANTIZED)
            head = (tensor.ndim, len(name), dtype if quantized else F32, *tensor.shape[::-1])
            file.write(struct.pack(f"<{len(head)}i", *head) + name.encode())
            if quantized:
                file.write(quantize(tensor, BLOCK_FORMATS[dtype]))
            else:
                file.write(tensor.astype("<f4").tobytes())
    return path
