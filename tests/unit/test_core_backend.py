"""The choice of what computes, from Python and the command line: back-ends by name, an encoder that
stands beside the model, and every way back to the own one. The encoder here is recorded: it gives
what a file holds, and lies where those of Core ML and OpenVINO do.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.mil_program import Package

from wspkit import _inspect
from wspkit.cli.app import main
from wspkit.core import Backend, Context, QuantizedType, TranscribeOptions, can
from wspkit.errors import UsageError
from wspkit.models.encoders.source import read_encoder
from wspkit.models.quantize import plan, quantize
from wspkit.parity.log_mel import log_mel, window_of

SHORT = TranscribeOptions(language="en", temperature_inc=0, max_tokens=12, n_threads=1)
Floats = NDArray[np.float32]


@pytest.fixture
def model(synthetic_model: Path, tmp_path: Path) -> Path:
    """The made-up model in a folder of its own."""
    return Path(shutil.copy(synthetic_model, tmp_path / "made-up.bin"))


@pytest.fixture
def features(model: Path, noise: NDArray[np.float32]) -> Floats:
    """(80, 3000) of the noise."""
    core = _inspect.Model(str(model))
    return np.ascontiguousarray(window_of(log_mel(noise, core.filters), 0), np.float32)


@pytest.fixture
def record(model: Path) -> Callable[[Floats], Path]:
    """Puts an encoder beside the model that gives these outputs (T, D)."""

    def write(output: Floats, fingerprint: str | None = None) -> Path:
        path = model.with_name("made-up-encoder.recorded")
        of = read_encoder(model).fingerprint if fingerprint is None else fingerprint
        line = f"recorded {of} 80 {output.shape[1]} {output.shape[0]}\n"
        path.write_bytes(line.encode() + output.astype("<f4").tobytes())
        return path

    return write


def text_of(context: Context, noise: NDArray[np.float32]) -> str:
    return context.transcribe(noise, SHORT).text


def test_the_fingerprint_is_the_cores_and_what_the_encoder_gives_is_used(
    model: Path, features: Floats, record: Callable[[Floats], Path], noise: NDArray[np.float32]
) -> None:
    with Context.load(model) as own:
        expected = text_of(own, noise)
        assert own.encoder == "own"
    output = _inspect.Engine(_inspect.Model(str(model))).encode(features)
    record(output)
    with Context.load(model) as context:
        assert context.encoder == "recorded"
        assert text_of(context, noise) == expected
        assert context.encoder_reason.startswith(
            "recorded: made-up-encoder.recorded, read, first window in "
        )
    record(np.zeros_like(output))
    with Context.load(model) as context:
        assert text_of(context, noise) != expected


def test_the_decoder_writes_the_same_from_what_a_core_ml_package_gives(
    model: Path, features: Floats, record: Callable[[Floats], Path], noise: NDArray[np.float32]
) -> None:
    with Context.load(model) as own:
        expected = text_of(own, noise)
    path = model.with_name("made-up-encoder.mlpackage")
    assert main(["model", "coreml", str(model)]) == 0
    record(Package(path).run(features[None])[0])
    with Context.load(model) as context:
        assert text_of(context, noise) == expected
        assert context.encoder == "recorded"


def test_a_quantised_model_takes_the_encoder_of_its_source(
    model: Path, features: Floats, record: Callable[[Floats], Path]
) -> None:
    record(_inspect.Engine(_inspect.Model(str(model))).encode(features))
    (job,) = plan([model], [QuantizedType.Q5_0], model.parent)
    with Context.load(quantize(job)) as context:
        assert context.encoder == "recorded"


def test_an_encoder_of_another_model_is_not_used(
    model: Path, features: Floats, record: Callable[..., Path]
) -> None:
    output = _inspect.Engine(_inspect.Model(str(model))).encode(features)
    path = record(output, "0" * 64)
    with Context.load(model) as context:
        assert context.encoder == "own"
        assert context.encoder_reason == (
            f"own: '{path}' cannot be used: it was made of another model"
        )


def test_an_encoder_elsewhere_is_named(
    model: Path, features: Floats, record: Callable[[Floats], Path]
) -> None:
    beside = record(_inspect.Engine(_inspect.Model(str(model))).encode(features))
    elsewhere = beside.rename(model.with_name("elsewhere.recorded"))
    with Context.load(model) as context:
        assert context.encoder_reason == "own: no other lies beside the model"
    with Context.load(model.read_bytes(), encoder=elsewhere) as context:
        assert context.encoder == "recorded"
    with Context.load(model, encoder=beside) as context:
        assert context.encoder_reason == f"own: there is no '{beside}'"


def test_what_is_not_there_leaves_the_cpu_and_says_why(model: Path) -> None:
    with Context.load(model, backend=Backend.CPU) as context:
        assert context.backend_reason == "cpu: it was asked for"
        assert context.encoder_reason == "own: the back-end cpu was asked for"
    for backend in (Backend.COREML, Backend.OPENVINO):
        if not can(backend.value):
            with Context.load(model, backend=backend.value) as context:
                assert context.encoder_reason == f"own: {backend.value} is not built in"
    if not can("metal"):
        with Context.load(model, backend="metal") as context:
            assert context.backend_reason == "cpu: no GPU back-end is built in"


def test_an_unknown_name_is_refused(model: Path) -> None:
    with pytest.raises(
        UsageError, match="'abacus'; expected one of auto, cpu, metal, coreml, openvino"
    ):
        Context.load(model, backend="abacus")


def test_the_command_line_chooses_and_tells(
    model: Path, noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fast = ["-l", "en", "--temperature-inc", "0", "--max-tokens", "12", "-t", "1", "-m", str(model)]
    assert main(["transcribe", str(noise_wav), "--backend", "cpu", "--json", *fast]) == 0
    stats = json.loads(capsys.readouterr().out)["stats"]
    assert stats["backend_reason"] == "cpu: it was asked for"
    assert (stats["encoder"], stats["encoder_reason"]) == (
        "own",
        "own: the back-end cpu was asked for",
    )
    assert main(["transcribe", str(noise_wav), "--encoder", "missing.xml", *fast]) == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "Encoder own: " in told
    assert main(["transcribe", str(noise_wav), "--backend", "abacus", *fast]) == 2
    assert "abacus" in capsys.readouterr().err
