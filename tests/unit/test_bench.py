"""The benchmark: which runs it makes, in which order, and what it makes of their figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit.bench.__main__ import cases_of, main, parser
from wspkit.bench.measurement import Measurement, from_json
from wspkit.bench.report import cells, rows
from wspkit.bench.rounds import Case, run_rounds
from wspkit.errors import BadFormatError, NotFoundError, UsageError
from wspkit.process import Command, CommandResult, RecordingRunner

OURS = Case("wsp", "base", Path("base.bin"), 1)
PEER = Case("whisper.cpp", "base", Path("base.bin"), 1)


def measured(wall_s: float, cpu_s: float = 1, peak_bytes: int = 1) -> Measurement:
    return Measurement(wall_s, cpu_s, peak_bytes, "text", {"encode": wall_s * 1000})


def test_a_measurement_survives_the_pipe() -> None:
    assert from_json(measured(1.5).to_json()) == measured(1.5)


@pytest.mark.parametrize("line", ["", "Segmentation fault", "{}", '{"wall_s": 1, "speed": 2}'])
def test_what_is_no_measurement_is_refused(line: str) -> None:
    with pytest.raises(BadFormatError):
        from_json(line)


def test_subjects_alternate_round_by_round_each_in_a_process_of_its_own() -> None:
    def script(command: Command) -> CommandResult:
        return CommandResult(command, 0, f"noise\n{measured(1).to_json()}\n")

    runner = RecordingRunner(script)

    found = run_rounds([OURS, PEER], audio=Path("a.wav"), language="en", n_rounds=2, runner=runner)

    assert [command.arguments[3] for command in runner.commands] == ["wsp", "whisper.cpp"] * 2
    assert runner.commands[0].arguments[1:] == (
        *("-m", "wspkit.bench.subject", "wsp"),
        *("base.bin", "a.wav", "en", "1"),
    )
    assert found == {OURS: [measured(1)] * 2, PEER: [measured(1)] * 2}


def test_medians_are_reported_and_ratios_are_taken_round_by_round() -> None:
    ours, peer = rows(
        {
            OURS: [measured(1.0, 2), measured(10.0, 20), measured(2.0, 4)],
            PEER: [measured(3.0, 2, 7), measured(20.0, 20, 9), measured(8.0, 4, 8)],
        }
    )

    assert ours.wall_s == 2
    assert (ours.wall_min_s, ours.wall_max_s) == (1, 10)
    assert ours.phases_ms == {"encode": 2000}
    assert ours.wall_ratio == 1
    # 3, 2 and 4 times ours; the median of their times over the median of ours would be 4.
    assert peer.wall_ratio == 3
    assert peer.cpu_ratio == 1
    assert peer.peak_bytes == 9
    assert "3.00" in cells(peer)


def test_a_peer_without_our_run_has_no_ratio() -> None:
    (peer,) = rows({PEER: [measured(1)]})

    assert peer.wall_ratio is None


def test_cases_are_models_by_threads_by_subjects(tmp_path: Path) -> None:
    model = tmp_path / "tiny.bin"
    model.touch()
    options = parser().parse_args(
        [
            f"tiny={model}",
            "--audio",
            "a.wav",
            "--whisper-cpp",
            "--faster-whisper",
            f"tiny={tmp_path}",
        ]
    )

    assert [(case.subject, case.n_threads) for case in cases_of(options)] == [
        ("wsp", 1),
        ("whisper.cpp", 1),
        ("faster-whisper", 1),
        ("wsp", 2),
        ("whisper.cpp", 2),
        ("faster-whisper", 2),
    ]


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (["nothing", "--audio", "a.wav"], UsageError.exit_code),
        (["x=/no/such/model", "--audio", "a.wav"], NotFoundError.exit_code),
        (["x=.", "--audio", "/no/such/audio"], NotFoundError.exit_code),
        (["x=.", "--audio", "a.wav", "--threads", "0"], UsageError.exit_code),
        (["x=.", "--audio", "a.wav", "--rounds", "0"], UsageError.exit_code),
        (["x=.", "--audio", "a.wav", "--faster-whisper", "y=."], UsageError.exit_code),
    ],
)
def test_wrong_arguments_end_with_their_exit_code(
    arguments: list[str], exit_code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == exit_code
    assert "expected" in capsys.readouterr().err or exit_code == NotFoundError.exit_code
