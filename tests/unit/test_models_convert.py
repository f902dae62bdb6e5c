"""CTranslate2 checkpoints become ggml models value by value, and wrong ones are named."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from wspkit.errors import BadFormatError, UsageError
from wspkit.models.convert.byte_map import character_to_byte, decode_token
from wspkit.models.convert.ctranslate2 import (
    N_STORED_TOKENS,
    OutputType,
    checkpoint_files,
    convert,
    read_tokens,
)
from wspkit.models.convert.ctranslate2_checkpoint import Checkpoint
from wspkit.models.convert.mel_filters import mel_filters
from wspkit.models.inspect import Report, inspect

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


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    directory = tmp_path / "checkpoint"
    directory.mkdir()
    write(directory, variables())
    (directory / "vocabulary.txt").write_text("\n".join(vocabulary(N_VOCAB)), encoding="utf-8")
    return directory


def write(directory: Path, entries: dict[str, Array]) -> None:
    (directory / "model.bin").write_bytes(packed(entries))


def tensor(path: Path, report: Report, name: str) -> Array:
    """A tensor's values out of a ggml file, at the place that the inspection gives."""
    (entry,) = (entry for entry in report.tensors if entry.name == name)
    dtype = {"f16": "<f2", "f32": "<f4"}[entry.type_name]
    raw = path.read_bytes()[entry.offset_bytes : entry.offset_bytes + entry.size_bytes]
    return np.frombuffer(raw, dtype).reshape(entry.shape)


# What each kind of tensor is in the checkpoint: (variable, its rows, type).
EXPECTED = {
    "encoder.positional_embedding": ("encoder/position_encodings/encodings", slice(None), "f32"),
    "decoder.positional_embedding": ("decoder/position_encodings/encodings", slice(None), "f32"),
    "decoder.token_embedding.weight": ("decoder/embeddings/weight", slice(None), "f16"),
    "encoder.conv1.weight": ("encoder/conv1/weight", slice(None), "f16"),
    "encoder.conv2.bias": ("encoder/conv2/bias", slice(None), "f32"),
    "encoder.blocks.0.attn.query.weight": (
        "encoder/layer_0/self_attention/linear_0/weight",
        slice(0, 8),
        "f16",
    ),
    "encoder.blocks.0.attn.key.weight": (
        "encoder/layer_0/self_attention/linear_0/weight",
        slice(8, 16),
        "f16",
    ),
    "encoder.blocks.0.attn.value.bias": (
        "encoder/layer_0/self_attention/linear_0/bias",
        slice(16, 24),
        "f32",
    ),
    "decoder.blocks.0.attn.out.weight": (
        "decoder/layer_0/self_attention/linear_1/weight",
        slice(None),
        "f16",
    ),
    "decoder.blocks.0.cross_attn.query.bias": (
        "decoder/layer_0/attention/linear_0/bias",
        slice(None),
        "f32",
    ),
    "decoder.blocks.0.cross_attn.key.weight": (
        "decoder/layer_0/attention/linear_1/weight",
        slice(0, 8),
        "f16",
    ),
    "decoder.blocks.0.cross_attn.value.weight": (
        "decoder/layer_0/attention/linear_1/weight",
        slice(8, 16),
        "f16",
    ),
    "decoder.blocks.0.cross_attn.out.bias": (
        "decoder/layer_0/attention/linear_2/bias",
        slice(None),
        "f32",
    ),
    "decoder.blocks.0.cross_attn_ln.weight": (
        "decoder/layer_0/attention/layer_norm/gamma",
        slice(None),
        "f32",
    ),
    "encoder.blocks.0.mlp.0.weight": ("encoder/layer_0/ffn/linear_0/weight", slice(None), "f16"),
    "encoder.blocks.0.mlp.2.bias": ("encoder/layer_0/ffn/linear_1/bias", slice(None), "f32"),
    "encoder.blocks.0.mlp_ln.bias": ("encoder/layer_0/ffn/layer_norm/beta", slice(None), "f32"),
    "encoder.ln_post.weight": ("encoder/layer_norm/gamma", slice(None), "f32"),
    "decoder.ln.bias": ("decoder/layer_norm/beta", slice(None), "f32"),
}


@pytest.mark.parametrize("output", list(OutputType))
def test_each_tensor_is_its_rows_of_the_checkpoint(
    checkpoint: Path, tmp_path: Path, output: OutputType
) -> None:
    path = convert(checkpoint, tmp_path / "m.bin", output)
    report, source = inspect(path), variables()
    for name, (variable, rows, type_name) in EXPECTED.items():
        values = tensor(path, report, name)
        wanted = source[variable][rows]
        assert values.dtype == ("<f2" if (type_name, output) == ("f16", OutputType.F16) else "<f4")
        # Half to single precision and back loses nothing, so equality is exact.
        np.testing.assert_array_equal(values.reshape(wanted.shape), wanted, err_msg=name)


def test_the_header_follows_from_the_shapes(checkpoint: Path, tmp_path: Path) -> None:
    report = inspect(convert(checkpoint, tmp_path / "m.bin"))
    h = report.hyperparameters
    assert h is not None
    assert (h.n_vocab, h.n_mels, h.ftype) == (N_VOCAB, 80, 1)
    assert (h.n_audio_ctx, h.n_audio_state, h.n_audio_head, h.n_audio_layer) == (10, 8, 2, 1)
    assert (h.n_text_ctx, h.n_text_state, h.n_text_head, h.n_text_layer) == (6, 8, 2, 1)
    assert report.vocabulary_tokens == N_STORED_TOKENS
    # 15 of an encoder layer, 24 of a decoder layer; positions, convolutions, embedding, last norms.
    assert len(report.tensors) == 15 + 24 + 2 + 4 + 1 + 4


