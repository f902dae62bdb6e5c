"""Folders that are replaced as a whole or not at all."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Container, Mapping
from pathlib import Path

from wspkit.errors import InputOutputError


def replace_folder(
    destination: Path,
    files: Mapping[str, bytes],
    *,
    programs: Container[str] = (),
    links: Mapping[str, Path] | None = None,
) -> None:
    """Makes `destination` hold these files, by relative path, and nothing else.

    The new folder is written beside it and takes its place when it is whole. A link stays, and the
    folder behind it is replaced. programs: files that may be executed; links: what others point to,
    by relative path. Errors: InputOutputError; the folder is then what it was.
    """
    target = Path(os.path.realpath(destination))
    # A name may already be as long as the file system allows: its beginning and a checksum do.
    mark = f"{target.name[:40]}.{zlib.crc32(os.fsencode(target.name)):08x}.{os.getpid()}"
    fresh, old = (target.with_name(f".{mark}.{kind}") for kind in ("part", "old"))
    try:
        fresh.mkdir(parents=True)
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
