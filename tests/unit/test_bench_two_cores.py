"""`wsp parity` without a core: the order of runs, what they come to, table, JSON, page, and errors
that cross from the process in which they happened.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from wspkit.bench import two_cores
from wspkit.bench.core_run import CoreRun, Job, Timed, failure, job_of, main, run_of
from wspkit.bench.machine import Machine
from wspkit.cli.app import main as wsp
from wspkit.core.choice import CORE_VARIABLE
from wspkit.core.generated.options import TranscribeOptions, VadOptions
from wspkit.errors import (
    BadFormatError,
    CommandError,
    DifferenceError,
    UnsupportedError,
    UsageError,
    WspError,
)
from wspkit.parity.transcripts import Heard, TimedText
from wspkit.process import Command, CommandResult, RecordingRunner

JOB = Job("model.bin", ("one.wav",), TranscribeOptions())


def a_run(text: str, wall_s: float, load_s: float = 0.1, peak: int | None = 1_000_000) -> CoreRun:
    segments = (TimedText(0, 2.5, f" {text}"),)
    tokens = tuple(len(word) for word in text.split())
    return CoreRun(
        "kernels: some", load_s, peak, (Timed(Heard(text, tokens, segments), wall_s, 3.0),)
    )


def runner_of(own: list[CoreRun], upstream: list[CoreRun]) -> RecordingRunner:
    left = {"own": list(own), "upstream": list(upstream)}

    def script(command: Command) -> CommandResult:
        run = left[command.environment[CORE_VARIABLE]].pop(0)
        return CommandResult(command, 0, f"a line before\n{run.to_json()}\n")

    return RecordingRunner(script)


def parity(own: str = "a b c d", upstream: str = "a b c d") -> two_cores.Parity:
    return two_cores.compared(
        ["one.wav"],
        [a_run(own, 1.0), a_run(own, 4.0)],
        [a_run(upstream, 3.0, 0.3, 3_000_000), a_run(upstream, 8.0, 0.5, None)],
    )


def test_cores_take_turns_each_in_a_process_of_its_own() -> None:
    runner = runner_of([a_run("a", 1)] * 3, [a_run("a", 1)] * 3)
    done: list[int] = []
    two_cores.compare(JOB, n_rounds=3, runner=runner, on_run=done.append)
    assert [c.environment[CORE_VARIABLE] for c in runner.commands] == ["own", "upstream"] * 3
    assert {c.arguments[1:3] for c in runner.commands} == {("-m", "wspkit.bench.core_run")}
    assert done == [1, 2, 3, 4, 5, 6]


def test_both_get_the_same_job_whole(tmp_path: Path) -> None:
    options = TranscribeOptions(
        grammar='root ::= "a\\n"',
        language_candidates=("de", "fr"),
        vad_options=VadOptions(threshold=0.25),
    )
    job = Job(str(tmp_path / "m ö.bin"), ("a.wav", "b.wav"), options)
    assert job_of(job.to_json()) == job
    jobs: set[str] = set()

    def script(command: Command) -> CommandResult:
        jobs.add(Path(command.arguments[-1]).read_text(encoding="utf-8"))
        two = CoreRun("x", 1, 1, a_run("a", 1).timed * 2)
        return CommandResult(command, 0, two.to_json())

    two_cores.compare(job, n_rounds=1, runner=RecordingRunner(script))
    assert jobs == {job.to_json()}


def test_a_run_crosses_the_pipe_whole() -> None:
    run = a_run("größer", 1.25, peak=None)
    assert run_of(run.to_json()) == run


def test_speed_is_taken_round_by_round() -> None:
    found = parity()
    (row,) = found.rows
    assert (row.own_s, row.upstream_s) == (2.5, 5.5)
    assert row.speed == 2.5  # of 3 and 2; the medians would give 2.2
    assert [side.peak_bytes for side in found.sides] == [1_000_000, 3_000_000]
    assert [side.load_s for side in found.sides] == [0.1, pytest.approx(0.4)]


def test_the_table_shows_each_difference() -> None:
    (row,) = parity("a b c d", "a b x d e").rows
    assert two_cores.cells(row) == [
        "one.wav",
        "differs",
        "2 of 5",
        "80.0%",  # the made-up tokens are the lengths of the words
        "1 and 1, 0 alike",
        "",
        "",
        "2.50",
        "5.50",
        "2.50",
    ]
    (row,) = parity().rows
    assert two_cores.cells(row)[1:7] == ["same", "0 of 4", "100.0%", "1", "0.00 s", "0.00 s"]
    assert len(two_cores.COLUMNS) == len(two_cores.cells(row))


def test_a_text_that_differs_is_an_error_with_its_recording() -> None:
    two_cores.raise_if_different(parity())
    with pytest.raises(DifferenceError, match=r"1 of 1 texts differ: one\.wav"):
        two_cores.raise_if_different(parity("a b", "a, b"))
    assert DifferenceError.exit_code == 15


def test_json_has_all_of_it() -> None:
    told = json.loads(json.dumps(two_cores.document(parity("a b c d", "a b c x"))))
    assert (told["rounds"], told["words_apart"], told["words"]) == (2, 1, 4)
    assert told["differing"] == ["one.wav"]
    (recording,) = told["recordings"]
    assert recording["own"]["segments"] == [{"start_s": 0, "end_s": 2.5, "text": " a b c d"}]
    assert recording["agreement"]["same_text"] is False


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_needs_nothing_else_and_shows_both_texts_where_they_differ() -> None:
    machine = Machine("Some <CPU>", (), 2, None, "Linux")
    found = two_cores.page(parity("a <b>", "a <c>"), machine, "about & more")
    assert found.startswith("<!DOCTYPE html>")
    assert "src=" not in found
    assert "href=" not in found
    parser = _Texts()
    parser.feed(found)
    assert {"about & more", "a <b>", "a <c>", "own", "upstream", "differs", "2.50"} <= {
        *parser.texts
    }
    parser = _Texts()
    parser.feed(two_cores.page(parity(), machine, ""))
    assert parser.texts.count("a b c d") == 1
    assert "both" in parser.texts


@pytest.mark.parametrize(
    "error",
    [
        UsageError("n is 3", expected="2", hint="Do it."),
        BadFormatError("bad"),
        UnsupportedError("not there"),
    ],
)
def test_an_error_crosses_the_pipe_as_it_is(error: WspError) -> None:
    with pytest.raises(type(error)) as caught:
        run_of(failure(error))
    assert type(caught.value) is type(error)
    assert (caught.value.found, caught.value.expected, caught.value.hint) == (
        error.found,
        error.expected,
        error.hint,
    )


def test_what_a_core_cannot_do_names_the_core() -> None:
    def script(command: Command) -> CommandResult:
        own = command.environment[CORE_VARIABLE] == "own"
        line = a_run("a", 1).to_json() if own else failure(UnsupportedError("the option seed"))
        return CommandResult(command, 0, line)

    with pytest.raises(UnsupportedError, match=r"^the core upstream: the option seed"):
        two_cores.compare(JOB, n_rounds=1, runner=RecordingRunner(script))


@pytest.mark.parametrize("line", ["", "no JSON", "[]", "{}", '{"error": {}}', '{"timed": [1]}'])
def test_what_is_no_run_is_told(line: str) -> None:
    with pytest.raises(BadFormatError, match="a run printed"):
        run_of(line)


def test_a_run_that_crashes_is_told() -> None:
    runner = RecordingRunner(lambda command: CommandResult(command, -11))
    with pytest.raises(CommandError, match="signal 11"):
        two_cores.compare(JOB, n_rounds=1, runner=runner)


def test_a_run_transcribes_and_tells_what_it_heard(
    tmp_path: Path, synthetic_model: Path, noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = TranscribeOptions(temperature_inc=0, max_tokens=12, language="en", n_threads=1)
    path = tmp_path / "job.json"
    path.write_text(Job(str(synthetic_model), (str(noise_wav),), options).to_json(), "utf-8")
    main([str(path)])
    run = run_of(capsys.readouterr().out)
    (timed,) = run.timed
    assert timed.audio_s == 3.0
    assert timed.wall_s > 0
    assert timed.heard.text == "".join(one.text for one in timed.heard.segments).strip()
    assert timed.heard.tokens
    assert "kernels:" in run.system


def test_a_run_tells_what_went_wrong(
    tmp_path: Path, synthetic_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "job.json"
    job = Job(str(synthetic_model), (str(tmp_path / "none.wav"),), TranscribeOptions())
    path.write_text(job.to_json(), "utf-8")
    main([str(path)])
    with pytest.raises(WspError, match=r"none\.wav"):
        run_of(capsys.readouterr().out)


def test_the_command_says_what_to_build_before_it_fetches_anything(
    tmp_path: Path,
    noise_wav: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path))
    assert wsp(["parity", str(noise_wav), "--model", "no such model"]) == 3
    assert "wsp build-core" in capsys.readouterr().err
