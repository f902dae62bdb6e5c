"""Files that appear under their final name whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_writer(destination: Path) -> Iterator[BinaryIO]:
    """A file to write that becomes `destination` when the block ends, and vanishes if it raises.

    The half-written file lies beside the destination (one file system, so that the rename is
    atomic) and carries the process id, so that two writers do not share it; the last to finish
    wins.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    unfinished = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)
