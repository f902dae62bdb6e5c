"""Converts CTranslate2 Whisper checkpoints to ggml `.bin` models; knows both sets of names and
nothing else.

Values pass through tensor by tensor: float16 stays bit for bit what it was, and nothing larger than
one tensor is in memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError
from wspkit.models.convert.ctranslate2_checkpoint import Checkpoint
from wspkit.models.convert.ggml_writer import TYPE_F16
from wspkit.models.convert.target import (
    MAX_LAYERS,
    ModelTensor,
    OutputType,
    Progress,
    check_hyperparameters,
    write_model,
)
from wspkit.models.convert.vocabulary import read_tokens
from wspkit.models.ggml_types import Hyperparameters

_OUTSIDE = {
    "encoder.positional_embedding": "encoder/position_encodings/encodings",
    "encoder.conv1.weight": "encoder/conv1/weight",
    "encoder.conv1.bias": "encoder/conv1/bias",
    "encoder.conv2.weight": "encoder/conv2/weight",
    "encoder.conv2.bias": "encoder/conv2/bias",
    "encoder.ln_post.weight": "encoder/layer_norm/gamma",
    "encoder.ln_post.bias": "encoder/layer_norm/beta",
    "decoder.positional_embedding": "decoder/position_encodings/encodings",
    "decoder.token_embedding.weight": "decoder/embeddings/weight",
    "decoder.ln.weight": "decoder/layer_norm/gamma",
    "decoder.ln.bias": "decoder/layer_norm/beta",
}
"""Variables outside of the layers, by the tensors' names."""

_NORMS = {
    "attn_ln": "self_attention/layer_norm",
    "cross_attn_ln": "attention/layer_norm",
    "mlp_ln": "ffn/layer_norm",
}
_LINEARS = {
    "attn.query": ("self_attention/linear_0", 0, 3),
    # Whisper's keys have no bias; CTranslate2 pads the fused one with zeros, which are dropped.
    "attn.key": ("self_attention/linear_0", 1, 3),
    "attn.value": ("self_attention/linear_0", 2, 3),
    "attn.out": ("self_attention/linear_1", 0, 1),
    "cross_attn.query": ("attention/linear_0", 0, 1),
    "cross_attn.key": ("attention/linear_1", 0, 2),
    "cross_attn.value": ("attention/linear_1", 1, 2),
    "cross_attn.out": ("attention/linear_2", 0, 1),
    "mlp.0": ("ffn/linear_0", 0, 1),
    "mlp.2": ("ffn/linear_1", 0, 1),
}
"""Layers that multiply: the variable, and which of how many parts that are fused in it."""

_IN_A_LAYER = re.compile(r"(encoder|decoder)\.blocks\.(\d+)\.(.+)\.(weight|bias)")


@dataclass(frozen=True)
class Part:
    """The CTranslate2 variable that a tensor is, or is `rows` rows of, from row `row` on."""

    variable: str
    variable_shape: tuple[int, ...]
    row: int
    rows: int


def part_of(tensor: ModelTensor) -> Part:
    """Where a tensor of the ggml file lies in the checkpoint."""
    shape = tensor.source_shape
    outside = _OUTSIDE.get(tensor.name)
    if outside is not None:
        return Part(outside, shape, 0, shape[0])
    match = _IN_A_LAYER.fullmatch(tensor.name)
    assert match is not None, tensor.name
    half, index, name, kind = match.groups()
    layer = f"{half}/layer_{index}"
    if name in _NORMS:
        kind = "gamma" if kind == "weight" else "beta"
        return Part(f"{layer}/{_NORMS[name]}/{kind}", shape, 0, shape[0])
    variable, part, parts = _LINEARS[name]
    fused = (parts * shape[0], *shape[1:])
    return Part(f"{layer}/{variable}/{kind}", fused, part * shape[0], shape[0])


