"""Reads the variables of a CTranslate2 `model.bin`; every count and size is checked before it is
used.

Knows the container, not Whisper: names, shapes and types are indexed once, values are read on
demand, so that a checkpoint is never in memory as a whole. The file is read and not mapped: of a
map, one that becomes shorter meanwhile would end the process.
"""

from __future__ import annotations

import math
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from wspkit.errors import BadFormatError

SUPPORTED_VERSION = 6
_MAX_VARIABLES = 100_000
_MAX_RANK = 8
"""Larger than any real checkpoint needs; a wild number here means that the file is not one."""

_FLOAT32, _INT8, _INT16, _INT32, _FLOAT16, _BFLOAT16 = range(6)
_ITEM_BYTES = {_FLOAT32: 4, _INT8: 1, _INT16: 2, _INT32: 4, _FLOAT16: 2, _BFLOAT16: 2}
_TYPE_NAMES = {0: "float32", 1: "int8", 2: "int16", 3: "int32", 4: "float16", 5: "bfloat16"}
_NUMPY_TYPES = {_FLOAT32: "<f4", _INT8: "i1", _INT16: "<i2", _INT32: "<i4", _FLOAT16: "<f2"}


@dataclass(frozen=True)
class Variable:
    """One entry of the checkpoint's index; `offset_bytes` is of its first value in the file."""

    name: str
    shape: tuple[int, ...]
    type_number: int
    offset_bytes: int
    size_bytes: int

    @property
    def type_name(self) -> str:
        """Its type in words, "float16" for one."""
        return _TYPE_NAMES[self.type_number]


