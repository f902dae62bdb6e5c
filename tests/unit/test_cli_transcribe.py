"""`wsp transcribe` on made-up weights: formats, files, several recordings, exit codes."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wspkit.cli.app import main
from wspkit.cli.transcribe import Format, plan_outputs
from wspkit.errors import UsageError

FAST = ["--temperature-inc", "0", "--max-tokens", "12", "-l", "en", "-t", "1"]


@pytest.fixture
def run(synthetic_model: Path, monkeypatch: pytest.MonkeyPatch) -> type[Run]:
    monkeypatch.setenv("WSPKIT_MODEL", str(synthetic_model))
    return Run


class Run:
    """Calls `wsp transcribe` with options that keep made-up weights brief."""

    def __init__(self, *words: str | Path) -> None:
        self.code = main(["transcribe", *map(str, words), *FAST])


# ---- formats ----


def test_text_goes_to_stdout_and_nothing_else_does(
    run: type[Run], noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav).code == 0
    streams = capsys.readouterr()
    assert streams.out.strip()
    assert "\x1b" not in streams.out
    assert streams.err == ""


def test_srt_and_vtt_have_cues(
    run: type[Run], noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, "--format", "srt").code == 0
    assert capsys.readouterr().out.startswith("1\n00:00:0")
    assert run(noise_wav, "-f", "vtt").code == 0
    assert capsys.readouterr().out.startswith("WEBVTT\n\n00:00:0")


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"], ["--json", "--stats"]])
def test_json_is_one_document(
    words: list[str], run: type[Run], noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, *words).code == 0
    streams = capsys.readouterr()
    document = json.loads(streams.out)
    assert document["file"] == str(noise_wav)
    assert document["language"] == "en"
    assert document["duration_s"] == 3.0
    assert document["segments"]
    assert document["stats"]["n_tokens"] > 0
    assert streams.err == ""


def test_stats_go_to_stderr_and_name_each_phase(
    run: type[Run], noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, "--stats").code == 0
    streams = capsys.readouterr()
    assert "encoder" not in streams.out
    for word in ("log-mel", "encoder", "decoder", "total", "real time", "peak memory", "threads"):
        assert word in streams.err


# ---- files ----


def test_output_is_written_to_the_file_named(
    run: type[Run], noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "new" / "out.srt"
    assert run(noise_wav, "-f", "srt", "-o", target).code == 0
    assert target.read_text(encoding="utf-8").startswith("1\n")
    assert [path.name for path in target.parent.iterdir()] == ["out.srt"]
    assert capsys.readouterr().out == ""


def test_a_directory_gets_one_file_per_recording(
    run: type[Run], noise_wav: Path, tmp_path: Path
) -> None:
    other = noise_wav.with_name("b.wav")
    shutil.copy(noise_wav, other)
    target = tmp_path / "out"
    assert run(noise_wav, other, "-f", "vtt", "-o", f"{target}/").code == 0
    assert sorted(path.name for path in target.iterdir()) == ["b.vtt", f"{noise_wav.stem}.vtt"]


def test_an_output_that_cannot_be_written_is_code_7(
    run: type[Run], noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x")
    assert run(noise_wav, "-o", blocker / "out.txt").code == 7
    assert "cannot write" in capsys.readouterr().err


def test_standard_input_is_a_recording(
    run: type[Run],
    noise_wav: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(noise_wav.read_bytes())))
    assert run("-").code == 0
    from_stdin = capsys.readouterr().out
    assert run(noise_wav).code == 0
    assert from_stdin == capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "output", "form", "expected"),
    [
        (["a.wav"], None, Format.TEXT, [None]),
        (["a.wav", "b.wav"], None, Format.JSON, [None, None]),
        (["a.wav"], "x.srt", Format.SRT, [Path("x.srt")]),
        (["a.wav"], "dir/", Format.SRT, [Path("dir/a.srt")]),
        (["x/a.b.wav", "-"], "dir", Format.TEXT, [Path("dir/a.b.txt"), Path("dir/stdin.txt")]),
    ],
)
def test_outputs_are_planned_before_the_work(
    files: list[str], output: str | None, form: Format, expected: list[Path | None]
) -> None:
    assert plan_outputs(files, output, form) == expected


@pytest.mark.parametrize(
    ("files", "output", "form", "message"),
    [
        (["a.wav", "b.wav"], None, Format.SRT, "one broken file"),
        (["x/a.wav", "y/a.wav"], "dir", Format.TEXT, "both"),
        (["-", "-"], None, Format.TEXT, "twice"),
    ],
)
def test_outputs_that_would_overwrite_each_other_are_refused(
    files: list[str], output: str | None, form: Format, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        plan_outputs(files, output, form)


def test_a_recording_is_never_overwritten(noise_wav: Path) -> None:
    with pytest.raises(UsageError, match="recordings"):
        plan_outputs([str(noise_wav)], str(noise_wav), Format.TEXT)


def test_the_model_is_never_overwritten(
    run: type[Run],
    synthetic_model: Path,
    noise_wav: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = tmp_path / "model.bin"
    shutil.copy(synthetic_model, model)
    assert run(noise_wav, "-m", model, "-o", model).code == 2
    assert "is the model" in capsys.readouterr().err
    assert model.stat().st_size == synthetic_model.stat().st_size


def test_an_empty_output_is_refused() -> None:
    with pytest.raises(UsageError, match="empty"):
        plan_outputs(["a.wav"], "", Format.TEXT)


def test_several_recordings_into_a_file_are_refused(noise_wav: Path) -> None:
    with pytest.raises(UsageError, match="is a file"):
        plan_outputs(["a.wav", "b.wav"], str(noise_wav), Format.TEXT)


# ---- what goes wrong ----


def test_the_others_go_on_after_one_fails_and_the_worst_code_stays(
    run: type[Run], noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    html = tmp_path / "page.wav"
    html.write_text("<!DOCTYPE html><html></html>")
    assert run(tmp_path / "gone.wav", html, noise_wav).code == 4
    streams = capsys.readouterr()
    assert f"{noise_wav}:\n" in streams.out
    assert "gone.wav" in streams.err
    assert "page.wav" in streams.err
    assert "2 of 3 files failed." in streams.err


def test_json_of_several_recordings_is_a_list_with_the_errors_in_it(
    run: type[Run], noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, tmp_path / "gone.wav", "--json").code == 3
    streams = capsys.readouterr()
    good, bad = json.loads(streams.out)
    assert good["segments"]
    assert bad["error"]["kind"] == "NotFoundError"
    assert json.loads(streams.err.splitlines()[0])["error"]["exit_code"] == 3


def test_json_of_the_only_recording_that_fails_is_its_error(
    run: type[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path / "gone.wav", "--json").code == 3
    streams = capsys.readouterr()
    document = json.loads(streams.out)
    assert document["file"] == str(tmp_path / "gone.wav")
    # The same as on stderr.
    assert document["error"] == json.loads(streams.err)["error"]
    assert document["error"]["exit_code"] == 3


def test_a_closed_standard_input_is_told(
    run: type[Run], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert run("-").code == 7
    assert "standard input is closed" in capsys.readouterr().err


def test_an_endless_standard_input_that_is_no_wav_is_not_read_to_its_end(
    run: type[Run], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - its type is named in 3.12
            self.given = getattr(self, "given", 0) + len(buffer)
            assert self.given < 1e6, "would never end"
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Endless())))
    assert run("-").code == 4
    assert "zero bytes" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse names that are no text")
def test_a_name_that_is_no_text_gets_into_a_json_file(
    run: type[Run], noise_wav: Path, tmp_path: Path
) -> None:
    recording = tmp_path / "\udcff.wav"
    shutil.copy(noise_wav, recording)
    assert run(recording, "--json", "-o", tmp_path / "out.json").code == 0
    assert json.loads((tmp_path / "out.json").read_bytes())["file"] == str(recording)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe with a name")
def test_a_pipe_as_a_model_is_told_for_what_it_is(
    run: type[Run], noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "model")
    assert run(noise_wav, "-m", tmp_path / "model").code == 2
    assert "is a FIFO" in capsys.readouterr().err


def test_a_home_that_is_not_there_is_told(run: type[Run], noise_wav: Path) -> None:
    assert run(noise_wav, "-m", "~nobody-of-that-name/ggml.bin").code == 3


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, 3),
        (b"", 4),
        (b"12345678", 4),
        (b"<!DOCTYPE html><html></html>", 4),
        (b"GGUF" + bytes(100), 4),
    ],
    ids=["missing", "no bytes", "8 bytes", "html", "gguf"],
)
def test_bad_models_have_their_exit_codes(
    data: bytes | None,
    code: int,
    noise_wav: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = tmp_path / "ein Modell für später.bin"
    if data is not None:
        model.write_bytes(data)
    assert main(["transcribe", str(noise_wav), "-m", str(model)]) == code
    err = capsys.readouterr().err
    assert err.startswith("error: ")
    assert "Modell für später.bin" in err


def test_a_directory_as_a_model_is_refused(noise_wav: Path, tmp_path: Path) -> None:
    assert main(["transcribe", str(noise_wav), "-m", str(tmp_path)]) == 2


def test_a_model_path_may_have_spaces_and_other_letters(
    synthetic_model: Path, noise_wav: Path, tmp_path: Path
) -> None:
    model = tmp_path / "mein Modell für später.bin"
    shutil.copy(synthetic_model, model)
    assert main(["transcribe", str(noise_wav), "-m", str(model), *FAST]) == 0


def test_a_name_that_is_no_model_gets_near_ones(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcribe", str(noise_wav), "-m", "tiny.ne"]) == 3
    assert "tiny.en" in capsys.readouterr().err


def test_a_known_model_is_not_fetched_against_the_callers_will(
    noise_wav: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    assert main(["transcribe", str(noise_wav), "-m", "tiny.en", "--no-fetch"]) == 3
    assert "wsp model fetch tiny.en" in capsys.readouterr().err


def wav_of(samples: np.ndarray[tuple[int], np.dtype[np.int16]], path: Path) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(samples.astype("<i2").tobytes())
    return path


@pytest.mark.parametrize("n_samples", [0, 1, 1584])
def test_audio_too_short_for_words_is_an_empty_success(
    n_samples: int, run: type[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = wav_of(np.zeros(n_samples, np.int16), tmp_path / "short.wav")
    assert run(path).code == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_recording_that_is_not_finite_is_refused(
    value: float, run: type[Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = np.full(16000, value, "<f4")
    header = b"RIFF" + (36 + samples.nbytes).to_bytes(4, "little") + b"WAVEfmt "
    header += (16).to_bytes(4, "little") + (3).to_bytes(2, "little") + (1).to_bytes(2, "little")
    header += (16000).to_bytes(4, "little") + (64000).to_bytes(4, "little")
    header += (4).to_bytes(2, "little") + (32).to_bytes(2, "little")
    header += b"data" + samples.nbytes.to_bytes(4, "little")
    path = tmp_path / "broken.wav"
    path.write_bytes(header + samples.tobytes())
    assert run(path).code in {2, 4}
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_with_its_code_and_leaves_no_file(
    synthetic_model: Path, tmp_path: Path, number: int, exit_code: int
) -> None:
    random = np.random.default_rng(5)
    path = wav_of(
        random.integers(-3000, 3000, 16000 * 1800).astype(np.int16), tmp_path / "long.wav"
    )
    target = tmp_path / "out.txt"
    words = ["-v", "transcribe", str(path), "-m", str(synthetic_model), "-o", str(target), *FAST]
    code = "import sys; from wspkit.cli.entry import main; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "AudioFile(1800.00 s" in line:  # the noise_wav is read, so the work begins
                break
        process.send_signal(number)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == exit_code, err
    assert "Interrupted." in err
    assert not target.exists()
