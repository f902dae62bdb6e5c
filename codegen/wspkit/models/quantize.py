"""Quantises ggml models: which files are to be made, and one of them, tensor by tensor.

The same tensors as whisper.cpp's `quantize` and the same bytes in each: matrices become blocks;
convolutions, biases, norms and tables of positions stay as they are.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from wspkit import core
from wspkit.core.quantized_type import QuantizedType
from wspkit.errors import BadFormatError, UnsupportedError, UsageError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.fetching.progress import Bar
from wspkit.models.ggml_types import ELEMENT_TYPES, FILE_TYPES, QUANTIZATION_FACTOR
from wspkit.models.inspect import Report, Tensor, inspect
from wspkit.models.problems import problems

_LAYOUT_VERSION = 2
"""Of the blocks; ggml has written no other since May 2023."""

_FTYPE_OFFSET = 4 + 4 * 10
"""Of the file type in the header: behind the magic and ten numbers."""

_NEVER = {
    *("encoder.conv1.bias", "encoder.conv2.bias"),  # of two dimensions, (D, 1)
    *("encoder.positional_embedding", "decoder.positional_embedding"),
}
_FLOATS = {"f32": "<f4", "f16": "<f2"}
_NUMBERS = {element.name: number for number, element in ELEMENT_TYPES.items()}
_VALUES_AT_A_TIME = 1 << 20
"""Values that one thread quantises before it takes the next; some 4 MB as floats."""


@dataclass(frozen=True)
class Job:
    """One file to make."""

    source: Report
    type: QuantizedType
    destination: Path

    @property
    def weight_bytes(self) -> int:
        """Bytes of the source's tensors, which are what the work is measured in."""
        return self.source.weight_bytes


def plan(
    sources: Iterable[Path],
    types: Iterable[QuantizedType],
    directory: Path,
    *,
    replace: bool = False,
) -> list[Job]:
    """The files that each source gives in each type: `directory`/<name>-<type>.bin.

    Everything that would keep one from being made is found here, before the first is written.
    Errors: those of `inspect`; BadFormatError for a model that no core loads; UnsupportedError for
    a VAD model and for one that is quantised already; UsageError if a type's block does not divide
    the rows of a matrix, and if a file exists and is not to be replaced.
    """
    jobs: list[Job] = []
    taken: dict[Path, str] = {}
    kinds = list(dict.fromkeys(types))
    sources = list(sources)
    read = {Path(os.path.realpath(source)) for source in sources}
    for source in sources:
        report = inspect(source)
        _check_source(report)
        for kind in kinds:
            _check_blocks(report, kind)
            destination = directory / f"{_stem(source)}-{kind.value}.bin"
            place = Path(os.path.realpath(destination))
            made = f"{source} as {kind.value}"
            if place in taken:
                raise UsageError(f"{taken[place]} and {made} would both become {destination}")
            if place in read:
                raise UsageError(
                    f"{made} would become {destination}, which is to be quantised itself",
                    hint="Give another --output-dir.",
                )
            if destination.exists() and not replace:
                raise UsageError(
                    f"{destination} exists", hint="Give --force to replace it, or --output-dir."
                )
            taken[place] = made
            jobs.append(Job(report, kind, destination))
    return jobs


def quantize(job: Job, *, n_threads: int = 1, bar: Bar | None = None) -> Path:
    """Makes one file, whole or not at all; returns its path.

    One tensor of the source is in memory at a time. The result does not depend on n_threads. `bar`
    is moved by the bytes of tensors that have been read.
    Errors: BadFormatError with the tensor whose values are not finite, and for a source that is no
    longer what the plan was made of; what `atomic_writer` raises.
    """
    report = job.source
    if inspect(report.path) != report:
        raise BadFormatError(f"{report.path} changed after it was first read")
    done = 0
    with (
        report.path.open("rb") as source,
        atomic_writer(job.destination) as out,
        ThreadPoolExecutor(max_workers=n_threads) as pool,
    ):
        out.write(_preamble(source, report, job.type))
        for tensor in report.tensors:
            source.seek(tensor.offset_bytes)
            is_matrix = is_quantized(tensor)
            out.write(_header(tensor, job.type.number if is_matrix else _NUMBERS[tensor.type_name]))
            if is_matrix:
                try:
                    raw = _values(source, report, tensor)
                    for blocks in _quantized(raw, tensor, job.type, pool):
                        out.write(blocks.data)
                except UsageError as error:  # values that are not finite
                    raise BadFormatError(f"{report.path}: {tensor.name}: {error.found}") from None
            else:
                out.write(_values(source, report, tensor))
            done += tensor.size_bytes
            if bar is not None:
                bar.update(done, total=report.weight_bytes)
    return job.destination


