"""`wsp parity`: our core and whisper.cpp on the same recordings. The work is in `wspkit.bench`."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.bench import sources, two_cores
from wspkit.bench.core_run import Job
from wspkit.bench.machine import this_machine
from wspkit.cli.generated.transcribe_options import with_transcribe_options
from wspkit.cli.inputs import STDIN, model_file
from wspkit.core.choice import upstream_module
from wspkit.core.generated.options import TranscribeOptions
from wspkit.errors import UsageError
from wspkit.fetching.atomic_file import atomic_writer
from wspkit.process import SubprocessRunner


@with_transcribe_options
def parity(
    recordings: Annotated[
        list[str] | None,
        typer.Argument(metavar="RECORDING...", help="WAV files.", show_default="11 s of English"),
    ] = None,
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="WSPKIT_MODEL",
            metavar="NAME|PATH",
            help="A name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "base",
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="NUMBER", min=1, help="Runs of each core.")
    ] = 3,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Also write a report, one HTML file."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of tables.")] = False,
    vad_model: Annotated[
        str,
        typer.Option(
            "--vad-model",
            envvar="WSPKIT_VAD_MODEL",
            metavar="NAME|PATH",
            help="For --vad: a name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "silero-vad",
    options: TranscribeOptions,
) -> None:
    """Hold our core against whisper.cpp, which `wsp build-core` builds: both transcribe the same
    recordings with the same options.

    Each run is a process of its own, and the cores take turns. Compared are texts, words (case and
    punctuation aside), tokens, times of segments that have the same text, and the time that each
    took: of that the ratio is taken round by round, theirs over ours, then the median.

    The exit code is 15 if a text differs, to the last character; 5 if an option is given that one
    of the cores cannot obey. At temperatures above 0, which a passage that is hard to hear raises,
    both draw at random, and not the same.

    For example:

    $ wsp parity talk.wav --model base.en --html report.html
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    named = tuple(recordings or [str(sources.default_clip(log.progress))])
    if STDIN in named:
        raise UsageError("standard input can be read only once", expected="files")
    upstream_module()  # says at once what is missing
    if options.vad:
        options = replace(options, vad_model_path=str(model_file(vad_model, fetch=True)))
    weights = model_file(model, fetch=True)
    machine = this_machine()
    with log.progress("comparing", total=rounds * len(two_cores.CORES)) as bar:
        found = two_cores.compare(
            Job(str(weights), named, options),
            n_rounds=rounds,
            runner=SubprocessRunner(),
            on_run=bar.update,
        )
    if html is not None:
        audio_s = sum(row.audio_s for row in found.rows)
        about = (
            f"{weights.name}; {audio_s:.1f} s of audio in {_count(len(named), 'recording')}; "
            f"{_count(rounds, 'round')}"
        )
        with atomic_writer(html) as out:
            out.write(two_cores.page(found, machine, about).encode())
        log.status(f"The report is in {html}")
    if json:
        log.result_json(
            {"machine": asdict(machine), "model": str(weights), **two_cores.document(found)}
        )
    else:
        log.table(two_cores.COLUMNS, [two_cores.cells(row) for row in found.rows])
        log.table(two_cores.SIDE_COLUMNS, [two_cores.side_cells(side) for side in found.sides])
    two_cores.raise_if_different(found)


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
