"""`wspkit.core.Vad` on made-up weights: loading, streams, options, errors."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.synthetic_silero import write_synthetic_silero

from wspkit.core import SpeechSegment, Vad, VadOptions
from wspkit.core.sources import Source
from wspkit.errors import BadFormatError, NotFoundError, UsageError

Samples = NDArray[np.float32]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vad") / "silero.bin"
    write_synthetic_silero(path)
    return path


@pytest.fixture
def vad(model: Path) -> Iterator[Vad]:
    with Vad.load(model) as loaded:
        yield loaded


@pytest.fixture
def talkative(tmp_path: Path) -> Iterator[Vad]:
    """Hears speech everywhere."""
    write_synthetic_silero(tmp_path / "silero.bin", final_bias=20.0)
    with Vad.load(tmp_path / "silero.bin") as loaded:
        yield loaded


def test_a_path_bytes_and_a_file_give_the_same_model(model: Path, noise: Samples) -> None:
    with model.open("rb") as file:
        sources: list[Source] = [
            model,
            str(model),
            model.read_bytes(),
            io.BytesIO(model.read_bytes()),
            file,
        ]
        results = [Vad.load(source).probabilities(noise) for source in sources]
    for result in results:
        assert np.array_equal(result, results[0])


def test_there_is_a_probability_for_each_begun_window(vad: Vad, noise: Samples) -> None:
    found = vad.probabilities(noise)
    assert found.shape == (-(-len(noise) // 512),)
    assert found.dtype == np.float32
    assert (found >= 0).all()
    assert (found <= 1).all()
    assert vad.probabilities(noise[:0]).shape == (0,)


def test_pieces_of_any_length_give_what_the_whole_gives(vad: Vad, noise: Samples) -> None:
    whole = vad.probabilities(noise)
    vad.reset()
    cuts = np.cumsum([0, 1, 511, 512, 700, 3, 5000, 20000])
    pieces = [vad.feed(piece) for piece in np.split(noise, cuts)]
    n_complete = len(noise) // 512
    assert np.array_equal(np.concatenate(pieces), whole[:n_complete])


def test_a_whole_recording_forgets_a_stream(vad: Vad, noise: Samples) -> None:
    fresh = vad.probabilities(noise)
    vad.feed(noise[:700])
    assert np.array_equal(vad.probabilities(noise), fresh)
    vad.reset()
    vad.feed(noise[:700])
    vad.segments(noise)
    vad.reset()
    assert np.array_equal(vad.feed(noise[:512]), fresh[:1])


def test_bad_samples_leave_a_stream_as_it_was(vad: Vad, noise: Samples) -> None:
    vad.reset()
    whole = np.concatenate([vad.feed(noise[:700]), vad.feed(noise[700:2000])])
    vad.reset()
    first = vad.feed(noise[:700])
    with pytest.raises(UsageError, match="sample "):
        vad.feed(np.array([0.0, np.nan] * 400, np.float32))
    assert np.array_equal(np.concatenate([first, vad.feed(noise[700:2000])]), whole)


def test_times_are_in_seconds_and_end_with_the_recording(talkative: Vad, noise: Samples) -> None:
    assert talkative.segments(noise) == (SpeechSegment(0.0, 3.0),)
    assert talkative.segments(noise[:47001]) == (SpeechSegment(0.0, 2.93756),)
    assert talkative.segments(noise)[0].duration_s == 3.0


def test_options_reach_the_core(talkative: Vad, noise: Samples) -> None:
    pieces = talkative.segments(noise, VadOptions(max_speech_duration_s=1.0, speech_pad_ms=0))
    assert len(pieces) == 3
    assert pieces[0].end_s == pieces[1].start_s
    assert talkative.segments(noise, VadOptions(min_speech_duration_ms=3000)) == ()


def test_an_option_out_of_range_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"option threshold is 1\.5; expected 0 to 1"):
        VadOptions(threshold=1.5)
    with pytest.raises(UsageError, match="option threshold is nan"):
        VadOptions(threshold=float("nan"))


def test_wrong_use_is_told(vad: Vad, noise: Samples) -> None:
    with pytest.raises(UsageError, match="VadOptions"):
        vad.segments(noise, {"threshold": 0.5})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a model from a int"):
        Vad.load(5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="sample 0 is nan"):
        vad.probabilities(np.array([np.nan], np.float32))
    vad.close()
    vad.close()
    assert vad.closed
    with pytest.raises(UsageError, match="closed"):
        vad.probabilities(noise)


def test_what_is_no_model_is_refused(tmp_path: Path, model: Path, synthetic_model: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nothing\.bin"):
        Vad.load(tmp_path / "nothing.bin")
    with pytest.raises(BadFormatError, match="a Whisper model"):
        Vad.load(synthetic_model)
    with pytest.raises(BadFormatError, match="the file is cut"):
        Vad.load(model.read_bytes()[:5000])
    data = bytearray(model.read_bytes())
    data[106:110] = (20).to_bytes(4, "little")
    with pytest.raises(BadFormatError, match="20 dimensions"):
        Vad.load(bytes(data))
