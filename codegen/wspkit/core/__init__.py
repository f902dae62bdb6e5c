"""Speech to text from Python: load a model, transcribe audio, read typed results.

    from wspkit.core import Context, load_audio

    with Context.load("ggml-base.bin") as context:
        result = context.transcribe(load_audio("speech.wav"))
    for segment in result.segments:
        print(f"{segment.start_s:7.2f} {segment.end_s:7.2f} {segment.text}")

Everything here is public. The native module is loaded at the first use of a name that needs it, so
that options can be looked at without it. This package must not know the command line.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wspkit.core.alignment import AlignmentHeads, AlignmentPreset
    from wspkit.core.audio import Audio, AudioFile, AudioFormat, as_samples, load_audio, resample
    from wspkit.core.backend import Backend
    from wspkit.core.build import BuildFacts, build_facts, can
    from wspkit.core.context import Context
    from wspkit.core.generated.options import TranscribeOptions, VadOptions
    from wspkit.core.languages import LANGUAGES, Language, find_language
    from wspkit.core.memory import MemoryEstimate, estimate_memory
    from wspkit.core.model_facts import ModelFacts, SpecialTokens
    from wspkit.core.native import CancellationToken
    from wspkit.core.quantization import quantize_rows
    from wspkit.core.quantized_type import QuantizedType
    from wspkit.core.results import (
        LanguageGuess,
        Segment,
        SpeechSegment,
        Stats,
        Token,
        Transcription,
        TranscriptionCancelledError,
        Word,
    )
    from wspkit.core.state import LogitsFilter, State
    from wspkit.core.vad import Vad

_HOMES = {
    "AlignmentHeads": "alignment",
    "AlignmentPreset": "alignment",
    "Audio": "audio",
    "AudioFile": "audio",
    "AudioFormat": "audio",
    "as_samples": "audio",
    "load_audio": "audio",
    "resample": "audio",
    "Backend": "backend",
    "BuildFacts": "build",
    "build_facts": "build",
    "can": "build",
    "Context": "context",
    "TranscribeOptions": "generated.options",
    "LANGUAGES": "languages",
    "Language": "languages",
    "find_language": "languages",
    "MemoryEstimate": "memory",
    "estimate_memory": "memory",
    "ModelFacts": "model_facts",
    "SpecialTokens": "model_facts",
    "CancellationToken": "native",
    "QuantizedType": "quantized_type",
    "quantize_rows": "quantization",
    "LanguageGuess": "results",
    "Segment": "results",
    "SpeechSegment": "results",
    "Stats": "results",
    "Token": "results",
    "Transcription": "results",
    "TranscriptionCancelledError": "results",
    "Word": "results",
    "LogitsFilter": "state",
    "State": "state",
    "Vad": "vad",
    "VadOptions": "generated.options",
}

__all__ = [
    "LANGUAGES",
    "AlignmentHeads",
    "AlignmentPreset",
    "Audio",
    "AudioFile",
    "AudioFormat",
    "Backend",
    "BuildFacts",
    "CancellationToken",
    "Context",
    "Language",
    "LanguageGuess",
    "LogitsFilter",
    "MemoryEstimate",
    "ModelFacts",
    "QuantizedType",
    "Segment",
    "SpecialTokens",
    "SpeechSegment",
    "State",
    "Stats",
    "Token",
    "TranscribeOptions",
    "Transcription",
    "TranscriptionCancelledError",
    "Vad",
    "VadOptions",
    "Word",
    "as_samples",
    "build_facts",
    "can",
    "estimate_memory",
    "find_language",
    "load_audio",
    "quantize_rows",
    "resample",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
