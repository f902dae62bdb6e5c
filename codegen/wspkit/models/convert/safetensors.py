"""Reads tensors of safetensors files, whole or sharded; every size and offset is checked before it
is used.

A file is eight bytes (the length of what follows, little endian), a table in JSON (name -> dtype,
shape, first and last byte of the values), then the values. Knows the container, not Whisper.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError

_MAX_TABLE_BYTES = 100_000_000
"""The format's own limit for the table."""

_MAX_NAME = 200
"""Letters of a shard's name; file systems take 255 bytes, and no publisher needs them."""

_MAX_RANK = 8
_LARGEST_COUNT = 1 << 63
"""Of dimensions and of one, or of a place: larger than any checkpoint needs. Wild numbers would
multiply to some that are too long to be written.
"""

_FLOATS = {"F32": ("<f4", 4), "F16": ("<f2", 2), "BF16": ("<u2", 2)}
"""NumPy's type and bytes of a value; bfloat16 is read as its bits."""


@dataclass(frozen=True)
class Entry:
    """A tensor's place. shape: outermost first; offset_bytes: of its first value in the file."""

    path: Path
    dtype: str
    shape: tuple[int, ...]
    offset_bytes: int
    size_bytes: int


def widened_bfloat16(bits: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """float32 of the same values, from the bits of bfloat16: the upper half of float32's."""
    wide: npt.NDArray[np.generic] = (bits.astype("<u4") << 16).view("<f4")
    return wide


def read_entries(path: Path) -> dict[str, Entry]:
    """The tensors of one file by name. Errors: BadFormatError."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        (length,) = struct.unpack("<Q", head) if len(head) == 8 else (0,)
        if not 2 <= length <= min(_MAX_TABLE_BYTES, size - 8):
            raise BadFormatError(
                f"{path}: a table of {length} bytes in a file of {size}",
                expected="a safetensors file, whole",
            )
        raw = file.read(length)
    try:
        table = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise BadFormatError(f"{path}: its table is no JSON: {error}") from None
    if not isinstance(table, dict):
        raise BadFormatError(f"{path}: its table is no object", expected="tensors by name")
    return {
        name: _entry(path, name, described, 8 + length, size)
        for name, described in table.items()
        if name != "__metadata__"
    }


def _entry(path: Path, name: str, described: object, base: int, size: int) -> Entry:
    found = described if isinstance(described, dict) else {}
    dtype = found.get("dtype")
    shape, place = _counts(found.get("shape")), _counts(found.get("data_offsets"))
    if not isinstance(dtype, str) or shape is None or place is None or len(place) != 2:
        raise BadFormatError(
            f"{path}: tensor {name[:80]!r}: found {str(described)[:200]}",
            expected="dtype, shape and data_offsets",
        )
    first, last = place
    if not first <= last <= size - base:
        raise BadFormatError(
            f"{path}: tensor {name[:80]!r} at bytes {first} to {last} of {size - base}",
            expected="a place inside the file",
            hint="The file is cut: get it again.",
        )
    if dtype in _FLOATS and math.prod(shape) * _FLOATS[dtype][1] != last - first:
        raise BadFormatError(
            f"{path}: tensor {name[:80]!r}: found {last - first} bytes",
            expected=f"{math.prod(shape) * _FLOATS[dtype][1]} for {dtype} {shape}",
        )
    return Entry(path, dtype, shape, base + first, last - first)


def _counts(value: object) -> tuple[int, ...] | None:
    """A short list of whole numbers from 0 on; None for anything else."""
    if not isinstance(value, list) or len(value) > _MAX_RANK:
        return None
    fit = all(type(n) is int and 0 <= n < _LARGEST_COUNT for n in value)
    return tuple(value) if fit else None


class TensorFiles:
    """Tensors by name, of one file or of the shards that an index lists."""

    def __init__(self, path: Path) -> None:
        """path: a .safetensors file, or a .safetensors.index.json. Errors: BadFormatError."""
        self.path = path
        self.entries: dict[str, Entry] = {}
        for shard in self._shards():
            if not shard.is_file():
                raise BadFormatError(
                    f"{path} names {shard.name}, which is not there",
                    hint="They are published together: copy the whole checkpoint.",
                )
            self.entries |= read_entries(shard)

    def _shards(self) -> list[Path]:
        if self.path.suffix != ".json":
            return [self.path]
        try:
            index = json.loads(self.path.read_text(encoding="utf-8"))
            names = sorted(set(index["weight_map"].values()))
            outside = [name for name in names if Path(name).name != name or len(name) > _MAX_NAME]
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise BadFormatError(f"{self.path}: {error}", expected="a weight_map") from None
        if outside:
            raise BadFormatError(
                f"{self.path}: found the shard {outside[0][:80]!r}",
                expected="files beside the index",
            )
        return [self.path.parent / name for name in names]

    def values(self, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.generic]:
        """A copy of a tensor of exactly that shape, float16 or float32; bfloat16 comes widened.

        Errors: BadFormatError if it is not there or something else.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise BadFormatError(
                f"{self.path}: no tensor {name!r} among {len(self.entries)}",
                expected="the tensors of a Whisper checkpoint",
            )
        if entry.shape != shape:
            raise BadFormatError(
                f"{entry.path}: tensor {name!r}: found shape {entry.shape}", expected=f"{shape}"
            )
        if entry.dtype not in _FLOATS:
            raise BadFormatError(
                f"{entry.path}: tensor {name!r}: found {entry.dtype} values",
                expected="F32, F16 or BF16",
                hint="Convert from a checkpoint that is not quantised.",
            )
        stored, item_bytes = _FLOATS[entry.dtype]
        with entry.path.open("rb") as file:
            values: npt.NDArray[np.generic] = np.fromfile(
                file, stored, entry.size_bytes // item_bytes, offset=entry.offset_bytes
            )
        if values.size * item_bytes != entry.size_bytes:
            raise BadFormatError(f"{entry.path} became shorter while it was read")
        return (widened_bfloat16(values) if entry.dtype == "BF16" else values).reshape(shape)
