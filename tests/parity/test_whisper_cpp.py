"""Beside whisper.cpp and faster-whisper, on ten clips with base: the same greedy tokens, and beam
search that hears no worse.

All run without fallback (temperature 0 alone) on the same arrays; whisper.cpp and the core read the
same model file. Each is told the language.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import _pywhispercpp as native
import pytest
from tests.parity.peers import Peer
from tests.recordings import Recording

from wspkit.core import Context, TranscribeOptions
from wspkit.parity.compare import WordErrors, word_errors

CLIPS = (
    *("jfk", "austen-0870", "austen-0880", "austen-0890", "austen-0920", "austen-0930"),
    *("asterisk-en", "asterisk-es", "asterisk-fr", "asterisk-ru"),
)
#: Clips of the ten on which greedy tokens may differ; docs/numerics.md explains each that does.
MAY_DIFFER = 2
#: Words, over all ten clips, that beam search may hear wrong beyond the better of the two others.
EXTRA_ERRORS = 2
GetRecording = Callable[[str], Recording]


class WhisperCpp:
    """whisper.cpp on a model file, through the low-level functions of its binding."""

    def __init__(self, model: Path) -> None:
        self._context = native.whisper_init_from_file_with_params(
            str(model), native.whisper_context_default_params()
        )

    def transcribe(self, clip: Recording, n_beams: int = 1) -> tuple[list[int], str]:
        """Token ids of all segments, and their text."""
        strategies = native.whisper_sampling_strategy
        params: Any = native.whisper_full_default_params(
            strategies.WHISPER_SAMPLING_BEAM_SEARCH
            if n_beams > 1
            else strategies.WHISPER_SAMPLING_GREEDY
        )
        params.language = clip.language
        params.n_threads = 1
        params.print_progress = False
        params.temperature_inc = 0.0
        params.greedy = {"best_of": 1}
        params.beam_search = {"beam_size": n_beams, "patience": -1.0}
        samples = clip.samples()
        assert native.whisper_full(self._context, params, samples, len(samples)) == 0
        tokens: list[int] = []
        text = ""
        for i in range(native.whisper_full_n_segments(self._context)):
            text += native.whisper_full_get_segment_text(self._context, i).decode(
                "utf-8", "replace"
            )
            tokens += [
                native.whisper_full_get_token_id(self._context, i, j)
                for j in range(native.whisper_full_n_tokens(self._context, i))
            ]
        return tokens, text


def options(clip: Recording, n_beams: int = 1) -> TranscribeOptions:
    """Those of whisper.cpp above: no fallback, symbols allowed."""
    return TranscribeOptions(
        language=clip.language,
        n_threads=2,
        temperature_inc=0.0,
        best_of=1,
        beam_size=n_beams,
        suppress_nst=False,
    )


def tokens_of(context: Context, clip: Recording) -> list[int]:
    result = context.transcribe(clip.samples(), options(clip))
    return [token.id for segment in result.segments for token in segment.tokens]


@pytest.mark.parametrize("name", ["austen-0880", "asterisk-fr"])
def test_greedy_tokens_are_those_of_whisper_cpp(
    name: str, base_f16: Path, recording: GetRecording
) -> None:
    clip = recording(name)
    with Context.load(base_f16) as context:
        assert tokens_of(context, clip) == WhisperCpp(base_f16).transcribe(clip)[0]


@pytest.mark.long("peers")
def test_greedy_tokens_are_those_of_whisper_cpp_on_eight_of_ten_clips(
    base_f16: Path, recording: GetRecording
) -> None:
    theirs = WhisperCpp(base_f16)
    different: dict[str, tuple[str, str]] = {}
    with Context.load(base_f16) as context:
        for name in CLIPS:
            clip = recording(name)
            expected, text = theirs.transcribe(clip)
            if tokens_of(context, clip) != expected:
                different[name] = (context.transcribe(clip.samples(), options(clip)).text, text)
    assert len(different) <= MAY_DIFFER, different


@pytest.mark.long("peers")
def test_beam_search_hears_no_worse_than_whisper_cpp_and_faster_whisper(
    base_f16: Path, recording: GetRecording, record_property: Callable[[str, object], None]
) -> None:
    peers = (WhisperCpp(base_f16), Peer("base"))
    ours, whisper_cpp, faster_whisper = WordErrors(), WordErrors(), WordErrors()
    heard: list[str] = []
    with Context.load(base_f16) as context:
        for name in CLIPS:
            clip = recording(name)
            texts = (
                context.transcribe(clip.samples(), options(clip, n_beams=5)).text,
                peers[0].transcribe(clip, n_beams=5)[1],
                peers[1].text(clip.samples(), clip.language, n_beams=5),
            )
            ours += word_errors(texts[0], clip.text)
            whisper_cpp += word_errors(texts[1], clip.text)
            faster_whisper += word_errors(texts[2], clip.text)
            heard += [name, *texts]
    shown = f"ours {ours}, whisper.cpp {whisper_cpp}, faster-whisper {faster_whisper}"
    record_property("word errors", shown)
    assert ours.errors <= min(whisper_cpp.errors, faster_whisper.errors) + EXTRA_ERRORS, "\n".join(
        [shown, *heard]
    )
