"""Running programs: what a failure shows, and that recording runs nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wspkit.errors import CommandError, InputOutputError, NotFoundError
from wspkit.process import (
    Command,
    CommandResult,
    RecordingRunner,
    SubprocessRunner,
    run_all,
    tool,
)


def python(code: str, **environment: str) -> Command:
    return Command((sys.executable, "-c", code), environment=environment)


def test_streams_and_exit_code_come_back() -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr)"
    result = SubprocessRunner().run(python(code))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "out\n", "err\n")


def test_failure_shows_the_command_line_and_both_streams() -> None:
    code = "import sys; print('to out'); print('to err', file=sys.stderr); sys.exit(3)"
    with pytest.raises(CommandError) as caught:
        SubprocessRunner().run(python(code))
    text = str(caught.value)
    assert "exit code 3" in text
    assert "sys.exit(3)" in text
    assert "--- stdout ---\nto out" in text
    assert "--- stderr ---\nto err" in text


def test_failure_shows_only_the_end_of_a_long_stream() -> None:
    with pytest.raises(CommandError) as caught:
        SubprocessRunner().run(
            python("for i in range(1000): print('line', i)\nraise SystemExit(1)")
        )
    text = str(caught.value)
    assert "line 999" in text
    assert "line 100\n" not in text
    assert "[960 lines before]" in text


def test_unchecked_failure_is_returned() -> None:
    assert SubprocessRunner().run(python("raise SystemExit(5)"), check=False).exit_code == 5


def test_a_signal_is_named() -> None:
    with pytest.raises(CommandError, match="signal 9"):
        SubprocessRunner().run(python("import os; os.kill(os.getpid(), 9)"))


def test_missing_program_is_not_found() -> None:
    with pytest.raises(NotFoundError, match="no-such-program-here"):
        SubprocessRunner().run(Command.of("no-such-program-here"))


def test_missing_directory_is_named_rather_than_the_program(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="gone"):
        SubprocessRunner().run(Command.of(sys.executable, "-c", "", cwd=tmp_path / "gone"))


def test_program_that_may_not_run_is_an_io_error(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o644)
    with pytest.raises(InputOutputError, match="cannot start"):
        SubprocessRunner().run(Command.of(program))


def test_timeout_fails_and_shows_what_had_been_printed() -> None:
    code = "import time; print('before', flush=True); time.sleep(60)"
    command = Command((sys.executable, "-c", code), timeout_s=1.0)
    with pytest.raises(CommandError, match="no end after 1 s") as caught:
        SubprocessRunner().run(command)
    assert "before" in str(caught.value)


def test_environment_is_set_on_top_of_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FROM_CALLER", "1")
    code = "import os; print(os.environ['FROM_CALLER'], os.environ['FROM_COMMAND'])"
    assert SubprocessRunner().run(python(code, FROM_COMMAND="2")).stdout == "1 2\n"


def test_stdin_is_empty() -> None:
    assert (
        SubprocessRunner()
        .run(python("print(repr(input.__name__)); input()"), check=False)
        .exit_code
        == 1
    )


def test_command_prints_as_a_line_for_the_shell() -> None:
    command = Command.of("cmake", "-S", "a b", cwd=Path("dir"), CC="gcc 12")
    assert str(command) == "(cd dir && CC='gcc 12' cmake -S 'a b')"


def test_command_keeps_its_own_environment() -> None:
    variables = {"A": "1"}
    command = Command(("true",), environment=variables)
    variables["A"] = "2"
    assert command.environment["A"] == "1"
    assert hash(command) == hash(Command(("true",), environment={"A": "1"}))


def test_command_needs_a_program() -> None:
    with pytest.raises(ValueError, match="at least"):
        Command(())


def test_recording_runner_runs_nothing(tmp_path: Path) -> None:
    runner = RecordingRunner()
    results = run_all(runner, [Command.of("touch", tmp_path / "x"), Command.of("false")])
    assert [result.ok for result in results] == [True, True]
    assert runner.lines == [f"touch {tmp_path / 'x'}", "false"]
    assert not (tmp_path / "x").exists()


def test_recording_runner_answers_by_script_and_checks() -> None:
    def script(command: Command) -> CommandResult | None:
        return CommandResult(command, 1, stderr="no") if command.arguments[0] == "b" else None

    runner = RecordingRunner(script)
    with pytest.raises(CommandError, match="no"):
        run_all(runner, [Command.of("a"), Command.of("b"), Command.of("c")])
    assert runner.lines == ["a", "b"]


def test_tools_of_this_environment_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    (tmp_path / "cmake").touch()

    assert tool("cmake") == str(tmp_path / "cmake")
    assert tool("ninja") == "ninja"
