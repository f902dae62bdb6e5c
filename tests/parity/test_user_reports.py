"""What users of such libraries have reported about real speech, each at its smallest trigger.

docs/user-reports.md lists all reports with their tests.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.parity.conftest import Samples

from wspkit.core import Context, TranscribeOptions, Transcription

RATE_HZ = 16_000
JFK = (
    "and so my fellow americans ask not what your country can do for you "
    "ask what you can do for your country"
)


@pytest.fixture(scope="module")
def tiny_en(tiny_en_f16: Path) -> Iterator[Context]:
    with Context.load(tiny_en_f16) as context:
        yield context


@pytest.fixture(scope="module")
def base(base_f16: Path) -> Iterator[Context]:
    with Context.load(base_f16) as context:
        yield context


@pytest.fixture(scope="module")
def jfk(samples: Callable[[str], Samples]) -> Samples:
    return samples("jfk")


@pytest.fixture(scope="module")
def long_clip(jfk: Samples) -> Samples:
    """44 s, so two windows: the same sentence four times."""
    return np.tile(jfk, 4)


def options(**more: object) -> TranscribeOptions:
    return TranscribeOptions(language="en", n_threads=2, **more)  # type: ignore[arg-type]


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE_HZ), np.float32)


def words(result: Transcription) -> list[str]:
    return re.findall(r"[a-z']+", result.text.lower())


def count(phrase: str, result: Transcription) -> int:
    return " ".join(words(result)).count(phrase)


def assert_times_are_right(result: Transcription) -> None:
    """Inside the recording, in order, for segments and where they are known for tokens."""
    before = 0.0
    for segment in result.segments:
        assert before <= segment.start_s <= segment.end_s <= result.duration_s + 1e-9
        before = segment.end_s
        inside = segment.start_s
        for token in segment.tokens:
            if token.start_s is not None and token.end_s is not None and not token.special:
                assert inside - 1e-9 <= token.start_s <= token.end_s <= segment.end_s + 1e-9
                inside = token.end_s


@pytest.mark.parametrize("language", ["ru", "es", "it"])
def test_user_report_6_a_second_of_zeros_says_nothing_of_its_own(
    base: Context, language: str
) -> None:
    result = base.transcribe(silence(1.2), TranscribeOptions(language=language, n_threads=2))
    assert_times_are_right(result)
    # Made-up remarks come in brackets.
    assert "[" not in result.text


def test_user_report_4_a_word_of_half_a_second_is_heard(tiny_en: Context, jfk: Samples) -> None:
    # "country", 8,879 samples around 6.9 s.
    word = jfk[int(7.05 * RATE_HZ) :][:8879]
    assert words(tiny_en.transcribe(word, options()))


def test_user_report_7_silence_after_speech_adds_nothing(tiny_en: Context, jfk: Samples) -> None:
    result = tiny_en.transcribe(np.concatenate([jfk, silence(5)]), options())
    assert " ".join(words(result)) == JFK
    assert tiny_en.transcribe(silence(10), options()).text.strip() == ""


def test_user_report_8_what_is_repeated_is_bounded(tiny_en: Context) -> None:
    # Neither speech nor silence, over several windows, and with all that was said carried on: what
    # makes models repeat themselves.
    noise = np.random.default_rng(8).uniform(-0.3, 0.3, 40 * RATE_HZ).astype(np.float32)
    result = tiny_en.transcribe(noise, options(no_context=False, max_initial_ts=1.0))
    runs = [len(list(group)) for _, group in itertools.groupby(s.text for s in result.segments)]
    assert max(runs, default=0) <= 5
    assert_times_are_right(result)


def test_user_report_8_context_is_not_carried_where_it_is_not_wanted(
    tiny_en: Context, long_clip: Samples
) -> None:
    for more in ({"no_context": True}, {"n_max_text_ctx": 0}):
        assert (
            count("your country can do for you", tiny_en.transcribe(long_clip, options(**more)))
            == 4
        )


@pytest.mark.parametrize("timestamps", [True, False])
def test_user_report_16_nothing_before_the_last_window_is_lost(
    tiny_en: Context, long_clip: Samples, timestamps: bool
) -> None:
    result = tiny_en.transcribe(long_clip, options(no_timestamps=not timestamps))
    # Without timestamps the windows are cut at 30 s, wherever a word is.
    assert count("my fellow americans", result) >= (4 if timestamps else 3)
    assert result.text.strip() == "".join(segment.text for segment in result.segments).strip()


@pytest.mark.parametrize("clip", ["asterisk-es", "asterisk-fr", "asterisk-ru"])
def test_user_report_17_three_seconds_of_any_language_have_text(
    base: Context, samples: Callable[[str], Samples], clip: str
) -> None:
    language = clip.removeprefix("asterisk-")
    result = base.transcribe(
        samples(clip)[: 3 * RATE_HZ], TranscribeOptions(language=language, n_threads=2)
    )
    assert len(result.text.strip()) > 5


@pytest.mark.parametrize("seconds", [1.0, 15.0, 30.0])
def test_user_report_19_no_time_lies_behind_the_audio(
    tiny_en: Context, long_clip: Samples, seconds: float
) -> None:
    result = tiny_en.transcribe(long_clip[: int(seconds * RATE_HZ)], options())
    assert result.segments
    assert_times_are_right(result)


def test_user_report_20_token_times_do_not_go_back_across_silence(
    tiny_en: Context, jfk: Samples
) -> None:
    audio = np.concatenate([silence(2), jfk, silence(6), jfk, silence(3)])
    result = tiny_en.transcribe(audio, options(token_timestamps=True, max_len=1))
    assert len(result.segments) > 30  # a segment for each word
    assert_times_are_right(result)


def test_user_report_23_every_token_of_a_repetition_has_times(
    tiny_en: Context, long_clip: Samples
) -> None:
    result = tiny_en.transcribe(long_clip, options(token_timestamps=True, beam_size=5))
    tokens = [token for segment in result.segments for token in segment.tokens]
    assert tokens
    assert all(token.start_s is not None and token.end_s is not None for token in tokens)
    assert_times_are_right(result)


def test_user_report_25_times_are_those_of_the_whole_recording_with_silence_left_out(
    tiny_en: Context, jfk: Samples, silero_vad: Path
) -> None:
    gap_s = 20.0
    audio = np.concatenate([jfk, silence(gap_s), jfk])
    again_s = jfk.size / RATE_HZ + gap_s
    result = tiny_en.transcribe(
        audio, options(vad=True, vad_model_path=silero_vad, token_timestamps=True)
    )
    assert_times_are_right(result)
    found = [word for segment in result.segments for word in segment.words]
    fellows = [word for word in found if word.text.strip() == "fellow"]
    assert len(fellows) == 2
    # "fellow" is said at 1.2 s of the clip; heuristic times are good to half a second.
    assert fellows[0].start_s == pytest.approx(1.2, abs=0.5)
    assert fellows[1].start_s == pytest.approx(again_s + 1.2, abs=0.5)
    assert not [word for word in found if 12 < (word.start_s + word.end_s) / 2 < again_s - 1]


def test_user_report_28_no_second_of_long_speech_is_passed_over(
    tiny_en: Context, samples: Callable[[str], Samples]
) -> None:
    audio = samples("two_cities")
    result = tiny_en.transcribe(audio, options())
    covered = 0.0
    for segment in result.segments:
        # He pauses, but never this long.
        assert segment.start_s - covered < 3.0, f"nothing before {segment}"
        covered = segment.end_s
    assert result.duration_s - covered < 3.0


def test_user_report_39_without_a_language_the_spoken_one_is_written_and_named(
    base: Context, samples: Callable[[str], Samples]
) -> None:
    for language in ("es", "fr"):
        audio = samples(f"asterisk-{language}")[: 8 * RATE_HZ]
        unnamed = base.transcribe(audio, TranscribeOptions(n_threads=2))
        named = base.transcribe(audio, TranscribeOptions(language=language, n_threads=2))
        assert unnamed.language == language
        assert unnamed.language_probability is not None
        assert 0.5 < unnamed.language_probability <= 1
        assert unnamed.text == named.text


def test_user_report_47_a_prompt_does_not_empty_the_result(tiny_en: Context, jfk: Samples) -> None:
    vocabulary = "Glossary: Kennedy, inaugural address, Washington, D.C."
    tokens = tiny_en.tokenize(" " + vocabulary)
    for more in (
        {"initial_prompt": vocabulary},
        {"initial_prompt": vocabulary, "carry_initial_prompt": True},
        {"prompt_tokens": tokens},
    ):
        assert count("fellow americans", tiny_en.transcribe(jfk, options(**more))) == 1


def test_user_report_48_a_carried_prompt_is_there_after_30_s(
    tiny_en: Context, long_clip: Samples
) -> None:
    # A prompt in capitals is answered in capitals, by a model that sees little else before it.
    prompt = "AND SO MY FELLOW AMERICANS ASK NOT WHAT YOUR COUNTRY CAN DO FOR YOU"

    def late(*, carried: bool) -> str:
        result = tiny_en.transcribe(
            long_clip,
            options(initial_prompt=prompt, carry_initial_prompt=carried, n_max_text_ctx=40),
        )
        return "".join(segment.text for segment in result.segments if segment.start_s > 32)

    assert "FELLOW AMERICANS" in late(carried=True)
    assert "FELLOW AMERICANS" not in late(carried=False)


def test_user_report_51_a_limit_of_tokens_loses_nothing(
    tiny_en: Context, samples: Callable[[str], Samples]
) -> None:
    clip = samples("two_cities")[: 20 * RATE_HZ]
    limit = 8
    whole = tiny_en.transcribe(clip, options())
    result = tiny_en.transcribe(clip, options(max_tokens=limit))
    assert_times_are_right(result)
    for segment in result.segments:
        assert sum(not token.special for token in segment.tokens) <= limit
    assert result.segments[-1].end_s == pytest.approx(whole.segments[-1].end_s, abs=2)
    # In the middle of a sentence the time at which a segment is closed is a guess, and what is said
    # between it and the truth is lost: a phrase here (49 of 59 words stay), never the rest.
    assert len(words(result)) >= 0.75 * len(words(whole))


def test_user_report_52_a_prompt_does_not_reach_the_next_call(
    tiny_en_f16: Path, tiny_en: Context, jfk: Samples
) -> None:
    with Context.load(tiny_en_f16) as fresh:
        expected = fresh.transcribe(jfk, options())
    tiny_en.transcribe(jfk, options(initial_prompt="AMERICANS! ASK NOT!", no_context=False))
    assert tiny_en.transcribe(jfk, options()).segments == expected.segments