def test_biases_of_convolutions_are_columns(checkpoint: Path, tmp_path: Path) -> None:
    report = inspect(convert(checkpoint, tmp_path / "m.bin"))
    shapes = {entry.name: entry.shape for entry in report.tensors}
    assert shapes["encoder.conv1.bias"] == (WIDTH, 1)


def test_model_bin_and_its_directory_are_one_checkpoint(checkpoint: Path, tmp_path: Path) -> None:
    one = convert(checkpoint, tmp_path / "a.bin").read_bytes()
    assert convert(checkpoint / "model.bin", tmp_path / "b.bin").read_bytes() == one


def test_a_vocabulary_in_json_gives_the_same_model(checkpoint: Path, tmp_path: Path) -> None:
    one = convert(checkpoint, tmp_path / "a.bin").read_bytes()
    (checkpoint / "vocabulary.txt").rename(checkpoint / "kept")
    listed = json.dumps(vocabulary(N_VOCAB), ensure_ascii=False)
    (checkpoint / "vocabulary.json").write_text(listed, encoding="utf-8")
    assert convert(checkpoint, tmp_path / "b.bin").read_bytes() == one


def test_brain_floats_are_widened_exactly(checkpoint: Path, tmp_path: Path) -> None:
    entries = variables()
    bits = np.arange(WIDTH, dtype=np.uint16) + 0x3F80  # 1.0 and the next seven bfloat16 values
    entries["encoder/layer_norm/gamma"] = bits.view(np.int16)
    write(checkpoint, entries)
    content = bytearray((checkpoint / "model.bin").read_bytes())
    at = content.index(b"encoder/layer_norm/gamma\0") + len("encoder/layer_norm/gamma\0") + 1 + 4
    content[at] = 5  # int16 becomes bfloat16
    (checkpoint / "model.bin").write_bytes(content)
    path = convert(checkpoint, tmp_path / "m.bin")
    found = tensor(path, inspect(path), "encoder.ln_post.weight")
    np.testing.assert_array_equal(found, 1 + np.arange(WIDTH) / 128)


def test_progress_counts_tensors_to_the_end(checkpoint: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    convert(checkpoint, tmp_path / "m.bin", progress=lambda *step: seen.append(step))
    assert seen == [(number, 50) for number in range(1, 51)]


# ---- what is wrong with a checkpoint ----


def without(name: str) -> Callable[[dict[str, Array]], object]:
    return lambda entries: entries.pop(name)


def replaced(name: str, values: Array) -> Callable[[dict[str, Array]], object]:
    return lambda entries: entries.update({name: values})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without("encoder/conv2/bias"), "no variable 'encoder/conv2/bias'"),
        (without("decoder/embeddings/weight"), "alias 'decoder/projection/weight'"),
        (without("encoder/layer_0/ffn/linear_0/weight"), "0 layers in the encoder"),
        (without("encoder/num_heads"), "no variable 'encoder/num_heads'"),
        (replaced("decoder/num_heads", np.array(3, np.int16)), "3 heads for a width of 8"),
        (replaced("decoder/num_heads", np.array(-2, np.int16)), "-2 heads"),
        (replaced("decoder/num_heads", np.ones(2, np.int16)), "2 values; expected one number"),
        (replaced("encoder/conv1/weight", np.zeros((8, 79, 3), np.float16)), "79 mel bands"),
        (replaced("encoder/conv1/weight", np.zeros((8, 80), np.float16)), "shape (8, 80)"),
        (
            replaced("encoder/layer_norm/beta", np.zeros(9, np.float16)),
            "'encoder/layer_norm/beta': found shape (9,); expected (8,)",
        ),
        (
            replaced("encoder/layer_0/ffn/linear_1/weight", np.zeros((8, 32), np.int8)),
            "found int8 values; expected float16, float32 or bfloat16",
        ),
    ],
)
def test_wrong_variables_are_named(
    checkpoint: Path, tmp_path: Path, change: Callable[[dict[str, Array]], object], says: str
) -> None:
    entries = variables()
    change(entries)
    write(checkpoint, entries)
    with pytest.raises(BadFormatError, match=re.escape(says)):
        convert(checkpoint, tmp_path / "m.bin")
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]


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


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda entries: entries.pop(), "51863 tokens; expected 51864"),
        (lambda entries: entries.insert(0, entries.pop()), "found 'Ġw50255'; expected '<|endof"),
        (lambda entries: entries.__setitem__(7, "a b"), "entry 7: found 'a b'"),
    ],
)
def test_a_vocabulary_that_does_not_fit_is_refused(
    checkpoint: Path, tmp_path: Path, spoil: Callable[[list[str]], object], says: str
) -> None:
    entries = vocabulary(N_VOCAB)
    spoil(entries)
    (checkpoint / "vocabulary.txt").write_text("\n".join(entries), encoding="utf-8")
    with pytest.raises(BadFormatError, match=re.escape(says)):
        convert(checkpoint, tmp_path / "m.bin")


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"[", b"\xff"])
def test_a_vocabulary_that_is_no_list_of_strings_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_bytes(content)
    with pytest.raises(BadFormatError, match=re.escape(str(path))):
        read_tokens(path, N_VOCAB)


def test_what_belongs_together_must_be_together(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(BadFormatError, match=r"no model\.bin there"):
        checkpoint_files(tmp_path)
    (checkpoint / "vocabulary.txt").unlink()
    with pytest.raises(BadFormatError, match=r"model\.bin without a vocabulary"):
        checkpoint_files(checkpoint)


def test_a_directory_is_no_place_to_write_to(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a directory"):
        convert(checkpoint, tmp_path)


# ---- parts ----


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
