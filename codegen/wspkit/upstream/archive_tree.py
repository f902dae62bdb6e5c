"""Reads the files of a source archive or a directory as path -> bytes; nothing is unpacked to disk,
so no path of an archive can lead anywhere.

Still a hostile path is an error, not a file to leave out: whoever made the archive meant harm, or
the archive is damaged.
"""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from wspkit.errors import BadFormatError, InputOutputError, NotFoundError

MAX_TOTAL_BYTES = 1 << 29
"""Of all files together, unpacked: ten times what whisper.cpp's largest package holds."""
MAX_FILE_BYTES = 1 << 26
MAX_FILES = 50_000

_LEFT_ALONE = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__"})


def read_archive(
    path: Path,
    *,
    max_total_bytes: int = MAX_TOTAL_BYTES,
    max_file_bytes: int = MAX_FILE_BYTES,
    max_files: int = MAX_FILES,
) -> dict[str, bytes]:
    """The regular files of a .tar.gz by their path in it, with forward slashes.

    Links and devices are left out: sources need none, and a link is a way out.
    Errors: BadFormatError for a path that leaves the archive, for more or larger files than the
    bounds allow, and for what is no .tar.gz or is damaged.
    """
    files: dict[str, bytes] = {}
    total = 0
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                name = _inner_path(member.name, path)
                if not member.isfile():
                    continue
                total += member.size
                if member.size > max_file_bytes or total > max_total_bytes:
                    raise BadFormatError(
                        f"{path.name}: {name} makes {total} bytes",
                        expected=f"at most {max_total_bytes}, and {max_file_bytes} a file",
                    )
                if len(files) >= max_files:
                    raise BadFormatError(
                        f"{path.name}: more than {max_files} files", expected="a source tree"
                    )
                content = archive.extractfile(member)
                assert content is not None
                files[name] = content.read()
            # The archive's end may come before the file's: only the rest shows that nothing is cut.
            assert archive.fileobj is not None
            while archive.fileobj.read(1 << 20):
                total += 1 << 20
                if total > max_total_bytes:
                    raise BadFormatError(f"{path.name}: more behind the end of the archive")
    except (tarfile.TarError, EOFError, zlib.error, ValueError, OverflowError) as error:
        raise BadFormatError(f"{path.name}: {error}", expected="a .tar.gz or .tgz") from error
    except OSError as error:
        # gzip tells damage by an OSError without a number.
        if error.errno is None:
            raise BadFormatError(f"{path.name}: {error}", expected="a .tar.gz or .tgz") from error
        raise InputOutputError(f"{path}: {error.strerror or error}") from error
    return files


def _inner_path(name: str, archive: Path) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or ":" in name:
        raise BadFormatError(
            f"{archive.name}: a file called {name!r}", expected="paths inside the archive"
        )
    return str(path)


class DirectoryFiles(Mapping[str, bytes]):
    """The files below a directory by their path in it; each is read when it is asked for.

    Links are followed only to files inside the directory. Version control and packages that lie
    there are not looked at.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise NotFoundError(f"there is no directory {root}")
        self._root = root.resolve()
        self._paths = dict.fromkeys(sorted(self._walk()))

    def _walk(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(set(folders) - _LEFT_ALONE)
            for name in names:
                path = Path(folder) / name
                if path.is_symlink() and not path.resolve().is_relative_to(self._root):
                    continue
                if path.is_file():
                    yield path.relative_to(self._root).as_posix()

    def __getitem__(self, path: str) -> bytes:
        try:
            return (self._root / path).read_bytes()
        except OSError as error:
            raise InputOutputError(f"{self._root / path}: {error.strerror or error}") from error

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)
