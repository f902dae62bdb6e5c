"""A state: caches, buffers and one transcription at a time. It must not know the command line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TypeAlias, final

from wspkit.core.audio import SAMPLE_RATE_HZ, AudioFile, AudioLike, Samples, as_samples
from wspkit.core.generated.options import TranscribeOptions
from wspkit.core.languages import LANGUAGES, find_language
from wspkit.core.native import CancellationToken, core, int32
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
from wspkit.errors import UsageError

if TYPE_CHECKING:
    from wspkit.core._core import RawResult, RawSegment
    from wspkit.core.context import Context

LogitsFilter: TypeAlias = Callable[[list[int], Samples], object]
"""Gets the ids of the tokens decoded so far in this window, and the logits (V) of the next one,
which it may change in place.
"""


@final
class State:
    """Caches and buffers for one transcription at a time, on the shared weights of a context.

    Give each thread its own. A state keeps the weights alive. A second call while one runs raises
    BusyError; so does closing it then.
    """

    def __init__(self, context: Context) -> None:
        """Use `Context.new_state`."""
        self._raw = core.State(context.raw)
        self._facts = context.facts
        self._end_of_text = context.special_tokens.end_of_text

    def transcribe(
        self,
        audio: AudioLike | AudioFile,
        options: TranscribeOptions | None = None,
        *,
        on_progress: Callable[[int], object] | None = None,
        on_segment: Callable[[Segment], object] | None = None,
        on_window: Callable[[], object] | None = None,
        filter_logits: LogitsFilter | None = None,
        cancel: CancellationToken | None = None,
    ) -> Transcription:
        """Turns audio into text.

        audio: an `Audio`, or what `as_samples` takes: 16 kHz mono. It is not copied if it is
        float32 already, so it must not change meanwhile. Or an `AudioFile`, which gives the same in
        memory that does not grow with it. Under 100 ms gives no segments.
        on_progress: gets percent, 0 to 100, never smaller than before.
        on_segment: gets each segment when it is finished.
        on_window: called before each window of 30 s; False ends the transcription with what there
        is, which is no error.
        filter_logits: see `LogitsFilter`; called at each step, so it is what takes the time then.
        All of them run one at a time on the calling thread, or on others with n_parts above 1; what
        they raise stops the work and comes through.
        cancel: any thread may cancel it. Other threads run meanwhile (the GIL is released), and
        Ctrl-C on the main thread raises KeyboardInterrupt within an operation of the core.

        Raises UsageError (NaN or infinite samples, an option that this model cannot obey),
        BusyError, TranscriptionCancelledError, OutOfMemoryError.
        """
        if options is not None and not isinstance(options, TranscribeOptions):
            raise UsageError(
                f"options of type {type(options).__name__}", expected="TranscribeOptions"
            )
        listener = None if on_segment is None else self._listener(on_segment)
        start = time.perf_counter()
        asked = options or TranscribeOptions()
        rest = (asked, on_progress, listener, on_window, filter_logits, cancel)
        if isinstance(audio, AudioFile):
            duration_s = audio.duration_s
            result = self._raw.transcribe_file(audio.raw, *rest)
        else:
            samples = as_samples(audio)
            duration_s = len(samples) / SAMPLE_RATE_HZ
            result = self._raw.transcribe(samples, *rest)
        total_ms = (time.perf_counter() - start) * 1000
        transcription = self._transcription(result, total_ms, duration_s)
        if result["cancelled"]:
            raise TranscriptionCancelledError(transcription)
        return transcription

    def detect_language(
        self,
        audio: AudioLike,
        *,
        offset_ms: int = 0,
        n_threads: int = 1,
        candidates: Sequence[str] = (),
    ) -> LanguageGuess:
        """Which language the 30 s from offset_ms on are in; costs one run of the encoder.

        candidates: codes or names of the languages to choose among; none means all. Raises
        UnsupportedError or UsageError as the core does for an English-only model, an offset outside
        the audio, audio that is not finite, or a candidate that is no language.
        """
        chosen = {_language_code(name) for name in candidates}
        samples = as_samples(audio)
        probabilities = self._raw.detect_language(
            samples, int32("offset_ms", offset_ms), int32("n_threads", n_threads)
        )
        by_code = {
            language.code: probability
            for language, probability in zip(LANGUAGES, probabilities, strict=True)
            if not chosen or language.code in chosen
        }
        # The same distribution, given that it is one of them.
        total = sum(by_code.values())
        if total == 0:
            raise UsageError(
                f"none of the candidates {', '.join(sorted(chosen))} is a language of this model",
                expected="one that it was trained for",
            )
        if chosen:
            by_code = {code: probability / total for code, probability in by_code.items()}
        best = max(by_code, key=lambda code: by_code[code])
        return LanguageGuess(best, by_code[best], by_code)

    def close(self) -> None:
        """Frees caches and buffers now. Raises BusyError while a call runs; may be repeated."""
        self._raw.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._raw.closed

    def __enter__(self) -> State:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"State({self._facts.type}{', closed' if self.closed else ''})"

    def _listener(self, on_segment: Callable[[Segment], object]) -> Callable[[RawSegment], object]:
        return lambda raw: on_segment(self._segment(raw))

    def _segment(self, raw: RawSegment) -> Segment:
        start, end, text, no_speech_probability, raw_tokens, raw_words, turn = raw
        tokens = tuple(
            Token(
                token,
                data,
                probability,
                log_probability,
                token >= self._end_of_text,
                _seconds(begin),
                _seconds(finish),
                _seconds(aligned),
            )
            for token, data, probability, log_probability, _, _, _, begin, finish, aligned in (
                raw_tokens
            )
        )
        # The core counts in steps of 10 ms; dividing keeps 1.1 from becoming 1.1000000000000001.
        words = tuple(
            Word(data.decode("utf-8", "replace"), begin / 100, finish / 100, probability)
            for data, begin, finish, probability in raw_words
        )
        return Segment(
            start / 100,
            end / 100,
            text.decode("utf-8", "replace"),
            tokens,
            no_speech_probability,
            words,
            turn,
        )

    def _transcription(self, raw: RawResult, total_ms: float, audio_s: float) -> Transcription:
        segments = tuple(self._segment(segment) for segment in raw["segments"])
        before, after = raw["before"], raw["after"]
        stats = Stats(
            load_ms=after["load_ms"],
            mel_ms=after["mel_ms"] - before["mel_ms"],
            encode_ms=after["encode_ms"] - before["encode_ms"],
            prompt_ms=after["prompt_ms"] - before["prompt_ms"],
            decode_ms=after["decode_ms"] - before["decode_ms"],
            batched_ms=after["batchd_ms"] - before["batchd_ms"],
            sample_ms=after["sample_ms"] - before["sample_ms"],
            total_ms=total_ms,
            n_windows=after["n_encode"] - before["n_encode"],
            n_tokens=after["n_sample"] - before["n_sample"],
            n_fallbacks=after["n_fail_p"] - before["n_fail_p"],
            n_threads=raw["n_threads"],
            audio_s=audio_s,
            weights_bytes=after["weights_bytes"],
            state_bytes=after["state_bytes"],
        )
        speech = tuple(SpeechSegment(start / 100, end / 100) for start, end in raw["speech"])
        language = raw["language"]
        # Below 0: the core does not tell.
        known = language is not None and raw["language_probability"] >= 0
        probability = raw["language_probability"] if known else None
        return Transcription(segments, language, audio_s, stats, probability, speech)


def _seconds(steps: int) -> float | None:
    """A time of the core in seconds; None for one that was not asked for."""
    return None if steps < 0 else steps / 100


def _language_code(name: object) -> str:
    found = find_language(name) if isinstance(name, str) else None
    if found is None:
        raise UsageError(
            f"the candidate {name!r} is no language", expected="a code or name, as de or german"
        )
    return found.code
