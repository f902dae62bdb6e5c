"""One run of faster-whisper in a process of its own, printed as the last line of its output.

`python -m wspkit.bench.faster_whisper DIRECTORY SAMPLES LANGUAGE N_THREADS COMPUTE_TYPE`. It
decodes as bench_subject does: greedily at temperature 0, without fallback, without text of earlier
windows. The package is imported before the clock starts; its memory counts, as Python's does.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from wspkit import log
from wspkit.bench.measurement import Measurement
from wspkit.core.memory import peak_memory_bytes
from wspkit.errors import UsageError

SAMPLE_RATE_HZ = 16_000


def measure(directory: str, samples_path: Path, language: str, n_threads: int, compute: str) -> str:
    """Loads and transcribes; returns the measurement as JSON."""
    import ctranslate2  # noqa: PLC0415 - a peer, only where it is asked for
    from faster_whisper import WhisperModel  # noqa: PLC0415

    samples = np.fromfile(samples_path, np.float32)
    wall, cpu = time.perf_counter(), time.process_time()
    model = WhisperModel(directory, device="cpu", compute_type=compute, cpu_threads=n_threads)
    load_s = time.perf_counter() - wall
    segments, _ = model.transcribe(
        samples,
        language=language,
        beam_size=1,
        temperature=0.0,
        condition_on_previous_text=False,
    )
    text = "".join(segment.text for segment in segments)
    return Measurement(
        wall_s=time.perf_counter() - wall,
        cpu_s=time.process_time() - cpu,
        load_s=load_s,
        peak_bytes=(peak_memory_bytes() or 0) - samples.nbytes,
        audio_s=len(samples) / SAMPLE_RATE_HZ,
        text=text,
        system=f"CTranslate2 {ctranslate2.__version__}, {compute}",
    ).to_json()


def main(arguments: list[str]) -> None:
    """Runs as the file's first lines say."""
    if len(arguments) != 5:
        raise UsageError(
            f"arguments {arguments}",
            expected="directory, samples, language, number of threads, type to compute in",
        )
    directory, samples, language, n_threads, compute = arguments
    log.result(measure(directory, Path(samples), language, int(n_threads), compute))


if __name__ == "__main__":
    main(sys.argv[1:])
