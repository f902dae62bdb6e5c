"""What a model file carries beside its weights: the vocabulary's bytes and the mel filters."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from tests.ctranslate2_files import vocabulary

from wspkit.models.convert.byte_map import character_to_byte, decode_token
from wspkit.models.convert.mel_filters import mel_filters
from wspkit.models.convert.vocabulary import N_STORED_TOKENS, read_tokens


def test_the_byte_map_covers_each_byte_once() -> None:
    table = character_to_byte()
    assert sorted(table.values()) == list(range(256))
    assert decode_token("Ġ", table) == b" "
    assert decode_token("Ċ", table) == b"\n"
    assert decode_token("Ã¼", table) == "ü".encode()
    assert decode_token("ü €", table) is None


@pytest.mark.parametrize(("n_vocab", "last"), [(51864, b"<|endoftext|>"), (51865, b" w50256")])
def test_the_stored_tokens_end_where_published_files_end(
    tmp_path: Path, n_vocab: int, last: bytes
) -> None:
    path = tmp_path / "vocabulary.txt"
    path.write_text("\n".join(vocabulary(n_vocab)) + "\n", encoding="utf-8")
    tokens = read_tokens(path, n_vocab)
    assert (len(tokens), tokens[0], tokens[-1]) == (N_STORED_TOKENS, b" w0", last)


@pytest.mark.parametrize("n_mels", [80, 128])
def test_mel_filters_are_equal_area_triangles_of_slaneys_scale(n_mels: int) -> None:
    filters = mel_filters(n_mels)
    assert filters.shape == (n_mels, 201)
    assert filters.min() == 0
    peaks = filters.argmax(axis=1)
    assert (np.diff(peaks) >= 0).all()
    # Bins are 40 Hz apart; a wide triangle of unit area sums to 1 / 40 Hz. Narrow ones are sampled
    # too coarsely, and single precision limits the rest.
    np.testing.assert_allclose(filters[-10:].sum(axis=1) * 40, 1, atol=0.02)


@pytest.mark.parametrize(
    ("n_mels", "sha256"),
    [
        (80, "4f2701b1d287d74a0dc9871026e9519d98cb76426615f2539b0d151a0ae4ec2e"),
        (128, "2a5f9822897750e047c85dea37cc268d3be0ecfd23c28a5f10da129d99d05afe"),
    ],
)
def test_mel_filters_are_openais_to_the_last_bit(n_mels: int, sha256: str) -> None:
    # Checksums of the arrays mel_80 and mel_128 in mel_filters.npz of openai-whisper 20250625.
    assert hashlib.sha256(mel_filters(n_mels).tobytes()).hexdigest() == sha256
