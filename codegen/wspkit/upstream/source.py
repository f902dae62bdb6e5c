"""Where a tree of sources comes from, and which project and version it really is; takes no file of
it.

The version is the one that the tree's own CMakeLists.txt tells: packages that carry a tree have
versions of their own.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from wspkit.errors import BadFormatError, NotFoundError, UsageError
from wspkit.fetching import package_index, transport
from wspkit.fetching.cache import cache_root, exclusive, writing_to
from wspkit.fetching.npm import npm_archive
from wspkit.fetching.packages import Transfer, download
from wspkit.fetching.transport import RemoteFile
from wspkit.process import Runner, SubprocessRunner
from wspkit.upstream.archive_tree import DirectoryFiles, read_archive
from wspkit.upstream.manifest import Manifest, manifests

_RELEASE = re.compile(
    r"pypi:(?P<pypi>[A-Za-z0-9][\w.-]*)==(?P<pypi_version>[\w.!+-]+)"
    r"|npm:(?P<npm>(?:@[a-z0-9][\w.-]*/)?[a-z0-9][\w.-]*)@(?P<npm_version>\d[\w.+-]*)",
    re.ASCII | re.IGNORECASE,
)
_PROJECT = re.compile(
    r"^[ \t]*project[ \t]*\([ \t\r\n]*\"?(?P<name>[\w.+-]+)\"?[ \t\r\n]+VERSION[ \t\r\n]+"
    r"\"?(?P<version>\d+(?:\.\d+)*)\"?",
    re.MULTILINE | re.IGNORECASE,
)
_OWN_CORE = Path("cpp")


@dataclass(frozen=True)
class Access:
    """How sources are reached."""

    runner: Runner = field(default_factory=SubprocessRunner)
    transfer: Transfer = field(default_factory=Transfer)
    clone: Callable[[], Path] | None = None
    """Finds the root of the clone that "self" means."""


@dataclass(frozen=True)
class Upstream:
    """A tree of a known project."""

    source: str
    """As it was asked for: "pypi:pywhispercpp==1.5.1", "self" or a directory."""
    manifest: Manifest
    root: str
    """Where the tree lies in the archive or directory; "" if it is all of it."""
    version: str
    """The project's own."""
    files: Mapping[str, bytes]
    """By path below the root."""
    archive_sha256: str | None = None
    """Of the package; None for a directory."""


def is_release(source: str) -> bool:
    """Whether a source names a release of a package, and so never changes."""
    return _RELEASE.fullmatch(source) is not None


def open_source(source: str, access: Access) -> Upstream:
    """The tree that a source names, fetched first if it is a package that is not in the cache.

    Errors: UsageError for a text that is no source; NotFoundError for a directory that is not there
    or holds no tree of a known project; BadFormatError for an archive that is damaged or hostile;
    NetworkError, InputOutputError.
    """
    release = _RELEASE.fullmatch(source)
    if release is not None:
        archive = _archive(release, access)
        return _recognized(source, read_archive(archive), transport.sha256_of(archive))
    if source.startswith(("pypi:", "npm:")):
        raise UsageError(
            f"{source!r} names no release", expected="pypi:NAME==VERSION or npm:NAME@VERSION"
        )
    if source == "self":
        if access.clone is None:
            raise UsageError('"self" means the clone of wsp that the command runs in')
        return _recognized(source, DirectoryFiles(access.clone() / _OWN_CORE), None)
    return _recognized(source, DirectoryFiles(Path(source).expanduser()), None)


def source_directory(source: str, access: Access) -> Path | None:
    """The directory that a source is, None for a package."""
    if source == "self" and access.clone is not None:
        return access.clone() / _OWN_CORE
    return None if is_release(source) else Path(source).expanduser()


def _archive(release: re.Match[str], access: Access) -> Path:
    kept = cache_root() / "upstream"
    if release["npm"]:
        name, version = release["npm"], release["npm_version"]
        target = kept / "npm" / f"{name.lstrip('@').replace('/', '-')}-{version}.tgz"
    else:
        name, version = release["pypi"], release["pypi_version"]
        target = kept / "pypi" / f"{package_index.normalized(name)}-{version}.tar.gz"
    with writing_to(target.parent), exclusive(target, waiting=lambda: None):
        if not target.is_file():
            if release["npm"]:
                scratch = target.with_name(f".{target.name}.parts")
                npm_archive(name, version, scratch, runner=access.runner).replace(target)
                shutil.rmtree(scratch, ignore_errors=True)
            else:
                _fetch_sdist(name, version, target, access.transfer)
    return target


def _fetch_sdist(name: str, version: str, target: Path, transfer: Transfer) -> None:
    settings = transfer.index()
    spelled = (f"{name}-{version}.tar.gz", f"{package_index.normalized(name)}-{version}.tar.gz")
    local = next(filter(None, (package_index.local_file(settings, one) for one in spelled)), None)
    if local is not None:
        target.write_bytes(local.read_bytes())
        return
    with transport.client(transport.certificates(settings.certificate_file)) as http:
        found = package_index.source_archive(http, settings, name, version)
        size_bytes = found.size_bytes or transport.size_of(http, found.url)
        remote = RemoteFile(found.url, size_bytes, found.sha256)
        download(http, remote, target, transfer=transfer)


def _recognized(source: str, files: Mapping[str, bytes], archive_sha256: str | None) -> Upstream:
    """The one tree in the files whose CMakeLists.txt names a known project, the outermost first."""
    known = {manifest.project: manifest for manifest in manifests()}
    found: list[tuple[str, str, str]] = []
    for path in _build_files(files):
        for match in _PROJECT.finditer(files[path].decode("utf-8", "replace")):
            if match["name"] in known:
                found.append((path.removesuffix("CMakeLists.txt"), match["name"], match["version"]))
                break
    if not found:
        raise NotFoundError(
            f"{source} holds no tree of {' or '.join(sorted(known))}",
            expected="a CMakeLists.txt with its project() and VERSION",
        )
    depth = found[0][0].count("/")
    outermost = [one for one in found if one[0].count("/") == depth]
    if len(outermost) > 1:
        raise BadFormatError(
            f"{source} holds several trees: {', '.join(root or '.' for root, _, _ in outermost)}",
            expected="one",
            hint="Unpack it, and name the directory of the one that you mean.",
        )
    root, project, version = outermost[0]
    return Upstream(
        source,
        known[project],
        root.rstrip("/"),
        version,
        _Below(files, root) if root else files,
        archive_sha256,
    )


def _build_files(files: Iterable[str]) -> list[str]:
    paths = [path for path in files if PurePosixPath(path).name == "CMakeLists.txt"]
    return sorted(paths, key=lambda path: (path.count("/"), path))


class _Below(Mapping[str, bytes]):
    """The files below a folder of others."""

    def __init__(self, files: Mapping[str, bytes], root: str) -> None:
        self._files = files
        self._root = root
        self._paths = [path.removeprefix(root) for path in files if path.startswith(root)]

    def __getitem__(self, path: str) -> bytes:
        return self._files[self._root + path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def sha256_of_tree(files: Mapping[str, bytes]) -> str:
    """The checksum of paths and contents, independent of order."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n".encode())
    return digest.hexdigest()
