"""The ggml model that every converter writes: its tensors in order, their types, the whole file.

Knows nothing of any source's names or containers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError, UsageError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.models.convert.ggml_writer import TYPE_F16, TYPE_F32, write_preamble, write_tensor
from wspkit.models.convert.mel_filters import mel_filters
from wspkit.models.ggml_types import Hyperparameters

Progress = Callable[[int, int], None]
"""Called with (tensors written, tensors in all)."""

MAX_LAYERS = 128
_MEL_BANDS = (80, 128)


class OutputType(str, Enum):
    """Type of the large weights in the written file; biases, norms and positions are always
    float32.
    """

    F16 = "f16"
    F32 = "f32"


@dataclass(frozen=True)
class ModelTensor:
    """One tensor of the written file. shape: outermost first."""

    name: str
    shape: tuple[int, ...]
    is_weight: bool
    """Whether it is written in the output type; else in float32."""

    @property
    def source_shape(self) -> tuple[int, ...]:
        """Its shape in every source: ggml alone keeps a convolution's bias as (D, 1)."""
        is_column = len(self.shape) == 2 and self.shape[1] == 1 and not self.is_weight
        return self.shape[:1] if is_column else self.shape


class Source(Protocol):
    """A checkpoint as a converter reads it."""

    @property
    def hyperparameters(self) -> Hyperparameters:
        """The header's numbers, with any file type."""
        ...

    def tokens(self) -> list[bytes]:
        """The tokens that the file spells out."""
        ...

    def values(self, tensor: ModelTensor) -> npt.NDArray[np.generic]:
        """A tensor's floats in the shape that the sources have."""
        ...


def write_model(
    source: Source, destination: Path, output: OutputType, progress: Progress | None = None
) -> Path:
    """Writes a source as a ggml model, whole or not at all, one tensor in memory at a time; returns
    `destination`.

    Errors: those of the source; UsageError if the destination is a directory.
    """
    if destination.is_dir():
        raise UsageError(f"{destination} is a directory", expected="the path of the file to write")
    hyperparameters = replace(
        source.hyperparameters, ftype=TYPE_F16 if output is OutputType.F16 else TYPE_F32
    )
    tokens = source.tokens()
    tensors = list(model_tensors(hyperparameters))
    with atomic_writer(destination) as out:
        write_preamble(out, hyperparameters, mel_filters(hyperparameters.n_mels), tokens)
        for count, tensor in enumerate(tensors, start=1):
            as_f16 = tensor.is_weight and output is OutputType.F16
            values = source.values(tensor).reshape(tensor.shape)
            write_tensor(out, tensor.name, values.astype("<f2" if as_f16 else "<f4", copy=False))
            if progress is not None:
                progress(count, len(tensors))
    return destination


def check_hyperparameters(path: Path, h: Hyperparameters) -> Hyperparameters:
    """The same numbers. Errors: BadFormatError with the first that no Whisper model has."""
    for part, width, heads, layers in (
        ("encoder", h.n_audio_state, h.n_audio_head, h.n_audio_layer),
        ("decoder", h.n_text_state, h.n_text_head, h.n_text_layer),
    ):
        if not 0 < layers <= MAX_LAYERS:
            raise BadFormatError(
                f"{path}: found {layers} layers in the {part}", expected=f"1 to {MAX_LAYERS}"
            )
        if heads <= 0 or width <= 0 or width % heads:
            raise BadFormatError(
                f"{path}: found {heads} heads for a width of {width} in the {part}",
                expected="a divisor of the width",
            )
    if h.n_mels not in _MEL_BANDS:
        raise BadFormatError(f"{path}: found {h.n_mels} mel bands", expected="80 or 128")
    return h


def model_tensors(h: Hyperparameters) -> Iterator[ModelTensor]:
    """Every tensor of the file in the order in which it is written."""
    audio, text = h.n_audio_state, h.n_text_state
    yield ModelTensor("encoder.positional_embedding", (h.n_audio_ctx, audio), False)
    for index, channels in ((1, h.n_mels), (2, audio)):
        yield ModelTensor(f"encoder.conv{index}.weight", (audio, channels, 3), True)
        yield ModelTensor(f"encoder.conv{index}.bias", (audio, 1), False)
    for index in range(h.n_audio_layer):
        block = f"encoder.blocks.{index}"
        yield from _attention(f"{block}.attn", audio, audio)
        yield from _feed_forward(block, audio)
    yield from _norm("encoder.ln_post", audio)
    yield ModelTensor("decoder.positional_embedding", (h.n_text_ctx, text), False)
    yield ModelTensor("decoder.token_embedding.weight", (h.n_vocab, text), True)
    for index in range(h.n_text_layer):
        block = f"decoder.blocks.{index}"
        yield from _attention(f"{block}.attn", text, text)
        yield from _attention(f"{block}.cross_attn", text, audio)
        yield from _feed_forward(block, text)
    yield from _norm("decoder.ln", text)


def _linear(name: str, rows: int, columns: int, *, bias: bool = True) -> Iterator[ModelTensor]:
    yield ModelTensor(f"{name}.weight", (rows, columns), True)
    if bias:
        yield ModelTensor(f"{name}.bias", (rows,), False)


def _norm(name: str, width: int) -> Iterator[ModelTensor]:
    yield ModelTensor(f"{name}.weight", (width,), False)
    yield ModelTensor(f"{name}.bias", (width,), False)


def _attention(name: str, width: int, heard_width: int) -> Iterator[ModelTensor]:
    yield from _norm(f"{name}_ln", width)
    yield from _linear(f"{name}.query", width, width)
    # Whisper's keys have no bias: it would shift all scores of a query alike.
    yield from _linear(f"{name}.key", width, heard_width, bias=False)
    yield from _linear(f"{name}.value", width, heard_width)
    yield from _linear(f"{name}.out", width, width)


def _feed_forward(block: str, width: int) -> Iterator[ModelTensor]:
    # Whisper's feed-forward layer is four times as wide as the model (Radford et al. 2022, table
    # 1).
    yield from _norm(f"{block}.mlp_ln", width)
    yield from _linear(f"{block}.mlp.0", 4 * width, width)
    yield from _linear(f"{block}.mlp.2", width, 4 * width)
