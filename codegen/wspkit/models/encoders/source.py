"""The encoder in a ggml model file: its sizes, its weights, and marks of what it was made from.

It must not know what is built of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError, InputOutputError, UnsupportedError
from wspkit.models.ggml_types import Hyperparameters
from wspkit.models.inspect import Report, Tensor, inspect
from wspkit.models.problems import problems

#: float16 or float32, as the file has them.
Array = npt.NDArray[np.floating[Any]]

#: What a tool hands out that ships no types.
Untyped: TypeAlias = Any

_FLOATS: Final = {"f32": "<f4", "f16": "<f2"}
_PREFIX: Final = "encoder."
_HASHED_AT_A_TIME: Final = 1 << 22


@dataclass(frozen=True)
class Encoder:
    """What an encoder is built of. Nothing in it is changed after reading."""

    path: Path
    sizes: Hyperparameters
    tensors: Mapping[str, Array]
    """By name without "encoder.", outermost dimension first."""
    fingerprint: str
    """sha256 of its biases and norms; see `fingerprint`."""
    model_sha256: str
    """Of the whole file."""

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]


def read_encoder(path: Path) -> Encoder:
    """The encoder of a Whisper model of f16 or f32.

    Errors: those of `inspect`; UnsupportedError for a VAD model and for quantised weights;
    BadFormatError for a model that no core loads, or with values that are not finite;
    InputOutputError.
    """
    report = inspect(path)
    sizes = report.hyperparameters
    if sizes is None:
        raise UnsupportedError(f"{path} is a voice activity model", expected="a Whisper model")
    entries = [tensor for tensor in report.tensors if tensor.name.startswith(_PREFIX)]
    if any(tensor.type_name not in _FLOATS for tensor in entries):
        raise UnsupportedError(
            f"{path} holds {report.weights} weights",
            expected="f16 or f32",
            hint="Build the encoder of the model that it was quantised from: it serves both.",
        )
    if found := problems(report):
        raise BadFormatError(f"{path}: {found[0]}")
    try:
        tensors = {t.name.removeprefix(_PREFIX): _values(report, t) for t in entries}
        model_sha256 = _sha256(path)
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror or error}") from error
    return Encoder(path, sizes, tensors, fingerprint(sizes, tensors), model_sha256)


def fingerprint(sizes: Hyperparameters, tensors: Mapping[str, Array]) -> str:
    """What a model and its quantised forms have in common, and other models have not.

    The sha256 of a line with the encoder's sizes, then, in the order of their names, of name, a
    zero byte and float32 values of every tensor of one dimension: biases and norms, which no
    quantiser touches. The core computes the same while it loads; see
    cpp/src/whisper/encoder_fingerprint.h.
    """
    digest = hashlib.sha256(
        f"{sizes.n_mels} {sizes.n_audio_ctx} {sizes.n_audio_state} {sizes.n_audio_head} "
        f"{sizes.n_audio_layer}\n".encode()
    )
    for name, tensor in sorted(tensors.items()):
        if sum(extent > 1 for extent in tensor.shape) <= 1:
            digest.update(f"{name}\0".encode())
            digest.update(tensor.astype("<f4").tobytes())
    return digest.hexdigest()


def audio_contexts(encoder: Encoder, wanted: Iterable[int]) -> tuple[int, ...]:
    """Lengths of windows in frames of 20 ms, the model's own first, then downwards, none twice.

    Those that are longer than the model's are left out.
    """
    longest = encoder.sizes.n_audio_ctx
    shorter = {length for length in wanted if length < longest}
    return (longest, *sorted(shorter, reverse=True))


def _values(report: Report, tensor: Tensor) -> Array:
    kind = np.dtype(_FLOATS[tensor.type_name])
    with report.path.open("rb") as file:
        file.seek(tensor.offset_bytes)
        values: Array = np.fromfile(file, kind, count=tensor.size_bytes // kind.itemsize)
    if values.nbytes != tensor.size_bytes:
        raise BadFormatError(f"{report.path} became shorter while it was read")
    if not np.isfinite(values).all():
        raise BadFormatError(f"{report.path}: {tensor.name} holds values that are not finite")
    return values.reshape(tensor.shape)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_HASHED_AT_A_TIME):
            digest.update(block)
    return digest.hexdigest()
