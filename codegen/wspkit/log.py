"""The only printer: what the command line shows, where it goes, and when it stays silent.

Results go to stdout and nothing else does; everything about the work goes to stderr. Colours and
progress bars appear only on a terminal (and colours not with NO_COLOR set). It knows nothing of
what the messages are about; library code uses Python's `logging` with loggers named `wspkit.*`,
which end up here at the command line. Rich is imported at first use: `wsp --help` stays quick.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from wspkit.errors import InputOutputError

if TYPE_CHECKING:
    from rich.console import Console

    from wspkit.errors import WspError


class OutputClosedError(BaseException):
    """Whoever read our results has gone, as `head` does: nothing failed, and nothing is to be said.

    No Exception, so that nobody takes it for a failure of the work.
    """


class Verbosity(IntEnum):
    """How much is said on stderr."""

    QUIET = 0
    """Errors only; no progress bars."""
    NORMAL = 1
    """Errors, warnings, what is being done."""
    VERBOSE = 2
    """Also commands that are run, log lines of the core, and tracebacks."""


@dataclass(frozen=True)
class Settings:
    """What `configure` was told."""

    verbosity: Verbosity = Verbosity.NORMAL
    json_mode: bool = False
    """Results are JSON documents and errors on stderr are JSON objects, one per line."""


@dataclass
class _Printer:
    """The state of the process's one printer."""

    settings: Settings = field(default_factory=Settings)
    consoles: dict[bool, Console] = field(default_factory=dict)
    handler: logging.Handler | None = None


_printer = _Printer()


def configure(*, verbosity: Verbosity = Verbosity.NORMAL, json_mode: bool = False) -> None:
    """Sets how much is printed and in which form, and shows log records of `wspkit` on stderr.

    The command line calls it; a program that uses wspkit as a library never does and keeps its own
    logging.
    """
    _printer.settings = Settings(verbosity, json_mode)
    _printer.consoles.clear()
    logger = logging.getLogger("wspkit")
    if _printer.handler is None:
        _printer.handler = _StderrHandler()
        logger.addHandler(_printer.handler)
        logger.propagate = False
    levels = {
        Verbosity.QUIET: logging.ERROR,
        Verbosity.NORMAL: logging.WARNING,
        Verbosity.VERBOSE: logging.DEBUG,
    }
    logger.setLevel(levels[verbosity])


def reset() -> None:
    """Undoes `configure`: default settings and no handler on the `wspkit` logger."""
    _printer.settings = Settings()
    _printer.consoles.clear()
    logger = logging.getLogger("wspkit")
    if _printer.handler is not None:
        logger.removeHandler(_printer.handler)
        _printer.handler = None
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


def settings() -> Settings:
    """The settings in force."""
    return _printer.settings


# ---- stderr: about the work ----


def status(message: str) -> None:
    """Says what is being done. Not with --quiet."""
    if _printer.settings.verbosity >= Verbosity.NORMAL:
        _say(message)


def detail(message: str) -> None:
    """Says what only --verbose wants to know."""
    if _printer.settings.verbosity >= Verbosity.VERBOSE:
        _say(message, style="dim")


def warning(message: str) -> None:
    """Says what may surprise. Not with --quiet."""
    if _printer.settings.verbosity >= Verbosity.NORMAL:
        _say(message, label="warning", style="yellow")


def error(message: str, *, hint: str | None = None) -> None:
    """Says what went wrong, and on a second line what to do about it."""
    if _printer.settings.json_mode:
        record = {"error": {"message": message, "hint": hint}}
        _write(sys.stderr, _json(record, sys.stderr) + "\n")
        return
    _say(message, label="error", style="bold red")
    if hint:
        _say(hint, label="hint", style="cyan")


def failure(problem: WspError) -> None:
    """Shows an error of wspkit, with its hint."""
    if _printer.settings.json_mode:
        record = {
            "error": {
                "kind": type(problem).__name__,
                "exit_code": problem.exit_code,
                "message": problem.message,
                "hint": problem.hint,
            }
        }
        _write(sys.stderr, _json(record, sys.stderr) + "\n")
        return
    error(problem.message, hint=problem.hint)


# ---- stdout: results ----


def result(text: str, *, end: str = "\n") -> None:
    """Writes a result to stdout as it is: no colour, no wrapping, no markup.

    Raises InputOutputError if it cannot be written, OutputClosedError if nobody reads it any more.
    """
    _write_result(text + end)


def result_json(document: object) -> None:
    """Writes a result to stdout as one JSON document, keys in the order given."""
    _write_result(_json(document, sys.stdout, indent=2) + "\n")


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str
    right: bool = False
    """Aligned right, for numbers."""


def table(
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[str]],
    *,
    title: str | None = None,
    to_stderr: bool = False,
) -> None:
    """Shows rows under column titles: with lines and colour on a terminal, else as aligned text."""
    heads = [column if isinstance(column, Column) else Column(column) for column in columns]
    console = _console(to_stderr)
    if not console.is_terminal:
        text = _plain_table(heads, rows, title)
        if to_stderr:
            _write(sys.stderr, text)
        else:
            _write_result(text)
        return
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(title=title, title_justify="left", header_style="bold")
    for head in heads:
        shown.add_column(head.title, justify="right" if head.right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)


