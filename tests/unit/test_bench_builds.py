"""How the programs of the benchmark are built and run: commands, recorded and never run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wspkit.bench import arm, builds, kernels, lengths
from wspkit.bench.builds import Isa
from wspkit.bench.measurement import Measurement
from wspkit.bench.rounds import OURS, WHISPER_CPP, Case
from wspkit.bench.tables import table_in, tables_in
from wspkit.errors import BadFormatError, CommandError, InternalError, NotFoundError
from wspkit.process import Command, CommandResult, RecordingRunner

REPOSITORY = Path("repository")
SOURCE = Path("cache/whisper.cpp")
CACHE = Path("cache")


def peer(isa: Isa, version: str = "1.8.5") -> builds.Build:
    return builds.whisper_cpp(REPOSITORY, SOURCE, CACHE, isa, version=version)


def words(command: Command) -> tuple[str, ...]:
    """Arguments without the program, which may be this environment's own."""
    return command.arguments[1:]


@pytest.fixture
def tools_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")


@pytest.mark.usefixtures("tools_are_there")
def test_whisper_cpp_is_configured_with_its_own_flags_then_built() -> None:
    runner = RecordingRunner()
    build = peer(Isa.NATIVE)
    steps: list[int] = []

    builds.ensure(build, runner, steps.append)

    configure, make = runner.commands
    assert words(configure)[:4] == (
        *("-S", "repository/cpp/bench/peer", "-B", str(build.directory)),
    )
    assert "-DWHISPER_CPP_SOURCE=cache/whisper.cpp" in configure.arguments
    assert "-DGGML_NATIVE=ON" in configure.arguments
    assert "-DCMAKE_BUILD_TYPE=Release" in configure.arguments
    assert words(make)[:5] == (
        *("--build", str(build.directory), "--target", "bench_subject", "--parallel"),
    )
    assert steps == [1, 2]


@pytest.mark.usefixtures("tools_are_there")
def test_a_peer_for_avx2_is_built_for_nothing_newer() -> None:
    flags = peer(Isa.AVX2).definitions

    assert "-DGGML_NATIVE=OFF" in flags
    assert "-DGGML_AVX2=ON" in flags
    assert not any("AVX512" in flag for flag in flags)
    assert Isa.AVX2.environment == {"WSPKIT_KERNELS": "avx2", "CT2_FORCE_CPU_ISA": "AVX2"}
    assert Isa.NATIVE.environment == {}


def test_each_version_and_set_of_flags_has_a_folder_of_its_own() -> None:
    folders = {
        peer(Isa.NATIVE).directory,
        peer(Isa.AVX2).directory,
        peer(Isa.NATIVE, "1.8.6").directory,
        arm.their_build(REPOSITORY, SOURCE, CACHE, "armv8-a").directory,
        arm.their_build(REPOSITORY, SOURCE, CACHE, "armv8.6-a").directory,
    }

    assert len(folders) == 5
    assert all(folder.parent == CACHE for folder in folders)


def test_a_native_build_belongs_to_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    here, portable = peer(Isa.NATIVE).directory, peer(Isa.AVX2).directory
    monkeypatch.setattr(builds, "cpu_features", lambda: ("another",))

    assert peer(Isa.NATIVE).directory != here
    assert peer(Isa.AVX2).directory == portable


def test_our_core_is_built_from_the_repository() -> None:
    build = builds.our_core(REPOSITORY, Path("build"))

    assert build.source == REPOSITORY / "cpp"
    assert "-DSPEECH_BUILD_BENCH=ON" in build.definitions
    assert build.program(builds.SUBJECT) == Path("build/bench/bench_subject")


def test_a_missing_compiler_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None if "c++" in name else f"/bin/{name}")
    runner = RecordingRunner()

    with pytest.raises(NotFoundError) as caught:
        builds.ensure(peer(Isa.NATIVE), runner)

    assert "'c++'" in caught.value.found
    assert "apt-get install g++" in (caught.value.hint or "")
    assert runner.commands == []


