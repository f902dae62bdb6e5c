"""Checkpoints of Hugging Face and OpenAI: the same model as from CTranslate2's, damage refused by
name, and hostile pickles read without running anything.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.checkpoint_files import (
    ggml_tensors,
    hyperparameters,
    tiktoken_lines,
    write_archive,
    write_hugging_face,
    write_openai,
)
from tests.ctranslate2_files import N_VOCAB, packed, variables, vocabulary

from wspkit.cli.app import main
from wspkit.errors import BadFormatError, NotFoundError, UnsupportedError, UsageError
from wspkit.models.convert import ctranslate2
from wspkit.models.convert.checkpoint import convert
from wspkit.models.convert.pickled import read_pickle
from wspkit.models.convert.safetensors import read_entries
from wspkit.models.convert.target import OutputType
from wspkit.models.convert.vocabulary import read_tokens

END_OF_TEXT = 50256


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model from a CTranslate2 checkpoint, whose conversion has tests of its own."""
    directory = tmp_path_factory.mktemp("known") / "checkpoint"
    directory.mkdir()
    (directory / "model.bin").write_bytes(packed(variables()))
    (directory / "vocabulary.txt").write_text("\n".join(vocabulary(N_VOCAB)), encoding="utf-8")
    return ctranslate2.convert(directory, directory.parent / "known.bin")


@pytest.fixture
def numbered() -> dict[str, int]:
    """vocab.json: the text tokens and the end of text."""
    return {token: number for number, token in enumerate(vocabulary(N_VOCAB)[: END_OF_TEXT + 1])}


@pytest.fixture
def hugging_face(known: Path, numbered: dict[str, int], tmp_path: Path) -> Path:
    return write_hugging_face(
        tmp_path / "face", ggml_tensors(known), hyperparameters(known), numbered
    )


@pytest.fixture
def openai(known: Path, tmp_path: Path) -> Path:
    words = [f" w{number}".encode() for number in range(END_OF_TEXT)]
    (tmp_path / "gpt2.tiktoken").write_text(tiktoken_lines(words))
    return write_openai(tmp_path / "small.pt", ggml_tensors(known), hyperparameters(known))


def test_hugging_faces_checkpoint_gives_the_same_file(
    hugging_face: Path, known: Path, tmp_path: Path
) -> None:
    assert convert(hugging_face, tmp_path / "m.bin").read_bytes() == known.read_bytes()
    file = hugging_face / "model.safetensors"
    assert convert(file, tmp_path / "n.bin").read_bytes() == known.read_bytes()


def test_shards_are_found_by_their_index(
    known: Path, numbered: dict[str, int], tmp_path: Path
) -> None:
    directory = write_hugging_face(
        tmp_path / "face", ggml_tensors(known), hyperparameters(known), numbered, shards=3
    )
    assert convert(directory, tmp_path / "m.bin").read_bytes() == known.read_bytes()
    index = directory / "model.safetensors.index.json"
    assert convert(index, tmp_path / "n.bin").read_bytes() == known.read_bytes()
    (directory / "model-00002-of-00003.safetensors").unlink()
    with pytest.raises(BadFormatError, match="model-00002-of-00003"):
        convert(directory, tmp_path / "o.bin")


def test_a_shard_outside_of_the_directory_is_refused(hugging_face: Path, tmp_path: Path) -> None:
    index = hugging_face / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"x": "../face/model.safetensors"}}))
    with pytest.raises(BadFormatError, match="beside the index"):
        convert(index, tmp_path / "m.bin")


def test_openais_checkpoint_gives_the_same_file(openai: Path, known: Path, tmp_path: Path) -> None:
    assert convert(openai, tmp_path / "m.bin").read_bytes() == known.read_bytes()
    elsewhere = (tmp_path / "gpt2.tiktoken").rename(tmp_path / "tokens.tiktoken")
    with pytest.raises(BadFormatError, match=r"gpt2\.tiktoken"):
        convert(openai, tmp_path / "n.bin")
    named = convert(openai, tmp_path / "n.bin", vocabulary=elsewhere)
    assert named.read_bytes() == known.read_bytes()