def is_quantized(tensor: Tensor) -> bool:
    """Whether a tensor becomes blocks in a quantised model."""
    return len(tensor.shape) == 2 and tensor.name not in _NEVER


def _stem(source: Path) -> str:
    return source.name.removesuffix(".bin").removesuffix("-f16").removesuffix("-f32")


def _check_source(report: Report) -> None:
    if report.hyperparameters is None:
        raise UnsupportedError(
            f"{report.path} is a voice activity model", expected="a Whisper model"
        )
    if any(is_quantized(t) and t.type_name not in _FLOATS for t in report.tensors):
        raise UnsupportedError(
            f"{report.path} holds {report.weights} weights",
            expected="f16 or f32",
            hint="Quantise the model that it was made of: a second rounding would only lose more.",
        )
    found: Sequence[str] = problems(report)
    if found:
        raise BadFormatError(f"{report.path}: {found[0]}")


def _check_blocks(report: Report, kind: QuantizedType) -> None:
    for tensor in report.tensors:
        if is_quantized(tensor) and tensor.shape[-1] % kind.block_values:
            width = tensor.shape[-1]
            fitting = [other.value for other in QuantizedType if not width % other.block_values]
            raise UsageError(
                f"{report.path}: the rows of {tensor.name} have {width} values",
                expected=f"a multiple of {kind.block_values}, the block of {kind.value}",
                hint=f"These fit: {', '.join(fitting)}." if fitting else None,
            )


def _preamble(source: BinaryIO, report: Report, kind: QuantizedType) -> bytes:
    """What stands before the first tensor, with the new file type."""
    first = report.tensors[0]
    data = bytearray(source.read(first.offset_bytes - len(_header(first, 0))))
    number = next(number for number, name in FILE_TYPES.items() if name == kind.value)
    struct.pack_into("<i", data, _FTYPE_OFFSET, number + QUANTIZATION_FACTOR * _LAYOUT_VERSION)
    return bytes(data)


def _header(tensor: Tensor, number: int) -> bytes:
    """A tensor's entry without its values."""
    name = tensor.name.encode()
    rank = len(tensor.shape)
    return struct.pack(f"<{3 + rank}i", rank, len(name), number, *reversed(tensor.shape)) + name


def _values(source: BinaryIO, report: Report, tensor: Tensor) -> bytes:
    """All bytes of a tensor, which begins at the place of the file."""
    raw = source.read(tensor.size_bytes)
    if len(raw) != tensor.size_bytes:
        raise BadFormatError(f"{report.path} became shorter while it was read")
    return raw


def _quantized(
    raw: bytes, tensor: Tensor, kind: QuantizedType, pool: ThreadPoolExecutor
) -> Iterator[npt.NDArray[np.uint8]]:
    """The blocks of a matrix, in stretches of rows."""
    values = np.frombuffer(raw, _FLOATS[tensor.type_name]).reshape(tensor.shape)
    step = max(1, _VALUES_AT_A_TIME // tensor.shape[-1])
    starts = range(0, tensor.shape[0], step)

    def part(start: int) -> npt.NDArray[np.uint8]:
        return core.quantize_rows(
            np.ascontiguousarray(values[start : start + step], np.float32), kind
        )

    yield from pool.map(part, starts)
