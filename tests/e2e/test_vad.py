"""`wsp vad` on the real model, fetched by its name, and real speech: in at the command line, out as
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.recordings import Recording

from wspkit.cli.app import main


@pytest.mark.usefixtures("silero_vad")
def test_known_speech_is_found_where_it_is(
    recording: Callable[[str], Recording], capsys: pytest.CaptureFixture[str]
) -> None:
    clip = recording("jfk")
    assert main(["vad", "--json", str(clip.path)]) == 0
    document = json.loads(capsys.readouterr().out)
    times = [(one["start_s"], one["end_s"]) for one in document["segments"]]
    # "And so, my fellow Americans," "ask not" "what your country can do for you," "ask what you can
    # do for your country": pauses of a second and half a second between them.
    assert len(times) == 4
    expected = [(0.3, 2.3), (3.3, 4.4), (5.4, 7.7), (8.2, 10.6)]
    for (start, end), (expected_start, expected_end) in zip(times, expected, strict=True):
        assert start == pytest.approx(expected_start, abs=0.1)
        assert end == pytest.approx(expected_end, abs=0.1)
    assert Path(document["model"]).name == "ggml-silero-v6.2.0.bin"
