"""faster-whisper on the weights that our model files were made from, fetched when asked for.

Must not know our core.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel

from wspkit.bench.sources import faster_whisper_directory


class Peer:
    """faster-whisper in float32: temperature 0 alone, earlier text as context."""

    def __init__(self, model: str) -> None:
        self._model = WhisperModel(
            str(faster_whisper_directory(model)),
            device="cpu",
            compute_type="float32",
            cpu_threads=2,
        )

    def text(self, samples: npt.NDArray[np.float32], language: str, n_beams: int = 1) -> str:
        """What it hears: greedy, or with beam search."""
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            beam_size=n_beams,
            temperature=0.0,
            condition_on_previous_text=True,
        )
        return "".join(segment.text for segment in segments)

    def words(
        self, samples: npt.NDArray[np.float32], language: str
    ) -> tuple[list[int], list[tuple[str, float, float]]]:
        """What it hears: tokens, and each word with start and end in seconds by its alignment."""
        segments = list(
            self._model.transcribe(
                samples,
                language=language,
                beam_size=1,
                temperature=0.0,
                condition_on_previous_text=True,
                word_timestamps=True,
            )[0]
        )
        tokens = [token for segment in segments for token in segment.tokens]
        words = [word for segment in segments for word in segment.words or ()]
        return tokens, [(word.word, float(word.start), float(word.end)) for word in words]
