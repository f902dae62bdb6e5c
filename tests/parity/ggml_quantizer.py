"""ggml's own quantisers, out of pywhispercpp's library: an oracle. Must not know ours."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.metadata import files

import numpy as np
import numpy.typing as npt


@cache
def _library() -> ctypes.CDLL:
    (found,) = (file for file in files("pywhispercpp") or () if "libggml-base-" in file.name)
    library = ctypes.CDLL(str(found.locate()))
    library.ggml_row_size.restype = ctypes.c_size_t
    library.ggml_row_size.argtypes = [ctypes.c_int, ctypes.c_int64]
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    library.ggml_quantize_chunk.argtypes = [
        *(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p),
        *(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p),
    ]
    return library


#: Names of types in the names of ggml's functions that widen a row.
_NAMES = {2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0"}
_NAMES |= {10: "q2_K", 11: "q3_K", 12: "q4_K", 13: "q5_K", 14: "q6_K"}


def ggml_dequantized(
    blocks: npt.NDArray[np.uint8], number: int, n_values: int
) -> npt.NDArray[np.float32]:
    """(n_values,) floats from the bytes of whole blocks."""
    widen = getattr(_library(), f"dequantize_row_{_NAMES[number]}")
    widen.restype = None
    widen.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
    out = np.zeros(n_values, np.float32)
    widen(np.ascontiguousarray(blocks).ctypes.data, out.ctypes.data, n_values)
    return out


def ggml_quantized(rows: npt.NDArray[np.float32], number: int) -> npt.NDArray[np.uint8]:
    """(n, bytes of a row) from (n, width) floats, without importances. number: ggml's of the
    type.
    """
    n_rows, width = rows.shape
    values = np.ascontiguousarray(rows, np.float32)
    out = np.zeros((n_rows, _library().ggml_row_size(number, width)), np.uint8)
    written = _library().ggml_quantize_chunk(
        number, values.ctypes.data, out.ctypes.data, 0, n_rows, width, None
    )
    assert written == out.nbytes
    return out
