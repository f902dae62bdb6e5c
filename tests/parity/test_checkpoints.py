"""Checkpoints of Hugging Face and OpenAI, rewritten from tiny.en: the known model comes out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.checkpoint_files import (
    ggml_tensors,
    hyperparameters,
    printable,
    tiktoken_lines,
    write_hugging_face,
    write_openai,
)

from wspkit.models.convert.checkpoint import convert
from wspkit.parity.weights import read_weights

#: tiny.en stores its 50256 text tokens and the end of text.
END_OF_TEXT = 50256


@pytest.fixture(scope="module")
def words(tiny_en_f16: Path) -> list[bytes]:
    """The stored tokens, by number."""
    return list(read_weights(tiny_en_f16).words)


def same(written: Path, known: Path) -> bool:
    return np.array_equal(np.memmap(written, np.uint8), np.memmap(known, np.uint8))


@pytest.mark.parametrize("shards", [1, pytest.param(2, marks=pytest.mark.long("packaging"))])
def test_hugging_faces_tiny_en_becomes_the_known_file(
    shards: int, tiny_en_f16: Path, words: list[bytes], tmp_path: Path
) -> None:
    assert words[END_OF_TEXT] == b"<|endoftext|>"
    numbered = {printable(word): number for number, word in enumerate(words)}
    assert len(numbered) == END_OF_TEXT + 1
    directory = write_hugging_face(
        tmp_path / "whisper-tiny.en",
        ggml_tensors(tiny_en_f16),
        hyperparameters(tiny_en_f16),
        numbered,
        shards=shards,
    )
    assert "Ġthe" in json.loads((directory / "vocab.json").read_text(encoding="utf-8"))
    assert same(convert(directory, tmp_path / "made.bin"), tiny_en_f16)


def test_openais_tiny_en_becomes_the_known_file(
    tiny_en_f16: Path, words: list[bytes], tmp_path: Path
) -> None:
    path = write_openai(
        tmp_path / "tiny.en.pt", ggml_tensors(tiny_en_f16), hyperparameters(tiny_en_f16)
    )
    (tmp_path / "gpt2.tiktoken").write_text(tiktoken_lines(words[:END_OF_TEXT]))
    assert same(convert(path, tmp_path / "made.bin"), tiny_en_f16)
