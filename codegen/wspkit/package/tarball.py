"""Archives as npm makes and reads them; the same files give the same bytes. It knows no file."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from wspkit.errors import InputOutputError, NotFoundError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.upstream.archive_tree import read_archive

ROOT: Final = "package/"
"""The folder in which npm expects everything."""
# As npm itself writes: the time of its first archives, and nobody's file.
_TIME_S: Final = 499_162_500
_MODE: Final = 0o644


def file_name(name: str, version: str) -> str:
    """As `npm pack` names an archive: scope and name joined by a dash."""
    return f"{re.sub(r'^@', '', name).replace('/', '-')}-{version}.tgz"


def tarball(files: Mapping[str, bytes]) -> bytes:
    """A .tgz of files by their path."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in sorted(files.items()):
            member = tarfile.TarInfo(ROOT + path)
            member.size, member.mtime, member.mode = len(content), _TIME_S, _MODE
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), compresslevel=9, mtime=0)


def unpacked(archive: Path) -> dict[str, bytes]:
    """Path -> content of an archive of npm. Errors: NotFoundError, BadFormatError,
    InputOutputError.
    """
    if not archive.is_file():
        raise NotFoundError(f"there is no file {archive}", expected="an archive of `wsp pack`")
    files = read_archive(archive)
    # npm drops the first folder, whatever it is called.
    return {path.partition("/")[2]: content for path, content in files.items()}


def write(out: Path, name: str, content: bytes) -> Path:
    """Puts an archive into a folder, whole or not at all. Errors: InputOutputError."""
    target = out / name
    try:
        with atomic_writer(target) as file:
            file.write(content)
    except OSError as error:
        raise unwritable(target, error) from error
    return target


def require_writable(out: Path) -> None:
    """Makes the folder; InputOutputError if that fails or nothing can be written to it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise unwritable(out, error) from error


def unwritable(path: Path, error: OSError) -> InputOutputError:
    """What to say where the system refuses to write."""
    return InputOutputError(
        f"cannot write {path}: {error.strerror or error}", hint="Name another folder with --out."
    )
