"""Audio intake: one rule of conversion, no copy without need, errors that name the trouble."""

from __future__ import annotations

import io
import struct
import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from wspkit.core import Audio, as_samples, load_audio, resample
from wspkit.errors import BadFormatError, NotFoundError, UsageError, WspError


def wav(samples: NDArray[np.int16], rate_hz: int = 16000, channels: int = 1) -> bytes:
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(samples.astype("<i2").tobytes())
    return data.getvalue()


# ---- arrays ----


def test_fitting_arrays_are_taken_as_they_are() -> None:
    samples = np.zeros(100, np.float32)
    assert as_samples(samples) is samples


def test_read_only_arrays_are_taken_as_they_are(noise: NDArray[np.float32]) -> None:
    assert np.shares_memory(as_samples(noise), noise)


def test_audio_gives_its_samples() -> None:
    samples = np.zeros(100, np.float32)
    assert as_samples(Audio(samples)) is samples


def test_audio_that_a_caller_made_of_other_samples_goes_by_the_same_rule() -> None:
    assert as_samples(Audio(np.array([0.5, -0.25]))).dtype == np.float32
    with pytest.raises(UsageError, match="mono"):
        as_samples(Audio(np.zeros((2, 3), np.float32)))


def test_int16_is_scaled_by_32768() -> None:
    given = np.array([-32768, -1, 0, 16384, 32767], np.int16)
    assert as_samples(given).tolist() == [-1, -1 / 32768, 0, 0.5, 32767 / 32768]


def test_float64_keeps_its_scale() -> None:
    assert as_samples(np.array([0.5, -0.25])).tolist() == [0.5, -0.25]
    assert as_samples([0.5, -0.25]).dtype == np.float32


def test_other_byte_orders_and_gaps_are_copied_right() -> None:
    given = np.arange(6, dtype=np.float32)
    assert as_samples(given[::2]).tolist() == [0, 2, 4]
    assert as_samples(given.astype(">f4")).tolist() == given.tolist()
    assert as_samples(given.astype(np.int16).astype(">i2")).tolist() == (given / 32768).tolist()


def test_unaligned_samples_are_copied_to_where_c_can_read_them() -> None:
    storage = np.zeros(4 * 8 + 1, np.uint8)
    unaligned = storage[1:].view(np.float32)
    assert as_samples(unaligned).flags.aligned


@pytest.mark.parametrize(
    ("audio", "message"),
    [
        (np.zeros((2, 100), np.float32), r"shape \(2, 100\).*mono"),
        (np.float32(1), r"shape \(\)"),
        (np.zeros(10, np.int32), "int32.*float32"),
        (np.zeros(10, np.uint8), "uint8"),
        (np.zeros(10, np.float16), "float16"),
        (np.zeros(10, np.complex64), "complex64"),
        (np.zeros(10, bool), "bool"),
        (["a"], "dtype"),
        ("speech.wav", "shape"),
    ],
)
def test_what_would_need_a_guess_is_refused(audio: ArrayLike, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        as_samples(audio)


# ---- WAV files ----


def test_sixteen_bit_files_come_out_exactly() -> None:
    given = np.array([0, 1, -1, 16384, -32768, 32767], np.int16)
    audio = load_audio(wav(given))
    assert audio.samples.tolist() == (given / 32768).astype(np.float32).tolist()
    assert audio.format is not None
    assert (audio.format.sample_rate_hz, audio.format.channels) == (16000, 1)
    assert (audio.format.bits_per_sample, audio.format.is_float) == (16, False)
    assert audio.format.n_frames == 6


def test_channels_are_averaged() -> None:
    given = np.array([[1000, 3000], [-400, 0]], np.int16)
    audio = load_audio(wav(given, channels=2))
    # The average is formed in float32, so its last bit may differ.
    np.testing.assert_allclose(audio.samples, np.array([2000, -200]) / 32768, rtol=1e-6)


def test_other_rates_become_16_khz() -> None:
    audio = load_audio(wav(np.zeros(44100, np.int16), rate_hz=44100))
    assert audio.duration_s == 1.0
    assert "44100 Hz, mono, 16-bit PCM" in repr(audio)


def test_path_bytes_file_and_buffer_give_the_same(noise_wav: Path) -> None:
    from_path = load_audio(noise_wav).samples
    data = noise_wav.read_bytes()
    with noise_wav.open("rb") as file:
        from_file = load_audio(file).samples
    for other in (load_audio(str(noise_wav)).samples, load_audio(data).samples, from_file):
        assert np.array_equal(from_path, other)
    assert np.array_equal(from_path, load_audio(memoryview(bytearray(data))).samples)


def test_decoded_samples_are_read_only_and_outlive_their_audio(noise_wav: Path) -> None:
    samples = load_audio(noise_wav).samples
    with pytest.raises(ValueError, match="read-only"):
        samples[0] = 1
    assert np.isfinite(samples).all()


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"", BadFormatError, "empty|0 bytes"),
        (b"RIFF", BadFormatError, "4 bytes|cut|RIFF"),
        (b"<!DOCTYPE html><html></html>", BadFormatError, "(?i)html"),
        (b"ID3\x04\x00\x00\x00\x00\x00\x00" + bytes(64), BadFormatError, "(?i)mp3"),
        (b"OggS\x00\x02" + bytes(64), BadFormatError, "(?i)ogg"),
        (b"\x00\x00\x00\x20ftypM4A " + bytes(64), BadFormatError, "(?i)m4a|mp4"),
        (b"RIFF" + struct.pack("<I", 4) + b"WAVE", BadFormatError, "fmt|chunk"),
    ],
)
def test_what_is_no_wav_is_named_by_its_content(
    data: bytes, kind: type[WspError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "speech.wav"
    path.write_bytes(data)
    for source in (data, path):
        with pytest.raises(kind, match=message):
            load_audio(source)


def test_missing_files_and_directories_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="gone"):
        load_audio(tmp_path / "gone.wav")
    with pytest.raises(UsageError, match="directory"):
        load_audio(tmp_path)


def test_a_zero_byte_in_a_path_is_refused_rather_than_cut() -> None:
    with pytest.raises(UsageError, match="zero byte"):
        load_audio("a.wav\0b")


def test_a_source_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="int"):
        load_audio(5)  # type: ignore[arg-type]


# ---- resampling ----


def test_resampling_keeps_a_tone_and_its_length() -> None:
    def tone(rate_hz: int) -> NDArray[np.float32]:
        return np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz).astype(np.float32)

    made = resample(tone(48000), from_hz=48000)
    assert len(made) == 16000
    # 440 Hz is far inside the pass band; the filter's ends see silence, so they are left out.
    np.testing.assert_allclose(made[500:-500], tone(16000)[500:-500], atol=1e-3)


def test_resampling_refuses_impossible_rates() -> None:
    with pytest.raises(UsageError):
        resample(np.zeros(10, np.float32), from_hz=0)


def test_resampling_nothing_gives_nothing() -> None:
    assert len(resample(np.zeros(0, np.float32), from_hz=8000)) == 0
