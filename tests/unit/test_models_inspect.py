"""What a model file says about itself, and what is wrong with one that is damaged or hostile."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wspkit.errors import BadFormatError, NotFoundError, UsageError
from wspkit.models.convert.ggml_writer import write_preamble, write_tensor
from wspkit.models.convert.mel_filters import mel_filters
from wspkit.models.ggml_types import Hyperparameters
from wspkit.models.inspect import Tensor, inspect

SIZES = Hyperparameters(51865, 1500, 8, 2, 4, 448, 8, 2, 4, 80, 1)
TOKENS = [b"a", b"", "ü".encode()]
HEADER_BYTES = 4 + 11 * 4
FILTER_BYTES = 2 * 4 + 80 * 201 * 4
VOCABULARY_BYTES = 4 + sum(4 + len(token) for token in TOKENS)
TENSORS_AT = HEADER_BYTES + FILTER_BYTES + VOCABULARY_BYTES


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.bin"
    with path.open("wb") as file:
        write_preamble(file, SIZES, mel_filters(80), TOKENS)
        write_tensor(file, "matrix", np.zeros((3, 5), np.float16))
        write_tensor(file, "vector", np.zeros(7, np.float32))
    return path


def changed(path: Path, change: Callable[[bytearray], object]) -> Path:
    content = bytearray(path.read_bytes())
    change(content)
    path.write_bytes(content)
    return path


def test_a_model_is_described(model: Path) -> None:
    report = inspect(model)
    assert (report.kind, report.size_name, report.weights) == ("whisper", "tiny", "f16")
    assert report.hyperparameters is not None
    assert report.hyperparameters.n_audio_ctx == 1500
    assert (report.languages, report.vocabulary_tokens) == (99, 3)
    matrix_at = TENSORS_AT + 3 * 4 + 2 * 4 + len("matrix")
    vector_at = matrix_at + 30 + 3 * 4 + 4 + len("vector")
    assert report.tensors == (
        Tensor("matrix", (3, 5), "f16", 30, matrix_at),
        Tensor("vector", (7,), "f32", 28, vector_at),
    )
    assert report.totals == {"f16": (1, 30), "f32": (1, 28)}
    assert report.weight_bytes == 58
    # Keys and values, 2 bytes each, of 4 layers of width 8, at 1500 and 3 x 448 positions.
    assert report.memory_bytes == 58 + 2 * 2 * 4 * 8 * (1500 + 3 * 448)


@pytest.mark.parametrize(
    ("n_vocab", "languages"), [(51864, 1), (51865, 99), (51866, 100), (51870, 104)]
)
def test_languages_follow_from_the_vocabulary(model: Path, n_vocab: int, languages: int) -> None:
    changed(model, lambda content: struct.pack_into("<i", content, 4, n_vocab))
    assert inspect(model).languages == languages


@pytest.mark.parametrize(
    ("type_number", "name", "row_bytes"),
    [
        (2, "q4_0", 8 * 18),
        (3, "q4_1", 8 * 20),
        (6, "q5_0", 8 * 22),
        (7, "q5_1", 8 * 24),
        (8, "q8_0", 8 * 34),
        (10, "q2_K", 84),
        (11, "q3_K", 110),
        (12, "q4_K", 144),
        (13, "q5_K", 176),
        (14, "q6_K", 210),
    ],
)
def test_quantised_tensors_are_shown_with_their_size(
    model: Path, type_number: int, name: str, row_bytes: int
) -> None:
    with model.open("ab") as file:
        file.write(struct.pack("<3i2i", 2, 1, type_number, 256, 3) + b"w" + bytes(3 * row_bytes))
    tensor = inspect(model).tensors[-1]
    assert (tensor.type_name, tensor.shape, tensor.size_bytes) == (name, (3, 256), 3 * row_bytes)


def test_the_file_type_and_the_version_of_its_layout_are_told_apart(model: Path) -> None:
    changed(model, lambda content: struct.pack_into("<i", content, 4 + 10 * 4, 2012))
    report = inspect(model)
    assert (report.weights, report.quantization_version) == ("q4_K", 2)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty file"),
        (b"ggml", "bytes 67 67 6d 6c"),
        (b"lmgg", "0 bytes to the end"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"GGUF\x03\0\0\0", "a GGUF file"),
        (b"PK\x03\x04....", "ZIP archive or PyTorch"),
        (b"version https://git-lfs.github.com/spec/v1", "Git LFS pointer"),
        (b"RIFF....WAVE", "RIFF file"),
        (bytes(8), "bytes 00 00 00 00"),
    ],
)
def test_foreign_files_are_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.bin"
    path.write_bytes(content)
    with pytest.raises(BadFormatError, match=says):
        inspect(path)


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        inspect(tmp_path / "none.bin")
    with pytest.raises(UsageError, match="is a directory"):
        inspect(tmp_path)


@pytest.mark.parametrize("value", [-1, 0, 2**31 - 1])
@pytest.mark.parametrize("field", range(10))
def test_wild_header_fields_are_refused_at_their_place(model: Path, field: int, value: int) -> None:
    at = 4 + 4 * field
    changed(model, lambda content: struct.pack_into("<i", content, at, value))
    with pytest.raises(BadFormatError, match=f"at byte {at}: found {value} as n_"):
        inspect(model)


@pytest.mark.parametrize("value", [-1, 4, 999, 2**31 - 1])
def test_an_unknown_file_type_is_refused(model: Path, value: int) -> None:
    changed(model, lambda content: struct.pack_into("<i", content, 44, value))
    with pytest.raises(BadFormatError, match=f"at byte 44: found {value} as ftype"):
        inspect(model)


@pytest.mark.parametrize(
    ("at", "value", "says"),
    [
        (HEADER_BYTES, 79, "79 as the number of mel filters; expected 80 to 80"),
        (HEADER_BYTES + 4, 2**31 - 1, "as the number of spectrum bins"),
        (HEADER_BYTES + FILTER_BYTES, -1, "-1 as the number of stored tokens"),
        (HEADER_BYTES + FILTER_BYTES, 51866, "expected 0 to 51865"),
        (HEADER_BYTES + FILTER_BYTES + 4, 2**31 - 1, "as the length of token 0"),
        (TENSORS_AT, 20, "20 as the dimensions of tensor 0; expected 1 to 4"),
        (TENSORS_AT, 0, "0 as the dimensions of tensor 0"),
        (TENSORS_AT + 4, -5, "-5 as the length of the name of tensor 0"),
        (TENSORS_AT + 4, 2**31 - 1, "as the length of the name of tensor 0"),
        (TENSORS_AT + 8, 77, "type 77 of tensor 0"),
        (TENSORS_AT + 8, 8, "rows of 5 values .* multiple of 32 as q8_0"),
        (TENSORS_AT + 12, 0, "0 in the shape of tensor 0 'matrix'"),
        (TENSORS_AT + 12, -1, "-1 in the shape"),
        (TENSORS_AT + 12, 2**31 - 1, "bytes to the end; expected 12884901882 bytes"),
    ],
)
def test_wild_numbers_are_refused_at_their_place(
    model: Path, at: int, value: int, says: str
) -> None:
    changed(model, lambda content: struct.pack_into("<i", content, at, value))
    with pytest.raises(BadFormatError, match=says):
        inspect(model)


def test_names_that_are_no_text_are_refused(model: Path) -> None:
    def spoil(content: bytearray) -> None:
        content[TENSORS_AT + 20] = 0xFF

    with pytest.raises(BadFormatError, match="as the name of tensor 0; expected text"):
        inspect(changed(model, spoil))


def test_a_file_cut_anywhere_but_between_tensors_is_refused(model: Path) -> None:
    content = model.read_bytes()
    whole = inspect(model)
    between = {whole.tensors[0].offset_bytes + 30, TENSORS_AT}
    places = [*range(60), *range(HEADER_BYTES + FILTER_BYTES - 8, len(content))]
    for place in places:
        model.write_bytes(content[:place])
        if place in between:
            inspect(model)
            continue
        with pytest.raises(BadFormatError, match="found"):
            inspect(model)


def test_tensors_without_end_are_refused(model: Path) -> None:
    with model.open("ab") as file:
        file.write((struct.pack("<3i1i", 1, 1, 0, 1) + b"w" + bytes(4)) * 10_001)
    with pytest.raises(BadFormatError, match="more than 10000 tensors"):
        inspect(model)
