"""The reference's reader of model files and of block formats, on files and blocks made by hand."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from wspkit.errors import BadFormatError, UnsupportedError
from wspkit.parity.block_formats import BLOCK_FORMATS, BlockFormat, dequantize
from wspkit.parity.weights import read_weights

SIZES = (51864, 1500, 8, 2, 1, 448, 8, 2, 1, 2, 1)


def tensor(name: str, dtype: int, dimensions: tuple[int, ...], data: bytes) -> bytes:
    head = struct.pack("<3i", len(dimensions), len(name), dtype)
    return head + struct.pack(f"<{len(dimensions)}i", *dimensions) + name.encode() + data


def model(*tensors: bytes) -> bytes:
    head = struct.pack("<I11i", 0x67676D6C, *SIZES)
    filters = struct.pack("<2i", 2, 201) + np.arange(402, dtype="<f4").tobytes()
    words = struct.pack("<i", 2) + b"".join(struct.pack("<i", len(w)) + w for w in (b" a", b""))
    return head + filters + words + b"".join(tensors)


def test_a_model_file_is_read_outermost_dimension_first(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    halves = np.arange(6, dtype="<f2").tobytes()
    singles = np.array([0.1, -2.5], "<f4").tobytes()
    path.write_bytes(model(tensor("m", 1, (3, 2), halves), tensor("v", 0, (2,), singles)))

    weights = read_weights(path)

    assert weights.dimensions.n_vocab == 51864
    assert weights.dimensions.ftype == 1
    assert weights.mel_filters[1, 0] == 201
    assert weights.words == (b" a", b"")
    assert weights["m"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert weights["v"].tolist() == pytest.approx([0.1, -2.5])
    assert weights.as_float64()["v"].dtype == np.float64


def test_what_is_not_a_model_is_refused_with_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "page.bin"
    path.write_bytes(b"<!DOCTYPE html>")

    with pytest.raises(BadFormatError, match="0x4f44213c"):
        read_weights(path)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(model(tensor("v", 0, (2,), b"\0" * 8))[:-4])

    with pytest.raises(BadFormatError, match=r"4 bytes left .* expected 8 more"):
        read_weights(path)


def test_a_type_that_is_not_computed_is_refused_by_number(tmp_path: Path) -> None:
    path = tmp_path / "k.bin"
    path.write_bytes(model(tensor("v", 12, (256,), b"\0" * 144)))

    with pytest.raises(UnsupportedError, match=r"'v' .* type 12"):
        read_weights(path)


# One block of each format, as bytes and as the values that its definition gives: scale 0.5,
# minimum -1, code of value i is i % 16 (plus 16 for every third value where there is a fifth bit).
HALF, MINUS_ONE = np.array([0.5], "<f2").tobytes(), np.array([-1], "<f2").tobytes()
NIBBLES = bytes(i | i << 4 for i in range(16))
FIFTH = sum(1 << i for i in range(0, 32, 3)).to_bytes(4, "little")
FOUR_BIT = [i % 16 for i in range(32)]
FIVE_BIT = [i % 16 + (16 if i % 3 == 0 else 0) for i in range(32)]
SIGNED = list(range(-16, 16))
BLOCKS = {
    "Q4_0": (HALF + NIBBLES, [0.5 * (c - 8) for c in FOUR_BIT]),
    "Q4_1": (HALF + MINUS_ONE + NIBBLES, [0.5 * c - 1 for c in FOUR_BIT]),
    "Q5_0": (HALF + FIFTH + NIBBLES, [0.5 * (c - 16) for c in FIVE_BIT]),
    "Q5_1": (HALF + MINUS_ONE + FIFTH + NIBBLES, [0.5 * c - 1 for c in FIVE_BIT]),
    "Q8_0": (HALF + np.array(SIGNED, np.int8).tobytes(), [0.5 * c for c in SIGNED]),
}


@pytest.mark.parametrize("block_format", BLOCK_FORMATS.values(), ids=lambda f: f.name)
def test_blocks_mean_what_their_format_says(block_format: BlockFormat) -> None:
    data, values = BLOCKS[block_format.name]

    found = dequantize(np.frombuffer(data * 2, np.uint8), block_format)

    assert found.tolist() == values * 2
