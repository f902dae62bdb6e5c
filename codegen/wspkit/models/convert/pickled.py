"""Reads the data of a pickle that PyTorch wrote, and nothing but data: dictionaries, lists,
numbers, texts and descriptions of tensors.

Python's unpickler calls whatever function a file names. This one walks over the operations by
itself, calls nothing, and knows the four names that a checkpoint needs; any other name or operation
is refused. Memory is bounded by the length of the pickle.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeGuard, TypeVar

from wspkit.errors import BadFormatError

STORAGES = {"FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16"}
"""Types of values, by the name of PyTorch's class; those that a checkpoint of floats has."""

_OTHER_STORAGES = (
    *("DoubleStorage", "LongStorage", "IntStorage", "ShortStorage"),
    *("CharStorage", "ByteStorage", "BoolStorage"),
)


@dataclass(frozen=True)
class StoredTensor:
    """A tensor by its place. offset and stride count values of the storage named `key`."""

    key: str
    dtype: str
    """What STORAGES or PyTorch calls it."""
    n_stored: int
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


@dataclass(frozen=True)
class _Name:
    """A name that the pickle mentions, one of those in _KNOWN."""

    full: str


@dataclass(frozen=True)
class _Storage:
    key: str
    dtype: str
    n_stored: int


_ORDERED_DICT = "collections OrderedDict"
_REBUILD_TENSOR = "torch._utils _rebuild_tensor_v2"
_REBUILD_PARAMETER = "torch._utils _rebuild_parameter"
_KNOWN = {
    _ORDERED_DICT,
    _REBUILD_TENSOR,
    _REBUILD_PARAMETER,
    *(f"torch {name}" for name in (*STORAGES, *_OTHER_STORAGES)),
}


class _RefusedError(Exception):
    """Why the pickle is no checkpoint; becomes a BadFormatError with the place."""


_T = TypeVar("_T")


class _Mark:
    pass


_MARK = _Mark()

_CONSTANTS: dict[str, object] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS = {
    *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "SHORT_BINBYTES", "BINBYTES"),
}
_IGNORED = {"PROTO", "FRAME"}


