"""Reads a ggml `.bin` Whisper model into arrays. Must not know what the arrays are for.

The file, little endian: magic "ggml"; eleven int32 sizes; mel filters (int32 rows, int32 columns,
float32 values); the vocabulary (int32 count, then int32 length and bytes of each token); tensors
until the end (int32 rank, int32 name length, int32 type, int32 dimensions innermost first, name,
values without padding). This reader trusts its file more than the core's reader does: it is for
models that the tests made or checked.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError, UnsupportedError
from wspkit.parity.block_formats import BLOCK_FORMATS, BLOCK_VALUES, dequantize

#: float32 or float64, one and the same through a whole computation.
Array = npt.NDArray[np.floating[Any]]

MAGIC = 0x67676D6C
GGML_F32, GGML_F16 = 0, 1


@dataclass(frozen=True)
class Dimensions:
    """The sizes at the head of the file, in its order."""

    n_vocab: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int


@dataclass(frozen=True)
class Weights:
    """A whole model. Nothing in it is changed after reading."""

    dimensions: Dimensions
    #: (M, 201) float32: filters over the bins of a 400-point FFT.
    mel_filters: npt.NDArray[np.float32]
    #: Bytes of the tokens that the file lists; special tokens come after them.
    words: tuple[bytes, ...]
    #: By name, outermost dimension first; F16 and quantised tensors are widened to float32.
    tensors: Mapping[str, Array]
    #: Names of those that were quantised: what they are multiplied with is rounded to codes first.
    quantized: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]

    def as_float64(self) -> Weights:
        """The same values for a computation in float64: the oracle's oracle."""
        return replace(
            self, tensors={name: t.astype(np.float64) for name, t in self.tensors.items()}
        )


def read_weights(path: Path) -> Weights:
    """All of a model file.

    BadFormatError if it is not a ggml file or is cut; UnsupportedError if it holds a type that is
    not F32, F16, Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0.
    """
    reader = _Reader(path)
    magic = reader.int32() & 0xFFFFFFFF
    if magic != MAGIC:
        raise BadFormatError(
            f"{path} begins with 0x{magic:08x}",
            expected=f"0x{MAGIC:08x}, the mark of a ggml file",
            hint="Give a ggml .bin model.",
        )
    dimensions = Dimensions(*(reader.int32() for _ in range(11)))
    n_rows, n_columns = reader.int32(), reader.int32()
    filters = reader.take(4 * n_rows * n_columns).view("<f4").reshape(n_rows, n_columns)
    words = tuple(reader.take(reader.int32()).tobytes() for _ in range(reader.int32()))
    tensors: dict[str, Array] = {}
    quantized = set()
    while not reader.at_end():
        name, dtype, tensor = _read_tensor(reader)
        tensors[name] = tensor
        if dtype in BLOCK_FORMATS:
            quantized.add(name)
    return Weights(dimensions, filters, words, tensors, frozenset(quantized))


def _read_tensor(reader: _Reader) -> tuple[str, int, Array]:
    rank, name_length, dtype = reader.int32(), reader.int32(), reader.int32()
    shape = tuple(reader.int32() for _ in range(rank))[::-1]
    name = reader.take(name_length).tobytes().decode()
    n_values = int(np.prod(shape))
    if dtype == GGML_F32:
        return name, dtype, reader.take(4 * n_values).view("<f4").reshape(shape)
    if dtype == GGML_F16:
        halves = reader.take(2 * n_values).view("<f2")
        return name, dtype, halves.astype(np.float32).reshape(shape)
    if dtype not in BLOCK_FORMATS:
        raise UnsupportedError(
            f"tensor '{name}' of {reader.path} has ggml type {dtype}",
            expected="F32, F16, Q4_0, Q4_1, Q5_0, Q5_1 or Q8_0",
        )
    block_format = BLOCK_FORMATS[dtype]
    data = reader.take(n_values // BLOCK_VALUES * block_format.block_bytes)
    return name, dtype, dequantize(data, block_format).reshape(shape)


class _Reader:
    """Bytes of a file, front to back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = np.fromfile(path, np.uint8)
        self._at = 0

    def at_end(self) -> bool:
        return self._at == len(self._data)

    def take(self, n_bytes: int) -> npt.NDArray[np.uint8]:
        """The next n bytes, as a copy that is aligned for any view."""
        end = self._at + n_bytes
        if n_bytes < 0 or end > len(self._data):
            raise BadFormatError(
                f"{self.path} has {len(self._data) - self._at} bytes left at byte {self._at}",
                expected=f"{n_bytes} more",
                hint="The file is cut or damaged: fetch or convert it again.",
            )
        taken: npt.NDArray[np.uint8] = self._data[self._at : end].copy()
        self._at = end
        return taken

    def int32(self) -> int:
        return int(struct.unpack("<i", self.take(4).tobytes())[0])
