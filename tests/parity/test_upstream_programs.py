"""whisper.cpp's own cli, bench and voice activity programs run on our library, unchanged.

Their sources come out of npm's nodejs-whisper when this runs; our headers take the place of
upstream's, `libspeech.a` of `make test` that of its library. Without optimisation: what is
compiled here is the programs, not what they wait for.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.npm_packages import NODEJS_WHISPER, unpacked
from tests.recordings import Recording

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build" / "core" / "libspeech.a"
INCLUDE = ROOT / "cpp" / "include"
SHARED = ("common.cpp", "common-whisper.cpp", "grammar-parser.cpp")
#: Each program's own file, below examples/, and which of the shared ones it needs.
PROGRAMS = {
    "whisper-cli": ("cli/cli.cpp", SHARED),
    "whisper-bench": ("bench/bench.cpp", ()),
    "whisper-vad-speech-segments": ("vad-speech-segments/speech.cpp", SHARED[:2]),
}
JFK = "and so my fellow americans ask not what your country can do for you ask what you can do for"
LINE = re.compile(
    r"^\[(\d\d):(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d):(\d\d\.\d{3})\] +(.*)$", re.MULTILINE
)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The three executables."""
    assert LIBRARY.is_file(), (
        f"no {LIBRARY.relative_to(ROOT)}: `make test` builds it, or "
        "`cmake -S cpp -B build/core && cmake --build build/core --target speech`"
    )
    examples = unpacked(NODEJS_WHISPER) / "cpp/whisper.cpp/examples"
    directory = tmp_path_factory.mktemp("upstream_programs")
    compiler = shlex.split(os.environ.get("CXX", "g++"))

    def compiled(source: str) -> Path:
        target = directory / f"{Path(source).stem}.o"
        # -w: their warnings are theirs.
        options = ["-std=c++17", "-O0", "-w", f"-I{examples}", f"-I{INCLUDE}", "-c"]
        run(*compiler, *options, str(examples / source), "-o", str(target))
        return target

    sources = [*SHARED, *(own for own, _ in PROGRAMS.values())]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        objects = dict(zip(sources, threads.map(compiled, sources), strict=True))
    made = {name: directory / name for name in PROGRAMS}
    for name, (own, shared) in PROGRAMS.items():
        parts = [str(objects[source]) for source in (own, *shared)]
        run(*compiler, *parts, str(LIBRARY), "-pthread", "-o", str(made[name]))
    return made


