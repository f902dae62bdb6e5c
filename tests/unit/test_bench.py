"""The benchmark: which runs it makes, in which order, and what it makes of their figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from wspkit.bench.measurement import Measurement, Spent, from_json
from wspkit.bench.ratios import RATIOS, ratios
from wspkit.bench.report import COLUMNS, cells, document, ratio_cells, rows
from wspkit.bench.rounds import FASTER_WHISPER, OURS, WHISPER_CPP, Case, run_rounds
from wspkit.errors import BadFormatError
from wspkit.process import Command, CommandResult, RecordingRunner

PROGRAM = Path("bench_subject")
OUR_F16 = Case(OURS, "f16", Path("base.bin"), 1, PROGRAM)
OUR_Q8_0 = Case(OURS, "q8_0", Path("base-q8_0.bin"), 1, PROGRAM)
CPP_F16 = Case(WHISPER_CPP, "f16", Path("base.bin"), 1, Path("peer/bench_subject"))
FASTER_INT8 = Case(FASTER_WHISPER, "int8", Path("base"), 1)

#: What bench_subject printed for base on a machine with AVX-512, figures shortened.
PRINTED = (
    '{"system": "backends: cpu | cpu kernels: avx512 (available: scalar avx2 avx512)", '
    '"audio_s": 11.0, "read_s": 0.025, "load_s": 0.1, "wall_s": 1.2, "cpu_s": 1.1, '
    '"peak_bytes": 226218496, "text": " Ask \\"not\\".", '
    '"phases": {"encode": {"wall_ms": 900.5, "cpu_ms": 890.0}, '
    '"batched": {"wall_ms": 9.5, "cpu_ms": null}}}'
)


def measured(wall_s: float, cpu_s: float = 1, peak_bytes: int = 1, **phases: float) -> Measurement:
    spent = {name: Spent(ms, ms / 2) for name, ms in phases.items()}
    return Measurement(wall_s, cpu_s, 0.5, peak_bytes, 11, "text", read_s=0.5, phases=spent)


def test_a_measurement_survives_the_pipe() -> None:
    assert from_json(measured(1.5, encode=3).to_json()) == measured(1.5, encode=3)


def test_what_the_program_prints_is_read() -> None:
    run = from_json(PRINTED)

    assert run.phases == {"encode": Spent(900.5, 890.0), "batched": Spent(9.5, None)}
    assert (run.wall_s, run.peak_bytes, run.text) == (1.2, 226218496, ' Ask "not".')


@pytest.mark.parametrize(
    "line",
    ["", "Segmentation fault", "{}", "[]", '{"wall_s": 1, "speed": 2}', '{"phases": {"x": 1}}'],
)
def test_what_is_no_measurement_is_refused(line: str) -> None:
    with pytest.raises(BadFormatError):
        from_json(line)


def test_subjects_alternate_round_by_round_each_in_a_process_of_its_own() -> None:
    def script(command: Command) -> CommandResult:
        return CommandResult(command, 0, f"noise\n{measured(1).to_json()}\n")

    runner = RecordingRunner(script)
    told: list[int] = []

    found = run_rounds(
        [OUR_F16, FASTER_INT8],
        samples=Path("a.f32"),
        language="en",
        n_rounds=2,
        runner=runner,
        on_run=told.append,
    )

    assert runner.commands[0].arguments == (
        *("bench_subject", "base.bin", "a.f32", "en", "1", "run"),
    )
    assert runner.commands[1].arguments == (
        *(sys.executable, "-m", "wspkit.bench.faster_whisper"),
        *("base", "a.f32", "en", "1", "int8"),
    )
    assert runner.commands[2:] == runner.commands[:2]
    assert found == {OUR_F16: [measured(1)] * 2, FASTER_INT8: [measured(1)] * 2}
    assert told == [1, 2, 3, 4]


def test_what_forces_instructions_reaches_the_process() -> None:
    case = Case(OURS, "f16", Path("m"), 2, PROGRAM, {"WSPKIT_KERNELS": "avx2"})

    environment = case.command(Path("a"), "en").environment

    assert environment["WSPKIT_KERNELS"] == "avx2"
    assert environment["OMP_NUM_THREADS"] == "2"


def test_rows_hold_medians_and_the_most_memory() -> None:
    (row,) = rows(
        {
            OUR_F16: [
                measured(1.0, 2, 7, encode=1),
                measured(10.0, 20, 9, encode=5),
                measured(2.0, 4, 8, encode=3),
            ]
        },
        "text",
    )

    assert (row.wall_s, row.wall_min_s, row.wall_max_s, row.cpu_s) == (2, 1, 10, 4)
    assert row.peak_bytes == 9
    assert row.phases == {"encode": Spent(3, 1.5)}
    assert (row.n_runs, row.word_errors) == (3, 0)
    assert len(cells(row)) == len(COLUMNS)


def test_wrong_words_are_counted_against_a_transcript_only() -> None:
    found = {OUR_F16: [measured(1)]}

    assert rows(found, "other text")[0].word_errors == 1
    assert rows(found)[0].word_errors is None


def test_ratios_of_times_are_theirs_over_ours_and_are_taken_round_by_round() -> None:
    found = {
        OUR_F16: [measured(1, 2, 3, encode=1), measured(10, 4, 3), measured(2, 4, 3, encode=1)],
        CPP_F16: [measured(3, 2, 4, encode=4), measured(20, 8, 4), measured(8, 8, 4, encode=6)],
    }

    taken = ratios(found)

    # 3, 2 and 4 times ours; the median of their times over the median of ours would be 4.
    assert taken.wall["total_vs_whispercpp"] == 3
    assert taken.cpu["total_vs_whispercpp"] == 2
    # A round without the phase does not count.
    assert taken.wall["encode_vs_whispercpp"] == 5


def test_a_phase_that_is_timed_by_the_wall_alone_has_no_ratio_of_cpu_time() -> None:
    run = from_json(PRINTED)

    taken = ratios({OUR_F16: [run], CPP_F16: [run]})

    assert taken.wall["batched_vs_whispercpp"] == 1
    assert taken.cpu["batched_vs_whispercpp"] is None
    assert rows({OUR_F16: [run]})[0].phases["batched"] == Spent(9.5, None)


def test_the_ratio_of_memory_is_ours_over_theirs() -> None:
    taken = ratios({OUR_F16: [measured(1, 1, 3)], CPP_F16: [measured(1, 1, 4)]})

    assert taken.wall["memory_vs_whispercpp"] == 0.75
    assert "memory_vs_whispercpp" not in taken.cpu


def test_quantised_weights_are_compared_with_eight_bits() -> None:
    taken = ratios(
        {
            OUR_F16: [measured(100)],
            OUR_Q8_0: [measured(2, 4)],
            FASTER_INT8: [measured(3, 8)],
        }
    )

    assert taken.wall["total_q8_0_vs_faster_whisper_int8"] == 1.5
    assert taken.cpu["total_q8_0_vs_faster_whisper_int8"] == 2


def test_our_own_yardsticks_need_no_peer() -> None:
    taken = ratios({OUR_F16: [measured(1, decode=2, batched=3)]})

    assert taken.wall["batched_vs_decode"] == 1.5
    assert taken.wall["load_vs_reading_twice"] == 0.5


def test_a_ratio_without_one_of_its_sides_is_none_and_says_why() -> None:
    taken = ratios({OUR_F16: [measured(1)]}, {WHISPER_CPP: "no compiler 'c++'"})

    assert taken.wall["total_vs_whispercpp"] is None
    assert taken.reasons["total_vs_whispercpp"] == "no compiler 'c++'"
    assert taken.reasons["total_q8_0_vs_faster_whisper_int8"] == (
        "faster-whisper with int8 was not measured"
    )
    assert taken.reasons["batched_vs_decode"] == "a side does not tell this figure"
    assert all(
        (taken.wall[ratio.name] is None) == (ratio.name in taken.reasons) for ratio in RATIOS
    )
    shown = {row[0]: row for row in ratio_cells(taken)}
    assert shown["total_vs_whispercpp"][1:] == ["", "", "none: no compiler 'c++'"]


def test_the_document_is_json_and_names_every_ratio() -> None:
    found = {OUR_F16: [measured(1, encode=2)], CPP_F16: [measured(3, encode=8)]}

    written = json.loads(json.dumps(document(rows(found), ratios(found))))

    assert {
        *("encode_vs_whispercpp", "decode_vs_whispercpp", "total_vs_whispercpp"),
        *("total_q8_0_vs_faster_whisper_int8", "memory_vs_whispercpp"),
    } <= written["ratios"].keys()
    assert written["ratios"]["encode_vs_whispercpp"] == 4
    assert written["runs"][0]["phases"]["encode"] == {"wall_ms": 2, "cpu_ms": 1}
