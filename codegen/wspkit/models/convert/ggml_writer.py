"""Writes ggml `.bin` Whisper models tensor by tensor; knows the file layout, not where values come
from.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import astuple
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from wspkit.models.ggml_types import MAGIC, Hyperparameters

TYPE_F32 = 0
TYPE_F16 = 1
"""ggml's numbers of the element types; the same numbers say in the header what the large weights
are.
"""


def write_preamble(
    out: BinaryIO,
    hyperparameters: Hyperparameters,
    filters: npt.NDArray[np.float32],
    tokens: Sequence[bytes],
) -> None:
    """Writes all that stands before the tensors: magic, header, mel filters (M, bins),
    vocabulary.
    """
    out.write(struct.pack("<I11i", MAGIC, *astuple(hyperparameters)))
    out.write(struct.pack("<2i", *filters.shape))
    out.write(np.ascontiguousarray(filters, dtype="<f4").tobytes())
    out.write(struct.pack("<i", len(tokens)))
    for token in tokens:
        out.write(struct.pack("<I", len(token)))
        out.write(token)


def write_tensor(out: BinaryIO, name: str, values: npt.NDArray[np.generic]) -> None:
    """Writes one tensor, float16 or float32, shape outermost first (the file has it innermost
    first).
    """
    type_number = {"<f4": TYPE_F32, "<f2": TYPE_F16}[values.dtype.newbyteorder("<").str]
    encoded_name = name.encode()
    out.write(struct.pack("<3i", values.ndim, len(encoded_name), type_number))
    out.write(struct.pack(f"<{values.ndim}i", *reversed(values.shape)))
    out.write(encoded_name)
    out.write(np.ascontiguousarray(values).data)
