"""Writes small WAV files into the directory named as its argument: where a fuzzer of WAV starts.

Standard library only; it must not know the core.
"""

import sys
import wave
from pathlib import Path


def main() -> None:
    """One file for each pair of sample width and channel count."""
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for width_bytes in (1, 2, 3, 4):
        for channels in (1, 2):
            path = directory / f"pcm-{8 * width_bytes}-{channels}.wav"
            with wave.open(str(path), "wb") as file:
                file.setnchannels(channels)
                file.setsampwidth(width_bytes)
                file.setframerate(8000)
                file.writeframes(bytes(range(0, 192, 4)))


if __name__ == "__main__":
    main()
