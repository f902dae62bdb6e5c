"""Plans carried out: files that are written, lanes side by side, logs, what a failure says and
stops, and limits of size.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from wspkit.config.model import Budget
from wspkit.errors import BudgetError, CommandError, NotFoundError
from wspkit.process import Command, CommandResult, RecordingRunner
from wspkit.targets.execute import Built, Progress, check_budget, execute
from wspkit.targets.plan import File, Lane, Plan, Step


def lane(root: Path, name: str, *words: str) -> Lane:
    """A lane of steps that each say a word."""
    out = root / name / "out"
    return Lane(
        name,
        (File(root / name / "host.profile", f"{name}\n"),),
        tuple(Step(f"saying {word}", Command.of("say", word)) for word in words),
        static=out / "lib" / "libspeech.a",
        headers=out / "include",
        exports=out / "exports.txt",
    )


def carried_out(root: Path, plan: Plan, runner: RecordingRunner, side_by_side: int = 1) -> Path:
    execute(
        [plan],
        runner,
        logs=root / "logs",
        side_by_side=side_by_side,
        progress=Progress(),
    )
    return root / "logs"


def test_what_tools_say_is_in_the_log_of_their_lane(tmp_path: Path) -> None:
    runner = RecordingRunner(
        lambda command: CommandResult(command, 0, f"{command.arguments[1]}!\n", "and more\n")
    )
    plan = Plan("android", (lane(tmp_path, "android/x86_64", "one", "two"),))
    logs = carried_out(tmp_path, plan, runner)
    assert (logs / "android-x86_64.log").read_text() == (
        "$ say one\none!\nand more\n\n$ say two\ntwo!\nand more\n\n"
    )


def test_a_failure_names_the_command_the_end_of_its_log_and_the_log(tmp_path: Path) -> None:
    said = "".join(f"line {number}\n" for number in range(100))
    runner = RecordingRunner(lambda command: CommandResult(command, 2, said, "error: no\n"))
    plan = Plan("wasm", (lane(tmp_path, "wasm", "one", "two"),))
    with pytest.raises(CommandError) as caught:
        carried_out(tmp_path, plan, runner)
    message = str(caught.value)
    assert message.startswith("wasm, saying one: exit code 2: say one\nline 71\n")
    assert "line 99\nerror: no\n" in message
    assert message.endswith(f"The whole log is {tmp_path}/logs/wasm.log.")
    assert "line 0\n" in (tmp_path / "logs" / "wasm.log").read_text()
    assert runner.lines == ["say one"]


def test_a_failure_of_one_lane_stops_the_others_and_is_what_is_said(tmp_path: Path) -> None:
    failed = threading.Event()

    def answer(command: Command) -> CommandResult:
        if command.arguments[1] == "bad":
            failed.set()
            return CommandResult(command, 1, "", "broken")
        # The other lane is at its first step until the bad one has failed, and then far from done.
        assert failed.wait(10)
        time.sleep(0.05)
        return CommandResult(command, 0)

    runner = RecordingRunner(answer)
    lanes = (lane(tmp_path, "a", "good", *["later"] * 200), lane(tmp_path, "b", "bad"))
    with pytest.raises(CommandError, match="b, saying bad: exit code 1"):
        carried_out(tmp_path, Plan("android", lanes), runner, side_by_side=2)
    assert runner.lines.count("say later") < 200


def test_a_missing_program_is_said_as_it_is(tmp_path: Path) -> None:
    def absent(command: Command) -> CommandResult:
        raise NotFoundError(f"no program {command.arguments[0]!r}")

    plan = Plan("wasm", (lane(tmp_path, "wasm", "one"),))
    with pytest.raises(NotFoundError, match="no program 'say'"):
        carried_out(tmp_path, plan, RecordingRunner(absent))


def test_what_all_lanes_make_together_waits_for_them(tmp_path: Path) -> None:
    lanes = (lane(tmp_path, "a", "one"), lane(tmp_path, "b", "two"))
    after = Step("joining", Command.of("say", "all"), tmp_path / "made" / "result")
    runner = RecordingRunner()
    carried_out(tmp_path, Plan("ios", lanes, (), (after,)), runner, side_by_side=2)
    assert sorted(runner.lines[:2]) == ["say one", "say two"]
    assert runner.lines[2:] == ["say all"]
    assert (tmp_path / "made").is_dir()


def test_a_file_that_is_as_it_was_keeps_its_time(tmp_path: Path) -> None:
    plan = Plan("wasm", (lane(tmp_path, "wasm"),))
    carried_out(tmp_path, plan, RecordingRunner())
    profile = tmp_path / "wasm" / "host.profile"
    before = profile.stat().st_mtime_ns
    carried_out(tmp_path, plan, RecordingRunner())
    assert profile.stat().st_mtime_ns == before
    profile.write_text("something else")
    carried_out(tmp_path, plan, RecordingRunner())
    assert profile.read_text() == "wasm\n"


def test_a_library_beyond_its_limit_is_an_error_that_says_both(tmp_path: Path) -> None:
    shared = tmp_path / "libspeech.so"

    def built(size: int) -> list[Built]:
        return [
            Built(
                target="linux-aarch64",
                lane="linux-aarch64",
                static=tmp_path / "libspeech.a",
                static_bytes=5_000_000,
                shared=shared,
                shared_bytes=size,
                headers=tmp_path,
                exports=tmp_path,
            )
        ]

    budget = Budget(library_bytes={"linux-aarch64": 1_200_000, "wasm": 5})
    check_budget(built(1_200_000), budget)
    check_budget(built(9_999_999), Budget())
    with pytest.raises(BudgetError) as caught:
        check_budget(built(1_200_001), budget)
    assert str(caught.value).startswith(
        f"{shared} has 1,200,001 bytes, budget.library_bytes.linux-aarch64 in wsp.toml allows "
        "1,200,000"
    )
