"""`wsp detect-language` on made-up weights: table, JSON, candidates, several files, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wspkit.cli.app import main


@pytest.fixture(autouse=True)
def model(synthetic_model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WSPKIT_MODEL", str(synthetic_model))
    return synthetic_model


def run(*words: str | Path) -> int:
    return main(["detect-language", *map(str, words)])


def test_a_table_of_the_most_probable_goes_to_stdout(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav) == 0
    streams = capsys.readouterr()
    heading, *rows = streams.out.splitlines()
    assert heading.split() == ["code", "language", "probability"]
    assert len(rows) == 5
    shares = [float(row.split()[-1].rstrip("%")) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert streams.err == ""
    assert run(noise_wav, "--top", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_json_has_every_language(noise_wav: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(noise_wav, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    languages = document["languages"]
    assert document["file"] == str(noise_wav)
    assert len(languages) == 100
    assert document["language"] == languages[0]["code"]
    assert document["probability"] == languages[0]["probability"]
    # Each is rounded to 6 places.
    assert sum(one["probability"] for one in languages) == pytest.approx(1, abs=1e-4)


def test_candidates_share_the_probability_among_them(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, "--json") == 0
    every = {
        one["code"]: one["probability"] for one in json.loads(capsys.readouterr().out)["languages"]
    }
    assert run(noise_wav, "--json", "--candidates", "de, French") == 0
    found = {
        one["code"]: one["probability"] for one in json.loads(capsys.readouterr().out)["languages"]
    }
    assert sorted(found) == ["de", "fr"]
    # Six places of probabilities near 1 %: four of their digits are left.
    assert found["de"] == pytest.approx(every["de"] / (every["de"] + every["fr"]), rel=1e-3)


def test_several_files_are_worked_through_even_if_one_fails(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.wav"
    assert run("--json", missing, noise_wav) == 3
    first, second = json.loads(capsys.readouterr().out)
    assert first["error"]["kind"] == "NotFoundError"
    assert second["language"]
    assert run("--json", missing) == 3
    assert json.loads(capsys.readouterr().out) == first
    assert run(noise_wav, missing) == 3
    streams = capsys.readouterr()
    assert streams.out.startswith(str(noise_wav))
    assert "1 of 2 files failed." in streams.err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--candidates", "de,xx"], 2, "the candidate 'xx' is no language"),
        (["--candidates", "de,,fr"], 2, "--candidates is 'de,,fr'"),
        (["--offset-ms", "3000"], 2, "offset_ms is 3000, expected 0 to less than"),
        (["--offset-ms", "-1"], 2, "--offset-ms"),
        (["--top", "0"], 2, "--top"),
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


def test_standard_input_can_be_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-", "-") == 2
    assert "standard input is named twice" in capsys.readouterr().err


def test_the_help_has_examples_and_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = capsys.readouterr().out
    for word in ("$ wsp detect-language call.wav", "--candidates", "--top", "--json", "--model"):
        assert word in text
