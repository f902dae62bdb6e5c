"""Folders that appear under their final name whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_folder(destination: Path) -> Iterator[Path]:
    """A folder to make that becomes `destination` when the block ends, and vanishes if it raises.

    What is there before is replaced: it is moved aside, and comes back if the new one cannot take
    its place. The unfinished folder lies beside the destination and carries its suffix, because
    tools look at it, and the process id. Raises what the operating system says.
    """
    target = Path(os.path.realpath(destination))
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.stem[:40]}.{os.getpid()}.part{target.suffix}")
    old = target.with_name(f".{target.stem[:40]}.{os.getpid()}.old{target.suffix}")
    try:
        yield unfinished
        if target.is_dir():
            target.rename(old)
        try:
            unfinished.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        for rest in (unfinished, old):
            shutil.rmtree(rest, ignore_errors=True)
