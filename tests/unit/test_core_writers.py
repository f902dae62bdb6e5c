"""Writers: times, cues and escapes as the formats want them, empty and overlong transcriptions."""

from __future__ import annotations

import json
import math

import pytest

from wspkit.core.results import Segment, SpeechSegment, Stats, Token, Transcription, Word
from wspkit.core.writers import (
    SUFFIXES,
    WORD_WRITERS,
    WRITERS,
    timestamp,
    to_json,
    to_srt,
    to_text,
    to_vtt,
)

STATS = Stats(
    load_ms=0,
    mel_ms=0,
    encode_ms=0,
    prompt_ms=0,
    decode_ms=0,
    batched_ms=0,
    sample_ms=0,
    total_ms=500,
    n_windows=0,
    n_tokens=0,
    n_fallbacks=0,
    n_threads=1,
    audio_s=2,
    weights_bytes=0,
    state_bytes=0,
)


def transcription(*segments: tuple[float, float, str]) -> Transcription:
    made = tuple(Segment(start, end, text, (), 0.0) for start, end, text in segments)
    return Transcription(made, "en", 2.0, STATS)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "00:00:00,000"),
        (0.0004, "00:00:00,000"),
        (0.0006, "00:00:00,001"),
        (59.9996, "00:01:00,000"),
        (3599.9999, "01:00:00,000"),
        (61.23, "00:01:01,230"),
        (99 * 3600 + 59 * 60 + 59.999, "99:59:59,999"),
        (100 * 3600, "100:00:00,000"),
        (1234 * 3600 + 5, "1234:00:05,000"),
        (-0.01, "00:00:00,000"),
    ],
)
def test_times_round_to_the_nearest_millisecond_and_carry(seconds: float, expected: str) -> None:
    assert timestamp(seconds, ",") == expected


def test_text_has_one_line_per_segment() -> None:
    assert to_text(transcription((0, 1, " Hello,"), (1, 2, " world."))) == "Hello,\nworld.\n"


def test_srt_numbers_its_cues_and_parts_them_by_an_empty_line() -> None:
    assert to_srt(transcription((0, 1.5, " Hello,"), (1.5, 2, " world."))) == (
        "1\n00:00:00,000 --> 00:00:01,500\nHello,\n\n2\n00:00:01,500 --> 00:00:02,000\nworld.\n\n"
    )


def test_vtt_has_its_header_and_points_in_times() -> None:
    assert to_vtt(transcription((0, 1.5, " Hello."))) == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n"
    )


def test_vtt_escapes_what_would_be_markup() -> None:
    assert "R&amp;D &lt;b&gt; --&gt;" in to_vtt(transcription((0, 1, "R&D <b> -->")))


def test_line_breaks_in_a_segment_cannot_end_its_cue() -> None:
    for write in (to_srt, to_vtt):
        assert "\none two three\n\n" in write(transcription((0, 1, " one\n\ntwo\r\nthree\n")))


def test_segments_without_text_are_no_cues_and_leave_no_gap_in_the_numbers() -> None:
    written = to_srt(transcription((0, 1, "a"), (1, 2, "  "), (2, 3, "b")))
    assert written.startswith("1\n")
    assert "\n2\n00:00:02,000" in written
    assert written.count("-->") == 2


def test_a_cue_never_ends_before_it_starts() -> None:
    assert "00:00:02,000 --> 00:00:02,000" in to_srt(transcription((2, 1, "a")))


def test_empty_transcriptions_are_valid_files() -> None:
    empty = transcription()
    assert to_text(empty) == ""
    assert to_srt(empty) == ""
    assert to_vtt(empty) == "WEBVTT\n\n"
    assert json.loads(to_json(empty))["segments"] == []


