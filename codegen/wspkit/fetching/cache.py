"""Where fetched files live on this machine, and the lock that keeps two processes apart; fetches
nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import platformdirs

from wspkit.errors import InputOutputError, UsageError

CACHE_VARIABLE = "WSPKIT_CACHE_DIR"
"""Environment variable that names another root for everything that wsp keeps between runs."""


def cache_root() -> Path:
    """The root of the cache: $WSPKIT_CACHE_DIR, else the user's cache directory for wsp.

    Raises UsageError if the variable begins with ~ and names nobody's home.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if not chosen:
        return Path(platformdirs.user_cache_dir("wsp"))
    try:
        return Path(chosen).expanduser()
    except RuntimeError:
        raise UsageError(
            f"{CACHE_VARIABLE} is {chosen!r}, and there is no such home directory",
            expected="a directory",
        ) from None


def require_space(directory: Path, needed_bytes: int) -> None:
    """Errors: InputOutputError if the file system of `directory` has less than that free."""
    free_bytes = shutil.disk_usage(directory).free
    if free_bytes < needed_bytes:
        raise disk_full(directory, f"{megabytes(free_bytes)} free", megabytes(needed_bytes))


def disk_full(directory: Path, found: str, needed: str | None = None) -> InputOutputError:
    """The error for a file system without room."""
    return InputOutputError(
        f"{directory}: {found}",
        expected=f"{needed} for this download" if needed else None,
        hint=f"Free some space, or set {CACHE_VARIABLE} to a directory on a larger disk.",
    )


@contextmanager
def writing_to(directory: Path) -> Iterator[None]:
    """Turns the operating system's refusals to write there into errors that say what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(directory, "no space left") from error
        raise InputOutputError(
            f"{error.filename or directory}: {error.strerror or error}",
            hint=f"Check the permissions, or set {CACHE_VARIABLE} to a directory you may write to.",
        ) from error


@contextmanager
def exclusive(target: Path, *, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the lock of `target` while the block runs; calls `waiting` once if another process has
    it.

    The operating system drops the lock when its process ends, however it ends, so nothing goes
    stale.
    The empty lock file stays: to remove it would let two processes lock two different files.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_name(f".{target.name}.lock").open("a+b") as file:
        if not _lock(file, block=False):
            waiting()
            _lock(file, block=True)
        yield


if sys.platform == "win32":
    import msvcrt
    import time

    def _lock(file: BinaryIO, *, block: bool) -> bool:
        while True:
            try:
                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                if not block:
                    return False
                time.sleep(0.2)
            else:
                return True

else:
    import fcntl

    def _lock(file: BinaryIO, *, block: bool) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if block else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


def megabytes(size_bytes: int) -> str:
    """A size as people read it: "77.7 MB"."""
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes < 1e9 else f"{size_bytes / 1e9:.2f} GB"