def test_a_missing_cross_compiler_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        shutil, "which", lambda name: None if name.startswith("aarch64") else f"/bin/{name}"
    )

    with pytest.raises(NotFoundError) as caught:
        builds.require_tools(arm.our_build(REPOSITORY, "armv8-a"))

    assert "g++-aarch64-linux-gnu" in (caught.value.hint or "")


def test_a_missing_cmake_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)

    with pytest.raises(NotFoundError, match="cmake"):
        builds.require_tools(peer(Isa.NATIVE))


@pytest.mark.usefixtures("tools_are_there")
def test_a_build_that_fails_shows_its_output() -> None:
    runner = RecordingRunner(lambda command: CommandResult(command, 1, "", "ggml.c:1: error"))

    with pytest.raises(CommandError, match=r"ggml\.c:1: error"):
        builds.ensure(peer(Isa.NATIVE), runner)


# ---- Arm ----


def test_both_sides_are_cross_built_for_one_architecture() -> None:
    march = arm.PROCESSORS["cortex-a76"]
    ours = arm.our_build(REPOSITORY, march)
    theirs = arm.their_build(REPOSITORY, SOURCE, CACHE, march)

    shared = set(arm.cross_definitions(march))
    assert f"-DCMAKE_CXX_FLAGS=-march={march}" in shared
    assert shared <= set(ours.definitions)
    assert shared <= set(theirs.definitions)
    assert f"-DGGML_CPU_ARM_ARCH={march}" in theirs.definitions
    assert ours.targets == theirs.targets == ("bench_subject",)


def test_the_emulator_runs_the_program_with_the_plugin() -> None:
    command = arm.count_command(
        Path("bench_subject"),
        Path("m.bin"),
        Path("a.f32"),
        processor="max,sve=off",
        plugin=Path("p.so"),
        counts=Path("counts"),
    )

    assert command.arguments == (
        *("qemu-aarch64", "-cpu", "max,sve=off", "-plugin", "p.so,out=counts"),
        *("bench_subject", "m.bin", "a.f32", "en", "1", "count"),
    )


@pytest.mark.parametrize(
    ("version", "api"),
    [
        ("qemu-aarch64 version 7.2.22 (Debian 1:7.2)", 1),
        ("qemu-aarch64 version 8.2.2", 1),
        ("qemu-aarch64 version 9.0.0", 2),
        ("qemu-aarch64 version 10.0.8", 2),
    ],
)
def test_the_plugin_is_compiled_for_the_interface_of_this_emulator(version: str, api: int) -> None:
    command = arm.plugin_command(REPOSITORY, Path("p.so"), version)

    assert f"-DQEMU_PLUGIN_API={api}" in command.arguments
    assert command.arguments[-1] == "repository/cpp/bench/count_instructions.c"


def test_spans_are_differences_of_marks() -> None:
    assert arm.spans("1 100\n2 400\n3 450\n4 460\n") == {"encoder": 300, "decoder step": 10}


@pytest.mark.parametrize("text", ["", "1 100\n2 200\n3 300\n", "one 100\n", "1 2 3\n"])
def test_counts_without_a_mark_are_refused(text: str) -> None:
    with pytest.raises(BadFormatError):
        arm.spans(text)


def test_a_share_is_ours_over_theirs() -> None:
    figure = arm.ArmFigure("cortex-a76", "f16", "encoder", 50, 100)

    assert figure.share == 0.5
    assert arm.ArmFigure("cortex-a76", "f16", "encoder", 50, None).share is None
    assert arm.cells(figure)[-1] == "0.50"
    assert arm.document([figure])[0]["share"] == 0.5


# ---- kernels ----

