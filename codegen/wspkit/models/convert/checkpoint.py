"""Converts a checkpoint of any source: looks which one it is. Knows files' names only."""

from __future__ import annotations

from pathlib import Path

from wspkit.errors import BadFormatError, NotFoundError, UnsupportedError, UsageError
from wspkit.models.convert import ctranslate2
from wspkit.models.convert.huggingface import TENSOR_FILES, HuggingFaceSource
from wspkit.models.convert.openai import OpenAISource
from wspkit.models.convert.target import OutputType, Progress, write_model

_EXPECTED = (
    "a directory with model.bin (CTranslate2) or model.safetensors (Hugging Face), or the path of "
    "one of these, or a .pt file (OpenAI)"
)


def convert(
    path: Path,
    destination: Path,
    output: OutputType = OutputType.F16,
    progress: Progress | None = None,
    vocabulary: Path | None = None,
) -> Path:
    """Writes the checkpoint as a ggml model to `destination`, whole or not at all; returns
    `destination`.

    path: the checkpoint's directory or file. vocabulary: the file of its tokens, where they do not
    lie beside it.
    Errors: NotFoundError; BadFormatError with the file, the place, what was found and what was
    expected; UsageError if the destination is a directory.
    """
    if not path.exists():
        raise NotFoundError(f"no checkpoint {str(path)!r}", expected=_EXPECTED)
    if destination.is_dir():
        raise UsageError(f"{destination} is a directory", expected="the path of the file to write")
    file = _file_of(path)
    if file.suffix == ".pt":
        with OpenAISource(file, vocabulary) as source:
            return write_model(source, destination, output, progress)
    if file.name.endswith((".safetensors", ".safetensors.index.json")):
        return write_model(HuggingFaceSource(file, vocabulary), destination, output, progress)
    return ctranslate2.convert(file, destination, output, progress, vocabulary)


def _file_of(path: Path) -> Path:
    """The file that holds the tensors."""
    if not path.is_dir():
        if path.name == "pytorch_model.bin":
            raise UnsupportedError(
                f"{path} is a pickled Hugging Face checkpoint",
                expected="model.safetensors beside it",
                hint="Newer revisions of the model have it.",
            )
        return path
    for name in ("model.bin", *TENSOR_FILES):
        if (path / name).is_file():
            return path / name
    pickled = sorted(path.glob("*.pt"))
    if len(pickled) == 1:
        return pickled[0]
    raise BadFormatError(f"{path} holds no checkpoint", expected=_EXPECTED)
