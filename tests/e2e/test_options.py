"""Word times, silence left out, beams, grammars and the language alone, on real weights and real
speech: in at the command line, out as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.recordings import Recording

from wspkit.cli.app import main
from wspkit.parity.compare import normalized_words as words

GetRecording = Callable[[str], Recording]

# "And so, my fellow Americans," "ask not" "what your country can do for you," "ask what you can do
# for your country": where silence parts them.
PHRASES = [(0.3, 2.3), (3.3, 4.4), (5.4, 7.7), (8.2, 10.6)]


@pytest.fixture
def transcribe(
    tiny_en_f16: Path, recording: GetRecording, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, Any]]:
    """Runs `wsp transcribe --json` with tiny.en on jfk."""

    def run(*more: str | Path) -> dict[str, Any]:
        clip = recording("jfk")
        arguments = ["transcribe", str(clip.path), "-m", str(tiny_en_f16), "--json"]
        assert main([*arguments, *map(str, more)]) == 0
        document: dict[str, Any] = json.loads(capsys.readouterr().out)
        return document

    return run


def words_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [word for segment in document["segments"] for word in segment["words"]]


def test_words_are_timed_within_the_phrase_that_they_belong_to(
    transcribe: Callable[..., dict[str, Any]], recording: GetRecording
) -> None:
    found = words_of(transcribe("--words"))
    assert [word for one in found for word in words(one["text"])] == words(recording("jfk").text)
    times = [(word["start_s"], word["end_s"]) for word in found]
    assert times == sorted(times)
    # A heuristic: whisper.cpp says of it that it is off by some tenths of a second.
    country = next(word for word in found if "country" in word["text"])
    assert PHRASES[2][0] - 0.5 <= country["start_s"] < country["end_s"] <= PHRASES[2][1] + 0.5


def test_alignment_times_lie_in_their_phrases(
    transcribe: Callable[..., dict[str, Any]],
) -> None:
    document = transcribe("--dtw", "tiny.en")
    tokens = [t for s in document["segments"] for t in s["tokens"] if not t["special"]]
    assert all(token["dtw_s"] is not None for token in tokens)
    country = [token["dtw_s"] for token in tokens if token["text"] == " country"]
    # Within a fifth of a second, as alignment is known for (see the parity test).
    assert PHRASES[2][0] <= country[0] <= PHRASES[2][1] + 0.2
    assert PHRASES[3][0] <= country[1] <= PHRASES[3][1] + 0.2


@pytest.mark.usefixtures("silero_vad")
def test_silence_left_out_keeps_the_text_and_the_times_of_the_recording(
    transcribe: Callable[..., dict[str, Any]], recording: GetRecording
) -> None:
    document = transcribe("--vad", "--words")
    assert words(document["text"]) == words(recording("jfk").text)
    speech = [(one["start_s"], one["end_s"]) for one in document["speech"]]
    assert len(speech) == len(PHRASES)
    for (start, end), (expected_start, expected_end) in zip(speech, PHRASES, strict=True):
        assert start == pytest.approx(expected_start, abs=0.1)
        assert end == pytest.approx(expected_end, abs=0.1)
    last = words_of(document)[-1]
    assert PHRASES[3][0] <= last["start_s"] < last["end_s"] <= 11.0


def test_beams_give_the_text_too(
    transcribe: Callable[..., dict[str, Any]], recording: GetRecording
) -> None:
    document = transcribe("--beam-size", "5")
    assert words(document["text"]) == words(recording("jfk").text)
    assert document["options"]["beam_size"] == 5
    assert document["stats"]["batched_ms"] > 0


def test_a_grammar_holds_the_text_to_its_form(
    transcribe: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    grammar = tmp_path / "shout.gbnf"
    grammar.write_text("root ::= [A-Z ,.]+\n", encoding="utf-8")
    document = transcribe("--grammar", grammar)
    assert document["text"]
    assert document["text"] == document["text"].upper()


def test_parts_give_nearly_the_text_of_the_whole(
    transcribe: Callable[..., dict[str, Any]], recording: GetRecording
) -> None:
    expected = words(recording("jfk").text)
    found = words(transcribe("--parallel", "2")["text"])
    # The cut at 5.5 s falls into a pause: at most the word beside it suffers.
    assert len(set(expected) - set(found)) <= 1
    assert abs(len(found) - len(expected)) <= 2


def test_the_language_is_told_alone(
    base_f16: Path, recording: GetRecording, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, code in (("jfk", "en"), ("asterisk-es", "es"), ("asterisk-ru", "ru")):
        path = str(recording(name).path)
        assert main(["detect-language", path, "-m", str(base_f16), "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["language"] == code
        assert document["probability"] > 0.5
