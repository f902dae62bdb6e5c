"""Quantising model files: which tensors, what is refused before writing, whole files or none."""

from __future__ import annotations

import dataclasses
import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit.cli.app import main
from wspkit.core import Context, QuantizedType, quantize_rows
from wspkit.errors import BadFormatError, NotFoundError, UnsupportedError, UsageError
from wspkit.fetching.progress import Bar
from wspkit.models.inspect import Report, inspect
from wspkit.models.problems import problems
from wspkit.models.quantize import plan, quantize

SMALL_BLOCKS = [kind for kind in QuantizedType if kind.block_values == 32]
K_QUANTS = [kind for kind in QuantizedType if kind.block_values == 256]


def made(source: Path, kind: QuantizedType, directory: Path, n_threads: int = 1) -> Path:
    (job,) = plan([source], [kind], directory)
    return quantize(job, n_threads=n_threads)


def raw(path: Path, report: Report, name: str) -> bytes:
    (tensor,) = (tensor for tensor in report.tensors if tensor.name == name)
    data = path.read_bytes()
    return data[tensor.offset_bytes : tensor.offset_bytes + tensor.size_bytes]


@pytest.mark.parametrize("kind", SMALL_BLOCKS)
def test_matrices_become_blocks_and_all_else_stays(
    kind: QuantizedType, synthetic_model: Path, tmp_path: Path
) -> None:
    before = inspect(synthetic_model)
    path = made(synthetic_model, kind, tmp_path)
    assert path == tmp_path / f"synthetic-{kind.value}.bin"
    after = inspect(path)
    assert (after.weights, after.quantization_version) == (kind.value, 2)
    assert before.hyperparameters is not None
    assert after.hyperparameters is not None
    ftype = after.hyperparameters.ftype
    assert after.hyperparameters == dataclasses.replace(before.hyperparameters, ftype=ftype)
    assert [(t.name, t.shape) for t in after.tensors] == [(t.name, t.shape) for t in before.tensors]
    kept = {
        *("encoder.conv1.weight", "encoder.conv1.bias", "encoder.conv2.weight"),
        *("encoder.conv2.bias", "encoder.positional_embedding", "decoder.positional_embedding"),
    }
    for tensor in after.tensors:
        source = raw(synthetic_model, before, tensor.name)
        if tensor.name in kept or len(tensor.shape) == 1:
            assert raw(path, after, tensor.name) == source, tensor.name
        else:
            assert tensor.type_name == kind.value
            values = np.frombuffer(source, "<f2").reshape(tensor.shape).astype(np.float32)
            assert raw(path, after, tensor.name) == quantize_rows(values, kind).tobytes()
    # Magic, numbers, filters and vocabulary, all but the file type.
    end = before.tensors[0].offset_bytes - len("encoder.positional_embedding") - 20
    head = bytearray(synthetic_model.read_bytes()[:end])
    struct.pack_into("<i", head, 44, 2000 + ftype)
    assert path.read_bytes()[:end] == head
    assert problems(after) == ()
    with Context.load(path) as context:
        assert context.facts.n_vocab == before.hyperparameters.n_vocab


def test_the_result_does_not_depend_on_the_threads(synthetic_model: Path, tmp_path: Path) -> None:
    one = made(synthetic_model, QuantizedType.Q5_1, tmp_path / "one")
    three = made(synthetic_model, QuantizedType.Q5_1, tmp_path / "three", n_threads=3)
    assert one.read_bytes() == three.read_bytes()


def test_single_precision_is_read_as_well(synthetic_model: Path, tmp_path: Path) -> None:
    # The same values twice as wide give the same blocks.
    widened = tmp_path / "wide-f32.bin"
    before, data = inspect(synthetic_model), synthetic_model.read_bytes()
    first = before.tensors[0]
    head = bytearray(data[: first.offset_bytes - 12 - 4 * len(first.shape) - len(first.name)])
    struct.pack_into("<i", head, 44, 0)
    parts = [bytes(head)]
    for tensor in before.tensors:
        values = raw(synthetic_model, before, tensor.name)
        if tensor.type_name == "f16":
            values = np.frombuffer(values, "<f2").astype("<f4").tobytes()
        entry = (len(tensor.shape), len(tensor.name), 0, *reversed(tensor.shape))
        parts += [struct.pack(f"<{len(entry)}i", *entry), tensor.name.encode(), values]
    widened.write_bytes(b"".join(parts))
    from_f32 = made(widened, QuantizedType.Q4_0, tmp_path)
    assert from_f32.name == "wide-q4_0.bin"
    from_f16 = made(synthetic_model, QuantizedType.Q4_0, tmp_path)
    for tensor in inspect(from_f16).tensors:
        if tensor.type_name == "q4_0":
            assert raw(from_f32, inspect(from_f32), tensor.name) == raw(
                from_f16, inspect(from_f16), tensor.name
            )


@pytest.mark.parametrize("kind", K_QUANTS)
def test_a_width_that_no_block_divides_is_refused_before_anything_is_written(
    kind: QuantizedType, synthetic_model: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="have 64 values; expected a multiple of 256") as refused:
        plan([synthetic_model], [QuantizedType.Q8_0, kind], tmp_path)
    assert "q8_0" in str(refused.value.hint)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_float_model_is_refused(synthetic_model: Path, tmp_path: Path) -> None:
    small = made(synthetic_model, QuantizedType.Q8_0, tmp_path)
    with pytest.raises(UnsupportedError, match="q8_0 weights"):
        plan([small], [QuantizedType.Q4_0], tmp_path)
    write_synthetic_silero(tmp_path / "vad.bin")
    with pytest.raises(UnsupportedError, match="voice activity"):
        plan([tmp_path / "vad.bin"], [QuantizedType.Q4_0], tmp_path)
    with pytest.raises(NotFoundError):
        plan([tmp_path / "none.bin"], [QuantizedType.Q4_0], tmp_path)
    cut = tmp_path / "cut.bin"
    report = inspect(synthetic_model)
    cut.write_bytes(synthetic_model.read_bytes()[: report.tensors[-1].offset_bytes - 40])
    with pytest.raises(BadFormatError):
        plan([cut], [QuantizedType.Q4_0], tmp_path)


