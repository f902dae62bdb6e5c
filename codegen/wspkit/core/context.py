"""A loaded model, shared by any number of states. It must not know where models come from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import final

from wspkit.core.alignment import AlignmentHeads, raw_heads
from wspkit.core.audio import AudioFile, AudioLike
from wspkit.core.backend import Backend
from wspkit.core.generated.options import TranscribeOptions
from wspkit.core.model_facts import ModelFacts, SpecialTokens
from wspkit.core.native import CancellationToken, core, int32
from wspkit.core.results import LanguageGuess, Segment, Transcription
from wspkit.core.sources import Source, buffer_of, naming, path_bytes
from wspkit.core.state import LogitsFilter, State
from wspkit.errors import UsageError


@final
class Context:
    """A Whisper model in memory.

    Its weights are read-only: any number of states may use them at once, one thread each. For the
    simple case the context has a state of its own, made at the first transcription. Contexts cannot
    be pickled.
    """

    def __init__(self, raw: core.Context, name: str) -> None:
        """Use `Context.load`."""
        self.raw = raw
        self.name = name
        """What it was loaded from, for messages."""
        self.facts = ModelFacts(**raw.describe())
        self.special_tokens = SpecialTokens(**raw.special_tokens())
        self._own_state: State | None = None
        self._lock = threading.Lock()

    @classmethod
    def load(
        cls,
        source: Source,
        *,
        dtw: AlignmentHeads | None = None,
        backend: Backend | str = Backend.AUTO,
        encoder: str | os.PathLike[str] | None = None,
        cache: str | os.PathLike[str] | None = None,
    ) -> Context:
        """Loads a model in ggml .bin form: from a path, from bytes, or from an object with read(n).

        dtw: gives each token a time by dynamic time warping (`Token.dtw_s`), by these heads: the
        name of the model, such as "base.en"; a number, for all heads of so many last layers; or
        pairs of text layer and head. It costs a further run of the decoder per window.

        backend: what computes; what this build or machine has not leaves the CPU and the own
        encoder, and `backend_reason` and `encoder_reason` say why. encoder: the encoder of Core ML
        or OpenVINO, in place of the one that lies beside a model's file. cache: a folder for what
        these compile on this machine.

        Bytes are free for reuse afterwards; a file is read to its end and stays open. Raises
        UsageError (heads that the model does not have, a back-end of no such name), NotFoundError,
        BadFormatError (wrong, cut, foreign or hostile data), UnsupportedError, OutOfMemoryError,
        InputOutputError; what read() raises comes through.
        """
        heads = raw_heads(dtw)
        choice = core.Choice(
            str.__str__(backend),  # its value, in every Python
            b"" if encoder is None else path_bytes(encoder),
            b"" if cache is None else path_bytes(cache),
        )
        if isinstance(source, (str, os.PathLike)):
            path = os.fspath(source)
            with naming(path):
                return cls(core.Context.from_path(path_bytes(path), heads, choice), path)
        if (data := buffer_of(source)) is not None:
            return cls(core.Context.from_buffer(data, heads, choice), f"{data.nbytes} bytes")
        if hasattr(source, "read"):
            name = getattr(source, "name", None)
            raw = core.Context.from_file(source, heads, choice)
            return cls(raw, name if isinstance(name, str) else "a file")
        raise UsageError(
            f"a model from a {type(source).__name__}",
            expected="a path, bytes or an open binary file",
        )

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
        """Turns audio into text with the context's own state; see `State.transcribe`."""
        return self._state().transcribe(
            audio,
            options,
            on_progress=on_progress,
            on_segment=on_segment,
            on_window=on_window,
            filter_logits=filter_logits,
            cancel=cancel,
        )

    def detect_language(
        self,
        audio: AudioLike,
        *,
        offset_ms: int = 0,
        n_threads: int = 1,
        candidates: Sequence[str] = (),
    ) -> LanguageGuess:
        """Which language is spoken; see `State.detect_language`."""
        return self._state().detect_language(
            audio, offset_ms=offset_ms, n_threads=n_threads, candidates=candidates
        )

    def new_state(self) -> State:
        """A further state on the same weights, for another thread. Raises OutOfMemoryError."""
        return State(self)

    def tokenize(self, text: str) -> tuple[int, ...]:
        """Text as token ids; special tokens in it are taken as plain text."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the text {text!r}", expected="text that UTF-8 can hold") from error
        return tuple(self.raw.tokenize(text))

    def token_bytes(self, token: int) -> bytes:
        """Bytes of a token, maybe a part of a character. Raises UsageError for no token's id."""
        return self.raw.token_bytes(int32("token", token))

    def detokenize(self, tokens: Iterable[int]) -> str:
        """Token ids as text, with U+FFFD for bytes that form no character."""
        return b"".join(self.token_bytes(token) for token in tokens).decode("utf-8", "replace")

    @property
    def backend(self) -> str:
        """Name of what computes, such as "cpu"."""
        return self.raw.backend

    @property
    def backend_reason(self) -> str:
        """The same with the reason, such as "cpu: no GPU back-end is built in"."""
        return self.raw.backend_reason

    @property
    def encoder(self) -> str:
        """What encodes: "own", "coreml" or "openvino"."""
        return self.raw.encoder

    @property
    def encoder_reason(self) -> str:
        """The same with the reason and the times of loading and of the first window."""
        return self.raw.encoder_reason

    def close(self) -> None:
        """Frees the context's own state, and the weights with the last state that uses them.

        Raises BusyError while a call runs on its own state; may be repeated.
        """
        with self._lock:
            if self._own_state is not None:
                self._own_state.close()
                self._own_state = None
            self.raw.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self.raw.closed

    def __enter__(self) -> Context:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        languages = "multilingual" if self.facts.multilingual else "English"
        closed = ", closed" if self.closed else ""
        return f"Context({self.facts.type}, {languages}, from {self.name!r}{closed})"

    def _state(self) -> State:
        with self._lock:
            if self._own_state is None:
                self._own_state = self.new_state()
            return self._own_state
