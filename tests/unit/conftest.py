"""Fixtures of the unit tests: a model with made-up weights, noise, and a printer without memory."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.synthetic_model import write_synthetic_model

from wspkit import log


@pytest.fixture(scope="session")
def synthetic_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small complete model that writes nonsense."""
    path = tmp_path_factory.mktemp("model") / "synthetic.bin"
    write_synthetic_model(path)
    return path


@pytest.fixture(scope="session")
def noise() -> NDArray[np.float32]:
    """Three seconds of quiet noise at 16 kHz; read-only."""
    samples = np.random.default_rng(2).uniform(-0.1, 0.1, 48000).astype(np.float32)
    samples.flags.writeable = False
    return samples


@pytest.fixture(scope="session")
def long_noise() -> NDArray[np.float32]:
    """Twenty minutes: long enough that whoever stops it stops it in the middle."""
    samples = np.random.default_rng(3).uniform(-0.1, 0.1, 16000 * 1200).astype(np.float32)
    samples.flags.writeable = False
    return samples


@pytest.fixture
def noise_wav(tmp_path: Path, noise: NDArray[np.float32]) -> Path:
    """The noise as a 16-bit WAV file whose path has spaces and letters outside ASCII."""
    path = tmp_path / "eine Aufnahme für später.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((noise * 32767).astype("<i2").tobytes())
    return path


@pytest.fixture(autouse=True)
def fresh_log() -> Iterator[None]:
    """Takes back what a test told the printer, so that the next one starts with the default."""
    yield
    log.reset()
