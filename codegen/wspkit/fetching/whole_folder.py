"""Folders that are replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wspkit.errors import InputOutputError


@contextmanager
def whole_folder(destination: Path) -> Iterator[Path]:
    """A folder to make that becomes `destination` when the block ends, and vanishes if it raises.

    It lies beside the destination, with its suffix, which tools look at. A link stays, and the
    folder behind it is replaced. Errors: InputOutputError, of the block's own writing too; the
    folder is then what it was.
    """
    target = Path(os.path.realpath(destination))
    # A name may already be as long as the file system allows: its beginning and a checksum do.
    mark = f"{target.stem[:40]}.{zlib.crc32(os.fsencode(target.name)):08x}.{os.getpid()}"
    fresh, old = (target.with_name(f".{mark}.{kind}{target.suffix}") for kind in ("part", "old"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield fresh
        exists = target.exists()
        if exists:
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            if exists:
                old.rename(target)
            raise
    except OSError as error:
        raise InputOutputError(
            f"cannot write {destination}: {error.strerror or error}",
            hint="Nothing was changed.",
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def replace_folder(
    destination: Path,
    files: Mapping[str, bytes],
    *,
    programs: Container[str] = (),
    links: Mapping[str, Path] | None = None,
) -> None:
    """Makes `destination` hold these files, by relative path, and nothing else.

    programs: files that may be executed; links: what others point to, by relative path. Errors:
    those of `whole_folder`.
    """
    with whole_folder(destination) as fresh:
        fresh.mkdir()
        for path, content in files.items():
            file = fresh / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            if path in programs:
                file.chmod(file.stat().st_mode | 0o111)
        for path, goal in (links or {}).items():
            link = fresh / path
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(goal)


def holds(
    destination: Path, files: Mapping[str, bytes], *, links: Mapping[str, Path] | None = None
) -> bool:
    """Whether a folder has just these files and links already."""
    goals = links or {}
    found = {
        path.relative_to(destination).as_posix(): path
        for path in destination.rglob("*")
        if path.is_symlink() or path.is_file()
    }
    return found.keys() == {*files, *goals} and all(
        path.is_symlink() and path.readlink() == goals[name]
        if name in goals
        else not path.is_symlink() and path.read_bytes() == files[name]
        for name, path in found.items()
    )
