"""The entry point: a message and an exit code for all that goes wrong; help without the core."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import wspkit
from wspkit import errors, log
from wspkit.cli import app
from wspkit.cli.app import main, unwrapped
from wspkit.cli.words import hoist_verbosity
from wspkit.errors import WspError

CLASSES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, WspError) and kind is not WspError
]


def fake_command(monkeypatch: pytest.MonkeyPatch, problem: BaseException | None) -> None:
    """Puts a command `fake` in place that raises `problem`."""

    def fake() -> None:
        if problem is not None:
            raise problem

    module = type(sys)("fake_command")
    module.fake = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fake_command", module)
    entry = app._Entry("fake_command", "fake", "Fails.")
    monkeypatch.setitem(app._COMMANDS, "fake", entry)


# ---- help ----


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_names_every_command_and_shows_examples(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    out = capsys.readouterr().out
    for name in ("transcribe", "vad", "model", "doctor", "generate", "$ wsp transcribe speech.wav"):
        assert name in out


def test_help_lists_the_exit_code_of_every_error(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    text = " ".join(capsys.readouterr().out.replace("│", " ").split())
    listed = text[text.index("Exit codes:") :]
    for kind in CLASSES:
        assert f" {kind.exit_code} " in listed


def test_help_imports_neither_the_core_nor_the_commands() -> None:
    code = (
        "import sys; from wspkit.cli.app import main; main(['--help']); "
        "heavy = {'numpy', 'pydantic', 'httpx', 'jinja2', 'wspkit.core._core'} & set(sys.modules); "
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["transcribe", "vad", "model", "doctor", "generate"])
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert f"wsp {command}" in capsys.readouterr().out


def test_help_of_a_command_needs_no_native_module() -> None:
    code = (
        "import sys; sys.modules['wspkit.core._core'] = None\n"
        "from wspkit.cli.app import main; sys.exit(main(['transcribe', '--help']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--language" in done.stdout


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"wsp {wspkit.__version__}\n"


# ---- failures ----


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_ends_in_its_message_hint_and_code(
    kind: type[WspError], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_command(monkeypatch, kind("found this", expected="that", hint="Do so."))
    assert main(["fake"]) == kind.exit_code
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == "error: found this; expected that\nhint: Do so.\n"


def test_what_nobody_expected_is_code_1_with_the_way_to_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_command(monkeypatch, KeyError("lost"))
    assert main(["fake"]) == 1
    err = capsys.readouterr().err
    assert "KeyError: 'lost'" in err
    assert "--verbose" in err
    assert "Traceback" not in err


def test_verbose_shows_the_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_command(monkeypatch, KeyError("lost"))
    assert main(["fake", "-v"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_is_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_command(monkeypatch, KeyboardInterrupt())
    assert main(["fake"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_the_operating_systems_errors_name_their_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_command(monkeypatch, PermissionError(13, "Permission denied", "a.txt"))
    assert main(["fake"]) == 7
    assert capsys.readouterr().err == "error: a.txt: Permission denied\n"


def test_out_of_memory_has_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_command(monkeypatch, MemoryError())
    assert main(["fake"]) == 6


def test_success_is_code_0(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_command(monkeypatch, None)
    assert main(["fake"]) == 0


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["--nonsense"],
        ["transcribe"],
        ["transcribe", "a.wav", "--nonsense"],
        ["transcribe", "a.wav", "--format", "nonsense"],
        ["transcribe", "a.wav", "--threads", "many"],
        ["transcribe", "a.wav", "--best-of", "9"],
        ["-v", "-q", "doctor"],
        ["doctor", "-vq"],
    ],
)
def test_wrong_use_is_code_2_and_says_what_is_wrong(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("error: ")
    assert "Traceback" not in streams.err


def test_wrong_use_points_to_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    main(["transcribe", "--nonsense"])
    assert "`wsp transcribe --help`" in capsys.readouterr().err


def test_a_mistyped_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    main(["transcripe"])
    assert "transcribe" in capsys.readouterr().err


def test_a_help_whose_reader_goes_away_is_a_success_in_silence() -> None:
    code = "import sys; from wspkit.cli.app import main; sys.exit(main(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_results_into_a_closed_pipe_are_code_141() -> None:
    code = (
        "import sys, os; from wspkit.cli import app; from wspkit import log\n"
        "app._run = lambda words: log.result('x' * 100000)\n"
        "sys.stdin.read(); sys.exit(app.main(['doctor']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


# ---- words ----


def test_verbosity_may_stand_after_the_command() -> None:
    assert hoist_verbosity(["transcribe", "a", "-v"]) == ["-v", "transcribe", "a"]
    assert hoist_verbosity(["x", "--quiet", "--", "-v"]) == ["--quiet", "x", "--", "-v"]
    assert hoist_verbosity(["x", "-vv", "a"]) == ["-vv", "x", "a"]


def test_the_value_of_an_option_is_not_taken_for_verbosity() -> None:
    with_value = {"--prompt", "-m"}
    for kept in (["x", "--prompt", "-v"], ["x", "-m", "-q", "a"], ["x", "--prompt", "--quiet"]):
        assert hoist_verbosity(kept, with_value) == kept
    doubled = ["x", "--prompt", "--prompt", "-v"]
    assert hoist_verbosity(doubled, with_value) == ["-v", "x", "--prompt", "--prompt"]
    assert hoist_verbosity(["x", "--prompt=a", "-v"], with_value) == ["-v", "x", "--prompt=a"]


def test_a_prompt_that_looks_like_verbosity_reaches_the_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["transcribe", "--prompt", "-v", "none.wav", "-m", "-q", "--no-fetch"]) != 0
    assert "'-q'" in capsys.readouterr().err
    assert log.settings().verbosity is log.Verbosity.NORMAL


def test_quiet_and_verbose_reach_the_printer(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_command(monkeypatch, None)
    main(["fake", "-q"])
    assert log.settings().verbosity is log.Verbosity.QUIET
    main(["fake", "--verbose"])
    assert log.settings().verbosity is log.Verbosity.VERBOSE


def test_errors_are_json_where_json_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fake() -> None:
        log.configure(json_mode=True)
        raise errors.NotFoundError("no file", hint="Look.")

    fake_command(monkeypatch, None)
    monkeypatch.setattr(sys.modules["fake_command"], "fake", fake)
    assert main(["fake"]) == 3
    assert json.loads(capsys.readouterr().err)["error"]["exit_code"] == 3


@pytest.mark.parametrize(
    "words",
    [
        ["transcribe", "--json", "--nosuch"],
        ["transcribe", "a.wav", "--json", "--threads", "many"],
        ["transcribe", "a.wav", "--json", "--threads", "99"],
        ["transcribe", "a.wav", "--threads", "99", "--json"],
        ["transcribe", "--json"],
        ["-v", "model", "fetch", "--json"],
        ["-q", "doctor", "nonsense", "--json"],
    ],
)
def test_wrong_use_is_told_as_json_where_json_was_asked_for(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    error = json.loads(streams.err.splitlines()[0])["error"]
    assert (error["kind"], error["exit_code"]) == ("UsageError", 2)


@pytest.mark.parametrize(
    "words",
    [
        ["transcribe", "--prompt", "--json", "--nosuch"],
        ["transcribe", "-m", "--json", "--nosuch"],
        ["model", "fetch", "--source", "--json"],
        ["transcribe", "a.wav", "--threads", "99", "--", "--json"],
    ],
)
def test_json_as_a_value_or_an_argument_does_not_ask_for_json(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_paragraphs_become_one_line_each() -> None:
    assert unwrapped("One\ntwo.\n\n  Three\n  four.\n") == "One two.\n\nThree four."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["model", "list"]])
def test_a_full_disk_is_an_error_of_output_without_a_traceback(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "wspkit.cli.app", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 7
    assert done.stderr.count("error: ") == 1
    assert "Traceback" not in done.stderr
    assert "No space left on device" in done.stderr
