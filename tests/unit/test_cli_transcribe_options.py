"""`wsp transcribe` with words, silence left out, beams, grammars, candidates and parts, on made-up
weights.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit.cli.app import main

FAST = ["--temperature-inc", "0", "--max-tokens", "12", "-t", "1"]


@pytest.fixture(autouse=True)
def model(synthetic_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSPKIT_MODEL", str(synthetic_model))


def run(*words: str | Path) -> int:
    return main(["transcribe", *map(str, words), *FAST, "-l", "en"])


def test_json_holds_everything(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silero = tmp_path / "silero.bin"
    write_synthetic_silero(silero, final_bias=20.0)
    assert run(noise_wav, "--json", "--words", "--vad", "--vad-model", silero) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["language_probability"] == 1.0
    assert document["speech"] == [{"start_s": 0.0, "end_s": 3.0}]
    assert document["options"]["token_timestamps"] is True
    assert document["options"]["vad_model_path"] == str(silero)
    assert document["options"]["vad_options"]["threshold"] == 0.5
    stats = document["stats"]
    assert stats["backend_reason"].startswith(f"{stats['backend']}: ")
    for segment in document["segments"]:
        assert segment["speaker_turn_next"] is False
        assert "".join(word["text"] for word in segment["words"]) == segment["text"]
        for token in segment["tokens"]:
            assert segment["start_s"] <= token["start_s"] <= token["end_s"] <= segment["end_s"]
            assert token["dtw_s"] is None


# ---- words, silence, beams, grammars ----


def test_words_are_a_table_and_a_cue_each(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav) == 0
    expected = capsys.readouterr().out.split()
    assert run(noise_wav, "--words") == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["start", "end", "probability", "word"]
    assert " ".join(row.split(maxsplit=5)[5] for row in rows).split() == expected
    assert run(noise_wav, "--words", "-f", "srt") == 0
    assert capsys.readouterr().out.count(" --> ") == len(rows)
    assert run(noise_wav, "--words", "-o", tmp_path / "out.txt") == 0
    assert len((tmp_path / "out.txt").read_text(encoding="utf-8").splitlines()) == len(rows)


def test_silence_is_left_out(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    silero = tmp_path / "silero.bin"
    write_synthetic_silero(silero, final_bias=-20.0)
    assert run(noise_wav, "--vad", "--vad-model", silero) == 0
    assert capsys.readouterr().out == ""
    assert run(noise_wav, "--vad", "--vad-model", silero, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["speech"] == document["segments"] == []


def test_a_grammar_decides_what_is_written(
    noise_wav: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grammar = tmp_path / "grammar.gbnf"
    grammar.write_text('root ::= (" " [xyz])+\n', encoding="utf-8")
    assert run(noise_wav, "--grammar", grammar) == 0
    text = capsys.readouterr().out
    assert text.strip()
    assert set(text.split()) <= {"x", "y", "z"}
    grammar.write_text('root ::= (" " [xyz)+\n', encoding="utf-8")
    assert run(noise_wav, "--grammar", grammar) == 4
    assert "line 1, column" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--beam-size", "3", "--patience", "2"],
        ["--parallel", "3"],
        ["--dtw", "top-1"],
        ["--dtw", "0:0,0:1"],
        ["--max-length", "5", "--split-on-word"],
        ["--suppress-regex", "[a-m]", "--carry-prompt", "--prompt", "zoo"],
        ["--compression-threshold", "2.4", "--seed", "7", "--speaker-turns"],
    ],
)
def test_further_options_work_together(
    words: list[str], noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(noise_wav, "--json", *words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["segments"]
    aligned = [token["dtw_s"] for one in document["segments"] for token in one["tokens"]]
    assert any(time is not None for time in aligned) == ("--dtw" in words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--beam-size", "9"], (2, "option beam_size is 9; expected 1 to 8")),
        (["--dtw", "top"], (2, "--dtw is 'top'")),
        (["--dtw", "top-9"], (2, "dtw_n_top")),
        (["--dtw", "7:7"], (2, "alignment heads")),
        (["--vad-threshold", "0.4"], (2, "an option of --vad without --vad")),
        (["--vad", "--vad-model", "no-such-model"], (3, "no-such-model")),
        (["--languages", "de,fr"], (2, "options language and language_candidates are both given")),
        (["--suppress-regex", "["], (2, "suppress_regex")),
        (["--grammar", "none.gbnf"], (3, "--grammar: there is no file none.gbnf")),
        (["--seed", "-1"], (2, "option seed is -1")),
        (["--parallel", "65"], (2, "option n_parts is 65; expected 1 to 64")),
    ],
)
def test_wrong_use_of_further_options_is_told_by_name(
    words: list[str],
    told: tuple[int, str],
    noise_wav: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, message = told
    assert run(noise_wav, *words) == code
    streams = capsys.readouterr()
    assert message in streams.err
    assert streams.out == ""


def test_languages_are_candidates_of_the_detection(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["transcribe", str(noise_wav), *FAST, "--json", "--languages"]
    assert main([*words, "de,French"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["language"] in {"de", "fr"}
    assert 0.5 <= document["language_probability"] <= 1
    assert main([*words, "de,xx"]) == 2
    assert "'xx'" in capsys.readouterr().err
