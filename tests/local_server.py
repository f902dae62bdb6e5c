"""An HTTP server on this machine that behaves as badly as a test asks; knows nothing of models."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Served:
    """What one path answers."""

    content: bytes
    content_type: str = "application/octet-stream"
    status: int = 200
    ranges: bool = True
    """Answers a Range with 206; otherwise with 200 and the whole file."""
    cut_after_bytes: list[int] = field(default_factory=list)
    """For each request in turn, how much of the body goes out before the connection breaks."""
    failing_statuses: list[int] = field(default_factory=list)
    """For each request in turn, a status to answer instead, before anything else."""
    wrong_range: bool = False
    """Answers a Range with 206 of other bytes than those asked for."""
    location: str | None = None
    """Redirects there."""


@dataclass
class LocalServer:
    """A running server: put into `files` what it shall serve, read in `requests` what was asked."""

    url: str
    files: dict[str, Served] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    """(path, Range header) of each request."""


@contextmanager
def serve() -> Iterator[LocalServer]:
    """Runs a server on a free port while the block runs."""
    server = LocalServer(url="")
    httpd = _Server(server)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


class _Server(ThreadingHTTPServer):
    def __init__(self, served: LocalServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.served = served
        served.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up early is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        """Answers as GET does, without the body."""
        self.do_GET()

    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        server = self.server.served
        asked = self.headers.get("Range")
        server.requests.append((self.path, asked))
        served = server.files.get(self.path)
        if served is None:
            self._answer(404, b"no such file", "text/plain")
            return
        if served.failing_statuses:
            self._answer(served.failing_statuses.pop(0), b"not now", "text/plain")
            return
        if served.location is not None:
            self._answer(302, b"", "text/plain", {"Location": served.location})
            return
        if asked and served.ranges:
            self._answer_range(served, int(asked.removeprefix("bytes=").partition("-")[0]))
            return
        self._send(served, served.status, served.content, {})

    def _answer_range(self, served: Served, start: int) -> None:
        if start >= len(served.content):
            self._answer(416, b"", "text/plain")
            return
        if served.wrong_range:
            start = 0
        last = len(served.content) - 1
        header = {"Content-Range": f"bytes {start}-{last}/{len(served.content)}"}
        self._send(served, 206, served.content[start:], header)

    def _send(self, served: Served, status: int, body: bytes, extra: dict[str, str]) -> None:
        cut = served.cut_after_bytes.pop(0) if served.cut_after_bytes else len(body)
        self._answer(status, body, served.content_type, extra, cut)
        if cut < len(body):
            self.close_connection = True

    def _answer(
        self,
        status: int,
        body: bytes,
        content_type: str,
        extra: dict[str, str] | None = None,
        cut: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[:cut])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keeps the test's output clean."""
