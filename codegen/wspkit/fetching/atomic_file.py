"""Files that appear under their final name whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_writer(destination: Path) -> Iterator[BinaryIO]:
    """A file to write that becomes `destination` when the block ends, and vanishes if it raises.

    The half-written file lies beside the destination (one file system, so that the rename is
    atomic) and carries the process id, so that two writers do not share it; the last to finish
    wins. A link stays and the file behind it is replaced, with its permissions kept. What is no
    file but a device or a pipe is written into: to replace it would destroy it. Raises
    PermissionError for a file that may not be written, and what the operating system says.
    """
    if destination.exists() and not destination.is_file():
        with destination.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(destination))
    exists = target.exists()
    if exists and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(destination))
    target.parent.mkdir(parents=True, exist_ok=True)
    # A name may already be as long as the file system allows: its beginning and a checksum do.
    mark = f"{target.name[:40]}.{zlib.crc32(os.fsencode(target.name)):08x}"
    unfinished = target.with_name(f".{mark}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if exists:
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
