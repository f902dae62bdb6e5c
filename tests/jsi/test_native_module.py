"""The native module in a real JavaScript engine, as React Native installs it: scripts of `cases` on
real speech, and arguments by the thousand on a core that records what it is asked.

Each case is a script that checks by itself; `harness.js` is what all of them use.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.jsi.host_build import Hosts, hosts
from tests.npm_packages import REACT_NATIVE_0_76, REACT_NATIVE_0_88, NpmPackage

from wspkit.bridge.surface import Member, all_fields, options_of
from wspkit.bridge.text import camel
from wspkit.spec.load import load

FOLDER = Path(__file__).parent
CASES = FOLDER / "cases"
SAMPLE = FOLDER.parent / "sample" / "sample.wav"
TEXT = (FOLDER.parent / "sample" / "sample.txt").read_text(encoding="utf-8").strip()
# Only what is stuck takes as long, however busy the machine is: the host itself ends a script for
# which nothing happens any more.
LIMIT_S = 7200
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "TSAN_OPTIONS": f"halt_on_error=1:suppressions={FOLDER / 'thread_suppressions.txt'}",
}
# The engine's collector stops threads by a signal, which ThreadSanitizer holds back from one that
# waits inside the engine: both would wait for ever. So the thread that runs scripts collects.
ENGINE_UNDER_THREAD_SANITIZER = {"JSC_useConcurrentGC": "0"}
REAL = ("transcribe", "audio", "jobs", "arguments", "vad", "reload")


def run(program: Path, case: str, *arguments: str | Path, leaks: bool = False) -> str:
    """What a case prints; it fails with what it says if it does not end well.

    leaks: AddressSanitizer looks for them; not where a runtime ends in the middle of its work.
    """
    options = {"ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1"} if leaks else {}
    if program.parents[1].name.endswith("-thread"):
        options = ENGINE_UNDER_THREAD_SANITIZER
    command = [str(program), str(FOLDER / "harness.js"), str(CASES / f"{case}.js"), "--"]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        env={**os.environ, **SANITIZERS, **options},
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def on_real_speech(found: Hosts, case: str, model: Path, vad_model: Path) -> str:
    """Runs a case of REAL."""
    next_script = CASES / "after_reload.js"
    return run(found.real, case, model, SAMPLE, vad_model, next_script)


@pytest.mark.parametrize("case", REAL)
def test_real_speech_in_a_real_engine(case: str, tiny_en_f16: Path, silero_vad: Path) -> None:
    said = on_real_speech(hosts(REACT_NATIVE_0_76), case, tiny_en_f16, silero_vad)
    if case == "transcribe":
        assert said.strip() == TEXT


@pytest.mark.long("jsi")
def test_a_cancelled_job_stops_the_core_within_an_operation(
    base_f16: Path, silero_vad: Path
) -> None:
    on_real_speech(hosts(REACT_NATIVE_0_76), "stopping", base_f16, silero_vad)


@pytest.mark.parametrize("case", REAL)
@pytest.mark.long("jsi")
def test_real_speech_with_the_newest_react_native(
    case: str, tiny_en_f16: Path, silero_vad: Path
) -> None:
    on_real_speech(hosts(REACT_NATIVE_0_88), case, tiny_en_f16, silero_vad)


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
@pytest.mark.parametrize("case", REAL)
@pytest.mark.long("jsi")
def test_real_speech_under_a_sanitizer(
    sanitizer: str, case: str, tiny_en_f16: Path, silero_vad: Path
) -> None:
    on_real_speech(hosts(REACT_NATIVE_0_76, sanitizer), case, tiny_en_f16, silero_vad)


def _field(member: Member) -> dict[str, object]:
    special = [value for value, _ in member.special if isinstance(value, (int, float))]
    return {
        "name": member.js_name,
        "kind": member.kind,
        "of": member.of,
        "optional": member.optional,
        "default": None if member.kind == "options" else member.default,
        "minimum": member.minimum,
        "maximum": member.maximum,
        "minimumExclusive": member.minimum_exclusive,
        "maximumExclusive": member.maximum_exclusive,
        "special": special,
        "excludes": [camel(other) for other in member.excludes],
        "cField": "" if member.by_hand else member.c_field,
        "leavesDefault": member.leaves_c_default,
    }


@pytest.fixture(scope="session")
def surface(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What calls take, as JSON that scripts can read: by struct, each field in the same terms."""
    api = load()
    structs = {
        name: {
            "oneOf": list(struct.one_of),
            "fields": [_field(one) for one in all_fields(api, name)],
        }
        for name, struct in api.struct.items()
        if struct.direction == "in"
    }
    groups = {
        name: {"oneOf": [], "fields": [_field(one) for one in options_of(api, name)]}
        for name in api.group
    }
    enums = {name: list(enum.value) for name, enum in api.enum.items()}
    path = tmp_path_factory.mktemp("surface") / "surface.json"
    text = json.dumps({"structs": structs, "groups": groups, "enums": enums})
    path.write_text(text, encoding="ascii")
    return path


@pytest.mark.parametrize("react_native", [REACT_NATIVE_0_76], ids=lambda one: one.version)
def test_each_option_arrives_in_its_field(react_native: NpmPackage, surface: Path) -> None:
    run(hosts(react_native).recording, "fields", surface)


def test_random_arguments_work_or_name_the_field(surface: Path) -> None:
    said = run(hosts(REACT_NATIVE_0_76).recording, "random", surface, "500", "1")
    counts = json.loads(said)
    assert all(one["accepted"] > 20 and one["refused"] > 20 for one in counts.values()), counts


def test_nothing_that_a_script_does_ends_the_program() -> None:
    run(hosts(REACT_NATIVE_0_76).recording, "hostile")


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
@pytest.mark.long("jsi")
def test_nothing_that_a_script_does_harms_the_memory(sanitizer: str) -> None:
    run(hosts(REACT_NATIVE_0_76, sanitizer).recording, "hostile")


@pytest.mark.parametrize("sanitizer", ["", "address"])
@pytest.mark.long("jsi")
def test_random_arguments_on_real_audio_work_or_name_the_field(
    surface: Path, sanitizer: str, tiny_en_f16: Path, base_f16: Path, silero_vad: Path
) -> None:
    program = hosts(REACT_NATIVE_0_76, sanitizer).real
    files = (tiny_en_f16, SAMPLE, silero_vad, base_f16)
    said = run(program, "random", surface, "100", "3", *files, leaks=sanitizer == "address")
    counts = json.loads(said)
    assert all(sum(one.values()) == 100 for one in counts.values()), counts
    assert all(one["accepted"] > 5 for one in counts.values()), counts


@pytest.mark.parametrize("sanitizer", ["", "address"])
@pytest.mark.long("jsi")
def test_ten_thousand_random_arguments(surface: Path, sanitizer: str) -> None:
    program = hosts(REACT_NATIVE_0_76, sanitizer).recording
    said = run(program, "random", surface, "10000", "2", leaks=True)
    counts = json.loads(said)
    assert all(sum(one.values()) == 10000 for one in counts.values()), counts