@pytest.fixture(scope="module")
def cli(
    programs: dict[str, Path], tiny_en_f16: Path, recording: Callable[[str], Recording]
) -> Callable[..., str]:
    """Runs whisper-cli with tiny.en on jfk.wav and more arguments; what it prints."""
    clip = recording("jfk").path

    def call(*arguments: str | Path) -> str:
        common = ("-t", "2", "-m", tiny_en_f16, "-f", clip, "-np")
        return run(programs["whisper-cli"], *common, *arguments).stdout

    return call


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program to its success."""
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, f"{command[0]}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def segments(printed: str) -> list[tuple[float, float, str]]:
    """(start, end, text) of each line that whisper-cli prints, in seconds."""
    return [
        (
            int(h0) * 3600 + int(m0) * 60 + float(s0),
            int(h1) * 3600 + int(m1) * 60 + float(s1),
            text,
        )
        for h0, m0, s0, h1, m1, s1, text in LINE.findall(printed)
    ]


def words(printed: str) -> str:
    """All text, in small letters without punctuation."""
    text = " ".join(text for _, _, text in segments(printed))
    return " ".join(re.findall(r"[a-z']+", text.lower()))


def assert_times_are_in_order(printed: str) -> None:
    before = 0.0
    for start, end, text in segments(printed):
        assert before <= start <= end <= 11.0, text
        before = end


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="defaults"),
        pytest.param(("-bs", "1", "-bo", "1", "-nf"), id="greedy"),
        pytest.param(("-bs", "5"), id="beams"),
        pytest.param(("-l", "en", "-tp", "0.0", "-mc", "0", "--prompt", "JFK:"), id="prompt"),
        pytest.param(("-sns", "--suppress-regex", "[0-9]+"), id="suppression"),
    ],
)
def test_the_cli_writes_down_what_is_said(cli: Callable[..., str], arguments: tuple[str]) -> None:
    printed = cli(*arguments)
    assert JFK in words(printed)
    assert_times_are_in_order(printed)


def test_the_cli_cuts_lines_at_a_length(cli: Callable[..., str]) -> None:
    printed = cli("-ml", "20", "-sow")
    assert JFK in words(printed)
    assert_times_are_in_order(printed)
    assert len(segments(printed)) >= 5
    # A word longer than what is left of a line begins the next; none here is longer than a line.
    assert all(len(text.strip()) <= 20 for _, _, text in segments(printed))


def test_the_cli_writes_json_with_aligned_tokens(cli: Callable[..., str], tmp_path: Path) -> None:
    cli("-ojf", "-of", tmp_path / "jfk", "-dtw", "tiny.en")
    document = json.loads((tmp_path / "jfk.json").read_text(encoding="utf-8"))
    assert document["result"] == {"language": "en"}
    assert document["model"]["type"] == "tiny"
    tokens = [
        token
        for line in document["transcription"]
        for token in line["tokens"]
        if not token["text"].startswith("[_")
    ]
    assert "fellow" in "".join(token["text"] for token in tokens)
    times = [token["t_dtw"] for token in tokens]
    assert times == sorted(times)
    assert 0 <= times[0] < times[-1] <= 1100
    # "And so" begins after a third of a second, the last "country" about a second before the end.
    assert times[0] < 150
    assert times[-1] > 900


def test_the_cli_writes_every_other_form(cli: Callable[..., str], tmp_path: Path) -> None:
    forms = ("txt", "vtt", "srt", "lrc", "csv")
    cli("-of", tmp_path / "jfk", *(f"-o{form}" for form in forms))
    for form in forms:
        assert "fellow Americans" in (tmp_path / f"jfk.{form}").read_text(encoding="utf-8")


def test_the_cli_keeps_to_speech(cli: Callable[..., str], silero_vad: Path) -> None:
    printed = cli("--vad", "-vm", silero_vad)
    assert JFK in words(printed)
    assert_times_are_in_order(printed)
    found = segments(printed)
    # Speech begins at 0.3 s and ends at 10.6 s (test_vad.py).
    assert found[0][0] == pytest.approx(0.3, abs=0.15)
    assert found[-1][1] == pytest.approx(10.6, abs=0.15)


def test_the_cli_obeys_a_grammar(cli: Callable[..., str], tmp_path: Path) -> None:
    grammar = tmp_path / "answer.gbnf"
    grammar.write_text('root ::= " Yes" | " No" | " Ask not"\n', encoding="utf-8")
    printed = cli("--grammar", grammar, "--grammar-rule", "root")
    found = {text.strip() for _, _, text in segments(printed)}
    assert found
    assert found <= {"Yes", "No", "Ask not"}


def test_the_cli_works_on_two_parts_at_a_time(cli: Callable[..., str]) -> None:
    printed = cli("-p", "2", "-t", "1")
    assert_times_are_in_order(printed)
    # Words at the cut, in the middle of "what", may suffer.
    assert "fellow americans" in words(printed)
    assert "your country can do for you ask what you can do for your country" in words(printed)


def test_the_cli_detects_a_language(
    programs: dict[str, Path], base_f16: Path, recording: Callable[[str], Recording]
) -> None:
    arguments = ("-t", "2", "-m", base_f16, "-f", recording("asterisk-fr").path, "-dl")
    done = run(programs["whisper-cli"], *arguments)
    # It stops there: no text.
    assert segments(done.stdout) == []


def test_the_bench_measures_and_prints(programs: dict[str, Path], tiny_en_f16: Path) -> None:
    done = run(programs["whisper-bench"], "-w", "0", "-t", "2", "-m", tiny_en_f16)
    rows = dict(re.findall(r"^ *(\w+) time = .* / +(\d+) ", done.stderr, re.MULTILINE))
    # What it does after its warm-up: a window, 256 single steps, 64 of five, 16 prompts of 256.
    assert rows["encode"] == "1"
    assert rows["decode"] == "256"
    assert rows["batchd"] == str(64 * 5)
    assert rows["prompt"] == str(16 * 256)


def test_the_bench_measures_memory(programs: dict[str, Path]) -> None:
    printed = run(programs["whisper-bench"], "-w", "1", "-t", "1")
    assert re.search(r"\d+\.\d+ GB/s", printed.stdout + printed.stderr)


def test_speech_segments_are_listed(
    programs: dict[str, Path], silero_vad: Path, recording: Callable[[str], Recording]
) -> None:
    arguments = ("-t", "2", "-vm", silero_vad, "-f", recording("jfk").path)
    printed = run(programs["whisper-vad-speech-segments"], *arguments).stdout
    found = re.findall(
        r"^Speech segment (\d+): start = ([\d.]+), end = ([\d.]+)$", printed, re.MULTILINE
    )
    assert "Detected 4 speech segments" in printed
    assert [int(number) for number, _, _ in found] == [0, 1, 2, 3]
    # In units of 10 ms, as whisper.h gives them; the times are those of test_vad.py.
    times = [(float(start) / 100, float(end) / 100) for _, start, end in found]
    for (start, end), (t0, t1) in zip(
        times, [(0.3, 2.3), (3.3, 4.4), (5.4, 7.7), (8.2, 10.6)], strict=True
    ):
        assert start == pytest.approx(t0, abs=0.1)
        assert end == pytest.approx(t1, abs=0.1)
