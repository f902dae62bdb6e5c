"""`wsp model coreml` on made-up weights: what a package computes, what it says, what is refused."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.mil_program import Package
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit import _inspect
from wspkit.cli.app import main
from wspkit.core import QuantizedType
from wspkit.errors import BadFormatError, UnsupportedError
from wspkit.fetching.whole_folder import whole_folder
from wspkit.models.encoders import coreml
from wspkit.models.encoders.palette import palettise
from wspkit.models.encoders.source import read_encoder
from wspkit.models.quantize import plan, quantize


@pytest.fixture(scope="module")
def package(synthetic_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Package:
    """The package of the made-up model, by the command, with its own choice of windows."""
    path = tmp_path_factory.mktemp("package") / "synthetic-encoder.mlpackage"
    assert main(["model", "coreml", str(synthetic_model), "--out", str(path)]) == 0
    return Package(path)


def test_it_computes_what_the_core_does(package: Package, synthetic_model: Path) -> None:
    engine = _inspect.Engine(_inspect.Model(str(synthetic_model)))
    rng = np.random.default_rng(1)
    for n_frames in (1500, 256):
        features = rng.uniform(-1, 1, (80, 2 * n_frames)).astype(np.float32)
        expected = engine.encode(features)
        # The graph with biases and norms in half precision, which alone is 2^-11 of the magnitude
        # of 4 that these outputs have; then with half precision everywhere.
        assert np.abs(package.run(features[None], rounded=False)[0] - expected).max() < 4e-3
        heard = package.run(features[None])
        assert heard.shape == (1, n_frames, 64)
        assert heard.dtype == np.float32
        assert np.abs(heard[0] - expected).max() < 1e-2


def test_it_takes_the_windows_that_it_lists_and_says_what_it_is(
    package: Package, synthetic_model: Path
) -> None:
    lengths = [1500, *coreml.DEFAULT_CONTEXTS]
    assert package.input_shapes == [(1, 80, 2 * length) for length in lengths]
    assert package.system == 6
    sha256 = hashlib.sha256(synthetic_model.read_bytes()).hexdigest()
    told = {
        "model_file": "synthetic.bin",
        "model_sha256": sha256,
        "encoder_fingerprint": read_encoder(synthetic_model).fingerprint,
        "audio_contexts": " ".join(map(str, lengths)),
        "compute_units": "all",
        "weights": "f16",
    }
    assert told.items() <= package.metadata.items()


def test_the_fingerprint_is_of_biases_and_norms(synthetic_model: Path, tmp_path: Path) -> None:
    encoder = read_encoder(synthetic_model)
    digest = hashlib.sha256(b"80 1500 64 2 1\n")
    for name in sorted(encoder.tensors):
        if name.endswith(".bias") or "_ln." in name or "ln_post" in name:
            digest.update(name.encode() + b"\0" + encoder[name].astype("<f4").tobytes())
    assert encoder.fingerprint == digest.hexdigest()
    other = tmp_path / "other.bin"
    data = bytearray(synthetic_model.read_bytes())
    place = data.index(b"encoder.ln_post.bias") + len("encoder.ln_post.bias")
    data[place : place + 4] = np.float32(0.25).tobytes()
    other.write_bytes(data)
    assert read_encoder(other).fingerprint != encoder.fingerprint


def test_a_palette_and_any_window_on_request(
    synthetic_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.mlpackage"
    words = ["--any-context", "--palette-bits", "8", "--compute-units", "cpu-and-gpu", "--json"]
    assert main(["model", "coreml", str(synthetic_model), "-o", str(path), *words]) == 0
    package = Package(path)
    document = json.loads(capsys.readouterr().out)
    assert (document["path"], document["size_bytes"]) == (str(path), package.size_bytes)
    assert package.input_shapes == [(1, 80, 3000), (1, 80, 2)]
    assert package.system == 7
    # 2 convolutions and 6 matrices, but not the table of positions.
    assert package.operations.count("constexpr_lut_to_dense") == 8
    assert package.metadata["audio_contexts"] == "1 to 1500"
    assert package.metadata["compute_units"] == "cpu-and-gpu"
    features = np.random.default_rng(1).uniform(-1, 1, (1, 80, 14)).astype(np.float32)
    engine = _inspect.Engine(_inspect.Model(str(synthetic_model)))
    # Evenly spread weights, as these are, are off by 0.4 % of their root mean square with 256
    # values (a step over the root of 12): eight matrices together by 1.1 % of outputs near 1.
    off = package.run(features)[0] - engine.encode(features[0])
    assert float(np.sqrt(np.mean(np.square(off)))) < 2e-2


def test_a_palette_is_as_good_as_one_tried_by_hand() -> None:
    values = np.array([[0, 0, 0, 1], [8, 9, 9, 100]], np.float32)
    table, index = palettise(values, 2)
    assert index.tolist() == [[0, 0, 0, 1], [2, 2, 2, 3]]
    assert table.tolist() == pytest.approx([0, 1, 26 / 3, 100])
    few, which = palettise(np.array([2, 2, 2], np.float16), 8)
    assert few[which].tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--audio-contexts", "500,x"], "--audio-contexts '500,x'; expected whole numbers"),
        (["--audio-contexts", "0"], "--audio-contexts '0'; expected whole numbers"),
        (["--palette-bits", "5"], "--palette-bits 5; expected 4, 6 or 8"),
        (["-o", "encoder.bin"], "expected a name that ends in .mlpackage"),
        (["--audio-contexts", ",".join(map(str, range(1, 200)))], "expected at most 128"),
    ],
)
def test_what_cannot_be_built_is_told(
    *,
    words: list[str],
    message: str,
    synthetic_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    whole = ["-o", "x.mlpackage", *words]
    assert main(["model", "coreml", str(synthetic_model), *whole]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_stays_unless_told(
    synthetic_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "there.mlpackage"
    path.mkdir()
    (path / "old").touch()
    assert main(["model", "coreml", str(synthetic_model), "-o", str(path)]) == 2
    assert "there.mlpackage exists" in capsys.readouterr().err
    assert [file.name for file in path.iterdir()] == ["old"]


def test_a_package_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.mlpackage"
    with whole_folder(path) as folder:
        folder.mkdir()
        (folder / "one").touch()
        assert not path.exists()
    assert [file.name for file in path.iterdir()] == ["one"]

    def fail() -> None:
        with whole_folder(path) as folder:
            folder.mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert [file.name for file in path.iterdir()] == ["one"]
    with whole_folder(path) as folder:
        folder.mkdir()
        (folder / "two").touch()
    assert [file.name for file in path.iterdir()] == ["two"]
    assert [file.name for file in tmp_path.iterdir()] == ["a.mlpackage"]


def test_what_has_no_encoder_to_build_is_refused(synthetic_model: Path, tmp_path: Path) -> None:
    silero = tmp_path / "silero.bin"
    write_synthetic_silero(silero)
    with pytest.raises(UnsupportedError, match="a voice activity model"):
        read_encoder(silero)
    (job,) = plan([synthetic_model], [QuantizedType.Q5_0], tmp_path)
    with pytest.raises(UnsupportedError, match="q5_0 weights"):
        read_encoder(quantize(job))
    data = bytearray(synthetic_model.read_bytes())
    place = data.index(b"encoder.ln_post.bias") + len("encoder.ln_post.bias")
    data[place : place + 4] = np.float32(np.nan).tobytes()
    broken = tmp_path / "broken.bin"
    broken.write_bytes(data)
    with pytest.raises(BadFormatError, match=r"encoder\.ln_post\.bias holds values that are not"):
        read_encoder(broken)


def test_where_the_tool_is_missing_the_extra_is_named(
    synthetic_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "coremltools", None)
    path = tmp_path / "x.mlpackage"
    assert main(["model", "coreml", str(synthetic_model), "-o", str(path)]) == 5
    assert "pip install 'wspkit[coreml]'" in " ".join(capsys.readouterr().err.split())
