"""CTranslate2 checkpoints become ggml models value by value, and wrong ones are named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.ctranslate2_files import N_VOCAB, WIDTH, Array, packed, variables, vocabulary

from wspkit.errors import BadFormatError, UsageError
from wspkit.models.convert.ctranslate2 import checkpoint_files, convert
from wspkit.models.convert.target import OutputType
from wspkit.models.convert.vocabulary import N_STORED_TOKENS, read_tokens
from wspkit.models.inspect import Report, inspect


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