@pytest.mark.parametrize("kind", ["face", "openai"])
@pytest.mark.parametrize("stored", ["<f4", "bfloat16"])
def test_values_of_other_types_are_converted(
    kind: str, stored: str, known: Path, numbered: dict[str, int], tmp_path: Path
) -> None:
    tensors = {name: values.astype("<f4") for name, values in ggml_tensors(known).items()}
    if stored == "bfloat16":  # truncated to its upper half
        tensors = {n: (v.view("<u4") >> 16).astype("<u2") for n, v in tensors.items()}
        wide = {n: (v.astype("<u4") << 16).view("<f4") for n, v in tensors.items()}
    else:
        wide = tensors
    if kind == "face":
        source = write_hugging_face(tmp_path / "c", tensors, hyperparameters(known), numbered)
        written = convert(source, tmp_path / "m.bin", OutputType.F32)
    else:
        source = write_openai(tmp_path / "c.pt", tensors, hyperparameters(known))
        (tmp_path / "vocab.json").write_text(json.dumps(numbered), encoding="utf-8")
        written = convert(source, tmp_path / "m.bin", OutputType.F32)
    for name, values in ggml_tensors(written).items():
        assert values.dtype == "<f4"
        np.testing.assert_array_equal(values, wide[name], err_msg=name)


def with_config(key: str, value: object) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        path = directory / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))

    return change


def without_a_tensor(directory: Path) -> None:
    path = directory / "model.safetensors"
    path.write_bytes(path.read_bytes().replace(b"layers.0.fc1.bias", b"layers.0.fc9.bias"))


