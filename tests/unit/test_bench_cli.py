"""`wsp bench` at the command line, over programs that are recorded and answer as real ones do."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import run_bench
from wspkit.bench import builds, sides, sources
from wspkit.bench.measurement import Measurement, Spent
from wspkit.cli import bench_parts
from wspkit.cli.app import main
from wspkit.errors import CommandError, NetworkError, NotFoundError, UsageError
from wspkit.process import Command, CommandResult, RecordingRunner

SAMPLE = Path(__file__).parents[1] / "sample" / "sample.wav"
KERNEL = (
    '{"table": "%s", "kernel": "logits, 1 row", "weights": "f16", "shape": "(1, 512)", '
    '"seconds": 0.002, "flop": 53000000, "bytes": 53000000, "peak_gflops": 100, '
    '"memory_gbs": 53, "cache_gbs": 60}'
)


def answer(command: Command) -> CommandResult | None:
    """What bench_subject, bench_kernels and the emulator would say; whisper.cpp takes thrice."""
    program = command.arguments[0]
    if program == arm_emulator(command):
        counts = command.arguments[4].partition("out=")[2]
        factor = 2 if "whisper.cpp-" in command.arguments[5] else 1
        marks = (0, 100 * factor, 200, 200 + 10 * factor)
        text = "".join(f"{number} {count}\n" for number, count in enumerate(marks, 1))
        Path(counts).write_text(text, encoding="ascii")
        return CommandResult(command, 0)
    if program.endswith(builds.KERNELS):
        return CommandResult(command, 0, KERNEL % command.environment["WSPKIT_KERNELS"])
    if program.endswith((builds.SUBJECT, builds.FROM_FILE)):
        factor = 3 if "whisper.cpp-" in program else 1
        run = Measurement(
            wall_s=factor,
            cpu_s=factor,
            load_s=0.1,
            peak_bytes=10**8 * factor,
            audio_s=4,
            text="A small boat",
            system="cpu kernels: avx2 (available: scalar avx2)",
            read_s=0.1,
            phases={"encode": Spent(factor, factor), "decode": Spent(factor, factor)},
        )
        return CommandResult(command, 0, run.to_json())
    return None


def arm_emulator(command: Command) -> str | None:
    """The program's name if the command runs something under the emulator."""
    return command.arguments[0] if command.arguments[1:2] == ("-cpu",) else None


@pytest.fixture
def runner(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, synthetic_model: Path
) -> RecordingRunner:
    """A machine with all tools, where nothing is fetched, built or run; faster-whisper lacks its
    checkpoint.
    """
    recorder = RecordingRunner(answer)

    def no_checkpoint(model: str, progress: object) -> Path:
        raise NetworkError(f"no index with {model}, {bool(progress)}")

    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(bench_parts, "SubprocessRunner", lambda: recorder)
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(bench_parts, "kernel_tables", lambda: ["scalar", "avx2", "avx512"])
    monkeypatch.setattr(sources, "default_clip", lambda _progress: SAMPLE)
    monkeypatch.setattr(sources, "whisper_cpp_source", lambda _progress: tmp_path / "source")
    monkeypatch.setattr(sources, "faster_whisper_directory", no_checkpoint)
    files = {"f16": synthetic_model} | {q: tmp_path / f"{q}.bin" for q in ("q8_0", "q5_0")}
    monkeypatch.setattr(
        sides, "model_files", lambda _m, weights, _w: {w: files[w] for w in weights}
    )
    monkeypatch.setattr(
        "wspkit.bench.arm.model_files", lambda _m, weights, _w: {w: files[w] for w in weights}
    )
    return recorder


def measurements(runner: RecordingRunner) -> list[str]:
    """Subjects that were run, in order."""
    return [
        "theirs" if "whisper.cpp-" in command.arguments[0] else "ours"
        for command in runner.commands
        if command.arguments[0].endswith(builds.SUBJECT)
    ]


