"""`python -m wspkit.bench`: our core beside its peers on one recording, with medians and ratios."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from wspkit import log
from wspkit.bench.report import COLUMNS, cells, document, rows
from wspkit.bench.rounds import Case, run_rounds
from wspkit.errors import NotFoundError, UsageError, WspError
from wspkit.process import SubprocessRunner


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m wspkit.bench", description=__doc__)
    made.add_argument("models", nargs="+", metavar="NAME=MODEL.bin", help="ggml model files")
    made.add_argument("--audio", type=Path, required=True, help="a WAV file")
    made.add_argument("--language", default="en")
    made.add_argument("--threads", default="1,2", help="numbers of threads, with commas")
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument("--whisper-cpp", action="store_true", help="beside pywhispercpp")
    made.add_argument(
        "--faster-whisper",
        action="append",
        default=[],
        metavar="NAME=DIRECTORY",
        help="beside faster-whisper on the same model's CTranslate2 directory",
    )
    made.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return made


def named_paths(words: Sequence[str]) -> dict[str, Path]:
    """NAME=PATH words. UsageError if one is not; NotFoundError if there is no such path."""
    found = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not (name and equals and path):
            raise UsageError(f"{word!r}", expected="NAME=PATH, such as base=ggml-base.bin")
        if not Path(path).exists():
            raise NotFoundError(f"no file or directory {path!r}")
        found[name] = Path(path)
    return found


def cases_of(options: argparse.Namespace) -> list[Case]:
    """Subjects of one model and number of threads stand together, so that they run together."""
    models, peers = named_paths(options.models), named_paths(options.faster_whisper)
    if unknown := sorted(peers.keys() - models.keys()):
        raise UsageError(f"--faster-whisper {unknown[0]}", expected="the name of one of the models")
    cases = []
    for name, model in models.items():
        for n_threads in threads_of(options.threads):
            cases.append(Case("wsp", name, model, n_threads))
            if options.whisper_cpp:
                cases.append(Case("whisper.cpp", name, model, n_threads))
            if name in peers:
                cases.append(Case("faster-whisper", name, peers[name], n_threads))
    return cases


def threads_of(text: str) -> list[int]:
    """The numbers in "1,2"."""
    words = text.split(",")
    if not all(word.isdecimal() and 1 <= int(word) <= 64 for word in words):
        raise UsageError(f"--threads {text}", expected="numbers of 1 to 64 with commas between")
    return [int(word) for word in words]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs and prints; returns the exit code."""
    options = parser().parse_args(arguments)
    log.configure(json_mode=options.json)
    try:
        cases = cases_of(options)
        if options.rounds < 1:
            raise UsageError(f"--rounds {options.rounds}", expected="1 or more")
        if not options.audio.is_file():
            raise NotFoundError(f"no file {str(options.audio)!r}")
        with log.progress("Measuring", total=len(cases) * options.rounds) as bar:
            found = run_rounds(
                cases,
                audio=options.audio,
                language=options.language,
                n_rounds=options.rounds,
                runner=SubprocessRunner(),
                on_run=bar.update,
            )
    except WspError as problem:
        log.failure(problem)
        return problem.exit_code
    table = rows(found)
    if options.json:
        log.result_json(document(table))
    else:
        log.table(COLUMNS, [cells(row) for row in table])
    return 0


if __name__ == "__main__":
    sys.exit(main())
