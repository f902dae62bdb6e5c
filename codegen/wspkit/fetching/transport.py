"""One file over HTTP: resumed, retried, checked, and never half under its final name; knows no
models.
"""

from __future__ import annotations

import hashlib
import logging
import os
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from wspkit.errors import BadFormatError, NetworkError
from wspkit.fetching.cache import writing_to

_log = logging.getLogger(__name__)

# Environment variables by which pip, requests and curl are told a file of certificates. OpenSSL
# itself reads SSL_CERT_FILE and SSL_CERT_DIR.
_CERTIFICATE_VARIABLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")

Progress = Callable[[int], None]
"""Called with the bytes that are there so far."""


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch, with what it must turn out to be."""

    url: str
    size_bytes: int
    sha256: str | None
    """None where nobody knows it: the size alone is checked."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often a transfer that brings nothing new is tried, with pauses that double."""

    attempts: int = 4
    first_pause_s: float = 0.5

    def pause_s(self, failures: int) -> float:
        """Seconds to wait after that many failures in a row."""
        return float(self.first_pause_s * 2 ** (failures - 1))


class _InterruptedError(Exception):
    """A failure that may go away: the transfer is resumed."""


class _RangeRefusedError(_InterruptedError):
    """The server does not continue where the part ends: the transfer starts over."""


DEFAULT_RETRY = RetryPolicy()


def certificates(configured: str | None = None) -> ssl.SSLContext:
    """Trust as the user set it up for pip, requests or curl, on top of the system's.

    configured: a file of certificates from pip's configuration, if it names one.
    Where the system has no certificates of its own, those that come with httpx are used.
    """
    context = ssl.create_default_context()
    named = {configured, *map(os.environ.get, _CERTIFICATE_VARIABLES)}
    for path in named - {None, "", os.environ.get("SSL_CERT_FILE")}:
        if path and Path(path).is_file():
            context.load_verify_locations(cafile=path)
    if not context.get_ca_certs() and not _has_certificate_directory():
        import certifi  # noqa: PLC0415  (comes with httpx; rarely needed)

        context.load_verify_locations(cafile=certifi.where())
    return context


def _has_certificate_directory() -> bool:
    directory = ssl.get_default_verify_paths().capath
    return bool(directory) and any(Path(directory).iterdir())


@contextmanager
def client(trust: ssl.SSLContext | None = None) -> Iterator[httpx.Client]:
    """An HTTP client that follows redirects and honours the user's proxy variables."""
    timeout = httpx.Timeout(30.0, connect=10.0)
    headers = {"User-Agent": "wspkit"}
    with httpx.Client(
        follow_redirects=True, timeout=timeout, headers=headers, verify=trust or certificates()
    ) as opened:
        yield opened


def shown_url(url: str | httpx.URL) -> str:
    """A URL without the password that it may hold."""
    parsed = httpx.URL(url)
    return str(parsed.copy_with(username="", password="")) if parsed.userinfo else str(parsed)


def download(
    http: httpx.Client,
    remote: RemoteFile,
    destination: Path,
    *,
    progress: Progress = lambda _: None,
    retry: RetryPolicy = DEFAULT_RETRY,
) -> None:
    """Fetches `remote` to `destination`, which appears only when size and checksum are right.

    What has arrived lies in `destination` + ".part" and is resumed by the next call, in this
    process or another; the caller sees to it that no two run at once.
    Errors: NetworkError if the server cannot be reached, has no such file, answers with something
    else or breaks off again and again; BadFormatError if the checksum is wrong; InputOutputError.
    """
    unfinished = _unfinished(destination)
    with writing_to(destination.parent):
        destination.parent.mkdir(parents=True, exist_ok=True)
        resumed = unfinished.exists()
    try:
        _transfer(http, remote, unfinished, progress, retry)
        _check(remote, unfinished)
    except BadFormatError:
        if not resumed:
            raise
        # The rest of an older or foreign file may have been in the way: once more from the start.
        _log.info("%s: wrong checksum after a resume, starting over", shown_url(remote.url))
        _transfer(http, remote, unfinished, progress, retry)
        _check(remote, unfinished)
    with writing_to(destination.parent):
        unfinished.replace(destination)


def size_of(http: httpx.Client, url: str) -> int:
    """Bytes that an address answers with, as the server says. Errors: NetworkError."""
    try:
        response = http.head(url, headers={"Accept-Encoding": "identity"})
        response.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NetworkError(f"{shown_url(url)}: {_reason(error)}") from error
    length = str(response.headers.get("Content-Length", ""))
    if not length.isdigit():
        raise NetworkError(f"{shown_url(url)}: no Content-Length", expected="the size of the file")
    return int(length)


def arrived_bytes(destination: Path) -> int:
    """How much of a file is there already, by an earlier call of `download` that broke off."""
    return _size(_unfinished(destination))


