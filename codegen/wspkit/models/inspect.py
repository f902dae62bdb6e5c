"""Reads what a ggml `.bin` file says about itself: header, vocabulary, tensors; never the values.

Made for files of any origin: each count and size is checked before it is used, and memory stays
small whatever the file claims. The core has its own reader; this one also shows types that the core
refuses.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO

from wspkit.errors import BadFormatError, InputOutputError, NotFoundError, UsageError
from wspkit.models.ggml_types import (
    ELEMENT_TYPES,
    FILE_TYPES,
    MAGIC,
    QUANTIZATION_FACTOR,
    ElementType,
    Hyperparameters,
)

_SILERO_NAME = b"silero-16k"
_MAX_TENSORS = 10_000
_MAX_DIMENSIONS = 4
_MAX_NAME_BYTES = 256
_MAX_TOKEN_BYTES = 1 << 16
_MAX_VOCABULARY = 1 << 20
_MULTILINGUAL_N_VOCAB = 51_865
# Languages fill the vocabulary between the text tokens and the 1501 timestamps; 51865 entries hold
# 99 of them.
_VOCABULARY_WITHOUT_LANGUAGES = 51_766
_SIZES = {4: "tiny", 6: "base", 12: "small", 24: "medium", 32: "large"}

# First bytes of what people pass by mistake.
_FOREIGN = (
    (b"GGUF", "a GGUF file, not a Whisper model of whisper.cpp's format"),
    (b"PK\x03\x04", "a ZIP archive or PyTorch checkpoint"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
    (b"RIFF", "a RIFF file such as WAV"),
    (b"\x1f\x8b", "a gzip archive"),
)


@dataclass(frozen=True)
class Tensor:
    """One tensor's entry. shape: outermost first. offset_bytes: of its first value in the file."""

    name: str
    shape: tuple[int, ...]
    type_name: str
    size_bytes: int
    offset_bytes: int


@dataclass(frozen=True)
class Report:
    """What a model file holds."""

    path: Path
    file_bytes: int
    kind: str
    """Either "whisper" or "silero-vad"."""
    weights: str
    """Type of the large weights as the header states it."""
    quantization_version: int
    hyperparameters: Hyperparameters | None
    """None for a VAD model."""
    vocabulary_tokens: int
    """Tokens that the file spells out; readers name the rest by rule."""
    tensors: tuple[Tensor, ...]

    @property
    def size_name(self) -> str:
        """The published size with as many encoder layers, "tiny" for one; "other" for none."""
        if self.hyperparameters is None:
            return self.kind
        return _SIZES.get(self.hyperparameters.n_audio_layer, "other")

    @property
    def languages(self) -> int:
        """Number of languages; 1 for an English-only model, 0 for a VAD model."""
        if self.hyperparameters is None:
            return 0
        n_vocab = self.hyperparameters.n_vocab
        return n_vocab - _VOCABULARY_WITHOUT_LANGUAGES if n_vocab >= _MULTILINGUAL_N_VOCAB else 1

    @property
    def totals(self) -> dict[str, tuple[int, int]]:
        """(tensors, bytes) by element type, the largest first."""
        found: dict[str, tuple[int, int]] = {}
        for tensor in self.tensors:
            count, size = found.get(tensor.type_name, (0, 0))
            found[tensor.type_name] = (count + 1, size + tensor.size_bytes)
        return dict(sorted(found.items(), key=lambda item: -item[1][1]))

    @property
    def weight_bytes(self) -> int:
        """Bytes of all tensors."""
        return sum(tensor.size_bytes for tensor in self.tensors)

    @property
    def cache_bytes(self) -> int:
        """Bytes of the attention caches of one state with half-precision entries.

        Cross-attention: keys and values of each decoder layer over all audio positions.
        Self-attention: over three times the text context, so that several sequences fit.
        """
        h = self.hyperparameters
        if h is None:
            return 0
        per_position = 2 * h.n_text_layer * h.n_text_state * 2
        return per_position * (h.n_audio_ctx + 3 * h.n_text_ctx)

    @property
    def memory_bytes(self) -> int:
        """Estimated memory of one loaded model with one state: weights and caches, without work
        buffers.
        """
        return self.weight_bytes + self.cache_bytes


