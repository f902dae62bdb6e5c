"""What a loaded model says about itself. It must not know how a model is loaded."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Sizes of a model; names as in whisper.h."""

    type: str
    """tiny, base, small, medium, large, or what the core calls another size."""
    multilingual: bool
    n_vocab: int
    n_audio_ctx: int
    """Encoder frames of one 30 s window."""
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    """Tokens that the decoder can see."""
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int
    """Type of the large weights, by ggml's numbers: 0 F32, 1 F16, 2 Q4_0, ..."""


@dataclass(frozen=True, slots=True)
class SpecialTokens:
    """Ids of the tokens that are no text."""

    end_of_text: int
    start_of_transcript: int
    speaker_turn: int
    previous_text: int
    no_speech: int
    no_timestamps: int
    first_timestamp: int
    """Timestamp 0.00; each further id is 0.02 s later."""
    translate: int
    transcribe: int
