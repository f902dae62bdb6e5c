"""Takes every figure that the project is held to, part by part, with `wsp bench`.

Usage: .venv/bin/python tools/run_bench.py [--part NAME] [--rounds NUMBER]

Tables go to standard output, reports to build/reports/bench-NAME.html. A part that fails does not
stop the others; the exit code is then 1. It knows which figures are asked for, and none of them.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
WSP = str(Path(sys.executable).with_name("wsp"))
#: Sixty seconds of one speaker after the other.
MINUTE = ("two_cities", "austen-0870", "austen-0880", "austen-0890")
Commands = list[list[str]]


def side_by_side(name: str, *words: str) -> Commands:
    """One comparison with all peers."""
    return [[WSP, "bench", *words, "--html", str(REPORTS / f"bench-{name}.html")]]


def one_thread_and_two() -> Commands:
    """Ours alone with one thread, with two, and with two that share one processor."""
    alone = [WSP, "bench", "--peers", "none", "--weights", "f16"]
    commands = [[*alone, "--threads", "1"], [*alone, "--threads", "2"]]
    if shutil.which("taskset"):
        commands.append(["taskset", "--cpu-list", "0", *alone, "--threads", "2"])
    return commands


def a_minute() -> Commands:
    """Quantised weights on sixty seconds, with the words that are wrong."""
    sys.path.insert(0, str(ROOT))
    from tests.recordings import recording  # noqa: PLC0415 - fetches them

    clips = [recording(name) for name in MINUTE]
    transcript = REPORTS / "bench-minute.txt"
    transcript.write_text(" ".join(clip.text for clip in clips), encoding="utf-8")
    audio = [word for clip in clips for word in ("--audio", str(clip.path))]
    words = ("--weights", "f16,q8_0,q5_0", "--transcript", str(transcript))
    return side_by_side("minute", *words, *audio)


def avx2() -> Commands:
    """All sides held to AVX2."""
    is_x86 = platform.machine().lower() in {"x86_64", "amd64"}
    return side_by_side("avx2", "--isa", "avx2") if is_x86 else []


#: What `make bench PART=...` knows, in the order in which all of them run.
PARTS: dict[str, Callable[[], Commands]] = {
    "base": lambda: side_by_side("base", "--weights", "f16,q8_0,q5_0"),
    "avx2": avx2,
    "tiny.en": lambda: side_by_side("tiny.en", "--model", "tiny.en"),
    "minute": a_minute,
    "threads": one_thread_and_two,
    "kernels": lambda: [[WSP, "bench", "kernels", "--html", str(REPORTS / "bench-kernels.html")]],
    "lengths": lambda: [[WSP, "bench", "lengths", "--html", str(REPORTS / "bench-lengths.html")]],
    "arm": lambda: [[WSP, "bench", "arm", "--html", str(REPORTS / "bench-arm.html")]],
}
#: Those whose command takes --rounds.
IN_ROUNDS = ("base", "avx2", "tiny.en", "minute", "threads")


def main() -> int:
    """Runs the parts; 0 if all of them could be taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="all", choices=["all", *PARTS])
    parser.add_argument("--rounds", default="5")
    options = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in PARTS if options.part == "all" else [options.part]:
        for command in PARTS[name]():
            words = [*command, *(["--rounds", options.rounds] if name in IN_ROUNDS else [])]
            print(f"\n== {name}: {' '.join(words)}", flush=True)
            if subprocess.run(words, cwd=ROOT, check=False).returncode != 0:
                failed.append(name)
    if failed:
        print(f"\nThese parts failed: {', '.join(dict.fromkeys(failed))}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
