"""Converts CTranslate2 Whisper checkpoints to ggml `.bin` models; knows both sets of names and
nothing else.

Values pass through tensor by tensor: float16 stays bit for bit what it was, and nothing larger than
one tensor is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError, UsageError
from wspkit.models.atomic_file import atomic_writer
from wspkit.models.convert.byte_map import character_to_byte, decode_token
from wspkit.models.convert.ctranslate2_checkpoint import Checkpoint
from wspkit.models.convert.ggml_writer import (
    TYPE_F16,
    TYPE_F32,
    write_preamble,
    write_tensor,
)
from wspkit.models.convert.mel_filters import mel_filters
from wspkit.models.ggml_types import Hyperparameters

Progress = Callable[[int, int], None]
"""Called with (tensors written, tensors in all)."""

N_STORED_TOKENS = 50_257
"""Tokens that a ggml file spells out: GPT-2's 50256 and the end of text; readers name the rest by
rule.
"""

_MULTILINGUAL_N_VOCAB = 51_865
_END_OF_TEXT = "<|endoftext|>"
_MAX_LAYERS = 128


class OutputType(str, Enum):
    """Type of the large weights in the written file; biases, norms and positions are always
    float32.
    """

    F16 = "f16"
    F32 = "f32"


@dataclass(frozen=True)
class Part:
    """One ggml tensor, and the rows of the CTranslate2 variable that it is.

    shape: outermost first, of the ggml tensor. row: the first of the variable's rows; the variable
    has `variable_rows` of them.
    """

    name: str
    variable: str
    shape: tuple[int, ...]
    row: int
    variable_rows: int
    is_weight: bool

    @property
    def variable_shape(self) -> tuple[int, ...]:
        """Shape that the variable must have in the checkpoint."""
        tail = () if self._is_column else self.shape[1:]
        return (self.variable_rows, *tail)

    @property
    def _is_column(self) -> bool:
        # ggml keeps a convolution's bias as (D, 1), CTranslate2 as (D,).
        return len(self.shape) == 2 and self.shape[1] == 1 and not self.is_weight


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


def read_tokens(path: Path, n_vocab: int) -> list[bytes]:
    """The tokens that a ggml file stores, as bytes, from CTranslate2's vocabulary of `n_vocab`
    entries.

    Errors: BadFormatError with the entry that does not fit.
    """
    try:
        text = path.read_text(encoding="utf-8")
        entries = (
            json.loads(text) if path.suffix == ".json" else text.removesuffix("\n").split("\n")
        )
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are its children
        raise BadFormatError(f"{path}: {error}", expected="a vocabulary in UTF-8") from None
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise BadFormatError(f"{path}: no list of strings", expected="one string for each token")
    if len(entries) != n_vocab:
        raise BadFormatError(
            f"{path}: found {len(entries)} tokens", expected=f"{n_vocab}, as the model has"
        )
    multilingual = n_vocab >= _MULTILINGUAL_N_VOCAB
    end_of_text = N_STORED_TOKENS if multilingual else N_STORED_TOKENS - 1
    if n_vocab <= end_of_text or entries[end_of_text] != _END_OF_TEXT:
        found = entries[end_of_text] if n_vocab > end_of_text else "the end of the list"
        raise BadFormatError(
            f"{path}: entry {end_of_text}: found {found!r}", expected=repr(_END_OF_TEXT)
        )
    table = character_to_byte()
    tokens: list[bytes] = []
    for index, entry in enumerate(entries[:N_STORED_TOKENS]):
        token = entry.encode() if index == end_of_text else decode_token(entry, table)
        if token is None:
            raise BadFormatError(
                f"{path}: entry {index}: found {entry!r}",
                expected="characters of GPT-2's byte map",
            )
        tokens.append(token)
    return tokens


def read_hyperparameters(checkpoint: Checkpoint, output: OutputType) -> Hyperparameters:
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
        while f"{part}/layer_{count}/ffn/linear_0/weight" in checkpoint.variables:
            count += 1
        if not 0 < count <= _MAX_LAYERS:
            raise BadFormatError(
                f"{checkpoint.path}: found {count} layers in the {part}",
                expected=f"1 to {_MAX_LAYERS}",
            )
        return count

    n_audio_ctx, n_audio_state = dimensions("encoder/position_encodings/encodings", 2)
    n_text_ctx, n_text_state = dimensions("decoder/position_encodings/encodings", 2)
    n_vocab, _ = dimensions("decoder/embeddings/weight", 2)
    _, n_mels, _ = dimensions("encoder/conv1/weight", 3)
    n_audio_head = checkpoint.scalar("encoder/num_heads")
    n_text_head = checkpoint.scalar("decoder/num_heads")
    for part, width, heads in (
        ("encoder", n_audio_state, n_audio_head),
        ("decoder", n_text_state, n_text_head),
    ):
        if heads <= 0 or width % heads:
            raise BadFormatError(
                f"{checkpoint.path}: found {heads} heads for a width of {width} in the {part}",
                expected="a divisor of the width",
            )
    if n_mels not in (80, 128):
        raise BadFormatError(f"{checkpoint.path}: found {n_mels} mel bands", expected="80 or 128")
    return Hyperparameters(
        n_vocab=n_vocab,
        n_audio_ctx=n_audio_ctx,
        n_audio_state=n_audio_state,
        n_audio_head=n_audio_head,
        n_audio_layer=layers("encoder"),
        n_text_ctx=n_text_ctx,
        n_text_state=n_text_state,
        n_text_head=n_text_head,
        n_text_layer=layers("decoder"),
        n_mels=n_mels,
        ftype=TYPE_F16 if output is OutputType.F16 else TYPE_F32,
    )


def _linear(
    name: str,
    variable: str,
    rows: int,
    columns: int,
    *,
    part: int = 0,
    parts: int = 1,
    bias: bool = True,
) -> Iterator[Part]:
    """Weight and bias of one linear layer, which may be one of several that CTranslate2 keeps
    fused.
    """
    first, total = part * rows, parts * rows
    yield Part(f"{name}.weight", f"{variable}/weight", (rows, columns), first, total, True)
    if bias:
        yield Part(f"{name}.bias", f"{variable}/bias", (rows,), first, total, False)


def _norm(name: str, variable: str, width: int) -> Iterator[Part]:
    yield Part(f"{name}.weight", f"{variable}/gamma", (width,), 0, width, False)
    yield Part(f"{name}.bias", f"{variable}/beta", (width,), 0, width, False)


def _self_attention(block: str, layer: str, width: int) -> Iterator[Part]:
    fused = f"{layer}/self_attention/linear_0"
    yield from _norm(f"{block}.attn_ln", f"{layer}/self_attention/layer_norm", width)
    yield from _linear(f"{block}.attn.query", fused, width, width, part=0, parts=3)
    # Whisper's keys have no bias; CTranslate2 pads the fused one with zeros, which are dropped.
    yield from _linear(f"{block}.attn.key", fused, width, width, part=1, parts=3, bias=False)
    yield from _linear(f"{block}.attn.value", fused, width, width, part=2, parts=3)
    yield from _linear(f"{block}.attn.out", f"{layer}/self_attention/linear_1", width, width)


def _cross_attention(block: str, layer: str, width: int, audio_width: int) -> Iterator[Part]:
    fused = f"{layer}/attention/linear_1"
    yield from _norm(f"{block}.cross_attn_ln", f"{layer}/attention/layer_norm", width)
    yield from _linear(f"{block}.cross_attn.query", f"{layer}/attention/linear_0", width, width)
    yield from _linear(
        f"{block}.cross_attn.key", fused, width, audio_width, part=0, parts=2, bias=False
    )
    yield from _linear(f"{block}.cross_attn.value", fused, width, audio_width, part=1, parts=2)
    yield from _linear(f"{block}.cross_attn.out", f"{layer}/attention/linear_2", width, width)


def _feed_forward(block: str, layer: str, width: int) -> Iterator[Part]:
    # Whisper's feed-forward layer is four times as wide as the model (Radford et al. 2022, table
    # 1).
    yield from _norm(f"{block}.mlp_ln", f"{layer}/ffn/layer_norm", width)
    yield from _linear(f"{block}.mlp.0", f"{layer}/ffn/linear_0", 4 * width, width)
    yield from _linear(f"{block}.mlp.2", f"{layer}/ffn/linear_1", width, 4 * width)


def tensor_parts(hyperparameters: Hyperparameters) -> Iterator[Part]:
    """Every tensor of the ggml file in the order in which it is written, with its place in the
    checkpoint.
    """
    h = hyperparameters
    audio, text = h.n_audio_state, h.n_text_state
    positions = "position_encodings/encodings"
    yield Part(
        "encoder.positional_embedding",
        f"encoder/{positions}",
        (h.n_audio_ctx, audio),
        0,
        h.n_audio_ctx,
        False,
    )
    for index, channels in ((1, h.n_mels), (2, audio)):
        variable = f"encoder/conv{index}"
        yield Part(
            f"encoder.conv{index}.weight",
            f"{variable}/weight",
            (audio, channels, 3),
            0,
            audio,
            True,
        )
        yield Part(f"encoder.conv{index}.bias", f"{variable}/bias", (audio, 1), 0, audio, False)
    for index in range(h.n_audio_layer):
        block, layer = f"encoder.blocks.{index}", f"encoder/layer_{index}"
        yield from _self_attention(block, layer, audio)
        yield from _feed_forward(block, layer, audio)
    yield from _norm("encoder.ln_post", "encoder/layer_norm", audio)
    yield Part(
        "decoder.positional_embedding",
        f"decoder/{positions}",
        (h.n_text_ctx, text),
        0,
        h.n_text_ctx,
        False,
    )
    yield Part(
        "decoder.token_embedding.weight",
        "decoder/embeddings/weight",
        (h.n_vocab, text),
        0,
        h.n_vocab,
        True,
    )
    for index in range(h.n_text_layer):
        block, layer = f"decoder.blocks.{index}", f"decoder/layer_{index}"
        yield from _self_attention(block, layer, text)
        yield from _cross_attention(block, layer, text, audio)
        yield from _feed_forward(block, layer, text)
    yield from _norm("decoder.ln", "decoder/layer_norm", text)


def part_values(checkpoint: Checkpoint, part: Part, output: OutputType) -> npt.NDArray[np.generic]:
    """The tensor's values, in the shape and type in which they are written."""
    values = checkpoint.floats(part.variable, part.variable_shape)
    rows = values[part.row : part.row + part.shape[0]].reshape(part.shape)
    as_f16 = part.is_weight and output is OutputType.F16
    return rows.astype("<f2" if as_f16 else "<f4", copy=False)


def convert(
    checkpoint_path: Path,
    destination: Path,
    output: OutputType = OutputType.F16,
    progress: Progress | None = None,
) -> Path:
    """Writes the checkpoint as a ggml model to `destination`, whole or not at all; returns
    `destination`.

    checkpoint_path: its directory, or its model.bin with the vocabulary beside it.
    Errors: BadFormatError with the file, the place, what was found and what was expected;
    UsageError if the destination is a directory.
    """
    if destination.is_dir():
        raise UsageError(f"{destination} is a directory", expected="the path of the file to write")
    model_path, vocabulary_path = checkpoint_files(checkpoint_path)
    with Checkpoint(model_path) as checkpoint:
        hyperparameters = read_hyperparameters(checkpoint, output)
        tokens = read_tokens(vocabulary_path, hyperparameters.n_vocab)
        parts = list(tensor_parts(hyperparameters))
        with atomic_writer(destination) as out:
            write_preamble(out, hyperparameters, mel_filters(hyperparameters.n_mels), tokens)
            for count, part in enumerate(parts, start=1):
                write_tensor(out, part.name, part_values(checkpoint, part, output))
                if progress is not None:
                    progress(count, len(parts))
    return destination