def _unfinished(destination: Path) -> Path:
    return destination.with_name(destination.name + ".part")


def _transfer(
    http: httpx.Client, remote: RemoteFile, unfinished: Path, progress: Progress, retry: RetryPolicy
) -> None:
    failures = 0
    furthest = _size(unfinished)
    while _size(unfinished) != remote.size_bytes:
        try:
            _attempt(http, remote, unfinished, progress)
        except (_InterruptedError, httpx.TransportError) as error:
            reached = _size(unfinished)
            # A connection that got further than any before starts the count anew.
            failures = 1 if reached > furthest else failures + 1
            furthest = max(furthest, reached)
            if isinstance(error, _RangeRefusedError):
                unfinished.unlink(missing_ok=True)
            if failures >= retry.attempts:
                raise NetworkError(
                    f"{shown_url(remote.url)}: {_reason(error)} ({failures} attempts)"
                ) from error
            pause_s = retry.pause_s(failures)
            _log.info("%s: %s; again in %.1f s", shown_url(remote.url), _reason(error), pause_s)
            time.sleep(pause_s)
    progress(remote.size_bytes)


def _attempt(http: httpx.Client, remote: RemoteFile, unfinished: Path, progress: Progress) -> None:
    offset = _size(unfinished)
    if offset > remote.size_bytes:
        offset = 0
    headers = {"Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
    with http.stream("GET", remote.url, headers=headers) as response:
        offset = _start(response, remote, offset)
        with writing_to(unfinished.parent), unfinished.open("r+b" if offset else "wb") as file:
            file.truncate(offset)
            file.seek(offset)
            _copy(response, remote, file, offset, progress)
    if _size(unfinished) < remote.size_bytes:
        raise _InterruptedError(f"ended after {_size(unfinished)} of {remote.size_bytes} bytes")


def _start(response: httpx.Response, remote: RemoteFile, offset: int) -> int:
    """Where in the file the body of this response begins; raises if it is not the file."""
    place, status = shown_url(response.url), response.status_code
    if status == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and offset:
        raise _RangeRefusedError(f"no bytes from {offset} on")
    if status in (408, 425, 429) or status >= 500:
        raise _InterruptedError(f"HTTP {status} {response.reason_phrase}")
    if status not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
        raise NetworkError(
            f"{place}: HTTP {status} {response.reason_phrase}", expected="the file itself"
        )
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        raise _not_the_file(place, "an HTML page")
    start = 0
    if status == httpx.codes.PARTIAL_CONTENT:
        start = _range_start(response)
        if start != offset:
            raise _RangeRefusedError(f"bytes from {start} on instead of {offset}")
    length = response.headers.get("Content-Length")
    if length is not None and length.isdigit() and start + int(length) != remote.size_bytes:
        raise NetworkError(
            f"{place}: a file of {start + int(length)} bytes",
            expected=f"{remote.size_bytes} bytes",
            hint="The server holds another file than the catalogue of this version of wsp knows.",
        )
    return start


def _range_start(response: httpx.Response) -> int:
    # Content-Range: bytes 200-999/1000
    first = response.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(first) if first.isdigit() else -1


def _copy(
    response: httpx.Response, remote: RemoteFile, file: BinaryIO, offset: int, progress: Progress
) -> None:
    written = offset
    # Pieces are taken as they come: a size asked for here would hold back, and lose, what came
    # before a cut.
    for chunk in response.iter_raw():
        if written == 0 and chunk[:512].lstrip().lower().startswith((b"<!doctype html", b"<html")):
            raise _not_the_file(shown_url(response.url), "an HTML page")
        if written + len(chunk) > remote.size_bytes:
            file.truncate(0)
            raise NetworkError(
                f"{shown_url(response.url)}: more than {remote.size_bytes} bytes",
                expected=f"{remote.size_bytes} bytes",
            )
        file.write(chunk)
        written += len(chunk)
        progress(written)


def _not_the_file(place: str, found: str) -> NetworkError:
    return NetworkError(
        f"{place}: {found}",
        expected="the file itself",
        hint="A proxy or a login page may stand in between: open the address in a browser.",
    )


def _check(remote: RemoteFile, unfinished: Path) -> None:
    if remote.sha256 is None:
        return
    found = sha256_of(unfinished)
    if found != remote.sha256:
        unfinished.unlink()
        raise BadFormatError(
            f"{shown_url(remote.url)}: checksum {found} (sha256)", expected=remote.sha256
        )


def sha256_of(path: Path) -> str:
    """The checksum of a file, read in pieces. Errors: InputOutputError."""
    digest = hashlib.sha256()
    with writing_to(path.parent), path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _reason(error: Exception) -> str:
    """What went wrong in words; some of httpx's errors have an empty text."""
    text = str(error)
    if isinstance(error, httpx.ConnectError):
        return f"no connection ({text or 'refused'})"
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    return text or type(error).__name__
