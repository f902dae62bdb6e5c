"""The container of CTranslate2 checkpoints: wrong, cut and hostile files are named, by place."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from tests.ctranslate2_files import Array, packed, text

from wspkit.errors import BadFormatError
from wspkit.models.convert.ctranslate2_checkpoint import Checkpoint


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "an empty file"),
        (b"\x06\0", "2 bytes to the end of the file; expected 4 bytes of the format version"),
        (b"PK\x03\x04 and more", "format version"),
        (packed({}, version=5), "format version 5; expected version 6"),
        (packed({}, spec="TransformerSpec"), "kind 'TransformerSpec'; expected 'WhisperSpec'"),
        (struct.pack("<IH4s", 6, 4, b"abcd"), "without a closing zero"),
        (struct.pack("<IH4s", 6, 4, b"\xff\xfe\xfd\0"), "in UTF-8"),
        (
            struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, 2**32 - 1),
            "variables",
        ),
    ],
)
def test_files_that_are_no_checkpoint_are_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(BadFormatError, match=re.escape(says)):
        Checkpoint(path)


HEAD = struct.pack("<I", 6) + text("WhisperSpec") + struct.pack("<II", 3, 1) + text("a")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (struct.pack("<B", 200), "a with 200 dimensions"),
        (struct.pack("<BIBI", 1, 4, 9, 4), "type 9 for a"),
        (struct.pack("<BIBI", 1, 4, 0, 4), "4 bytes for a; expected 16 for float32 (4,)"),
        (struct.pack("<BIBI", 1, 2**32 - 1, 1, 2**32 - 1), "bytes of values of a"),
        (struct.pack("<B4IBI", 4, *([2**32 - 1] * 4), 0, 0), "0 bytes for a"),
    ],
)
def test_wild_numbers_in_an_entry_are_refused(tmp_path: Path, entry: bytes, says: str) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(HEAD + entry)
    with pytest.raises(BadFormatError, match=re.escape(says)):
        Checkpoint(path)


def test_a_checkpoint_cut_anywhere_is_refused(tmp_path: Path) -> None:
    small: dict[str, Array] = {
        "a": np.zeros(3, np.float16),
        "decoder/embeddings/weight": np.zeros(2, np.float32),
    }
    whole = packed(small)
    path = tmp_path / "model.bin"
    path.write_bytes(whole)
    Checkpoint(path).close()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(BadFormatError):
            Checkpoint(path)


def test_a_checkpoint_that_becomes_shorter_while_it_is_read_is_refused(tmp_path: Path) -> None:
    # Larger than what is read at a time, so that nothing of it is in memory yet.
    path = tmp_path / "model.bin"
    large: dict[str, Array] = {
        "a": np.zeros(1 << 20, np.float16),
        "decoder/embeddings/weight": np.zeros(1 << 20, np.float16),
    }
    path.write_bytes(packed(large))
    with Checkpoint(path) as checkpoint:
        with path.open("r+b") as file:
            file.truncate(4096)
        for name in large:
            with pytest.raises(BadFormatError, match="became shorter while it was read"):
                checkpoint.values(name)
