"""What a transcription gives: segments, tokens, statistics. Plain data, no native module."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.errors import CancelledError


@dataclass(frozen=True, slots=True)
class Token:
    """One step of the decoder."""

    id: int
    data: bytes
    """Its bytes; some tokens hold only a part of a character."""
    probability: float
    """0 to 1, of this token at its step."""
    log_probability: float
    """Natural logarithm of it."""
    special: bool
    """A timestamp or another mark, not text."""
    start_s: float | None = None
    """Seconds from the start of the recording; None unless token times were asked for."""
    end_s: float | None = None
    dtw_s: float | None = None
    """When it is said, by alignment; None unless the model was loaded with dtw."""

    @property
    def text(self) -> str:
        """Its bytes as text, with U+FFFD where they are only a part of a character."""
        return self.data.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its punctuation, or a character where a language has no spaces."""

    text: str
    """As in the segment, with its leading space."""
    start_s: float
    """Seconds from the start of the recording, in steps of 0.01."""
    end_s: float
    probability: float
    """0 to 1, the mean of its tokens."""

    def __repr__(self) -> str:
        return f"Word({self.start_s:.2f}-{self.end_s:.2f} s, {self.text!r})"


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of speech between two times."""

    start_s: float
    """Seconds from the start of the recording, in steps of 0.01."""
    end_s: float
    text: str
    """As decoded: usually with a space in front."""
    tokens: tuple[Token, ...]
    no_speech_probability: float
    """0 to 1, that the segment's window holds no speech."""
    words: tuple[Word, ...] = ()
    """Together they have the segment's text; none unless token times were asked for."""
    speaker_turn_next: bool = False
    """Another speaker follows; only with tdrz_enable and a model that was trained for it."""

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s

    def __repr__(self) -> str:
        return f"Segment({self.start_s:.2f}-{self.end_s:.2f} s, {self.text!r})"


@dataclass(frozen=True, slots=True)
class SpeechSegment:
    """A stretch of speech."""

    start_s: float
    """From the beginning of the recording."""
    end_s: float

    @property
    def duration_s(self) -> float:
        """Its length."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Stats:
    """What one transcription cost. Times in milliseconds."""

    load_ms: float
    """Loading the model, once per context."""
    mel_ms: float
    """Log-mel features."""
    encode_ms: float
    """Convolution, encoder, keys and values of cross-attention."""
    prompt_ms: float
    """Decoder steps of 16 tokens and more."""
    decode_ms: float
    """Decoder steps of one token."""
    batched_ms: float
    """Decoder steps of 2 to 15 tokens: several texts at a time."""
    sample_ms: float
    """Choosing tokens."""
    total_ms: float
    """From call to result, by the clock on the wall; without loading."""
    n_windows: int
    """Windows of up to 30 s that were encoded."""
    n_tokens: int
    """Tokens that were chosen."""
    n_fallbacks: int
    """Further attempts at a higher temperature."""
    n_threads: int
    audio_s: float
    """Length of the recording in seconds."""
    weights_bytes: int
    state_bytes: int
    """Caches and buffers of the state."""

    @property
    def real_time_factor(self) -> float | None:
        """Time taken per time of audio, below 1 if faster than speech; None without audio."""
        return self.total_ms / 1000 / self.audio_s if self.audio_s else None


@dataclass(frozen=True, slots=True)
class Transcription:
    """The text of a recording."""

    segments: tuple[Segment, ...]
    language: str | None
    """Code of the language that was decoded, such as "de"; None if nothing was decoded."""
    duration_s: float
    """Length of the recording in seconds."""
    stats: Stats
    language_probability: float | None = None
    """0 to 1; 1 if the language was named, None if nothing was decoded, or the core does not tell.
    """
    speech: tuple[SpeechSegment, ...] = ()
    """What was transcribed, where vad was asked for."""

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of all segments; none unless token times were asked for."""
        return tuple(word for segment in self.segments for word in segment.words)

    @property
    def text(self) -> str:
        """All segments in a row, without space at the ends."""
        return "".join(segment.text for segment in self.segments).strip()

    def __repr__(self) -> str:
        text = self.text
        shown = text if len(text) <= 60 else f"{text[:57]}..."
        return (
            f"Transcription({shown!r}, language={self.language!r}, {len(self.segments)} segments, "
            f"{self.duration_s:.2f} s)"
        )


@dataclass(frozen=True, slots=True)
class LanguageGuess:
    """Which language a recording seems to be in."""

    code: str
    probability: float
    probabilities: dict[str, float]
    """Of every language that the model knows, or of the candidates, by code; they add up to 1."""

    def __repr__(self) -> str:
        return f"LanguageGuess({self.code!r}, {self.probability:.3f})"


class TranscriptionCancelledError(CancelledError):
    """A transcription was stopped by its token; `partial` is what was finished before."""

    def __init__(self, partial: Transcription) -> None:
        super().__init__(f"the transcription was cancelled after {len(partial.segments)} segments")
        self.partial = partial

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.partial,))
