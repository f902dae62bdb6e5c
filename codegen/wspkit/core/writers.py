"""Transcriptions as text, SubRip (srt), WebVTT and JSON, by segments or by words. It must not know
where they go.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from wspkit.core.results import Segment, Token, Transcription, Word

SPEAKER_TURN: Final = "[SPEAKER_TURN]"
"""Behind the text of a segment that another speaker follows, as whisper.cpp's program writes it."""


def to_text(transcription: Transcription) -> str:
    """One line per segment; empty for an empty transcription."""
    return "".join(f"{line}\n" for segment in transcription.segments if (line := _line(segment)))


def to_srt(transcription: Transcription) -> str:
    """SubRip: numbered cues, times as 00:00:01,500, an empty line after each."""
    return _srt(
        (segment.start_s, segment.end_s, _line(segment)) for segment in _segments(transcription)
    )


def to_vtt(transcription: Transcription) -> str:
    """WebVTT: a header, then cues with times as 00:00:01.500; &, < and > are escaped."""
    return _vtt(
        (segment.start_s, segment.end_s, _line(segment)) for segment in _segments(transcription)
    )


def words_to_text(transcription: Transcription) -> str:
    """One line per word: start and end in seconds, its probability, the word; tabs between them."""
    return "".join(
        f"{word.start_s:.2f}\t{word.end_s:.2f}\t{word.probability:.3f}\t{word.text.strip()}\n"
        for word in transcription.words
    )


def words_to_srt(transcription: Transcription) -> str:
    """SubRip with a cue per word."""
    return _srt((word.start_s, word.end_s, word.text.strip()) for word in transcription.words)


def words_to_vtt(transcription: Transcription) -> str:
    """WebVTT with a cue per word."""
    return _vtt((word.start_s, word.end_s, word.text.strip()) for word in transcription.words)


def to_json(transcription: Transcription) -> str:
    """What `document` holds, indented, with a newline at the end."""
    return json.dumps(document(transcription), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def document(transcription: Transcription) -> dict[str, Any]:
    """A transcription as plain data: text, language, speech, segments with words and tokens, all
    with times in seconds and probabilities.
    """
    return {
        "text": transcription.text,
        "language": transcription.language,
        "language_probability": _rounded(transcription.language_probability),
        "duration_s": round(transcription.duration_s, 3),
        "speech": [{"start_s": one.start_s, "end_s": one.end_s} for one in transcription.speech],
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

WORD_WRITERS: Final[dict[str, Callable[[Transcription], str]]] = {
    "text": words_to_text,
    "srt": words_to_srt,
    "vtt": words_to_vtt,
    "json": to_json,
}
"""The same with a line or cue per word; JSON has the words in any case."""

SUFFIXES: Final = {"text": ".txt", "srt": ".srt", "vtt": ".vtt", "json": ".json"}
"""Endings of file names, by the name of the format."""


def _line(segment: Segment) -> str:
    # An empty line would end a cue, and a line break belongs to no segment: one line in any case.
    line = " ".join(segment.text.split())
    return f"{line} {SPEAKER_TURN}" if segment.speaker_turn_next else line


def _segments(transcription: Transcription) -> Iterator[Segment]:
    return (segment for segment in transcription.segments if _line(segment))


Cues = Iterable[tuple[float, float, str]]
"""Start, end and text of each cue."""


def _srt(cues: Cues) -> str:
    return "".join(
        f"{number}\n{_cue_times(start_s, end_s, ',')}\n{text}\n\n"
        for number, (start_s, end_s, text) in enumerate(cues, 1)
    )


def _vtt(cues: Cues) -> str:
    return "WEBVTT\n\n" + "".join(
        f"{_cue_times(start_s, end_s, '.')}\n{_escape_vtt(text)}\n\n"
        for start_s, end_s, text in cues
    )


def _cue_times(start_s: float, end_s: float, decimal_mark: str) -> str:
    # A cue that ends before it starts is no valid cue.
    end_s = max(start_s, end_s)
    return f"{timestamp(start_s, decimal_mark)} --> {timestamp(end_s, decimal_mark)}"


def _escape_vtt(text: str) -> str:
    # "-->" is not allowed in a cue either; escaping > takes care of it.
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _segment_document(segment: Segment) -> dict[str, Any]:
    return {
        "start_s": segment.start_s,
        "end_s": segment.end_s,
        "text": segment.text,
        "no_speech_probability": round(segment.no_speech_probability, 6),
        "speaker_turn_next": segment.speaker_turn_next,
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
        "start_s": token.start_s,
        "end_s": token.end_s,
        "dtw_s": token.dtw_s,
        "probability": round(token.probability, 6),
        "log_probability": _finite(token.log_probability),
        "special": token.special,
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 6)


def _finite(number: float) -> float | None:
    # JSON knows no infinity, which the logarithm of 0 is.
    return round(number, 6) if math.isfinite(number) else None
