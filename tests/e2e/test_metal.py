"""tiny.en with every operation in the Metal kernels, on a GPU that this machine plays: the tokens
of the CPU. The program is that of `ctest -R metal`, built here.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.recordings import recording

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "core"
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
TEST = "MetalSpeech.HasTheTokensOfTheCpu"
JOBS = str(os.cpu_count() or 1)


def heard(model: Path, recording: Path, audio_ctx: int) -> tuple[str, int]:
    """What was heard, the tokens behind it, and the dispatches that it took on the GPU."""
    on = ("-DSPEECH_BUILD_TESTS=ON", "-DSPEECH_TEST_BACKENDS=ON")
    for command in (
        ("cmake", "-S", str(ROOT / "cpp"), "-B", str(BUILD), *on),
        ("cmake", "--build", str(BUILD), "-j", JOBS, "--target", "test_metal"),
    ):
        subprocess.run(command, check=True, capture_output=True)
    given = {
        "WSPKIT_TEST_MODEL": str(model),
        "WSPKIT_TEST_SPEECH": str(recording),
        "WSPKIT_TEST_AUDIO_CTX": str(audio_ctx),
    }
    program = BUILD / "tests" / "metal" / "metal_kernels"
    done = subprocess.run(
        [str(program), f"--gtest_filter={TEST}"],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[  PASSED  ] 1 test." in done.stdout
    found = re.search(r"^cpu (.*)\n(\d+) dispatches", done.stdout, re.MULTILINE)
    assert found is not None, done.stdout
    return found[1], int(found[2])


def test_a_short_window_has_the_tokens_of_the_cpu(tiny_en_f16: Path) -> None:
    text, n_dispatches = heard(tiny_en_f16, SAMPLE, 500)
    assert text.startswith(SAMPLE.with_suffix(".txt").read_text(encoding="utf-8").strip())
    # Four layers of the encoder, and as many for each of a dozen tokens.
    assert n_dispatches > 500


@pytest.mark.long("metal")
def test_a_whole_window_has_the_tokens_of_the_cpu(tiny_en_f16: Path) -> None:
    text, n_dispatches = heard(tiny_en_f16, recording("jfk").path, 1500)
    assert "ask not what your country can do for you" in text
    assert n_dispatches > 1000