class _Machine:
    """The stack and the memory of pickle's operations."""

    def __init__(self) -> None:
        self.stack: list[object] = []
        self._memo: dict[object, object] = {}
        self._operations: dict[str, Callable[[object], None]] = {
            "EMPTY_DICT": lambda _: self.stack.append({}),
            "EMPTY_LIST": lambda _: self.stack.append([]),
            "EMPTY_TUPLE": lambda _: self.stack.append(()),
            "MARK": lambda _: self.stack.append(_MARK),
            "TUPLE": lambda _: self.stack.append(tuple(self._from_mark())),
            "TUPLE1": lambda _: self.stack.append((self._pop(),)),
            "TUPLE2": lambda _: self.stack.append(tuple(self._pop_many(2))),
            "TUPLE3": lambda _: self.stack.append(tuple(self._pop_many(3))),
            "SETITEM": lambda _: self._set_items(self._pop_many(2)),
            "SETITEMS": lambda _: self._set_items(self._from_mark()),
            "APPEND": lambda _: self._append(self._pop_many(1)),
            "APPENDS": lambda _: self._append(self._from_mark()),
            "BINPUT": self._put,
            "LONG_BINPUT": self._put,
            "MEMOIZE": lambda _: self._put(len(self._memo)),
            "BINGET": self._get,
            "LONG_BINGET": self._get,
            "GLOBAL": self._name,
            "STACK_GLOBAL": lambda _: self._stack_name(*self._pop_many(2)),
            "BINPERSID": lambda _: self._persistent(self._pop()),
            "REDUCE": lambda _: self._reduce(*self._pop_many(2)),
            "BUILD": lambda _: self._build(),
        }

    def run(self, name: str, argument: object) -> None:
        """One operation."""
        if name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name])
        elif name in _LITERALS:
            self.stack.append(argument)
        elif name in self._operations:
            self._operations[name](argument)
        elif name not in _IGNORED:
            raise _RefusedError(f"the operation {name}")

    def result(self) -> object:
        """What is left at the end."""
        if len(self.stack) != 1:
            raise _RefusedError(f"{len(self.stack)} values at the end")
        return self._pop()

    def _pop(self) -> object:
        if not self.stack or self.stack[-1] is _MARK:
            raise _RefusedError("a value taken from an empty stack")
        return self.stack.pop()

    def _pop_many(self, count: int) -> list[object]:
        return [self._pop() for _ in range(count)][::-1]

    def _from_mark(self) -> list[object]:
        values: list[object] = []
        while self.stack and self.stack[-1] is not _MARK:
            values.append(self.stack.pop())
        if not self.stack:
            raise _RefusedError("a list without its beginning")
        self.stack.pop()
        return values[::-1]

    def _top(self, kind: type[_T]) -> _T:
        value = self._pop()
        if not isinstance(value, kind):
            raise _RefusedError(f"a {type(value).__name__} used as a {kind.__name__}")
        self.stack.append(value)
        return value

    def _set_items(self, flat: list[object]) -> None:
        target = self._top(dict)
        keys = flat[::2]
        if len(flat) % 2 or not all(isinstance(key, (str, int)) for key in keys):
            raise _RefusedError("keys that are neither texts nor numbers")
        target.update(zip(keys, flat[1::2], strict=True))

    def _append(self, values: list[object]) -> None:
        self._top(list).extend(values)

    def _put(self, index: object) -> None:
        self._memo[index] = self.stack[-1] if self.stack else None

    def _get(self, index: object) -> None:
        if index not in self._memo:
            raise _RefusedError(f"entry {index} of the memory, which is empty")
        self.stack.append(self._memo[index])

    def _stack_name(self, module: object, name: object) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise _RefusedError("a name that is no text")
        self._name(f"{module} {name}")

    def _name(self, full: object) -> None:
        if not isinstance(full, str) or full not in _KNOWN:
            raise _RefusedError(f"the name {str(full)[:80].replace(' ', '.')!r}")
        self.stack.append(_Name(full))

    def _persistent(self, identity: object) -> None:
        # ("storage", class, key, device, number of values)
        if not (isinstance(identity, tuple) and len(identity) == 5 and identity[0] == "storage"):
            raise _RefusedError("a reference that is no storage")
        _, kind, key, _, n_stored = identity
        if not (isinstance(kind, _Name) and isinstance(key, str) and _is_count(n_stored)):
            raise _RefusedError("a storage without type, key or size")
        storage = kind.full.partition(" ")[2]
        self.stack.append(_Storage(key, STORAGES.get(storage, storage), n_stored))

    def _reduce(self, function: object, arguments: object) -> None:
        if not isinstance(function, _Name) or not isinstance(arguments, tuple):
            raise _RefusedError("a call of what is no known name")
        if function.full == _ORDERED_DICT and not arguments:
            self.stack.append({})
        elif function.full == _REBUILD_TENSOR:
            self.stack.append(_tensor(arguments))
        elif function.full == _REBUILD_PARAMETER and arguments:
            self.stack.append(arguments[0])
        else:
            raise _RefusedError(f"a call of {function.full.replace(' ', '.')} with other arguments")

    def _build(self) -> None:
        # Attributes of an ordered dictionary (PyTorch keeps versions there): not data of ours.
        self._pop()
        self._top(dict)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 48


def _counts(value: object) -> tuple[int, ...] | None:
    """A tuple of whole numbers from 0 on; None for anything else."""
    if not isinstance(value, tuple):
        return None
    counts = tuple(number for number in value if _is_count(number))
    return counts if len(counts) == len(value) else None


def _tensor(arguments: tuple[object, ...]) -> StoredTensor:
    storage = arguments[0] if len(arguments) >= 4 else None
    if not isinstance(storage, _Storage):
        raise _RefusedError("a tensor without a storage")
    offset = arguments[1]
    shape, stride = _counts(arguments[2]), _counts(arguments[3])
    if not _is_count(offset) or shape is None or stride is None or len(shape) != len(stride):
        raise _RefusedError("a tensor without offset, shape or stride")
    return StoredTensor(storage.key, storage.dtype, storage.n_stored, offset, shape, stride)


def read_pickle(data: bytes, what: str) -> object:
    """The data that the pickle describes. `what` names it in errors.

    Errors: BadFormatError with the byte and what was found there: an unknown name or operation, or
    a pickle that is cut.
    """
    machine = _Machine()
    place = 0
    try:
        for operation, argument, at in pickletools.genops(data):
            place = at or 0
            if operation.name == "STOP":
                return machine.result()
            machine.run(operation.name, argument)
    except _RefusedError as refused:
        raise BadFormatError(
            f"{what}: at byte {place}: found {refused}",
            expected="the data of a checkpoint, which names no function but those of its tensors",
            hint="Such a file may run any program when it is unpickled; nothing of it was run.",
        ) from None
    except (ValueError, IndexError, TypeError) as error:  # pickletools, of what is no pickle
        raise BadFormatError(f"{what}: at byte {place}: {error}", expected="a pickle") from None
    raise BadFormatError(f"{what} ends without its last operation", expected="a whole pickle")
