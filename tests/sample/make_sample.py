"""Makes the sample recording anew: sample.txt spoken by Debian's espeak-ng, 16 kHz mono 16-bit WAV.

The recording is ours and is committed, so nobody needs to run this; it is here so that everybody
can see where the sound comes from. Another release of espeak-ng may give other samples (the
committed ones are from 1.51), so run the tests after it. It knows nothing of the package: the
resampler below is plain on purpose, not the one that is to be tested with its result.
"""

from __future__ import annotations

import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).parent
# A voice, pace (words a minute) and pitch at which tiny.en makes no error, not even with the level
# halved, with noise 54 dB below full scale, or with silence around it.
VOICE, WORDS_PER_MINUTE, PITCH = "en-us+f3", 130, 50
RATE_HZ = 16000

Samples = npt.NDArray[np.float64]


def speak(text: str) -> tuple[int, Samples]:
    """Text to speech: the sample rate in Hz and samples (n,) in [-1, 1]."""
    path = HERE / "spoken.wav"
    voice = ["-v", VOICE, "-s", str(WORDS_PER_MINUTE), "-p", str(PITCH)]
    subprocess.run(["espeak-ng", *voice, "-w", str(path), text], check=True)
    try:
        with wave.open(str(path), "rb") as spoken:
            rate_hz = spoken.getframerate()
            pcm = np.frombuffer(spoken.readframes(spoken.getnframes()), dtype="<i2")
    finally:
        path.unlink(missing_ok=True)
    return rate_hz, pcm / 32768.0


def resample(samples: Samples, from_hz: int, to_hz: int) -> Samples:
    """Band-limited: each output is a sum over 65 inputs, weighted by a sinc under a Hann window."""
    half_width = 32
    # 97 % of the lower Nyquist frequency leaves room for the window's slope.
    cutoff = 0.97 * min(1.0, to_hz / from_hz)
    positions = np.arange(int(len(samples) * to_hz / from_hz)) * (from_hz / to_hz)
    index = np.floor(positions).astype(np.int64)[:, None] + np.arange(-half_width, half_width + 1)
    distance = positions[:, None] - index
    hann = 0.5 + 0.5 * np.cos(np.pi * distance / (half_width + 1))
    window = np.where(np.abs(distance) <= half_width + 1, hann, 0.0)
    inside = (index >= 0) & (index < len(samples))
    values = np.where(inside, samples[np.clip(index, 0, len(samples) - 1)], 0.0)
    result: Samples = (np.sinc(distance * cutoff) * cutoff * window * values).sum(axis=1)
    return result


def main() -> int:
    """Writes sample.wav beside this file."""
    text = (HERE / "sample.txt").read_text(encoding="utf-8").strip()
    from_hz, spoken = speak(text)
    scaled = np.rint(resample(spoken, from_hz, RATE_HZ) * 32767.0)
    pcm = np.clip(scaled, -32768, 32767).astype("<i2")
    with wave.open(str(HERE / "sample.wav"), "wb") as sample:
        sample.setnchannels(1)
        sample.setsampwidth(2)
        sample.setframerate(RATE_HZ)
        sample.writeframes(pcm.tobytes())
    print(f"sample.wav: {len(pcm)} samples, {len(pcm) / RATE_HZ:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
