"""The first whole path on real weights and real speech: recording in, right text out."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.recordings import Recording

from wspkit.cli.app import main
from wspkit.core import Context, Segment, TranscribeOptions, Transcription, load_audio
from wspkit.errors import UnsupportedError
from wspkit.parity.compare import normalized_words as words

GetRecording = Callable[[str], Recording]

SAMPLE = Path(__file__).parents[1] / "sample" / "sample.wav"
SAMPLE_TEXT = SAMPLE.with_suffix(".txt")


def token_ids(result: Transcription) -> list[int]:
    return [token.id for segment in result.segments for token in segment.tokens]


@pytest.fixture(scope="module")
def context(tiny_en_f16: Path) -> Iterator[Context]:
    with Context.load(tiny_en_f16) as loaded:
        yield loaded


def test_known_speech_becomes_its_text(context: Context, recording: GetRecording) -> None:
    clip = recording("jfk")
    seen: list[Segment] = []
    percent: list[int] = []
    result = context.transcribe(
        load_audio(clip.path), on_segment=seen.append, on_progress=percent.append
    )
    assert words(result.text) == words(clip.text)
    assert result.language == "en"
    assert tuple(seen) == result.segments
    assert percent == sorted(percent)
    assert percent[-1] == 100


def test_the_sample_of_the_repository_becomes_its_text(context: Context) -> None:
    result = context.transcribe(load_audio(SAMPLE))
    assert words(result.text) == words(SAMPLE_TEXT.read_text(encoding="utf-8"))


def test_times_lie_within_the_recording_and_tokens_are_likely(
    context: Context, recording: GetRecording
) -> None:
    result = context.transcribe(recording("jfk").samples())
    assert result.duration_s == 11.0
    for segment in result.segments:
        # A window is 30 s long: its last timestamp may lie a little past the end of the recording.
        assert 0 <= segment.start_s < segment.end_s <= 11.5
        assert segment.no_speech_probability < 0.5
    text = [token for segment in result.segments for token in segment.tokens if not token.special]
    assert np.mean([token.probability for token in text]) > 0.8
    assert b"".join(token.data for token in text).decode().strip() == result.text


def test_tokens_do_not_depend_on_threads_or_on_what_came_before(
    tiny_en_f16: Path, context: Context, recording: GetRecording
) -> None:
    audio = recording("jfk").samples()
    expected = token_ids(context.transcribe(audio, TranscribeOptions(n_threads=1)))
    for n_threads in (2, 4):
        options = TranscribeOptions(n_threads=n_threads)
        assert token_ids(context.transcribe(audio, options)) == expected
    other = recording("austen-0880").samples()
    with Context.load(tiny_en_f16) as fresh:
        of_fresh = token_ids(fresh.transcribe(other))
    assert token_ids(context.transcribe(other)) == of_fresh
    assert token_ids(context.transcribe(audio)) == expected


def test_a_part_of_the_recording_gives_its_part_of_the_text(
    context: Context, recording: GetRecording
) -> None:
    # "... ask what you can do for your country." is said from 8 s on.
    options = TranscribeOptions(offset_ms=8000)
    result = context.transcribe(recording("jfk").samples(), options)
    assert words(result.text)[-8:] == words("ask what you can do for your country")
    assert len(words(result.text)) < 12
    assert result.segments[0].start_s >= 8.0


def test_silence_has_no_speech(context: Context) -> None:
    result = context.transcribe(np.zeros(16000 * 5, np.float32))
    assert len(words(result.text)) <= 2


def test_an_english_model_has_no_other_language(context: Context, recording: GetRecording) -> None:
    audio = recording("jfk").samples()
    with pytest.raises(UnsupportedError, match="English-only"):
        context.detect_language(audio)


# ---- the command line ----


def test_each_format_carries_the_text(
    tiny_en_f16: Path,
    recording: GetRecording,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    clip = recording("jfk")
    expected = words(clip.text)
    for form in ("text", "srt", "vtt", "json"):
        target = tmp_path / form
        command = ["transcribe", str(clip.path), "-m", str(tiny_en_f16), "-f", form]
        assert main([*command, "-o", str(target)]) == 0
        written = target.read_text(encoding="utf-8")
        if form == "json":
            assert words(json.loads(written)["text"]) == expected
        else:
            lines = [line for line in written.splitlines() if re.search("[a-z]", line)]
            assert words(" ".join(lines)) == expected
    assert capsys.readouterr().out == ""


def test_a_model_is_found_by_its_name(
    tiny_en_f16: Path,  # noqa: ARG001 - it is in the cache now
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["transcribe", str(SAMPLE), "-m", "tiny.en"]) == 0
    streams = capsys.readouterr()
    assert words(streams.out) == words(SAMPLE_TEXT.read_text(encoding="utf-8"))
    assert streams.err == ""


def test_standard_input_gives_the_same_as_the_file(
    tiny_en_f16: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["transcribe", "-m", str(tiny_en_f16)]
    assert main([*command, str(SAMPLE)]) == 0
    from_file = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SAMPLE.read_bytes())))
    assert main([*command, "-"]) == 0
    assert capsys.readouterr().out == from_file


def test_base_needs_at_most_300_mb(base_f16: Path, recording: GetRecording) -> None:
    # A process of its own: the peak of this one belongs to other tests as well.
    clip = recording("jfk")
    code = "import sys; from wspkit.cli.app import main; sys.exit(main(sys.argv[1:]))"
    command = ["transcribe", str(clip.path), "-m", str(base_f16), "--json", "--stats"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert words(document["text"]) == words(clip.text)
    assert document["stats"]["peak_memory_bytes"] <= 300_000_000
