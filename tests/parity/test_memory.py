"""The most memory that a process needs for base on jfk.wav."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.recordings import Recording

#: A process of its own, so that nothing but the core and what it needs counts.
PROGRAM = """
import sys
from wspkit.core import Context, TranscribeOptions, load_audio
with Context.load(sys.argv[1]) as context:
    options = TranscribeOptions(language="en", n_threads=2)
    result = context.transcribe(load_audio(sys.argv[2]), options)
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(result.text)
print(peak.split()[1])
"""


def test_base_on_jfk_stays_below_300_mb(
    base_f16: Path, recording: Callable[[str], Recording]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, base_f16, recording("jfk").path],
        check=True,
        capture_output=True,
        text=True,
    )
    text, peak_kib = done.stdout.splitlines()

    assert "fellow Americans" in text
    assert int(peak_kib) * 1024 <= 300e6
