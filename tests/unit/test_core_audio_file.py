"""Recordings that stay in their file while they are transcribed. Made-up weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from wspkit.core import AudioFile, Context, TranscribeOptions, load_audio
from wspkit.errors import BadFormatError, InputOutputError, NotFoundError, UsageError

OPTIONS = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


def test_a_recording_in_its_file_gives_what_its_samples_give(
    context: Context, noise_wav: Path
) -> None:
    file, audio = AudioFile(noise_wav), load_audio(noise_wav)
    assert file.duration_s == audio.duration_s
    assert file.format == audio.format
    assert repr(file) == repr(audio).replace("Audio(", "AudioFile(").replace("from ", "")
    expected = context.transcribe(audio, OPTIONS)
    result = context.transcribe(file, OPTIONS)
    assert result.segments == expected.segments
    assert result.stats.audio_s == expected.stats.audio_s
    assert context.transcribe(file, OPTIONS).segments == expected.segments


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (None, NotFoundError, "talk.wav"),
        (b"<!DOCTYPE html>", BadFormatError, "HTML"),
        (b"ID3\x04", BadFormatError, "talk.wav"),
    ],
)
def test_what_is_no_recording_is_refused_when_it_is_opened(
    content: bytes | None, error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "talk.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=message):
        AudioFile(path)


def test_a_file_that_becomes_shorter_is_an_error_and_the_context_works_on(
    context: Context, noise_wav: Path, tmp_path: Path
) -> None:
    path = tmp_path / "talk.wav"
    path.write_bytes(noise_wav.read_bytes())
    file = AudioFile(path)
    path.write_bytes(noise_wav.read_bytes()[:2000])
    with pytest.raises(InputOutputError, match="shorter"):
        context.transcribe(file, OPTIONS)
    assert context.transcribe(load_audio(noise_wav), OPTIONS).segments


def test_where_samples_are_needed_the_way_to_them_is_named(
    context: Context, noise_wav: Path
) -> None:
    with pytest.raises(UsageError, match="load_audio"):
        context.detect_language(AudioFile(noise_wav))  # type: ignore[arg-type]
