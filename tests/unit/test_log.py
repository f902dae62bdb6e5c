"""The printer: results on stdout alone, silence where asked for, plain text into a pipe."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import pty
import sys

import pytest

from wspkit import log
from wspkit.errors import BadFormatError, InputOutputError
from wspkit.log import Verbosity


def say_everything() -> None:
    log.status("a status")
    log.detail("a detail")
    log.warning("a warning")
    log.error("an error", hint="a hint")
    log.result("a result")


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (Verbosity.QUIET, ["error: an error", "hint: a hint"]),
        (Verbosity.NORMAL, ["a status", "warning: a warning", "error: an error", "hint: a hint"]),
        (
            Verbosity.VERBOSE,
            ["a status", "a detail", "warning: a warning", "error: an error", "hint: a hint"],
        ),
    ],
)
def test_stderr_says_what_the_verbosity_asks_for_and_stdout_only_results(
    verbosity: Verbosity, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    log.configure(verbosity=verbosity)
    say_everything()
    streams = capsys.readouterr()
    assert streams.out == "a result\n"
    assert streams.err.splitlines() == expected


def test_long_lines_and_brackets_reach_a_pipe_as_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = "[bold]x[/bold] :smile: " * 30
    log.status(text)
    log.result(text)
    streams = capsys.readouterr()
    assert streams.err == text + "\n"
    assert streams.out == text + "\n"


def test_json_mode_makes_errors_objects(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(json_mode=True)
    log.failure(BadFormatError("a GGUF file", expected="a ggml .bin", hint="Convert it."))
    record = json.loads(capsys.readouterr().err)["error"]
    assert record == {
        "kind": "BadFormatError",
        "exit_code": 4,
        "message": "a GGUF file; expected a ggml .bin",
        "hint": "Convert it.",
    }


def test_json_result_keeps_letters_and_order(capsys: pytest.CaptureFixture[str]) -> None:
    log.result_json({"b": "Grüße", "a": [1.5]})
    out = capsys.readouterr().out
    assert "Grüße" in out
    assert list(json.loads(out)) == ["b", "a"]


def test_json_result_refuses_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        log.result_json(float("nan"))


def test_plain_table_aligns_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    log.table(
        [log.Column("name"), log.Column("ms", right=True)], [["mel", "1.5"], ["encoder", "120.0"]]
    )
    assert capsys.readouterr().out.splitlines() == [
        "name        ms",
        "mel        1.5",
        "encoder  120.0",
    ]


def test_table_can_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    log.table(["a"], [["b"]], title="numbers", to_stderr=True)
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.splitlines() == ["numbers", "a", "b"]


def test_progress_writes_nothing_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with log.progress("fetching", total=10, in_bytes=True) as bar:
        bar.update(5)
        bar.update(10, total=10)
    streams = capsys.readouterr()
    assert streams.out == streams.err == ""


def on_terminal(monkeypatch: pytest.MonkeyPatch, verbosity: Verbosity, **variables: str) -> str:
    """What appears on a terminal when a bar and a warning are shown."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        log.configure(verbosity=verbosity)
        log.warning("a warning")
        with log.progress("fetching", total=10) as bar:
            bar.update(5)
        terminal.flush()
        os.set_blocking(reader, False)
        shown = b""
        try:
            while part := os.read(reader, 65536):
                shown += part
        except OSError:
            pass
    os.close(reader)
    monkeypatch.undo()
    return shown.decode()


def test_terminal_gets_colour_and_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_terminal(monkeypatch, Verbosity.NORMAL)
    assert "\x1b[33m" in shown
    assert "fetching" in shown
    assert "50%" in shown


def test_no_color_takes_colours_away_from_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = on_terminal(monkeypatch, Verbosity.NORMAL, NO_COLOR="1")
    assert "warning: a warning" in shown
    assert "\x1b[33m" not in shown


def test_quiet_terminal_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert on_terminal(monkeypatch, Verbosity.QUIET) == ""


def test_records_of_the_package_show_by_level(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure(verbosity=Verbosity.NORMAL)
    logger = logging.getLogger("wspkit.models")
    logger.debug("deep")
    logger.info("known")
    logger.warning("odd")
    logger.error("wrong")
    assert capsys.readouterr().err.splitlines() == ["warning: odd", "error: wrong"]
    log.configure(verbosity=Verbosity.VERBOSE)
    logger.debug("deep")
    assert capsys.readouterr().err.splitlines() == ["wspkit.models: deep"]


def test_errors_that_the_core_raises_as_well_are_not_shown_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log.configure()
    logging.getLogger("wspkit.core").error("wrong")
    assert capsys.readouterr().err == ""
    log.configure(verbosity=Verbosity.VERBOSE)
    logging.getLogger("wspkit.core").error("wrong")
    assert capsys.readouterr().err == "wspkit.core: wrong\n"


def test_configuring_twice_shows_a_record_once(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure()
    log.configure()
    logging.getLogger("wspkit.core").warning("odd")
    assert capsys.readouterr().err.splitlines() == ["warning: odd"]


def test_text_that_the_encoding_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    log.result("Grüße \udcff")
    assert stream.buffer.getvalue() == b"Gr\\xfc\\xdfe \\udcff\n"


# ---- streams that take nothing ----


class FullDisk(io.StringIO):
    """Refuses what it gets, as /dev/full does."""

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)


def test_a_result_that_cannot_be_written_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", FullDisk())
    with pytest.raises(InputOutputError, match="standard output"):
        log.result("lost")
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InputOutputError, match="closed"):
        log.result("lost")


@pytest.mark.parametrize("stream", [None, FullDisk()], ids=["closed", "full"])
def test_what_stderr_does_not_take_stops_nothing(
    stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    log.status("a status")
    log.error("an error", hint="a hint")
    with log.progress("a bar", total=1) as bar:
        bar.update(1)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_valid_in_every_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=encoding))
    text = "größer 中 \N{GRINNING FACE} \udcff"
    log.result_json({"text": text})
    assert json.loads(raw.getvalue().decode(encoding)) == {"text": text}
