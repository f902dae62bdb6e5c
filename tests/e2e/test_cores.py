"""Real whisper.cpp as the core behind the command line and the Python package: built by one
command, it gives the sample's text, refuses by name what it cannot do, and parity is found.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from wspkit.core.choice import CORE_VARIABLE
from wspkit.errors import BadFormatError, DifferenceError, UnsupportedError
from wspkit.fetching.cache import CACHE_VARIABLE, cache_root
from wspkit.parity.compare import normalized_words as words
from wspkit.parity.compare import word_errors

pytestmark = pytest.mark.long("upstream")

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
TEXT = SAMPLE.with_suffix(".txt").read_text(encoding="utf-8").strip()

Wsp = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with no core in it, and with the package of whisper.cpp if it was fetched before."""
    folder = tmp_path_factory.mktemp("cache")
    fetched = cache_root() / "upstream" / "npm"
    if fetched.is_dir():
        shutil.copytree(fetched, folder / "upstream" / "npm")
    return folder


def environment(cache: Path) -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if name != CORE_VARIABLE}
    if shutil.which("ccache") is not None:
        for language in ("C", "CXX"):
            found[f"CMAKE_{language}_COMPILER_LAUNCHER"] = "ccache"
        found["CCACHE_BASEDIR"] = str(cache)
    return {**found, CACHE_VARIABLE: str(cache)}


@pytest.fixture(scope="module")
def wsp(cache: Path) -> Wsp:
    """Runs `wsp` in a process of its own, as a process has one core; after `wsp build-core`."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "wspkit.cli.app", *map(str, arguments)],
            cwd=ROOT,
            env=environment(cache),
            capture_output=True,
            text=True,
            check=False,
        )

    # Quick to compile; what is heard is the same at any level of optimisation.
    built = run("build-core", "--flags=-march=native -O1", "--json")
    assert built.returncode == 0, built.stderr
    told = json.loads(built.stdout)
    assert told["source"]["version"] == "1.9.1"
    assert Path(told["module"]).is_file()
    return run


def test_whisper_cpp_transcribes_the_sample(wsp: Wsp, tiny_en_f16: Path) -> None:
    done = wsp("transcribe", "--core", "upstream", "-m", tiny_en_f16, "--words", "--json", SAMPLE)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    # One word of twelve: its fused attention, in half precision, leaves out the "A".
    assert word_errors(document["text"], TEXT).errors <= 1
    assert (document["language"], document["language_probability"]) == ("en", None)
    assert document["stats"]["backend_reason"].startswith("ggml: whisper.cpp 1.9.1")
    assert "encode_ms" not in document["stats"]
    # Words with times, which are ours over any core.
    (segment,) = document["segments"]
    heard = [word for one in segment["words"] for word in words(one["text"])]
    assert heard == words(document["text"])
    starts = [one["start_s"] for one in segment["words"]]
    assert starts == sorted(starts)
    assert starts[-1] > 1


def test_alignment_is_asked_of_it_so_that_it_answers(wsp: Wsp, tiny_en_f16: Path) -> None:
    options = ("--dtw", "tiny.en", "-m", tiny_en_f16, "--json", SAMPLE)
    done = wsp("transcribe", "--core", "upstream", *options)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert words(document["text"]) == words(TEXT)  # without fused attention
    tokens = [token for segment in document["segments"] for token in segment["tokens"]]
    times = [token["dtw_s"] for token in tokens if not token["special"]]
    assert None not in times
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("option", "name"),
    [
        (["--compression-threshold", "2.4"], "compression_ratio_thold"),
        (["--languages", "en,de"], "language_candidates"),
        (["--seed", "7"], "seed"),
        (["--parallel", "2"], "n_parts"),
        (["--stats"], "--stats"),
    ],
)
def test_what_it_cannot_do_is_unsupported_by_name(
    option: list[str], name: str, wsp: Wsp, tiny_en_f16: Path
) -> None:
    done = wsp("transcribe", "--core", "upstream", "-m", tiny_en_f16, SAMPLE, *option, "--json")
    assert done.returncode == UnsupportedError.exit_code, done.stderr
    assert name in done.stderr


@pytest.mark.usefixtures("wsp")
def test_python_is_told_by_name_as_well(cache: Path, tiny_en_f16: Path) -> None:
    code = f"""
from wspkit.core import AudioFile, Context, can, estimate_memory, load_audio
from wspkit.errors import UnsupportedError

def refused(work):
    try:
        work()
    except UnsupportedError as error:
        print(error.found)

context = Context.load({str(tiny_en_f16)!r})
refused(lambda: context.transcribe(AudioFile({str(SAMPLE)!r})))
refused(lambda: estimate_memory({str(tiny_en_f16)!r}))
print(can("full_audio"), can("stats"), context.backend)
print(context.transcribe(load_audio({str(SAMPLE)!r})).text)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment(cache), CORE_VARIABLE: "upstream"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    streaming, memory, facts, text = done.stdout.splitlines()
    assert "a recording that stays in its file is not supported by whisper.cpp" in streaming
    assert "estimating memory is not supported by whisper.cpp" in memory
    assert facts == "False False ggml"
    assert word_errors(text, TEXT).errors <= 1


def test_a_file_that_is_no_model_says_what_its_log_says(wsp: Wsp, tmp_path: Path) -> None:
    (tmp_path / "no.bin").write_bytes(b"nothing of a model")
    done = wsp("transcribe", "--core", "upstream", "-m", tmp_path / "no.bin", SAMPLE)
    assert done.returncode == BadFormatError.exit_code
    assert "loading the model failed" in done.stderr
    assert "whisper_" in done.stderr


def test_parity_is_found_on_the_sample(wsp: Wsp, tiny_en_f16: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    # Five beams each: see above for greedy decoding.
    options = ("-m", tiny_en_f16, "--beam-size", "5", "--rounds", "1", "--html", report)
    done = wsp("parity", SAMPLE, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    for shown in ("sample.wav", "same", "0 of 12", "100.0%", "times as fast", "upstream"):
        assert shown in done.stdout, done.stdout
    page = report.read_text(encoding="utf-8")
    assert "both" in page
    assert TEXT in page


def test_parity_says_by_its_exit_code_whether_it_was_found(wsp: Wsp, tiny_en_f16: Path) -> None:
    done = wsp("parity", SAMPLE, "-m", tiny_en_f16, "--rounds", "1", "--json")
    told = json.loads(done.stdout)
    assert told["words_apart"] <= 1
    assert done.returncode == (DifferenceError.exit_code if told["differing"] else 0)
    (row,) = told["recordings"]
    assert row["agreement"]["same_text"] == (row["own"]["text"] == row["upstream"]["text"])
    assert [side["core"] for side in told["cores"]] == ["own", "upstream"]


def test_parity_names_the_core_that_cannot(wsp: Wsp, tiny_en_f16: Path) -> None:
    done = wsp("parity", SAMPLE, "-m", tiny_en_f16, "--rounds", "1", "--seed", "7")
    assert done.returncode == UnsupportedError.exit_code
    assert "the core upstream" in done.stderr
    assert "seed" in done.stderr