FIGURE = (
    '{"table": "avx2", "kernel": "logits, 1 row", "weights": "f16", "shape": "(1, 512)", '
    '"seconds": 0.002, "flop": 53000000, "bytes": 53000000, "peak_gflops": 100, '
    '"memory_gbs": 53, "cache_gbs": 60}'
)


def test_kernels_are_measured_table_by_table() -> None:
    runner = RecordingRunner(lambda command: CommandResult(command, 0, f"{FIGURE}\n{FIGURE}\n"))

    figures = kernels.measure(Path("bench_kernels"), ["avx2", "avx512"], runner, seconds_each=0.1)

    assert [command.arguments for command in runner.commands] == [("bench_kernels", "0.1")] * 2
    assert [command.environment["WSPKIT_KERNELS"] for command in runner.commands] == [
        "avx2",
        "avx512",
    ]
    assert len(figures) == 4


def test_shares_are_of_peaks_measured_beside() -> None:
    figure = kernels.from_json(FIGURE)

    assert figure.gflops == pytest.approx(26.5)
    assert figure.peak_share == pytest.approx(0.265)
    assert figure.read_share == pytest.approx(0.5)
    assert figure.is_bound_by_memory
    assert len(kernels.cells(figure)) == len(kernels.COLUMNS)
    assert kernels.document([figure])[0]["peak_share"] == figure.peak_share


def test_what_is_no_figure_is_refused() -> None:
    with pytest.raises(BadFormatError):
        kernels.from_json("avx2 26.5 GFLOP/s")


def test_tables_are_read_from_what_the_core_says() -> None:
    assert tables_in("backends: cpu | cpu kernels: avx2 (available: scalar avx2)") == [
        "scalar",
        "avx2",
    ]
    with pytest.raises(InternalError):
        tables_in("backends: cpu")
    assert table_in("backends: cpu | cpu kernels: avx2 (available: scalar avx2)") == "avx2"
    assert table_in("CPU : AVX2 = 1") is None


# ---- lengths ----


def test_each_length_is_transcribed_without_phases_by_every_side(tmp_path: Path) -> None:
    import numpy as np

    sizes: list[int] = []

    def script(command: Command) -> CommandResult:
        sizes.append(Path(command.arguments[2]).stat().st_size)
        run = Measurement(sizes[-1] / 1e6, 1, 0.1, 5, 60, "text")
        return CommandResult(command, 0, run.to_json())

    runner = RecordingRunner(script)
    cases = [
        Case(OURS, "f16", Path("m.bin"), 1, Path("ours")),
        Case(WHISPER_CPP, "f16", Path("m.bin"), 1, Path("theirs")),
    ]

    figures = lengths.measure(
        cases,
        [0.5, 1],
        np.ones(100, np.float32),
        directory=tmp_path,
        language="en",
        runner=runner,
        from_file=Path("from_file"),
    )

    assert [command.arguments[-1] for command in runner.commands] == ["whole", "1", "whole"] * 2
    assert [command.arguments[0] for command in runner.commands[:3]] == [
        "ours",
        "from_file",
        "theirs",
    ]
    raw, wav = 30 * 16000 * 4, 44 + 30 * 16000 * 2
    assert sizes == [raw, wav, raw, 2 * raw, 2 * wav - 44, 2 * raw]
    assert [(f.subject, f.minutes) for f in figures[:3]] == [
        (OURS, 0.5),
        (lengths.FROM_FILE, 0.5),
        (WHISPER_CPP, 0.5),
    ]
    assert len(figures) == lengths.n_runs(cases, [0.5, 1])
    assert figures[0].seconds_per_minute == figures[3].seconds_per_minute
    assert list(tmp_path.iterdir()) == []
    assert len(lengths.cells(figures[0])) == len(lengths.COLUMNS)


def test_a_recording_is_repeated_and_cut() -> None:
    import numpy as np

    samples = lengths.repeated(np.arange(3, dtype=np.float32), 10 / 60 / 16000)

    assert samples.tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]
