"""`wsp vad` on made-up weights: table, JSON, several files, options, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit.cli.app import main


@pytest.fixture(autouse=True)
def talkative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that hears speech everywhere."""
    path = tmp_path / "silero.bin"
    write_synthetic_silero(path, final_bias=20.0)
    monkeypatch.setenv("WSPKIT_VAD_MODEL", str(path))
    return path


def run(*words: str | Path) -> int:
    return main(["vad", *map(str, words)])


def test_a_table_goes_to_stdout_and_the_sum_to_stderr(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav) == 0
    streams = capsys.readouterr()
    heading, *rows = streams.out.splitlines()
    assert heading.split() == ["start", "end", "length"]
    assert [row.split() for row in rows] == [["1", "0.00", "s", "3.00", "s", "3.00", "s"]]
    assert streams.err == "3.00 s of speech in 3.00 s, 100%\n"


def test_json_has_times_in_seconds(noise_wav: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", noise_wav) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["file"] == str(noise_wav)
    assert document["duration_s"] == document["speech_s"] == 3.0
    assert document["segments"] == [{"start_s": 0.0, "end_s": 3.0}]
    assert "probabilities" not in document


def test_json_has_the_windows_when_asked(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--json", "--windows", noise_wav) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["window_s"] == 0.032
    assert len(document["probabilities"]) == 94
    assert all(0 <= one <= 1 for one in document["probabilities"])


def test_options_reach_the_core(noise_wav: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json", "--max-speech-s", "1", "--pad-ms", "0", noise_wav) == 0
    assert len(json.loads(capsys.readouterr().out)["segments"]) == 3
    assert run("--json", "--min-speech-ms", "5000", noise_wav) == 0
    assert json.loads(capsys.readouterr().out)["segments"] == []


def test_silence_is_an_empty_table(
    noise_wav: Path, talkative: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_synthetic_silero(talkative, final_bias=-20.0)
    assert run(noise_wav) == 0
    streams = capsys.readouterr()
    assert len(streams.out.splitlines()) == 1
    assert streams.err == "0.00 s of speech in 3.00 s, 0%\n"


def test_several_files_are_worked_through_even_if_one_fails(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.wav"
    assert run("--json", missing, noise_wav) == 3
    first, second = json.loads(capsys.readouterr().out)
    assert first["error"]["kind"] == "NotFoundError"
    assert second["segments"] == [{"start_s": 0.0, "end_s": 3.0}]
    assert run("--json", missing) == 3
    assert json.loads(capsys.readouterr().out)["error"] == first["error"]
    assert run(noise_wav, missing) == 3
    streams = capsys.readouterr()
    assert streams.out.startswith(str(noise_wav))
    assert "1 of 2 files failed." in streams.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--threshold", "1.5"], 2, "option threshold is 1.5; expected 0 to 1"),
        (["--threshold", "nan"], 2, "option threshold is nan"),
        (["--pad-ms", "-1"], 2, "option speech_pad_ms is -1"),
        (["--max-speech-s", "-1"], 2, "option max_speech_duration_s is -1"),
        (["--windows"], 2, "--windows without --json"),
        (["-m", "no-such-model"], 3, "no-such-model"),
    ],
)
def test_wrong_use_is_told_by_name(
    words: list[str],
    code: int,
    message: str,
    noise_wav: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(noise_wav, *words) == code
    streams = capsys.readouterr()
    assert message in streams.err
    assert streams.out == ""


def test_a_whisper_model_is_refused_by_its_kind(
    noise_wav: Path, synthetic_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, "-m", synthetic_model) == 4
    assert "a Whisper model" in capsys.readouterr().err


def test_standard_input_can_be_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-", "-") == 2
    assert "standard input is named twice" in capsys.readouterr().err


def test_the_help_has_examples_and_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = capsys.readouterr().out
    for word in ("$ wsp vad meeting.wav", "--threshold", "--min-silence-ms", "--json", "--model"):
        assert word in text