def cut(directory: Path) -> None:
    path = directory / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (with_config("model_type", "bert"), "model_type 'bert'"),
        (with_config("d_model", "8"), "found 8 as d_model"),
        (with_config("encoder_layers", 10**9), "1000000000 as encoder_layers"),
        (with_config("encoder_attention_heads", 3), "3 heads for a width of 8"),
        (with_config("num_mel_bins", 81), "81 mel bands"),
        (with_config("max_source_positions", 11), r"found shape \(10, 8\); expected \(11, 8\)"),
        (without_a_tensor, "no tensor 'model.encoder.layers.0.fc1.bias'"),
        (cut, "inside the file"),
        (lambda d: (d / "vocab.json").unlink(), "vocab.json or tokenizer.json"),
        (lambda d: (d / "config.json").unlink(), "config.json"),
        (lambda d: (d / "config.json").write_text("[" * 100_000), "config.json"),
    ],
)
def test_damage_of_hugging_faces_checkpoint_is_named(
    damage: Callable[[Path], None], message: str, hugging_face: Path, tmp_path: Path
) -> None:
    damage(hugging_face)
    with pytest.raises(BadFormatError, match=message):
        convert(hugging_face, tmp_path / "m.bin")
    assert not (tmp_path / "m.bin").exists()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (b"[]", "no object"),
        (b"{{", "no JSON"),
        (b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}', "inside the file"),
        (b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[4,0]}}', "inside the file"),
        (b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}}', "found 8 bytes"),
        (b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}}', "dtype, shape"),
        (b'{"a":{"dtype":"F32","shape":[true],"data_offsets":[0,4]}}', "dtype, shape"),
        (b'{"a":7}', "dtype, shape"),
        (
            b'{"a":{"dtype":"F32","shape":[%s3],"data_offsets":[0,8]}}' % (b"3," * 9999),
            "dtype, shape",
        ),
        (b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,%s]}}' % (b"9" * 999), "dtype, shape"),
    ],
)
def test_tables_that_do_not_fit_their_file_are_refused(
    table: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(struct.pack("<Q", len(table)) + table + bytes(8))
    with pytest.raises(BadFormatError, match=message):
        read_entries(path)
    for length in (0, 1, len(table) + 9, 2**63):
        path.write_bytes(struct.pack("<Q", length) + table + bytes(8))
        with pytest.raises(BadFormatError):
            read_entries(path)


def test_quantised_values_are_refused(hugging_face: Path, known: Path, tmp_path: Path) -> None:
    path = hugging_face / "model.safetensors"
    raw = path.read_bytes()
    path.write_bytes(re.sub(rb'"F16"', b'"I16"', raw, count=1))
    with pytest.raises(BadFormatError, match="found I16 values"):
        convert(hugging_face, tmp_path / "m.bin")
    assert known.is_file()


class Opens:
    """What a hostile checkpoint pickles: a call of any function, here one that leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_hostile_pickle_is_refused_and_nothing_of_it_is_run(
    protocol: int, tmp_path: Path
) -> None:
    mark = tmp_path / "run"
    described = pickle.dumps({"dims": {}, "model_state_dict": Opens(mark)}, protocol=protocol)
    path = tmp_path / "evil.pt"
    write_archive(path, described, [])
    with pytest.raises(BadFormatError, match=r"found the (name|operation)"):
        convert(path, tmp_path / "m.bin")
    assert not mark.exists()
    pickle.loads(described)  # the oracle: Python's own unpickler does run it
    assert mark.exists()


def operations(*parts: bytes) -> bytes:
    return b"\x80\x02" + b"".join(parts) + b"."


@pytest.mark.parametrize(
    ("described", "message"),
    [
        (operations(b"cbuiltins\neval\n"), "the name 'builtins.eval'"),
        (operations(b"ctorch\nload\n"), "the name 'torch.load'"),
        (operations(b"ctorch._utils\n_rebuild_tensor_v2\n", b")R"), "a tensor without a storage"),
        (operations(b"ccollections\nOrderedDict\n", b"K\x01\x85R"), "other arguments"),
        (operations(b"K\x01", b")R"), "no known name"),
        (operations(b"}K\x01K\x02"), "3 values at the end"),
        (operations(b"h\x05"), "the memory, which is empty"),
        (operations(b"u"), "without its beginning"),
        (operations(b"R"), "an empty stack"),
        (operations(b"K\x01Q"), "no storage"),
        (operations(b"]K\x01b"), "used as a dict"),
        (operations(b"2"), "the operation DUP"),
        (operations(b"(i__main__\nx\n"), "the operation INST"),
        (b"\x80\x02}", "pickle exhausted|without its last operation"),
        (b"\xff\xfe", "expected a pickle"),
        (b"", "pickle exhausted|without its last operation"),
    ],
)
def test_pickles_of_anything_but_data_are_refused(described: bytes, message: str) -> None:
    with pytest.raises(BadFormatError, match=message):
        read_pickle(described, "x.pt")


def test_data_is_read_as_python_reads_it() -> None:
    shared = [1, -2, 3.5, None, True, False, "text", (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), 2**40]
    document = {"a": shared, "b": {"again": shared, 7: ()}, "long": list(range(3000))}
    for protocol in (2, 3, 4, 5):
        assert read_pickle(pickle.dumps(document, protocol=protocol), "x") == document


def test_an_archive_that_does_not_fit_is_refused(openai: Path, known: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(openai) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}

    def rewritten(changed: dict[str, bytes | None], method: int = zipfile.ZIP_STORED) -> Path:
        path = tmp_path / "changed.pt"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in (entries | changed).items():
                if data is not None:
                    archive.writestr(name, data)
        return path

    assert convert(rewritten({}), tmp_path / "m.bin").read_bytes() == known.read_bytes()
    damages: list[tuple[dict[str, bytes | None], int, str]] = [
        ({"small/data/3": None}, zipfile.ZIP_STORED, "no entry 'data/3'"),
        ({"small/data/3": b"1"}, zipfile.ZIP_STORED, "found 1 bytes"),
        ({"small/data.pkl": None}, zipfile.ZIP_STORED, "0 entries named data.pkl"),
        ({"small/data.pkl": pickle.dumps([])}, zipfile.ZIP_STORED, "no dims"),
        ({}, zipfile.ZIP_DEFLATED, "compressed"),
    ]
    for changed, method, message in damages:
        path = rewritten(changed, method)
        with pytest.raises(BadFormatError, match=message):
            convert(path, tmp_path / "n.bin")
    (tmp_path / "cut.pt").write_bytes(openai.read_bytes()[:1000])
    with pytest.raises(BadFormatError, match="a zip archive"):
        convert(tmp_path / "cut.pt", tmp_path / "n.bin")
    assert not (tmp_path / "n.bin").exists()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (8, b"\x01"),  # encrypted
        (8, b"\x20"),  # a patch
        (6, b"\x63"),  # of version 9.9
        (20, b"\x88\x13\0\0\x88\x13\0\0"),  # 5000 bytes long
        (42, b"\xf0\xff\xff\xff"),  # 4 GB behind the beginning
    ],
)
def test_an_archive_with_hostile_fields_is_refused(
    place: int, value: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "small.pt"
    write_archive(path, pickle.dumps({}, protocol=2), [])
    raw = bytearray(path.read_bytes())
    start = raw.find(b"PK\1\2") + place
    raw[start : start + len(value)] = value
    if place == 8:  # it stands before the entry as well
        raw[6] = value[0]
    path.write_bytes(raw)
    with pytest.raises(BadFormatError, match=r"small\.pt: .*a zip archive"):
        convert(path, tmp_path / "m.bin")


def test_strided_tensors_are_refused(known: Path, tmp_path: Path) -> None:
    tensors = ggml_tensors(known)
    tensors["encoder.blocks.0.mlp.0.weight"] = np.asfortranarray(
        tensors["encoder.blocks.0.mlp.0.weight"]
    )
    path = write_openai(tmp_path / "small.pt", tensors, hyperparameters(known))
    words = [f" w{number}".encode() for number in range(END_OF_TEXT)]
    (tmp_path / "gpt2.tiktoken").write_text(tiktoken_lines(words))
    with pytest.raises(BadFormatError, match="rows one after the other"):
        convert(path, tmp_path / "m.bin")


def test_what_is_no_checkpoint_is_told_what_one_is(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no checkpoint"):
        convert(tmp_path / "nowhere", tmp_path / "m.bin")
    with pytest.raises(BadFormatError, match=r"model\.safetensors"):
        convert(tmp_path, tmp_path / "m.bin")
    with pytest.raises(UsageError, match="is a directory"):
        convert(tmp_path, tmp_path)
    pickled = tmp_path / "pytorch_model.bin"
    pickled.write_bytes(b"PK")
    with pytest.raises(UnsupportedError, match=r"model\.safetensors"):
        convert(pickled, tmp_path / "m.bin")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"a": "b"}, "a whole number"),
        ({"a": 0, "b": 0}, "both 0"),
        ({"a": 1}, "no token has number 0"),
        ({"model": {"vocab": {"a": True}}}, "a whole number"),
    ],
)
def test_tables_of_tokens_that_do_not_fit_are_refused(
    document: object, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(document))
    with pytest.raises(BadFormatError, match=message):
        read_tokens(path, N_VOCAB)


def test_every_form_of_a_vocabulary_gives_the_same_tokens(
    numbered: dict[str, int], tmp_path: Path
) -> None:
    listed = tmp_path / "vocabulary.txt"
    listed.write_text("\n".join(vocabulary(N_VOCAB)), encoding="utf-8")
    expected = read_tokens(listed, N_VOCAB)
    table = tmp_path / "vocab.json"
    table.write_text(json.dumps(numbered), encoding="utf-8")
    assert read_tokens(table, N_VOCAB) == expected
    tokenizer = tmp_path / "tokenizer.json"
    del numbered["<|endoftext|>"]  # where it is an added token
    tokenizer.write_text(json.dumps({"model": {"vocab": numbered}}), encoding="utf-8")
    assert read_tokens(tokenizer, N_VOCAB) == expected
    ranked = tmp_path / "gpt2.tiktoken"
    ranked.write_text(tiktoken_lines(expected[:END_OF_TEXT]))
    assert read_tokens(ranked, N_VOCAB) == expected
    with pytest.raises(BadFormatError, match=r"multilingual\.tiktoken"):
        read_tokens(ranked, 51865)
    ranked.write_text("a b c\n")
    with pytest.raises(BadFormatError, match="line 1"):
        read_tokens(ranked, N_VOCAB)


def test_a_link_to_itself_is_no_checkpoint(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert main(["model", "convert", str(loop)]) == NotFoundError.exit_code