def inspect(path: Path) -> Report:
    """Reads a model file's description.

    Errors: NotFoundError; UsageError for a directory; BadFormatError with offset, what was found
    and what was expected; InputOutputError.
    """
    if not path.exists():
        raise NotFoundError(f"no model file {str(path)!r}")
    if path.is_dir():
        raise UsageError(f"{path} is a directory", expected="a ggml .bin file")
    try:
        with path.open("rb") as file:
            return _read(_Reader(path, file, path.stat().st_size))
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror or error}") from error


class _Reader:
    """Reads fields front to back and says where and what it was reading when something is wrong."""

    def __init__(self, path: Path, file: BinaryIO, size_bytes: int) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self.offset = 0
        self._file = file

    @property
    def left_bytes(self) -> int:
        return self.size_bytes - self.offset

    def wrong(self, found: str, expected: str, *, at: int | None = None) -> BadFormatError:
        place = self.offset if at is None else at
        return BadFormatError(f"{self.path}: at byte {place}: found {found}", expected=expected)

    def require(self, count: int, what: str) -> None:
        if count > self.left_bytes:
            raise self.wrong(f"{self.left_bytes} bytes to the end", f"{count} bytes of {what}")

    def take(self, count: int, what: str) -> bytes:
        self.require(count, what)
        taken = self._file.read(count)
        if len(taken) != count:
            raise self.wrong(f"{len(taken)} bytes to the end", f"{count} bytes of {what}")
        self.offset += count
        return taken

    def skip(self, count: int, what: str) -> None:
        self.require(count, what)
        self.offset += count
        self._file.seek(self.offset)

    def numbers(self, count: int, what: str) -> tuple[int, ...]:
        return struct.unpack(f"<{count}i", self.take(4 * count, what))

    def number(self, what: str, low: int, high: int) -> int:
        at = self.offset
        (value,) = self.numbers(1, what)
        if not low <= value <= high:
            raise self.wrong(f"{value} as {what}", f"{low} to {high}", at=at)
        return value


def _read(reader: _Reader) -> Report:
    _check_magic(reader)
    start = reader.offset
    head = reader.take(min(4 + len(_SILERO_NAME), reader.left_bytes), "the header")
    if head == struct.pack("<i", len(_SILERO_NAME)) + _SILERO_NAME:
        return _read_silero(reader)
    reader.offset = start
    reader.skip(0, "the header")
    return _read_whisper(reader)


def _check_magic(reader: _Reader) -> None:
    first = reader.take(min(64, reader.size_bytes), "the header")
    if len(first) < 4 or struct.unpack_from("<I", first)[0] != MAGIC:
        raise reader.wrong(_content(first), "the four bytes of a ggml model, 'lmgg'", at=0)
    reader.offset = 4
    reader.skip(0, "the header")


def _content(first: bytes) -> str:
    """What the first bytes of a foreign file are, in words."""
    if not first:
        return "an empty file"
    if first.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "an HTML page"
    named = next((name for start, name in _FOREIGN if first.startswith(start)), None)
    return named or f"bytes {first[:8].hex(' ')}"