def test_json_has_every_ratio_or_its_reason(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--model", "base", "--threads", "1", "--peers", "all", "--rounds", "2", "--json"]

    assert main(["bench", *words]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["ratios"]["encode_vs_whispercpp"] == 3
    assert document["ratios"]["decode_vs_whispercpp"] == 3
    assert document["ratios"]["total_vs_whispercpp"] == 3
    assert document["ratios"]["memory_vs_whispercpp"] == pytest.approx(1 / 3)
    assert document["ratios"]["total_q8_0_vs_faster_whisper_int8"] is None
    assert "no index with base" in document["reasons"]["total_q8_0_vs_faster_whisper_int8"]
    assert document["setup"]["kernels"] == {"forced": None, "found": "avx2"}
    assert document["machine"]["cpu"]
    assert document["runs"][0]["n_runs"] == 2
    # Types of weights one after the other, sides in turns.
    assert measurements(runner) == ["ours", "theirs"] * 4


def test_tables_and_reasons_are_shown(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--rounds", "1", "--weights", "f16"]) == 0

    streams = capsys.readouterr()
    assert "total_vs_whispercpp" in streams.out
    assert "warning: without faster-whisper: no index with base" in streams.err
    assert len(measurements(runner)) == 2


def test_all_sides_are_held_to_avx2(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "is_x86", lambda: True)

    assert main(["bench", "--isa", "avx2", "--rounds", "1", "--weights", "f16", "--json"]) == 0

    assert json.loads(capsys.readouterr().out)["setup"]["kernels"]["forced"] == "avx2"
    runs = [one for one in runner.commands if one.arguments[0].endswith(builds.SUBJECT)]
    assert {run.environment["WSPKIT_KERNELS"] for run in runs} == {"avx2"}
    assert any("-DGGML_AVX2=ON" in command.arguments for command in runner.commands)


def test_a_peer_that_cannot_be_built_is_left_out_with_its_reason(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(command: Command) -> CommandResult | None:
        fails = "bench/peer" in " ".join(command.arguments)
        return CommandResult(command, 1, "", "ggml.c: error") if fails else answer(command)

    runner.script = script

    assert main(["bench", "--rounds", "1", "--weights", "f16", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["ratios"]["total_vs_whispercpp"] is None
    assert "ggml.c: error" in document["reasons"]["total_vs_whispercpp"]
    assert document["ratios"]["load_vs_reading_twice"] == 0.5


def test_our_own_side_must_be_there(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    runner.script = lambda command: CommandResult(command, 1, "", "core.cpp: error")

    assert main(["bench", "--rounds", "1"]) == CommandError.exit_code

    assert "core.cpp: error" in capsys.readouterr().err


def test_an_installation_without_sources_is_told_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builds, "__file__", str(tmp_path / "a" / "b" / "c" / "builds.py"))

    assert main(["bench"]) == NotFoundError.exit_code

    assert "a checkout of the repository" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["bench", "bench kernels", "bench lengths", "bench arm"])
def test_every_command_writes_a_report(
    command: str, runner: RecordingRunner, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.html"
    words = [*command.split(), "--json", "--html", str(report)]
    words += {
        "bench": ["--rounds", "1", "--minutes", "0.1"],
        "bench lengths": ["--minutes", "0.1"],
    }.get(command, [])

    assert main(words) == 0

    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(capsys.readouterr().out)["machine"]["n_cpus"] >= 1
    assert runner.commands


def test_kernels_of_all_tables_but_scalar_are_measured(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "kernels", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)["kernels"]
    assert [one["table"] for one in found] == ["avx2", "avx512"]
    assert found[0]["read_share"] == pytest.approx(0.5)
    assert any("bench_kernels" in command.arguments for command in runner.commands)


def test_instructions_on_arm_are_ours_over_theirs(
    runner: RecordingRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--processor", "cortex-a76", "--weights", "f16", "--json"]

    assert main(["bench", "arm", *words]) == 0

    encoder, step = json.loads(capsys.readouterr().out)["arm"]
    assert (encoder["part"], encoder["ours"], encoder["theirs"]) == ("encoder", 100, 200)
    assert (step["part"], step["share"]) == ("decoder step", 0.5)
    assert [arm_emulator(command) for command in runner.commands].count("qemu-aarch64") == 2


@pytest.mark.usefixtures("runner")
@pytest.mark.parametrize("part", ["base", "avx2", "tiny.en", "kernels", "arm"])
def test_the_parts_of_make_bench_are_commands_that_there_are(
    part: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], **_options: object) -> SimpleNamespace:
        ran.append(words)
        return SimpleNamespace(returncode=main(words[1:]))

    monkeypatch.setattr(run_bench, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr("subprocess.run", run)
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.setattr("sys.argv", ["run_bench.py", "--part", part, "--rounds", "1"])

    assert run_bench.main() == 0

    assert len(ran) == 1
    assert (tmp_path / "reports" / f"bench-{part}.html").is_file()


def test_a_part_of_make_bench_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_bench, "REPORTS", tmp_path)
    monkeypatch.setattr("subprocess.run", lambda *_words, **_options: SimpleNamespace(returncode=3))
    monkeypatch.setattr("sys.argv", ["run_bench.py", "--part", "kernels"])

    assert run_bench.main() == 1

    assert "failed: kernels" in capsys.readouterr().err


@pytest.mark.usefixtures("runner")
@pytest.mark.parametrize(
    "words",
    [
        ["--peers", "somebody"],
        ["--peers", ","],
        ["--rounds", "0"],
        ["--threads", "0"],
        ["--weights", ""],
        ["--isa", "sse"],
        ["--minutes", "long"],
        ["--minutes", "-1"],
        ["kernels", "--tables", "avx9"],
        ["lengths", "--minutes", ""],
        ["arm", "--processor", "pentium"],
    ],
)
def test_wrong_use_ends_with_its_exit_code(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == UsageError.exit_code
    assert capsys.readouterr().out == ""