def test_files_are_replaced_only_where_asked_for(synthetic_model: Path, tmp_path: Path) -> None:
    there = tmp_path / "synthetic-q4_0.bin"
    there.write_text("precious")
    with pytest.raises(UsageError, match="exists"):
        plan([synthetic_model], [QuantizedType.Q5_0, QuantizedType.Q4_0], tmp_path)
    jobs = plan([synthetic_model], [QuantizedType.Q4_0] * 2, tmp_path, replace=True)
    assert [job.destination for job in jobs] == [there]
    other = tmp_path / "other" / "synthetic.bin"
    other.parent.mkdir()
    other.write_bytes(synthetic_model.read_bytes())
    with pytest.raises(UsageError, match="would both become"):
        plan([synthetic_model, other], [QuantizedType.Q5_0], tmp_path)
    assert there.read_text() == "precious"


def test_no_source_of_the_same_call_is_replaced(synthetic_model: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.bin", tmp_path / "a-q4_0.bin"
    for path in (first, second):
        path.write_bytes(synthetic_model.read_bytes())
    with pytest.raises(UsageError, match="to be quantised itself"):
        plan([first, second], [QuantizedType.Q4_0], tmp_path, replace=True)


def test_a_source_that_changes_leaves_no_file(synthetic_model: Path, tmp_path: Path) -> None:
    source, out = tmp_path / "a.bin", tmp_path / "out"
    whole = synthetic_model.read_bytes()

    class Cutting(Bar):
        """Shortens the file after its first tensor."""

        def update(self, completed: float, *, total: float | None = None) -> None:  # noqa: ARG002
            with source.open("r+b") as file:
                file.truncate(inspect(synthetic_model).tensors[-1].offset_bytes + 1)

    source.write_bytes(whole)
    (job,) = plan([source], [QuantizedType.Q4_0], out)
    with pytest.raises(BadFormatError, match="became shorter"):
        quantize(job, bar=Cutting())
    source.write_bytes(whole[:-1])
    with pytest.raises(BadFormatError, match=r"a\.bin"):
        quantize(job)
    assert not out.exists() or list(out.iterdir()) == []


def test_values_that_are_not_finite_leave_no_file(synthetic_model: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.bin"
    report, data = inspect(synthetic_model), bytearray(synthetic_model.read_bytes())
    (tensor,) = (t for t in report.tensors if t.name == "decoder.blocks.0.attn.key.weight")
    struct.pack_into("<e", data, tensor.offset_bytes + 2 * (64 * 5 + 7), float("nan"))
    damaged.write_bytes(data)
    with pytest.raises(BadFormatError, match=r"attn\.key\.weight: .*row 5, column 7"):
        made(damaged, QuantizedType.Q4_0, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("kind", QuantizedType)
def test_rows_of_floats_have_whole_blocks(kind: QuantizedType) -> None:
    rows = np.ones((2, 512), np.float32)
    assert quantize_rows(rows, kind).shape[0] == 2
    for wrong in (np.ones((2, 31), np.float32), np.ones(512, np.float32)):
        with pytest.raises(UsageError):
            quantize_rows(wrong, kind)
    rows[1, 3] = np.inf
    with pytest.raises(UsageError, match="row 1, column 3"):
        quantize_rows(rows, kind)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_makes_each_file_in_each_type(
    synthetic_model: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = elsewhere / "copy.bin"
    copy.write_bytes(synthetic_model.read_bytes())
    command = ["model", "quantize", str(synthetic_model), "copy.bin", "--type", "q5_0"]
    assert main([*command, "--type", "Q8_0", "--output-dir", "out"]) == 0
    names = ["synthetic-q5_0", "synthetic-q8_0", "copy-q5_0", "copy-q8_0"]
    assert capsys.readouterr().out.split() == [f"out/{name}.bin" for name in names]
    assert (elsewhere / "out/copy-q8_0.bin").read_bytes() == (
        elsewhere / "out/synthetic-q8_0.bin"
    ).read_bytes()
    assert main([*command, "--output-dir", "out"]) == UsageError.exit_code
    assert "--force" in capsys.readouterr().err
    assert main([*command, "--output-dir", "out", "--force", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [entry["path"] for entry in document] == ["out/synthetic-q5_0.bin", "out/copy-q5_0.bin"]
    assert document[0]["type"] == "q5_0"
    assert document[0]["size_bytes"] == (elsewhere / "out/synthetic-q5_0.bin").stat().st_size


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (lambda model: [model], UsageError.exit_code),
        (lambda model: [model, "--type", "q9_0"], UsageError.exit_code),
        (lambda model: [model, "--type", "q4_K"], UsageError.exit_code),
        (lambda _: ["nowhere.bin", "--type", "q4_0"], NotFoundError.exit_code),
    ],
)
def test_the_command_ends_with_the_code_of_its_error(
    arguments: Callable[[str], list[str]], code: int, synthetic_model: Path, elsewhere: Path
) -> None:
    assert main(["model", "quantize", *arguments(str(synthetic_model))]) == code
    assert list(elsewhere.iterdir()) == []