def test_json_keeps_letters_times_and_probabilities() -> None:
    token = Token(5, " Grüße".encode(), 0.25, -1.3863, False, 0.1, 1.1, 0.5)
    silent = Token(7, b"", 0.0, -math.inf, special=True)
    segment = Segment(0.0, 1.1, " Grüße", (token, silent), 0.125)
    speech = (SpeechSegment(0.0, 1.0),)
    written = to_json(Transcription((segment,), "de", 1.1, STATS, 0.75, speech))
    assert "Grüße" in written
    document = json.loads(written)
    assert document["text"] == "Grüße"
    assert document["language"] == "de"
    assert document["segments"][0]["end_s"] == 1.1
    assert document["segments"][0]["no_speech_probability"] == 0.125
    assert document["language_probability"] == 0.75
    assert document["speech"] == [{"start_s": 0.0, "end_s": 1.0}]
    first, second = document["segments"][0]["tokens"]
    assert first == {
        "id": 5,
        "text": " Grüße",
        "start_s": 0.1,
        "end_s": 1.1,
        "dtw_s": 0.5,
        "probability": 0.25,
        "log_probability": -1.3863,
        "special": False,
    }
    # JSON has no infinity, and a time that was not asked for is none.
    assert second["log_probability"] is second["start_s"] is second["dtw_s"] is None


WORDS = (Word(" Guten", 0.1, 0.45, 0.5), Word(" <Tag>.", 0.5, 0.4, 0.25))


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("text", "0.10\t0.45\t0.500\tGuten\n0.50\t0.40\t0.250\t<Tag>.\n"),
        (
            "srt",
            (
                "1\n00:00:00,100 --> 00:00:00,450\nGuten\n\n"
                "2\n00:00:00,500 --> 00:00:00,500\n<Tag>.\n\n"
            ),
        ),
        (
            "vtt",
            (
                "WEBVTT\n\n00:00:00.100 --> 00:00:00.450\nGuten\n\n"
                "00:00:00.500 --> 00:00:00.500\n&lt;Tag&gt;.\n\n"
            ),
        ),
    ],
)
def test_words_have_a_line_or_a_cue_each(form: str, expected: str) -> None:
    segment = Segment(0.0, 1.1, " Guten <Tag>.", (), 0.0, WORDS)
    assert WORD_WRITERS[form](Transcription((segment,), "de", 1.1, STATS)) == expected


def test_a_turn_of_the_speaker_is_marked_behind_its_segment() -> None:
    turn = Segment(0.0, 1.0, " Ja.", (), 0.0, speaker_turn_next=True)
    spoken = Transcription((turn, Segment(1.0, 2.0, " Nein.", (), 0.0)), "de", 2.0, STATS)
    assert to_text(spoken) == "Ja. [SPEAKER_TURN]\nNein.\n"
    assert "\nJa. [SPEAKER_TURN]\n" in to_vtt(spoken)


def test_json_has_the_words_and_subtitles_do_not_change() -> None:
    words = (Word(" Guten", 0.1, 0.45, 0.5), Word(" Tag.", 0.5, 1.0, 0.25))
    with_words = Transcription(
        (Segment(0.0, 1.1, " Guten Tag.", (), 0.0, words),), "de", 1.1, STATS
    )
    without = transcription((0.0, 1.1, " Guten Tag."))
    assert json.loads(to_json(with_words))["segments"][0]["words"] == [
        {"text": " Guten", "start_s": 0.1, "end_s": 0.45, "probability": 0.5},
        {"text": " Tag.", "start_s": 0.5, "end_s": 1.0, "probability": 0.25},
    ]
    assert json.loads(to_json(without))["segments"][0]["words"] == []
    for write in (to_text, to_srt, to_vtt):
        assert write(with_words) == write(without)


def test_a_part_of_a_character_is_shown_as_a_replacement() -> None:
    assert Token(5, b"\xc3", 1, 0, special=False).text == "\ufffd"


def test_every_format_has_a_writer_and_a_suffix() -> None:
    assert set(WRITERS) == set(SUFFIXES)


def test_results_describe_themselves_briefly() -> None:
    result = transcription((0, 1.5, " " + "word " * 50))
    assert "language='en'" in repr(result)
    assert len(repr(result)) < 150
    assert repr(transcription((0, 1.5, " Hi.")).segments[0]) == "Segment(0.00-1.50 s, ' Hi.')"


def test_real_time_factor_is_time_taken_per_time_of_audio() -> None:
    assert STATS.real_time_factor == 0.25
