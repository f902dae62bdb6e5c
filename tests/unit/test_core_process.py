"""What a whole process does: Ctrl-C within a call, and an exit while a daemon thread works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Transcribes until it is stopped; says so once it is under way.
WORK = """
import sys, threading
import numpy as np
from wspkit.core import Context, TranscribeOptions

context = Context.load(sys.argv[1])
samples = np.random.default_rng(3).uniform(-0.1, 0.1, 16000 * 1200).astype(np.float32)
options = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=24)
started = threading.Event()

def progress(_):
    if not started.is_set():
        started.set()
        print("working", flush=True)

def work():
    context.transcribe(samples, options, on_progress=progress)
"""

ON_MAIN_THREAD = (
    WORK
    + """
try:
    work()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""
)

ON_DAEMON_THREAD = (
    WORK
    + """
threading.Thread(target=work, daemon=True).start()
started.wait()
sys.exit(3)
"""
)


def start(code: str, model: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_ctrl_c_within_a_call_raises_keyboard_interrupt(synthetic_model: Path) -> None:
    with start(ON_MAIN_THREAD, synthetic_model) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        process.send_signal(signal.SIGINT)
        # The work itself takes twenty minutes of audio; a minute is patience for a loaded machine.
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (7, "interrupted\n"), err


@pytest.mark.parametrize("attempt", range(3))
def test_a_process_may_exit_while_a_daemon_thread_transcribes(
    attempt: int,  # noqa: ARG001 - the trouble that this would show is a race
    synthetic_model: Path,
) -> None:
    with start(ON_DAEMON_THREAD, synthetic_model) as process:
        _, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "terminate" not in err
    assert "Fatal" not in err
