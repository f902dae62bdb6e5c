"""What the installed `wsp` script calls: it brings Ctrl-C to its exit code while modules are still
being imported. It must not import anything large itself, nor know what the command line does.
"""

from __future__ import annotations

from collections.abc import Sequence

from wspkit.errors import EXIT_INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `wsp` with the process's arguments, or the given ones, and returns its exit code.

    Nothing is raised; see `wspkit.cli.app.main`, which says more about Ctrl-C once it is there.
    """
    try:
        from wspkit.cli import app  # noqa: PLC0415 - its imports take long enough to be stopped

        return app.main(arguments)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
