"""The converter on real weights: tensor by tensor against the checkpoint, and by what whisper.cpp
hears.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from tests.recordings import Recording

from wspkit.models.catalogue import IndexSource, load
from wspkit.models.convert.ctranslate2 import convert
from wspkit.models.inspect import Report, inspect

Array = npt.NDArray[np.generic]
DTYPES = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}


def checkpoint_variables(path: Path) -> dict[str, Array]:
    """The variables of a model.bin, read a second time and otherwise: front to back, nothing
    checked.
    """
    raw = path.read_bytes()
    at = 4 + 2 + len("WhisperSpec") + 1 + 4

    def number(layout: str) -> int:
        nonlocal at
        (value,) = struct.unpack_from("<" + layout, raw, at)
        at += struct.calcsize("<" + layout)
        return int(value)

    found = {}
    for _ in range(number("I")):
        length = number("H")
        name = raw[at : at + length - 1].decode()
        at += length
        shape = tuple(number("I") for _ in range(number("B")))
        dtype = DTYPES[number("B")]
        size = number("I")
        found[name] = np.frombuffer(raw[at : at + size], dtype).reshape(shape)
        at += size
    return found


def checkpoint_rows(name: str, variables: dict[str, Array]) -> Array:
    """What a ggml tensor of that name must hold, by the published map of names."""
    side = name.partition(".")[0]
    fixed = {
        f"{side}.positional_embedding": f"{side}/position_encodings/encodings",
        "decoder.token_embedding.weight": "decoder/embeddings/weight",
        "encoder.ln_post.weight": "encoder/layer_norm/gamma",
        "encoder.ln_post.bias": "encoder/layer_norm/beta",
        "decoder.ln.weight": "decoder/layer_norm/gamma",
        "decoder.ln.bias": "decoder/layer_norm/beta",
    }
    if name in fixed:
        return variables[fixed[name]]
    if convolution := re.fullmatch(r"encoder\.(conv[12])\.(weight|bias)", name):
        return variables[f"encoder/{convolution[1]}/{convolution[2]}"]
    match = re.fullmatch(r"(encoder|decoder)\.blocks\.(\d+)\.(.+)\.(weight|bias)", name)
    assert match, f"{name} is no tensor of Whisper"
    layer, part, kind = f"{match[1]}/layer_{match[2]}", match[3], match[4]
    if part.endswith("_ln"):
        where = {"attn_ln": "self_attention", "cross_attn_ln": "attention", "mlp_ln": "ffn"}[part]
        return variables[f"{layer}/{where}/layer_norm/{'gamma' if kind == 'weight' else 'beta'}"]
    linear, first, count = {
        "attn.query": ("self_attention/linear_0", 0, 3),
        "attn.key": ("self_attention/linear_0", 1, 3),
        "attn.value": ("self_attention/linear_0", 2, 3),
        "attn.out": ("self_attention/linear_1", 0, 1),
        "cross_attn.query": ("attention/linear_0", 0, 1),
        "cross_attn.key": ("attention/linear_1", 0, 2),
        "cross_attn.value": ("attention/linear_1", 1, 2),
        "cross_attn.out": ("attention/linear_2", 0, 1),
        "mlp.0": ("ffn/linear_0", 0, 1),
        "mlp.2": ("ffn/linear_1", 0, 1),
    }[part]
    fused = variables[f"{layer}/{linear}/{kind}"]
    return np.split(fused, count)[first]


def tensors(path: Path, report: Report) -> dict[str, Array]:
    raw = np.memmap(path, np.uint8, mode="r")
    return {
        entry.name: raw[entry.offset_bytes : entry.offset_bytes + entry.size_bytes]
        .view("<f2" if entry.type_name == "f16" else "<f4")
        .reshape(entry.shape)
        for entry in report.tensors
    }


@pytest.fixture(scope="module")
def converted(tiny_en_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return convert(tiny_en_checkpoint, tmp_path_factory.mktemp("converted") / "tiny.en.bin")


@pytest.mark.parametrize("which", ["f16", "f32"])
def test_every_tensor_is_what_the_checkpoint_holds(
    tiny_en_checkpoint: Path, converted: Path, tiny_en_f32: Path, which: str
) -> None:
    path = converted if which == "f16" else tiny_en_f32
    report = inspect(path)
    variables = checkpoint_variables(tiny_en_checkpoint / "model.bin")
    found = tensors(path, report)
    assert len(found) == 167
    for name, values in found.items():
        wanted = checkpoint_rows(name, variables)
        # The checkpoint is in half precision, and both types hold its values exactly.
        np.testing.assert_array_equal(values.reshape(wanted.shape), wanted, err_msg=name)
        is_matrix = values.ndim > 1 and values.shape[-1] > 1 and "positional" not in name
        assert values.dtype == ("<f2" if which == "f16" and is_matrix else "<f4"), name


def test_keys_that_lose_their_bias_lose_nothing(tiny_en_checkpoint: Path) -> None:
    variables = checkpoint_variables(tiny_en_checkpoint / "model.bin")
    fused = [
        (values, 3 if "self_attention" in name else 2)
        for name, values in variables.items()
        if re.search(r"(self_attention/linear_0|layer_\d/attention/linear_1)/bias$", name)
    ]
    assert len(fused) == 4 + 4 + 4
    for values, parts in fused:
        assert not np.split(values, parts)[1 if parts == 3 else 0].any()


def test_the_converted_file_is_the_one_that_the_catalogue_pins(
    converted: Path, tiny_en_f16: Path
) -> None:
    (source,) = (s for s in load().get("tiny.en").source if isinstance(s, IndexSource))
    assert hashlib.sha256(converted.read_bytes()).hexdigest() == source.sha256
    assert tiny_en_f16.read_bytes() == converted.read_bytes()


def normalized(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("clip", ["jfk", "austen-0880"])
def test_whisper_cpp_hears_the_same_in_the_converted_file_as_our_core(
    converted: Path, recording: Callable[[str], Recording], clip: str
) -> None:
    from pywhispercpp.model import Model

    from wspkit.core import Context

    spoken = recording(clip)
    # One greedy guess on both sides: anything else draws random numbers.
    peer = Model(
        str(converted), n_threads=2, print_progress=False, redirect_whispercpp_logs_to=None
    )
    segments = peer.transcribe(
        spoken.samples(), temperature=0.0, temperature_inc=0.0, greedy={"best_of": 1}
    )
    theirs = normalized(" ".join(segment.text for segment in segments))
    with Context.load(converted) as context:
        ours = normalized(context.transcribe(spoken.samples()).text)
    assert theirs.startswith(("And so my fellow Americans", "He was not an"))
    assert ours == theirs
