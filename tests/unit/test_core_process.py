"""What a whole process does: Ctrl-C within a call, exit while a daemon thread works, memory."""

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

LOADS_AGAIN = """
import ctypes
import sys
import numpy as np
from wspkit.core import Context, TranscribeOptions
from wspkit.errors import BadFormatError

def resident_bytes():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

samples = np.zeros(16000, np.float32)
options = TranscribeOptions(language="en", temperature_inc=0.0, n_threads=1, max_tokens=4)
model = open(sys.argv[1], "rb").read()
for round in range(25):
    with Context.load(sys.argv[1]) as context:
        context.transcribe(samples, options)
    try:
        Context.load(model[:-4])
    except BadFormatError:
        pass
    if round == 4:
        before = resident_bytes()
print(resident_bytes() - before)
"""


RAISES = """
from wspkit.core import Context
from wspkit.errors import BadFormatError

try:
    Context.load(b"GGUF" + bytes(100))
except BadFormatError:
    print("raised")
"""


ASKS_FOR_KERNELS = """
import sys
from wspkit.core import Context, build_facts
from wspkit.errors import UnsupportedError

try:
    Context.load(sys.argv[1])
except UnsupportedError as error:
    print(error.message)
print(build_facts().kernel_table)
"""


def start(code: str, model: Path, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(model)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **variables},
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


def test_loading_and_freeing_again_keeps_no_memory(synthetic_model: Path) -> None:
    with start(LOADS_AGAIN, synthetic_model) as process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    # 20 rounds of a model of 7 MB and a state of some more. The allocator gives back what it can:
    # what it keeps depends on where its last small block lies, and says nothing of ours.
    assert int(out) < 4_000_000


def test_a_program_that_sets_up_no_logging_gets_errors_raised_and_not_printed(
    synthetic_model: Path,
) -> None:
    with start(RAISES, synthetic_model) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "raised\n", "")


@pytest.mark.parametrize("name", ["abacus", "sve2", "avx1024"])
def test_kernels_that_the_machine_lacks_are_refused_with_the_names_of_those_it_has(
    name: str, synthetic_model: Path
) -> None:
    with start(ASKS_FOR_KERNELS, synthetic_model, WSPKIT_KERNELS=name) as process:
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    refusal, used = out.splitlines()
    assert f"WSPKIT_KERNELS asks for the CPU kernels '{name}'" in refusal
    assert "this machine and build have: scalar" in refusal
    assert used == "none"
