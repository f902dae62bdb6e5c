"""One run in a process of its own: `python -m wspkit.bench.subject NAME MODEL AUDIO LANGUAGE N`.

Prints the measurement as the last line of its output. Each subject decodes greedily at temperature
0 without fallback, so that all do the same amount of work. Peers are imported here and only when
they are asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit import log
from wspkit.bench.measurement import Measurement
from wspkit.core.audio import load_audio
from wspkit.core.memory import peak_memory_bytes
from wspkit.errors import UsageError

Samples = npt.NDArray[np.float32]
#: Transcribes once; returns the text and the phases in milliseconds.
Transcriber = Callable[[Samples], tuple[str, dict[str, float]]]


def wsp(model: Path, language: str, n_threads: int) -> Transcriber:
    """Our core."""
    from wspkit.core import Context, TranscribeOptions  # noqa: PLC0415

    context = Context.load(model)
    options = TranscribeOptions(
        language=language, n_threads=n_threads, temperature_inc=0.0, n_max_text_ctx=0
    )

    def transcribe(samples: Samples) -> tuple[str, dict[str, float]]:
        result = context.transcribe(samples, options)
        stats = result.stats
        phases = {
            "mel": stats.mel_ms,
            "encode": stats.encode_ms,
            "prompt": stats.prompt_ms,
            "decode": stats.decode_ms + stats.batched_ms,
            "sample": stats.sample_ms,
        }
        return result.text, phases

    return transcribe


def whisper_cpp(model: Path, language: str, n_threads: int) -> Transcriber:
    """whisper.cpp by way of pywhispercpp."""
    from pywhispercpp.model import Model  # noqa: PLC0415

    loaded = Model(
        str(model),
        redirect_whispercpp_logs_to=None,
        n_threads=n_threads,
        language=language,
        print_progress=False,
        print_realtime=False,
        temperature_inc=0.0,
        n_max_text_ctx=0,
        greedy={"best_of": 1},
    )

    def transcribe(samples: Samples) -> tuple[str, dict[str, float]]:
        segments = loaded.transcribe(samples)
        return " ".join(segment.text.strip() for segment in segments), {}

    return transcribe


def faster_whisper(model: Path, language: str, n_threads: int) -> Transcriber:
    """faster-whisper in float32 on a CTranslate2 directory."""
    from faster_whisper import WhisperModel  # noqa: PLC0415

    loaded = WhisperModel(str(model), device="cpu", compute_type="float32", cpu_threads=n_threads)

    def transcribe(samples: Samples) -> tuple[str, dict[str, float]]:
        segments, _ = loaded.transcribe(
            samples,
            language=language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
        )
        return "".join(segment.text for segment in segments).strip(), {}

    return transcribe


SUBJECTS: dict[str, Callable[[Path, str, int], Transcriber]] = {
    "wsp": wsp,
    "whisper.cpp": whisper_cpp,
    "faster-whisper": faster_whisper,
}


def measure(transcribe: Transcriber, samples: Samples) -> Measurement:
    """Once to warm up, once to measure."""
    transcribe(samples)
    wall, cpu = time.perf_counter(), time.process_time()
    text, phases = transcribe(samples)
    return Measurement(
        wall_s=time.perf_counter() - wall,
        cpu_s=time.process_time() - cpu,
        peak_bytes=peak_memory_bytes() or 0,
        text=text,
        phases_ms=phases,
    )


def main(arguments: list[str]) -> None:
    """Runs one subject as the file's first line says."""
    if len(arguments) != 5 or arguments[0] not in SUBJECTS:
        raise UsageError(
            f"arguments {arguments}",
            expected=f"one of {', '.join(SUBJECTS)}, model, audio, language, number of threads",
        )
    name, model, audio, language, n_threads = arguments
    transcriber = SUBJECTS[name](Path(model), language, int(n_threads))
    log.result(measure(transcriber, load_audio(audio).samples).to_json())


if __name__ == "__main__":
    main(sys.argv[1:])