def _plain_table(heads: Sequence[Column], rows: Sequence[Sequence[str]], title: str | None) -> str:
    widths = [
        max([len(head.title), *(len(row[i]) for row in rows)]) for i, head in enumerate(heads)
    ]
    lines = [title] if title else []
    for cells in ([head.title for head in heads], *rows):
        padded = [
            cell.rjust(width) if head.right else cell.ljust(width)
            for cell, width, head in zip(cells, widths, heads, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines) + "\n"


def finish() -> None:
    """Brings out what others left in stdout's buffer. Raises OutputClosedError like `result`."""
    _write(sys.stdout, "")


# ---- progress ----


class ProgressBar(Protocol):
    """A bar on the terminal, or nothing at all where there is none."""

    def update(self, completed: float, *, total: float | None = None) -> None:
        """Moves the bar to `completed`, in its own unit; `total` corrects where it ends."""
        ...


class _NoBar:
    def update(self, completed: float, *, total: float | None = None) -> None:
        """Nothing to show."""


@contextmanager
def progress(
    description: str, *, total: float | None, in_bytes: bool = False
) -> Iterator[ProgressBar]:
    """A progress bar on stderr while the block runs.

    Silent with --quiet, with --json, and where stderr is no terminal.
    total: where the bar ends, None if unknown; in_bytes shows sizes and speed, not a percentage.
    """
    console = _console(True)
    hidden = (
        _printer.settings.verbosity == Verbosity.QUIET
        or _printer.settings.json_mode
        or not console.is_terminal
    )
    if hidden:
        yield _NoBar()
        return
    from rich import progress as bars  # noqa: PLC0415

    texts: list[bars.ProgressColumn] = (
        [bars.DownloadColumn(), bars.TransferSpeedColumn()]
        if in_bytes
        else [bars.TaskProgressColumn()]
    )
    name = bars.TextColumn("{task.description}", markup=False)
    shown = bars.Progress(
        name, bars.BarColumn(), *texts, bars.TimeRemainingColumn(), console=console, transient=True
    )
    with shown:
        task = shown.add_task(description, total=total)

        class _Bar:
            def update(self, completed: float, *, total: float | None = None) -> None:
                changes: Mapping[str, Any] = {} if total is None else {"total": total}
                shown.update(task, completed=completed, **changes)

        yield _Bar()


# ---- how it is written ----


# Loggers whose errors are raised too: they are shown once, when they end the command.
_RAISED_AS_WELL = frozenset({"wspkit.core"})


class _StderrHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
            if record.levelno >= logging.ERROR and record.name not in _RAISED_AS_WELL:
                error(text)
            elif logging.WARNING <= record.levelno < logging.ERROR:
                warning(text)
            else:
                detail(f"{record.name}: {text}")
        except Exception:  # noqa: BLE001 - as logging asks: a handler never raises
            self.handleError(record)


def _console(to_stderr: bool) -> Console:
    if to_stderr not in _printer.consoles:
        from rich.console import Console  # noqa: PLC0415

        _printer.consoles[to_stderr] = Console(
            stderr=to_stderr, highlight=False, markup=False, emoji=False, soft_wrap=True
        )
    return _printer.consoles[to_stderr]


def _say(message: str, *, label: str | None = None, style: str | None = None) -> None:
    if not _wants_colour(sys.stderr):
        _write(sys.stderr, f"{label}: {message}\n" if label else f"{message}\n")
        return
    from rich.text import Text  # noqa: PLC0415

    text = Text(f"{label}: ", style=style or "") if label else Text(style=style or "")
    text.append(message)
    _console(True).print(text)


def _json(document: object, stream: TextIO | None, *, indent: int | None = None) -> str:
    # What an encoding lacks must be escaped as JSON does it: no other escape is valid there.
    unicode = stream is None or _encoding(stream).lower().replace("-", "") == "utf8"
    return json.dumps(document, ensure_ascii=not unicode, indent=indent, allow_nan=False)


def _wants_colour(stream: TextIO | None) -> bool:
    return "NO_COLOR" not in os.environ and stream is not None and stream.isatty()


def _encoding(stream: TextIO) -> str:
    return stream.encoding or "utf-8"


def _write_result(text: str) -> None:
    if sys.stdout is None:  # closed before we began: a result must not be lost in silence
        raise InputOutputError("standard output is closed", hint="Leave it open for the result.")
    _write(sys.stdout, text)


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:  # closed before we began, as by `2>&-`: nobody listens
        return
    # A path or a transcript may hold what the terminal's encoding lacks: escapes beat a traceback.
    encoding = _encoding(stream)
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        _silence(stream)
        if stream is sys.stdout:
            raise OutputClosedError from None
    except OSError as error:
        _silence(stream)
        if stream is sys.stdout:
            raise InputOutputError(
                f"cannot write to standard output: {error.strerror or error}"
            ) from error


def _silence(stream: TextIO) -> None:
    # The interpreter flushes once more at its end, and would complain there.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