def _read_whisper(reader: _Reader) -> Report:
    names = [field.name for field in fields(Hyperparameters)]
    starts = reader.offset
    values = dict(zip(names, reader.numbers(len(names), "the header's 11 numbers"), strict=True))
    for place, name in enumerate(names[:-1]):
        if values[name] <= 0 or values[name] > _MAX_VOCABULARY:
            raise reader.wrong(
                f"{values[name]} as {name}", f"1 to {_MAX_VOCABULARY}", at=starts + 4 * place
            )
    quantization_version, ftype = divmod(values["ftype"], QUANTIZATION_FACTOR)
    if ftype not in FILE_TYPES:
        raise reader.wrong(
            f"{values['ftype']} as ftype", "a file type of ggml", at=starts + 4 * len(names) - 4
        )
    n_mels = reader.number("the number of mel filters", values["n_mels"], values["n_mels"])
    n_bins = reader.number("the number of spectrum bins of a mel filter", 201, 201)
    reader.skip(4 * n_mels * n_bins, "mel filters")
    tokens = reader.number("the number of stored tokens", 0, values["n_vocab"])
    for index in range(tokens):
        length = reader.number(f"the length of token {index}", 0, _MAX_TOKEN_BYTES)
        reader.skip(length, f"token {index}")
    return Report(
        path=reader.path,
        file_bytes=reader.size_bytes,
        kind="whisper",
        weights=FILE_TYPES[ftype],
        quantization_version=quantization_version,
        hyperparameters=Hyperparameters(**{**values, "ftype": ftype}),
        vocabulary_tokens=tokens,
        tensors=tuple(_read_tensors(reader, min_rank=1)),
    )


def _read_silero(reader: _Reader) -> Report:
    reader.numbers(3, "the version")
    reader.numbers(2, "window and context")
    layers = reader.number("the number of encoder layers", 1, 64)
    reader.numbers(3 * layers, "sizes of the encoder layers")
    reader.numbers(4, "sizes of LSTM and last layer")
    return Report(
        path=reader.path,
        file_bytes=reader.size_bytes,
        kind="silero-vad",
        weights="f16",
        quantization_version=0,
        hyperparameters=None,
        vocabulary_tokens=0,
        tensors=tuple(_read_tensors(reader, min_rank=0)),  # its last bias is a scalar
    )


def _read_tensors(reader: _Reader, *, min_rank: int) -> Iterator[Tensor]:
    count = 0
    while reader.left_bytes:
        if count == _MAX_TENSORS:
            raise reader.wrong(f"more than {count} tensors", f"at most {_MAX_TENSORS}")
        yield _read_tensor(reader, count, min_rank)
        count += 1


def _read_tensor(reader: _Reader, index: int, min_rank: int) -> Tensor:
    what = f"tensor {index}"
    rank = reader.number(f"the dimensions of {what}", min_rank, _MAX_DIMENSIONS)
    name_bytes = reader.number(f"the length of the name of {what}", 1, _MAX_NAME_BYTES)
    type_at = reader.offset
    (type_number,) = reader.numbers(1, f"the type of {what}")
    element = ELEMENT_TYPES.get(type_number)
    if element is None:
        raise reader.wrong(f"type {type_number} of {what}", "a type number of ggml", at=type_at)
    shape_at = reader.offset
    innermost_first = reader.numbers(rank, f"the shape of {what}")
    raw_name = reader.take(name_bytes, f"the name of {what}")
    try:
        name = raw_name.decode()
    except UnicodeDecodeError:
        raise reader.wrong(f"{raw_name[:40]!r} as the name of {what}", "text") from None
    size = _tensor_bytes(reader, element, innermost_first, f"{what} {name!r}", shape_at)
    offset = reader.offset
    reader.skip(size, f"values of {name!r}")
    return Tensor(name, tuple(reversed(innermost_first)), element.name, size, offset)


def _tensor_bytes(
    reader: _Reader, element: ElementType, shape: tuple[int, ...], what: str, at: int
) -> int:
    values = 1
    for extent in shape:
        if extent <= 0:
            raise reader.wrong(f"{extent} in the shape of {what}", "1 or more", at=at)
        values *= extent
    row_values = shape[0] if shape else 1
    if row_values % element.block_values:
        raise reader.wrong(
            f"rows of {row_values} values in {what}",
            f"a multiple of {element.block_values} as {element.name} needs",
            at=at,
        )
    return values // element.block_values * element.block_bytes