class _Cursor:
    """Reads little-endian fields front to back and says what it was reading when the file ends
    early.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        self.offset = 0

    def fail(self, found: str, expected: str) -> BadFormatError:
        return BadFormatError(
            f"{self._path}: at byte {self.offset}: found {found}", expected=expected
        )

    def take(self, count: int, what: str) -> bytes:
        self._require(self._size - self.offset, count, what)
        taken = self._file.read(count)
        self._require(len(taken), count, what)
        self.offset += count
        return taken

    def skip(self, count: int, what: str) -> None:
        self._require(self._size - self.offset, count, what)
        self.offset += count
        self._file.seek(self.offset)

    def _require(self, left: int, count: int, what: str) -> None:
        if count > left:
            raise self.fail(f"{left} bytes to the end of the file", f"{count} bytes of {what}")

    def number(self, layout: str, what: str) -> int:
        (value,) = struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout), what))
        return int(value)

    def text(self, what: str) -> str:
        length = self.number("H", f"the length of {what}")
        raw = self.take(length, what)
        if not raw.endswith(b"\0"):
            raise self.fail(f"{raw[:40]!r} without a closing zero", f"{what}, zero-terminated")
        try:
            return raw[:-1].decode()
        except UnicodeDecodeError:
            raise self.fail(f"{raw[:40]!r}", f"{what} in UTF-8") from None


class Checkpoint:
    """An open checkpoint. A context manager; arrays that `values` returns are copies and outlive
    it.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file and reads its index. Errors: BadFormatError."""
        self.path = path
        self._file = path.open("rb")
        try:
            self.variables = self._read_index()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Checkpoint:  # noqa: PYI034  (Self is not in Python 3.10)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _read_index(self) -> dict[str, Variable]:
        cursor = _Cursor(self.path, self._file)
        if not os.fstat(self._file.fileno()).st_size:
            raise BadFormatError(f"{self.path}: an empty file", expected="a CTranslate2 model.bin")
        version = cursor.number("I", "the format version")
        if version != SUPPORTED_VERSION:
            cursor.offset = 0
            raise cursor.fail(
                f"format version {version}",
                f"version {SUPPORTED_VERSION} of a CTranslate2 model.bin",
            )
        spec = cursor.text("the model specification's name")
        if spec != "WhisperSpec":
            raise cursor.fail(f"a model of kind {spec!r}", "'WhisperSpec'")
        cursor.number("I", "the specification's revision")
        count = cursor.number("I", "the number of variables")
        if count > _MAX_VARIABLES:
            raise cursor.fail(f"{count} variables", f"at most {_MAX_VARIABLES}")
        variables: dict[str, Variable] = {}
        for _ in range(count):
            variable = self._read_variable(cursor)
            variables[variable.name] = variable
        for _ in range(cursor.number("I", "the number of aliases")):
            alias, target = cursor.text("an alias"), cursor.text("an alias's target")
            if target not in variables:
                raise cursor.fail(f"alias {alias!r} of {target!r}", "the name of a variable")
            variables.setdefault(alias, variables[target])
        return variables

    @staticmethod
    def _read_variable(cursor: _Cursor) -> Variable:
        name = cursor.text("a variable's name")
        rank = cursor.number("B", f"the rank of {name}")
        if rank > _MAX_RANK:
            raise cursor.fail(f"{name} with {rank} dimensions", f"at most {_MAX_RANK}")
        shape = tuple(cursor.number("I", f"the shape of {name}") for _ in range(rank))
        type_number = cursor.number("B", f"the type of {name}")
        if type_number not in _ITEM_BYTES:
            raise cursor.fail(f"type {type_number} for {name}", "a type number from 0 to 5")
        size = cursor.number("I", f"the size of {name}")
        expected = math.prod(shape) * _ITEM_BYTES[type_number]
        if size != expected:
            raise cursor.fail(
                f"{size} bytes for {name}", f"{expected} for {_TYPE_NAMES[type_number]} {shape}"
            )
        offset = cursor.offset
        cursor.skip(size, f"values of {name}")
        return Variable(name, shape, type_number, offset, size)

    def variable(self, name: str) -> Variable:
        """The entry of that name. Errors: BadFormatError if the checkpoint has none."""
        found = self.variables.get(name)
        if found is None:
            raise BadFormatError(
                f"{self.path}: no variable {name!r} among {len(self.variables)}",
                expected="the variables of a Whisper checkpoint",
            )
        return found

    def values(self, name: str) -> npt.NDArray[np.generic]:
        """A copy of the variable's values in their stored type; bfloat16 comes widened to
        float32.
        """
        variable = self.variable(name)
        self._file.seek(variable.offset_bytes)
        raw = self._file.read(variable.size_bytes)
        if len(raw) != variable.size_bytes:
            raise BadFormatError(f"{self.path} became shorter while it was read")
        if variable.type_number == _BFLOAT16:
            widened = np.frombuffer(raw, dtype="<u2").astype("<u4") << 16
            wide: npt.NDArray[np.generic] = widened.view("<f4").reshape(variable.shape)
            return wide
        stored = np.frombuffer(raw, dtype=_NUMPY_TYPES[variable.type_number])
        values: npt.NDArray[np.generic] = stored.reshape(variable.shape).copy()
        return values

    def floats(self, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.generic]:
        """Values of a float variable of exactly that shape. Errors: BadFormatError otherwise.

        Quantised checkpoints (int8, int16 weights with scales) are refused: convert from a float
        one.
        """
        variable = self.variable(name)
        if variable.shape != shape:
            raise BadFormatError(
                f"{self.path}: variable {name!r}: found shape {variable.shape}",
                expected=f"{shape}",
            )
        if variable.type_number in (_INT8, _INT16, _INT32):
            raise BadFormatError(
                f"{self.path}: variable {name!r}: found {variable.type_name} values",
                expected="float16, float32 or bfloat16",
                hint="Convert from a checkpoint that is not quantised.",
            )
        return self.values(name)

    def scalar(self, name: str) -> int:
        """The value of an integer variable with one element."""
        values = self.values(name)
        if values.size != 1:
            raise BadFormatError(
                f"{self.path}: variable {name!r}: found {values.size} values",
                expected="one number",
            )
        return int(values.reshape(-1)[0].item())
