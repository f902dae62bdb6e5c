"""The core built with OpenVINO, whose runtime and headers come out of PyPI: text and speed
beside the CPU's own encoder, and every way back to it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.recordings import Recording

from wspkit import _inspect
from wspkit.cli.app import main
from wspkit.fetching.cache import cache_root, exclusive
from wspkit.parity.log_mel import log_mel, window_of

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("openvino==2026.4.1", "openvino-telemetry==2025.2.0")
CLIPS = ("jfk", "two_cities", "austen-0870", "austen-0890", "austen-0930")
CPU, OPENVINO = 1, 4  # numbers of whisper_ext_backend

pytestmark = pytest.mark.long("openvino")


def run(*command: str | Path) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def packages() -> Path:
    """A folder with OpenVINO's Python package."""
    folder = cache_root() / "tests" / PACKAGES[0].replace("==", "-")
    with exclusive(folder, waiting=lambda: None):
        if not (folder / "openvino" / "libs").is_dir():
            pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade")
            run(*pip, "--target", folder, *PACKAGES)
    return folder


@dataclass(frozen=True)
class Program:
    """The program of encoders.c over a core with OpenVINO."""

    path: Path

    def __call__(
        self,
        backend: int | str,
        model: Path,
        recordings: Sequence[Path],
        *,
        encoder: str = "-",
        audio_ctx: int = 0,
    ) -> list[dict[str, Any]]:
        """What it prints, a document for each recording."""
        told = run(self.path, str(backend), model, encoder, str(audio_ctx), *recordings)
        return [json.loads(line) for line in told.splitlines()]


@pytest.fixture(scope="session")
def program(packages: Path) -> Program:
    """Built by the way that a maintainer has: a CMake option and where OpenVINO lies."""
    build = ROOT / "build" / "openvino"
    place = packages / "openvino"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    options = ("-DSPEECH_OPENVINO=ON", f"-DOpenVINO_DIR={place / 'cmake'}", *launcher)
    run("cmake", "-S", ROOT / "cpp", "-B", build, *options)
    run("cmake", "--build", build, "--target", "speech", "-j2")
    made = build / "encoders"
    (library,) = (place / "libs").glob("libopenvino.so.*")
    headers = f"-I{ROOT / 'cpp' / 'include'}"
    run(
        *("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", headers),
        *(ROOT / "tests" / "e2e" / "encoders.c", build / "libspeech.a", library),
        *(f"-Wl,-rpath,{library.parent}", "-lstdc++", "-lm", "-lpthread", "-o", made),
    )
    return Program(made)


