"""What the installed `wsp` script calls: it brings Ctrl-C and a request to end to their exit codes
while modules are still being imported. It must not import anything large itself, nor know what the
command line does.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from wspkit.errors import EXIT_INTERRUPTED, EXIT_TERMINATED


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `wsp` with the process's arguments, or the given ones, and returns its exit code.

    Nothing is raised; see `wspkit.cli.app.main`, which says more about Ctrl-C once it is there.
    """
    with _ended_tidily() as requests:
        try:
            from wspkit.cli import app  # noqa: PLC0415 - its imports take long enough to be stopped

            code = app.main(arguments)
        except KeyboardInterrupt:
            code = EXIT_INTERRUPTED
    return EXIT_TERMINATED if requests and code == EXIT_INTERRUPTED else code


@contextmanager
def _ended_tidily() -> Iterator[list[int]]:
    """Lets SIGTERM end the work as Ctrl-C does, so that no half-written file stays behind.

    Gives the signals that came. Signals belong to the main thread; elsewhere nothing changes.
    """
    requests: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        requests.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield requests
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield requests
    finally:
        signal.signal(signal.SIGTERM, before)
