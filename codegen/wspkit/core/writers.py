"""Transcriptions as text, SubRip (srt), WebVTT and JSON. It must not know where they go."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from wspkit.core.results import Segment, Token, Transcription, Word


def to_text(transcription: Transcription) -> str:
    """One line per segment; empty for an empty transcription."""
    return "".join(f"{line}\n" for segment in transcription.segments if (line := _line(segment)))


def to_srt(transcription: Transcription) -> str:
    """SubRip: numbered cues, times as 00:00:01,500, an empty line after each."""
    cues: list[str] = []
    for segment in transcription.segments:
        if text := _line(segment):
            start, end = _cue_times(segment, ",")
            cues.append(f"{len(cues) + 1}\n{start} --> {end}\n{text}\n\n")
    return "".join(cues)


def to_vtt(transcription: Transcription) -> str:
    """WebVTT: a header, then cues with times as 00:00:01.500; &, < and > are escaped."""
    cues = ["WEBVTT\n\n"]
    for segment in transcription.segments:
        if text := _line(segment):
            start, end = _cue_times(segment, ".")
            cues.append(f"{start} --> {end}\n{_escape_vtt(text)}\n\n")
    return "".join(cues)


def to_json(transcription: Transcription) -> str:
    """What `document` holds, indented, with a newline at the end."""
    return json.dumps(document(transcription), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def document(transcription: Transcription) -> dict[str, Any]:
    """A transcription as plain data: text, language, times in seconds, words, probabilities."""
    return {
        "text": transcription.text,
        "language": transcription.language,
        "duration_s": round(transcription.duration_s, 3),
        "segments": [_segment_document(segment) for segment in transcription.segments],
    }


def timestamp(seconds: float, decimal_mark: str) -> str:
    """HH:MM:SS and milliseconds, rounded to the nearest; more than 99 hours take more digits."""
    # Rounded as a whole first: rounding the rest alone would give 00:00:59.1000.
    milliseconds = max(0, round(seconds * 1000))
    whole, milliseconds = divmod(milliseconds, 1000)
    minutes, whole = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}:{whole:02d}{decimal_mark}{milliseconds:03d}"


WRITERS: Final[dict[str, Callable[[Transcription], str]]] = {
    "text": to_text,
    "srt": to_srt,
    "vtt": to_vtt,
    "json": to_json,
}
"""By the name of the format."""

SUFFIXES: Final = {"text": ".txt", "srt": ".srt", "vtt": ".vtt", "json": ".json"}
"""Endings of file names, by the name of the format."""


def _line(segment: Segment) -> str:
    # An empty line would end a cue, and a line break belongs to no segment: one line in any case.
    return " ".join(segment.text.split())


def _cue_times(segment: Segment, decimal_mark: str) -> tuple[str, str]:
    # A cue that ends before it starts is no valid cue.
    end_s = max(segment.start_s, segment.end_s)
    return timestamp(segment.start_s, decimal_mark), timestamp(end_s, decimal_mark)


def _escape_vtt(text: str) -> str:
    # "-->" is not allowed in a cue either; escaping > takes care of it.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _segment_document(segment: Segment) -> dict[str, Any]:
    return {
        "start_s": segment.start_s,
        "end_s": segment.end_s,
        "text": segment.text,
        "no_speech_probability": round(segment.no_speech_probability, 6),
        "words": [_word_document(word) for word in segment.words],
        "tokens": [_token_document(token) for token in segment.tokens],
    }


def _word_document(word: Word) -> dict[str, Any]:
    return {
        "text": word.text,
        "start_s": word.start_s,
        "end_s": word.end_s,
        "probability": round(word.probability, 6),
    }


def _token_document(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "text": token.text,
        "probability": round(token.probability, 6),
        "special": token.special,
    }
