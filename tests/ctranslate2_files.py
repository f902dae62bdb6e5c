"""Made-up checkpoints as CTranslate2 writes them; knows the format, not the converter."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
WIDTH, HEADS, N_VOCAB = 8, 2, 51864
TYPE_NUMBERS = {"<f4": 0, "|i1": 1, "<i2": 2, "<i4": 3, "<f2": 4}


def vocabulary(n_vocab: int) -> list[str]:
    """Entries of a vocabulary: words, the end of text where the kind of model has it, special
    tokens.
    """
    end = 50257 if n_vocab >= 51865 else 50256
    words = [f"Ġw{number}" for number in range(end)]
    return [*words, "<|endoftext|>", *(f"<|{number}|>" for number in range(n_vocab - end - 1))]


def variables() -> dict[str, Array]:
    """A checkpoint of one layer in each half, every value different from its neighbours."""
    random = np.random.default_rng(5)
    found: dict[str, Array] = {}

    def put(name: str, *shape: int) -> None:
        found[name] = random.normal(size=shape).astype(np.float16)

    def layer(name: str, rows: int, columns: int) -> None:
        put(f"{name}/weight", rows, columns)
        put(f"{name}/bias", rows)

    def norm(name: str) -> None:
        put(f"{name}/layer_norm/gamma", WIDTH)
        put(f"{name}/layer_norm/beta", WIDTH)

    for side, positions in (("encoder", 10), ("decoder", 6)):
        put(f"{side}/position_encodings/encodings", positions, WIDTH)
        found[f"{side}/num_heads"] = np.array(HEADS, np.int16)
        norm(side)
        block = f"{side}/layer_0"
        norm(f"{block}/self_attention")
        layer(f"{block}/self_attention/linear_0", 3 * WIDTH, WIDTH)
        layer(f"{block}/self_attention/linear_1", WIDTH, WIDTH)
        norm(f"{block}/ffn")
        layer(f"{block}/ffn/linear_0", 4 * WIDTH, WIDTH)
        layer(f"{block}/ffn/linear_1", WIDTH, 4 * WIDTH)
    norm("decoder/layer_0/attention")
    layer("decoder/layer_0/attention/linear_0", WIDTH, WIDTH)
    layer("decoder/layer_0/attention/linear_1", 2 * WIDTH, WIDTH)
    layer("decoder/layer_0/attention/linear_2", WIDTH, WIDTH)
    put("encoder/conv1/weight", WIDTH, 80, 3)
    put("encoder/conv1/bias", WIDTH)
    put("encoder/conv2/weight", WIDTH, WIDTH, 3)
    put("encoder/conv2/bias", WIDTH)
    put("decoder/embeddings/weight", N_VOCAB, WIDTH)
    return found


def text(value: str) -> bytes:
    raw = value.encode() + b"\0"
    return struct.pack("<H", len(raw)) + raw


def packed(entries: dict[str, Array], version: int = 6, spec: str = "WhisperSpec") -> bytes:
    parts = [struct.pack("<I", version), text(spec), struct.pack("<II", 3, len(entries))]
    for name, values in sorted(entries.items()):
        parts += [
            text(name),
            struct.pack("<B", values.ndim),
            struct.pack(f"<{values.ndim}I", *values.shape),
            struct.pack("<BI", TYPE_NUMBERS[values.dtype.str], values.nbytes),
            values.tobytes(),
        ]
    aliases = struct.pack("<I", 1) + text("decoder/projection/weight")
    return b"".join(parts) + aliases + text("decoder/embeddings/weight")