class CTranslate2Source:
    """An open checkpoint and its vocabulary."""

    def __init__(self, checkpoint: Checkpoint, vocabulary: Path) -> None:
        self._checkpoint = checkpoint
        self._vocabulary = vocabulary
        self.hyperparameters = read_hyperparameters(checkpoint)

    def tokens(self) -> list[bytes]:
        """The tokens that the file spells out."""
        return read_tokens(self._vocabulary, self.hyperparameters.n_vocab)

    def values(self, tensor: ModelTensor) -> npt.NDArray[np.generic]:
        """A tensor's values in the type of the checkpoint."""
        part = part_of(tensor)
        values = self._checkpoint.floats(part.variable, part.variable_shape)
        return values[part.row : part.row + part.rows]


def checkpoint_files(path: Path) -> tuple[Path, Path]:
    """(model.bin, vocabulary file) of a checkpoint given by its directory or its model.bin.

    Errors: BadFormatError if one of them is missing.
    """
    directory = path if path.is_dir() else path.parent
    model = path / "model.bin" if path.is_dir() else path
    if not model.is_file():
        raise BadFormatError(
            f"{path}: no model.bin there",
            expected="a CTranslate2 checkpoint: a directory with model.bin and vocabulary.txt or "
            "vocabulary.json, or the path of its model.bin",
        )
    for name in ("vocabulary.json", "vocabulary.txt"):
        if (directory / name).is_file():
            return model, directory / name
    raise BadFormatError(
        f"{directory}: model.bin without a vocabulary",
        expected="vocabulary.txt or vocabulary.json beside it",
        hint="They are published together: copy the whole checkpoint.",
    )


def read_hyperparameters(checkpoint: Checkpoint) -> Hyperparameters:
    """The header of the ggml file, from the shapes of the checkpoint's variables."""

    def dimensions(name: str, rank: int) -> tuple[int, ...]:
        shape = checkpoint.variable(name).shape
        if len(shape) != rank or 0 in shape:
            raise BadFormatError(
                f"{checkpoint.path}: variable {name!r}: found shape {shape}",
                expected=f"{rank} dimensions, none zero",
            )
        return shape

    def layers(part: str) -> int:
        count = 0
        while count <= MAX_LAYERS and (
            f"{part}/layer_{count}/ffn/linear_0/weight" in checkpoint.variables
        ):
            count += 1
        return count

    n_audio_ctx, n_audio_state = dimensions("encoder/position_encodings/encodings", 2)
    n_text_ctx, n_text_state = dimensions("decoder/position_encodings/encodings", 2)
    n_vocab, _ = dimensions("decoder/embeddings/weight", 2)
    _, n_mels, _ = dimensions("encoder/conv1/weight", 3)
    numbers = Hyperparameters(
        n_vocab=n_vocab,
        n_audio_ctx=n_audio_ctx,
        n_audio_state=n_audio_state,
        n_audio_head=checkpoint.scalar("encoder/num_heads"),
        n_audio_layer=layers("encoder"),
        n_text_ctx=n_text_ctx,
        n_text_state=n_text_state,
        n_text_head=checkpoint.scalar("decoder/num_heads"),
        n_text_layer=layers("decoder"),
        n_mels=n_mels,
        ftype=TYPE_F16,
    )
    return check_hyperparameters(checkpoint.path, numbers)


def convert(
    checkpoint_path: Path,
    destination: Path,
    output: OutputType = OutputType.F16,
    progress: Progress | None = None,
    vocabulary: Path | None = None,
) -> Path:
    """Writes the checkpoint as a ggml model to `destination`, whole or not at all; returns
    `destination`.

    checkpoint_path: its directory, or its model.bin with the vocabulary beside it.
    vocabulary: another file of its tokens.
    Errors: BadFormatError with the file, the place, what was found and what was expected;
    UsageError if the destination is a directory.
    """
    model_path, beside = checkpoint_files(checkpoint_path)
    with Checkpoint(model_path) as checkpoint:
        source = CTranslate2Source(checkpoint, vocabulary or beside)
        return write_model(source, destination, output, progress)
