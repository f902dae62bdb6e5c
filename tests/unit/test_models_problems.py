"""What is said to keep a model from being loaded; the judge is the core, which must agree."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wspkit.cli.app import main
from wspkit.core import Context
from wspkit.errors import BadFormatError, UnsupportedError
from wspkit.models.convert.ggml_writer import write_tensor
from wspkit.models.inspect import inspect
from wspkit.models.problems import problems

FIELDS = {"n_audio_head": 3, "n_audio_layer": 4, "n_text_state": 6, "n_text_head": 7}
FIELDS |= {"n_vocab": 0, "n_audio_ctx": 1, "n_text_ctx": 5, "ftype": 10}


def with_header(field: str, value: int) -> Callable[[Path], None]:
    """Writes another number into the header."""

    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(4 + 4 * FIELDS[field])
            file.write(struct.pack("<i", value))

    return change


def without_the_last_tensor(path: Path) -> None:
    last = inspect(path).tensors[-1]
    header_bytes = 4 * (3 + len(last.shape)) + len(last.name)
    with path.open("r+b") as file:
        file.truncate(last.offset_bytes - header_bytes)


def with_tensor(name: str, values: np.ndarray) -> Callable[[Path], None]:
    """Appends a tensor."""

    def change(path: Path) -> None:
        with path.open("ab") as file:
            write_tensor(file, name, values)

    return change


def with_another_last_tensor(values: np.ndarray) -> Callable[[Path], None]:
    """Replaces decoder.ln.bias, which is (64) in f32."""

    def change(path: Path) -> None:
        without_the_last_tensor(path)
        with_tensor("decoder.ln.bias", values)(path)

    return change


@pytest.fixture
def model(synthetic_model: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.bin"
    path.write_bytes(synthetic_model.read_bytes())
    return path


def test_a_model_that_loads_has_no_problems(model: Path) -> None:
    Context.load(model).close()
    assert problems(inspect(model)) == ()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (with_header("n_audio_head", 3), "n_audio_state is 64, no multiple of the 3 of n_audio_"),
        (with_header("n_text_head", 128), "n_text_state is 64, no multiple of the 128 of n_text_"),
        (with_header("n_text_state", 32), "n_text_state is 32; expected 64 as n_audio_state"),
        (with_header("n_vocab", 51867), "n_vocab is 51867; expected 51864 to 51866"),
        (with_header("n_audio_ctx", 1 << 20), "n_audio_ctx is 1048576; expected 1 to"),
        (with_header("n_text_ctx", 4097), "n_text_ctx is 4097; expected"),
        (with_header("n_audio_layer", 1 << 20), "n_audio_layer is 1048576; expected 1 to 128"),
        (with_header("n_audio_layer", 2), "50 of 65 tensors are there; missing: encoder.blocks.1."),
        (with_header("ftype", 0), "blocks.0.attn.query.weight f16 instead of f32"),
        (with_header("ftype", 2007), "blocks.0.attn.query.weight f16 instead of q8_0"),
        (with_header("ftype", 7), "q8_0 in version 0 of the layout; expected version 2"),
        (with_header("ftype", 3001), "version 3 of the layout; expected at most 2"),
        (with_header("ftype", 2012), "blocks.0.attn.query.weight f16 instead of q4_K"),
        (with_header("ftype", 12), "q4_K in version 0 of the layout; expected version 2"),
        (with_header("ftype", 24), "ftype says bf16; expected one of f32, f16"),
        (without_the_last_tensor, "49 of 50 tensors are there; missing: decoder.ln.bias"),
        (with_tensor("x", np.zeros(1, np.float32)), "no model of these sizes has: x"),
        (with_tensor("decoder.ln.bias", np.zeros(64, np.float32)), "once: decoder.ln.bias"),
        (with_another_last_tensor(np.zeros(63, np.float32)), "decoder.ln.bias 63 instead of 64"),
        (with_another_last_tensor(np.zeros(64, np.float16)), "decoder.ln.bias f16 instead of f32"),
    ],
)
def test_what_the_core_refuses_is_a_problem(
    model: Path, change: Callable[[Path], None], says: str
) -> None:
    change(model)
    with pytest.raises((BadFormatError, UnsupportedError)):
        Context.load(model)
    assert says in "\n".join(problems(inspect(model)))


def test_what_the_core_takes_is_no_problem(model: Path) -> None:
    with_another_last_tensor(np.zeros((64, 1), np.float32))(model)
    Context.load(model).close()
    assert problems(inspect(model)) == ()


def test_inspect_tells_problems_in_both_forms_and_succeeds(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "inspect", str(model), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []
    assert main(["model", "inspect", str(model)]) == 0
    assert "problem" not in capsys.readouterr().out.replace(str(model), "")
    without_the_last_tensor(model)
    assert main(["model", "inspect", str(model), "--json"]) == 0
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert "decoder.ln.bias" in problem
    assert main(["model", "inspect", str(model)]) == 0
    assert problem in capsys.readouterr().out
