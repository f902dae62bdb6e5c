"""What a file can be given as: a path, its bytes, an open binary file. It must not know formats."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from wspkit.errors import UsageError, WspError


class Readable(Protocol):
    """An open binary file, or anything with its read()."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


# Buffers have no common type before Python 3.12; these are the usual ones.
Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | Readable"


def path_bytes(path: str | os.PathLike[str]) -> bytes:
    """The path as the operating system takes it. Raises UsageError if it holds a zero byte."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        # C would end the path there in silence, and open another file.
        raise UsageError(f"the path {os.fspath(path)!r} holds a zero byte", expected="one without")
    return encoded


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Puts the path in front of errors that come out of the block, unless they name it already."""
    try:
        yield
    except WspError as error:
        named = error.about(path)
        if named is error:
            raise
        raise named from error


def buffer_of(source: object) -> memoryview | None:
    """The bytes behind any object with the buffer protocol; None if it has none."""
    try:
        return memoryview(source)  # type: ignore[arg-type]
    except TypeError:
        return None
