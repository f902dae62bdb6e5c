"""The core's measure of repetition against zlib itself, over texts of every kind.

The core counts what zlib would write. Where two encodings are about equally long zlib may choose
the other one, and its releases and replacements differ a little among themselves: hence half a
per cent and 4 bytes, far below what moves a ratio across a threshold.
"""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest

from wspkit import _inspect

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "And so, my fellow Americans, ask not what your country can do for you."


def tolerance(size: int) -> float:
    """Bytes by which the two may differ."""
    return 4 + 0.005 * size


def made_up_texts() -> list[bytes]:
    """Words drawn from few or many, in short and long texts; and bytes from few or many."""
    draw = random.Random(1)
    words = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8").split()
    texts = []
    for n_words in (1, 2, 3, 5, 8, 20, 50, 100, 220, 1000):
        for n_different in (1, 2, 5, 20, 200):
            some = draw.sample(words, n_different)
            texts.append(" ".join(draw.choice(some) for _ in range(n_words)).encode())
    for n_values in (1, 2, 10, 100, 256):
        sizes = (10, 300, 3000, 70000)
        texts += [bytes(draw.randrange(n_values) for _ in range(size)) for size in sizes]
    return texts


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"a",
        SENTENCE.encode(),
        ("Thank you. " * 40).encode(),
        ("你好，世界。" * 30).encode(),
        ("Спасибо за просмотр! " * 20).encode(),
        b"ab" * 100_000,
        bytes(range(256)) * 300,
    ],
    ids=lambda text: f"{len(text)}-{zlib.crc32(text):08x}",
)
def test_compressed_size_is_that_of_zlib(text: bytes) -> None:
    size = len(zlib.compress(text, 6))
    assert _inspect.compressed_bytes(text) == pytest.approx(size, abs=tolerance(size))


def test_compressed_size_is_that_of_zlib_over_many_texts() -> None:
    sources = sorted((ROOT / "cpp" / "src").rglob("*.cpp")) + sorted((ROOT / "docs").rglob("*.md"))
    texts = [path.read_bytes() for path in sources] + made_up_texts()
    assert len(texts) > 100
    sizes = [(len(zlib.compress(text, 6)), _inspect.compressed_bytes(text)) for text in texts]
    assert [pair for pair in sizes if abs(pair[0] - pair[1]) > tolerance(pair[0])] == []
    exact = sum(zlib_size == core_size for zlib_size, core_size in sizes)
    assert exact > len(sizes) / 2  # most are the very same
