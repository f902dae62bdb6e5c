"""Words that the core gets wrong, pooled over a language, against faster-whisper's.

faster-whisper runs in float32, greedy at temperature 0, ours with its default options, fallback
included, on the same arrays. Both are told the language, take the text of earlier windows as
context, and suppress the symbols that stand for no speech, as OpenAI's own program does: without
that, quotation marks come in, and what is between them is heard otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from tests.parity.peers import Peer
from tests.recordings import Recording

from wspkit.core import Context, TranscribeOptions
from wspkit.parity.compare import WordErrors, word_errors

#: Errors beyond faster-whisper's, per word: a near tie falls either way with rounding and with the
#: details of the rules, so one word in some thirty may differ without either being worse.
ALLOWANCE = 0.03

ENGLISH = (
    *("jfk", "austen-0870", "austen-0880", "austen-0890", "austen-0920", "austen-0930"),
    "asterisk-en",
)


@pytest.fixture(scope="module")
def models(tiny_en_f16: Path, base_f16: Path) -> Callable[[str], tuple[Context, Peer]]:
    paths = {"tiny.en": tiny_en_f16, "base": base_f16}
    return cache(lambda name: (Context.load(paths[name]), Peer(name)))


@pytest.mark.parametrize(
    ("model", "clips"),
    [
        ("tiny.en", ENGLISH),
        ("base", ENGLISH),
        ("base", ("asterisk-es",)),
        ("base", ("asterisk-fr",)),
        ("base", ("asterisk-ru",)),
    ],
    ids=["tiny.en-en", "base-en", "base-es", "base-fr", "base-ru"],
)
def test_no_more_words_are_wrong_than_with_faster_whisper(
    model: str,
    clips: tuple[str, ...],
    models: Callable[[str], tuple[Context, Peer]],
    recording: Callable[[str], Recording],
    record_property: Callable[[str, object], None],
) -> None:
    context, peer = models(model)
    ours, theirs = WordErrors(), WordErrors()
    heard: list[str] = []
    for name in clips:
        clip = recording(name)
        samples = clip.samples()
        options = TranscribeOptions(language=clip.language, n_threads=2)
        text = context.transcribe(samples, options).text
        ours += word_errors(text, clip.text)
        peer_text = peer.text(samples, clip.language)
        theirs += word_errors(peer_text, clip.text)
        heard.append(f"{name}\n  ours:   {text}\n  theirs: {peer_text.strip()}")

    shown = f"ours {ours}, faster-whisper {theirs}"
    record_property("word errors", shown)
    assert ours.errors <= theirs.errors + ALLOWANCE * ours.words, "\n".join([shown, *heard])