@pytest.fixture(scope="session")
def base(base_f16: Path, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The multilingual base with the encoder that the command makes of it beside."""
    model = tmp_path_factory.mktemp("openvino") / "base.bin"
    model.symlink_to(base_f16)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(packages)
        assert main(["model", "openvino", str(model), "-o", str(beside(model))]) == 0
    return model


def beside(model: Path) -> Path:
    return model.with_name(f"{model.stem}-encoder-openvino.xml")


@pytest.fixture(scope="session")
def clips(
    recording: Callable[[str], Recording], tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """The clips as 16-bit WAV files."""
    folder = tmp_path_factory.mktemp("clips")
    paths = [folder / f"{name}.wav" for name in CLIPS]
    for name, path in zip(CLIPS, paths, strict=True):
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16_000)
            file.writeframes((recording(name).samples() * 32767).astype("<i2").tobytes())
    return paths


def test_five_clips_become_the_same_text_and_the_ratio_of_times_is_told(
    program: Program,
    base: Path,
    clips: list[Path],
    record_testsuite_property: Callable[[str, object], None],
) -> None:
    # The first window of OpenVINO's is slower: it is not counted, on both sides.
    own = program(CPU, base, [clips[0], *clips])[1:]
    other = program(OPENVINO, base, [clips[0], *clips])[1:]
    assert [one["text"] for one in other] == [one["text"] for one in own]
    assert {one["encoder"] for one in own} == {"own"}
    assert {one["encoder"] for one in other} == {"openvino"}
    assert other[0]["reason"].startswith("openvino: base-encoder-openvino.xml, compiled in ")
    assert ", first window in " in other[0]["reason"]
    times = [sum(one["encode_ms"] for one in side) for side in (own, other)]
    windows = [sum(one["windows"] for one in side) for side in (own, other)]
    assert windows[0] == windows[1]
    record_testsuite_property(
        "OpenVINO's encoder",
        f"{times[0] / windows[0]:.0f} ms a window by the CPU's own, {times[1] / windows[1]:.0f} ms "
        f"by OpenVINO's, {times[0] / times[1]:.2f} times as fast; {other[0]['reason']}",
    )


def test_a_shorter_window_is_taken_too(program: Program, base: Path, clips: list[Path]) -> None:
    (own,) = program(CPU, base, clips[:1], audio_ctx=600)
    (other,) = program(OPENVINO, base, clips[:1], audio_ctx=600)
    assert other["text"] == own["text"]
    assert other["encoder"] == "openvino"


def test_the_function_of_whisper_h_adds_the_encoder(
    program: Program, base: Path, clips: list[Path]
) -> None:
    (own,) = program(CPU, base, clips[:1])
    for encoder in ("-", str(beside(base))):
        (told,) = program("openvino-later", base, clips[:1], encoder=encoder)
        assert (told["encoder"], told["text"]) == ("openvino", own["text"])
    words = (program.path, "openvino-later", base, "missing.xml", "0", clips[0])
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is no 'missing.xml'" in done.stderr


def test_its_numbers_are_the_cores(
    base: Path, packages: Path, recording: Callable[[str], Recording]
) -> None:
    core = _inspect.Model(str(base))
    features = window_of(log_mel(recording("jfk").samples(), core.filters), 0)
    window = np.ascontiguousarray(features[:, :1024], np.float32)
    expected = _inspect.Engine(core).encode(window)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(packages)
        import openvino

        # Asked for single precision: a processor with halves or bfloat16 would use them.
        exact = {"INFERENCE_PRECISION_HINT": "f32"}
        compiled = openvino.Core().compile_model(str(beside(base)), "CPU", exact)
        (output,) = compiled(window[None]).values()
    # Outputs have a root mean square near 1; see numerics of half precision in test_coreml.py for
    # the frames in which single elements differ by more.
    assert float(np.sqrt(np.mean((output[0] - expected) ** 2))) < 1e-3


def test_an_encoder_of_another_model_is_not_used(
    program: Program, base: Path, tiny_en_f16: Path, clips: list[Path], tmp_path: Path
) -> None:
    model = tmp_path / "tiny.en.bin"
    model.symlink_to(tiny_en_f16)
    for ending in (".xml", ".bin"):
        shutil.copy(beside(base).with_suffix(ending), beside(model).with_suffix(ending))
    (told,) = program(OPENVINO, model, clips[:1])
    assert told["encoder"] == "own"
    assert "it takes 80 mel bins and gives 512 values a frame" in told["reason"]
    text = beside(base).read_text()
    place = text.index("encoder_fingerprint")
    changed = text[:place] + text[place:].replace('value="', 'value="0', 1)
    (tmp_path / "changed.xml").write_text(changed)
    shutil.copy(beside(base).with_suffix(".bin"), tmp_path / "changed.bin")
    (told,) = program(OPENVINO, base, clips[:1], encoder=str(tmp_path / "changed.xml"))
    assert "it was made of another model" in told["reason"]


@pytest.mark.parametrize("damage", ["no xml", "cut xml", "no weights", "cut weights"])
def test_a_broken_encoder_is_not_used(
    damage: str, program: Program, base: Path, clips: list[Path], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.xml"
    xml, weights = beside(base).read_bytes(), beside(base).with_suffix(".bin").read_bytes()
    broken.write_bytes({"no xml": b"<html></html>", "cut xml": xml[:5000]}.get(damage, xml))
    if damage != "no weights":
        kept = weights[: len(weights) // 2] if damage == "cut weights" else weights
        broken.with_suffix(".bin").write_bytes(kept)
    (told,) = program(OPENVINO, base, clips[:1], encoder=str(broken))
    (own,) = program(CPU, base, clips[:1])
    assert (told["encoder"], told["text"]) == ("own", own["text"])
    assert "cannot be used: OpenVINO says: " in told["reason"]
