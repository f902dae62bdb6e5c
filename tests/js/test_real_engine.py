"""The built package on the real native part in a real JavaScript engine, on real speech: a program
from whisper.rn's README with only the import changed, and programs on our own API.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.js.bundling import bundled
from tests.jsi.host_build import hosts
from tests.node_tools import SOURCE, run
from tests.npm_packages import REACT_NATIVE_0_76

SAMPLE = SOURCE.parent / "tests" / "sample" / "sample.wav"
# 16-bit samples at 16 kHz behind a header of 44 bytes.
SAMPLE_S = (SAMPLE.stat().st_size - 44) / 32000
TEXT = SAMPLE.with_suffix(".txt").read_text(encoding="utf-8").strip()


@pytest.fixture(scope="module")
def answers(project: Path, tiny_en_f16: Path, silero_vad: Path) -> dict[str, Any]:
    """What each program answers."""
    program = bundled(project, "host.js")
    host = hosts(REACT_NATIVE_0_76).real
    arguments = (str(tiny_en_f16), str(SAMPLE), str(silero_vad))
    found: dict[str, Any] = json.loads(run(str(host), str(program), "--", *arguments, cwd=project))
    return found


def test_a_program_from_the_readme_of_whisper_rn_runs(answers: dict[str, Any]) -> None:
    readme = answers["readme"]
    (segment,) = readme["segments"]
    assert readme["result"].strip() == segment["text"].strip() == TEXT
    # In units of 10 ms.
    assert 0 <= segment["t0"] < segment["t1"] <= SAMPLE_S * 100
    assert readme["progress"][-1] == 100
    assert (readme["isAborted"], readme["stopped"]) == (False, True)
    (speech,) = readme["speech"]
    assert 0 <= speech["t0"] < speech["t1"] <= SAMPLE_S * 100


def test_segments_words_and_subtitles_hold_what_is_said(answers: dict[str, Any]) -> None:
    ours = answers["ours"]
    assert "".join(ours["texts"]).strip() == "".join(ours["words"]).strip() == TEXT
    assert TEXT in ours["srt"]
    assert ours["aborted"] == [True, "AbortError", 0]
    assert ours["released"] == [True, True, "released"]


def test_a_job_tells_what_it_hears_while_it_runs(answers: dict[str, Any]) -> None:
    real = answers["real"]
    assert real["text"].strip() == real["words"].strip() == TEXT
    assert (real["same"], real["probable"]) == (True, True)
    assert real["language"] == ["en", 1]
    assert [0, 1] in real["heard"]
    assert real["heard"][-1] == 100
    assert real["durationS"] == pytest.approx(SAMPLE_S)


def test_aborts_queues_and_releases_hold_in_the_real_part(answers: dict[str, Any]) -> None:
    real = answers["real"]
    assert real["aborted"] == [True, "AbortError", "cancelled", None]
    assert real["listeners"] == 0
    # The first one runs at once or is overtaken; the others come by priority, then by call.
    assert [index for index in real["order"] if index != 0] == [3, 2, 1]
    assert real["nQueued"] == 4
    assert real["waiting"] == [True, "WspError", "released", None]
    assert (real["running"], real["isReleased"]) == ("string", True)


def test_figures_of_the_model_and_errors_of_the_core_arrive(answers: dict[str, Any]) -> None:
    real = answers["real"]
    assert (real["memory"], real["version"], real["tokens"]) == (True, 3, 1)
    assert real["speech"] == [1, True]
    refused = {
        name: (is_ours, code, field) for name, (is_ours, _, code, field) in real["refused"].items()
    }
    assert refused["option"] == (True, "unknown_option", "options.beamsize")
    assert refused["range"] == (True, "invalid_argument", "options.beamSize")
    assert refused["missing"][:2] == refused["audio"][:2] == (True, "not_found")
    assert refused["format"][:2] == (True, "bad_format")
    assert refused["language"][:2] == (True, "unsupported")
