"""The most memory that base needs on jfk.wav, and that nothing stays of what was freed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.recordings import Recording

#: A process of its own, so that nothing but the core and what it needs counts.
PROGRAM = """
import sys
from wspkit.core import Context, TranscribeOptions, load_audio
with Context.load(sys.argv[1]) as context:
    options = TranscribeOptions(language="en", n_threads=2)
    result = context.transcribe(load_audio(sys.argv[2]), options)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(result.text)
print(peak.split()[1])
"""


def test_base_on_jfk_stays_below_300_mb(
    base_f16: Path, recording: Callable[[str], Recording]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, base_f16, recording("jfk").path],
        check=True,
        capture_output=True,
        text=True,
    )
    text, peak_kib = done.stdout.splitlines()

    assert "fellow Americans" in text
    assert int(peak_kib) * 1024 <= 300e6


#: The clip again and again, from its file, and the most memory that it takes.
LONG = """
import sys
import wave
from wspkit.core import AudioFile, Context, TranscribeOptions, load_audio
minutes, clip, long = int(sys.argv[2]), sys.argv[3], sys.argv[4]
samples = (load_audio(clip).samples * 32767).astype("<i2").tobytes()
with wave.open(long, "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(16000)
    for begin in range(0, minutes * 60 * 32000, len(samples)):
        file.writeframes(samples[: minutes * 60 * 32000 - begin])
with Context.load(sys.argv[1]) as context:
    # Silence is looked for, and token times: both read the whole recording.
    options = TranscribeOptions(
        language="en", n_threads=1, temperature_inc=0.0, vad=True, vad_model_path=sys.argv[5],
        token_timestamps=True,
    )
    result = context.transcribe(AudioFile(long), options)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(result.stats.audio_s, peak.split()[1])
"""


def test_memory_does_not_grow_with_a_recording_in_its_file(
    tiny_en_f16: Path, silero_vad: Path, recording: Callable[[str], Recording], tmp_path: Path
) -> None:
    peaks: list[int] = []
    for minutes in (1, 6):
        done = subprocess.run(
            [
                *(sys.executable, "-c", LONG, tiny_en_f16, str(minutes), recording("jfk").path),
                *(tmp_path / "long.wav", silero_vad),
            ],
            check=True,
            capture_output=True,
            text=True,
        )
        seconds, peak_kib = done.stdout.split()
        assert float(seconds) == minutes * 60
        peaks.append(int(peak_kib) * 1024)

    # In memory, five minutes take 19 MB of samples and 9 MB of features.
    assert peaks[1] - peaks[0] <= 5e6, peaks


#: Everything made, used and freed, again and again; the memory that the process holds after each
#: round, in bytes. The allocator gives back what it can, so that only what is lost counts.
ROUNDS = """
import ctypes, gc, sys
import numpy as np
from wspkit.core import Context, TranscribeOptions, Vad, load_audio

give_back = ctypes.CDLL(None).malloc_trim
samples = load_audio(sys.argv[3]).samples[:16000]
short = {"audio_ctx": 64, "max_tokens": 8, "temperature_inc": 0.0}
options = TranscribeOptions(language="en", n_threads=1, **short)

def transcribe():
    with Context.load(sys.argv[2]) as context:
        context.transcribe(samples, options)

def listen():
    with Vad.load(sys.argv[2]) as vad:
        vad.segments(samples)

work = {"transcribe": transcribe, "listen": listen}[sys.argv[1]]
for _ in range(50):
    work()
    gc.collect()
    give_back(0)
    print(int(open("/proc/self/statm").read().split()[1]) * 4096)
"""


def held_bytes(work: str, model: Path, clip: Path) -> list[int]:
    """Resident memory after each of 50 rounds."""
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS, work, model, clip],
        check=True,
        capture_output=True,
        text=True,
    )
    return [int(line) for line in done.stdout.split()]


def assert_flat(held: list[int]) -> None:
    # The first rounds fill caches of the allocator and of Python, once for all.
    assert len(held) == 50
    assert max(held[5:]) - held[4] <= 2e6, held


def test_user_report_60_fifty_contexts_leave_no_memory(
    tiny_en_f16: Path, recording: Callable[[str], Recording]
) -> None:
    assert_flat(held_bytes("transcribe", tiny_en_f16, recording("jfk").path))


def test_user_report_60_fifty_voice_activity_contexts_leave_no_memory(
    silero_vad: Path, recording: Callable[[str], Recording]
) -> None:
    assert_flat(held_bytes("listen", silero_vad, recording("jfk").path))
