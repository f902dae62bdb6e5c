"""Finds release files on the Python package index that the user's pip is set up for; downloads none
of them.

No index is named here: pip is asked for its settings, so that mirrors, proxies of companies and
directories of wheels work as they do for `pip install`.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from wspkit.errors import CommandError, NetworkError, NotFoundError
from wspkit.fetching.transport import shown_url
from wspkit.process import Command, Runner, SubprocessRunner

_JSON = "application/vnd.pypi.simple.v1+json"
_ACCEPT = f"{_JSON}, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
# A long line keeps the address in pip's help in one piece.
_WIDE = {"COLUMNS": "1000"}
_CONFIG_LINE = re.compile(r"(?P<section>[^.=\s]+)\.(?P<key>[a-z-]+)=(?P<value>.+)")
_DEFAULT_INDEX = re.compile(r"--index-url\b[^\n]*\(default (?P<url>[^)\s]+)\)")


@dataclass(frozen=True)
class IndexSettings:
    """What pip is set up with, as far as it matters for fetching a file."""

    index_urls: tuple[str, ...]
    """Roots of the simple API, the main one first; may hold credentials, so never print one as it
    is.
    """
    directories: tuple[Path, ...] = ()
    """Local directories of wheels (pip's find-links)."""
    certificate_file: str | None = None


def pip_settings(runner: Runner | None = None) -> IndexSettings:
    """The settings of this Python's pip: its environment variables, its files, its default index.

    Where pip is not installed, PIP_INDEX_URL and UV_DEFAULT_INDEX are looked at.
    Errors: NetworkError if no index is configured.
    """
    run = (runner or SubprocessRunner()).run
    pip = (sys.executable, "-m", "pip")
    try:
        listed = run(Command((*pip, "config", "list"), environment=_WIDE)).stdout
        settings = parse_pip_config(listed)
        main = settings.get("index-url")
        if main is None:
            shown = run(Command((*pip, "download", "--help"), environment=_WIDE)).stdout
            match = _DEFAULT_INDEX.search(shown)
            main = match["url"] if match else None
    except (CommandError, NotFoundError):
        settings = {}
        main = os.environ.get("PIP_INDEX_URL") or os.environ.get("UV_DEFAULT_INDEX")
    if main is None:
        raise NetworkError(
            "no package index is configured",
            hint="Install pip into this environment, or set PIP_INDEX_URL.",
        )
    links = settings.get("find-links", "").split()
    return IndexSettings(
        index_urls=(main, *settings.get("extra-index-url", "").split()),
        directories=tuple(Path(link).expanduser() for link in links if not urlsplit(link).scheme),
        certificate_file=settings.get("cert"),
    )


def parse_pip_config(listed: str) -> dict[str, str]:
    """The settings that `pip download` would use, from the lines of `pip config list`.

    Later sections win: [global], then [download], then environment variables (which pip lists as
    :env:).
    """
    ranks = ("global", "download", ":env:")
    found: dict[str, tuple[int, str]] = {}
    for line in listed.splitlines():
        match = _CONFIG_LINE.fullmatch(line.strip())
        if match is None or match["section"] not in ranks:
            continue
        rank = ranks.index(match["section"])
        if match["key"] not in found or rank >= found[match["key"]][0]:
            found[match["key"]] = (rank, _unquoted(match["value"]))
    return {key: value for key, (_, value) in found.items()}


def _unquoted(value: str) -> str:
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def local_file(settings: IndexSettings, file: str) -> Path | None:
    """The release file in one of the local directories of wheels, None if none has it."""
    candidates = (directory / file for directory in settings.directories)
    return next((path for path in candidates if path.is_file()), None)


@dataclass(frozen=True)
class IndexFile:
    """A file of a release, as an index describes it."""

    name: str
    url: str
    size_bytes: int | None = None
    """None if the index does not say."""
    sha256: str | None = None
    """Likewise."""


def file_url(http: httpx.Client, settings: IndexSettings, project: str, file: str) -> str:
    """The address of a release file, from the first index that has it.

    Errors: NetworkError with what each index answered.
    """
    return _first(http, settings, project, file, lambda name: name == file).url


def source_archive(
    http: httpx.Client, settings: IndexSettings, project: str, version: str
) -> IndexFile:
    """The source archive of a release (PEP 625, and the older spellings of its name), likewise."""
    wanted = (normalized(project), version)
    return _first(
        http,
        settings,
        project,
        f"source archive of {project} {version}",
        lambda name: source_archive_of(name) == wanted,
    )


def source_archive_of(file: str) -> tuple[str, str] | None:
    """Project, normalized, and version that the name of a source archive tells; None of others."""
    stem = file.removesuffix(".tar.gz")
    project, dash, version = stem.rpartition("-")
    return (normalized(project), version) if dash and stem != file else None


def _first(
    http: httpx.Client,
    settings: IndexSettings,
    project: str,
    wanted: str,
    fits: Callable[[str], bool],
) -> IndexFile:
    problems = []
    for root in settings.index_urls:
        page = f"{root.rstrip('/')}/{normalized(project)}/"
        try:
            files = _files(http, page)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            problems.append(f"{_safe(page)}: {_answer(error)}")
            continue
        found = next((file for file in files if fits(file.name)), None)
        if found is not None:
            return found
        problems.append(f"{_safe(page)}: no {wanted} among its {len(files)} files")
    raise NetworkError("; ".join(problems), expected=f"a package index with {wanted}")


def normalized(project: str) -> str:
    """A project's name as addresses spell it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", project).lower()


def _files(http: httpx.Client, page: str) -> list[IndexFile]:
    """A project's files, from either form of the simple API (PEP 503, PEP 691)."""
    response = http.get(page, headers={"Accept": _ACCEPT})
    response.raise_for_status()
    base = str(response.url)
    if response.headers.get("Content-Type", "").startswith(_JSON):
        return [_described(entry, base) for entry in response.json()["files"]]
    parser = _LinkParser()
    parser.feed(response.text)
    return [_linked(name, urljoin(base, href)) for name, href in parser.links]


def _described(entry: Mapping[str, Any], base: str) -> IndexFile:
    size, hashes = entry.get("size"), entry.get("hashes") or {}
    return IndexFile(
        str(entry["filename"]),
        urljoin(base, str(entry["url"])),
        size if isinstance(size, int) else None,
        _sha256(hashes.get("sha256")),
    )


def _linked(name: str, url: str) -> IndexFile:
    address, _, fragment = url.partition("#")
    algorithm, _, digest = fragment.partition("=")
    return IndexFile(name, address, None, _sha256(digest) if algorithm == "sha256" else None)


def _sha256(text: object) -> str | None:
    return text if isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) else None


class _LinkParser(HTMLParser):
    """Collects (text, href) of the links of a PEP 503 page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self._href: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href = dict(attrs).get("href")

    def handle_data(self, data: str) -> None:
        if self._href is not None and data.strip():
            self.links.append((data.strip(), self._href))
            self._href = None


def _answer(error: Exception) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return f"HTTP {error.response.status_code} {error.response.reason_phrase}"
    if isinstance(error, httpx.ConnectError):
        return f"no connection ({error})"
    return str(error) or type(error).__name__


def _safe(url: str) -> str:
    try:
        return shown_url(url)
    except httpx.InvalidURL:
        return "an index address that is no URL"
