"""`wsp bench`: the core beside whisper.cpp and faster-whisper, beside the machine's limits, against
the length of audio, and on emulated Arm processors. The work is in `wspkit.bench`.

It needs the repository: what it measures is built of its sources.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.bench import arm as arm_bench
from wspkit.bench import kernels as kernel_bench
from wspkit.bench import lengths as length_bench
from wspkit.bench import report, sources
from wspkit.bench.builds import Isa
from wspkit.bench.machine import this_machine
from wspkit.bench.page import Results
from wspkit.bench.ratios import ratios
from wspkit.bench.rounds import PEERS, run_rounds
from wspkit.bench.sides import Setup
from wspkit.bench.tables import table_in
from wspkit.cli.bench_parts import (
    bring_together,
    kernel_figures,
    length_figures,
    minutes_of,
    peers_of,
    recorded,
    show_machine,
    workshop_here,
    write_page,
)
from wspkit.cli.values import names_of, text_of_file
from wspkit.errors import UsageError

app = typer.Typer(add_completion=False)

Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        metavar="NAME|PATH",
        help="A name from `wsp model list`, or a ggml .bin file.",
    ),
]
Weights = Annotated[
    str,
    typer.Option(
        "--weights",
        metavar="TYPE,TYPE",
        help="Types of weights to measure; quantised files are made of the model once.",
    ),
]
Threads = Annotated[int, typer.Option("--threads", "-t", metavar="THREADS", min=1, max=64)]
Peers = Annotated[
    str,
    typer.Option(
        "--peers",
        metavar="NAME,NAME",
        help=f"all, none, or some of {', '.join(PEERS)}.",
    ),
]
IsaChoice = Annotated[
    Isa,
    typer.Option(
        "--isa", help="Instructions of all sides: all that this machine has, or AVX2 at most."
    ),
]
Recordings = Annotated[
    list[str] | None,
    typer.Option(
        "--audio",
        metavar="FILE",
        help="A WAV file; several are joined.",
        show_default="11 s of English",
    ),
]
Language = Annotated[str, typer.Option("--language", "-l", metavar="CODE")]
Json = Annotated[bool, typer.Option("--json", help="JSON instead of tables.")]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Also write a report with plots, one HTML file."),
]
SecondsEach = Annotated[
    float, typer.Option("--seconds-each", min=0.01, metavar="SECONDS", help="For each kernel.")
]


def _use_json(wanted: bool) -> None:
    if wanted:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)


@app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    *,
    model: Model = "base",
    weights: Weights = "f16,q8_0",
    threads: Threads = 1,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="NUMBER", min=1, help="Runs of each side.")
    ] = 5,
    peers: Peers = "all",
    isa: IsaChoice = Isa.NATIVE,
    audio: Recordings = None,
    transcript: Annotated[
        str,
        typer.Option(
            "--transcript", metavar="FILE", help="What is said in --audio, to count wrong words."
        ),
    ] = "",
    language: Language = "en",
    json: Json = False,
    html: Html = None,
    minutes: Annotated[
        str,
        typer.Option("--minutes", metavar="NUMBER,NUMBER", help="Lengths of audio in the report."),
    ] = "1,2,5",
    seconds_each: SecondsEach = 0.3,
) -> None:
    """Measure the core beside whisper.cpp and faster-whisper.

    Load and transcription of each side in a process of its own, in turns; medians, and ratios taken
    round by round: of times the peer's over ours, of memory ours over the peer's. Phases are one
    call each, measured after the run. whisper.cpp is built here from its sources, once.

    With --html the report also has kernels, and time against the length of audio.

    For example:

    $ wsp bench --model base --threads 1 --peers all --json

    $ wsp bench --isa avx2 --rounds 9 --html report.html

    $ wsp bench --weights q8_0,q5_0 --audio talk.wav --transcript talk.txt
    """
    if context.invoked_subcommand is not None:
        return
    _use_json(json)
    setup = Setup(
        model=model,
        weights=names_of(weights, "--weights"),
        n_threads=threads,
        isa=isa,
        peers=peers_of(peers),
    )
    if not setup.weights:
        raise UsageError("--weights names no type", expected="one at least, such as f16")
    lengths = minutes_of(minutes)
    said = text_of_file(transcript, "--transcript") or (sources.CLIP_TEXT if not audio else None)
    machine = this_machine()
    workshop = workshop_here()
    together = bring_together(setup, workshop)
    with recorded(audio, workshop) as recording:
        with log.progress("measuring", total=len(together.cases) * rounds) as bar:
            found = run_rounds(
                together.cases,
                samples=recording.path,
                language=language,
                n_rounds=rounds,
                runner=workshop.runner,
                on_run=bar.update,
            )
        table = report.rows(found, said)
        taken = ratios(found, together.missing)
        description = (
            f"{model}, {recording.seconds:.1f} s of audio, {threads} "
            f"thread{'' if threads == 1 else 's'}, {rounds} rounds, {isa.value} instructions"
        )
        if html is not None:
            results = Results(
                machine,
                description,
                tuple(table),
                taken,
                kernels=tuple(kernel_figures(workshop, "", seconds_each)),
                lengths=tuple(
                    length_figures(
                        together, lengths, recording, language=language, workshop=workshop
                    )
                ),
            )
            write_page(html, results)
    if log.settings().json_mode:
        log.result_json(
            {
                "machine": asdict(machine),
                "setup": {
                    **asdict(setup),
                    "audio_s": recording.seconds,
                    "rounds": rounds,
                    "kernels": {
                        "forced": isa.environment.get("WSPKIT_KERNELS")
                        or os.environ.get("WSPKIT_KERNELS"),
                        "found": table_in(table[0].system),
                    },
                },
                **report.document(table, taken),
            }
        )
        return
    log.table(report.COLUMNS, [report.cells(row) for row in table], title=description)
    log.table(report.RATIO_COLUMNS, report.ratio_cells(taken))
    for row in table:
        log.status(f"{row.subject} {row.weights} computes with: {row.system}")
    show_machine(machine)


@app.command("kernels")
def kernels_command(
    *,
    tables: Annotated[
        str,
        typer.Option(
            "--tables",
            metavar="NAME,NAME",
            help="Kernel tables to measure.",
            show_default="all of this machine but scalar",
        ),
    ] = "",
    seconds_each: SecondsEach = 0.3,
    json: Json = False,
    html: Html = None,
) -> None:
    """Show each kernel's share of what the machine can do, at the shapes of the base model.

    The yardsticks are measured between the kernels' runs: multiply-adds of F32 in registers, and
    reading memory. One thread; processor time, so that other programs disturb little.
    """
    _use_json(json)
    machine = this_machine()
    figures = kernel_figures(workshop_here(), tables, seconds_each)
    if html is not None:
        write_page(html, Results(machine, "Kernels, one thread", kernels=tuple(figures)))
    if log.settings().json_mode:
        log.result_json({"machine": asdict(machine), "kernels": kernel_bench.document(figures)})
        return
    log.table(kernel_bench.COLUMNS, [kernel_bench.cells(figure) for figure in figures])
    show_machine(machine)


@app.command("lengths")
def lengths_command(
    *,
    model: Model = "base",
    weights: Weights = "f16",
    threads: Threads = 1,
    peers: Peers = "none",
    isa: IsaChoice = Isa.NATIVE,
    minutes: Annotated[
        str, typer.Option("--minutes", metavar="NUMBER,NUMBER", help="Lengths of audio.")
    ] = "1,5,15,30,60",
    audio: Recordings = None,
    language: Language = "en",
    json: Json = False,
    html: Html = None,
) -> None:
    """Show time and memory against the length of audio: one recording, repeated."""
    _use_json(json)
    setup = Setup(model, names_of(weights, "--weights"), threads, isa, peers_of(peers))
    lengths = minutes_of(minutes)
    machine = this_machine()
    workshop = workshop_here()
    together = bring_together(setup, workshop)
    with recorded(audio, workshop) as recording:
        figures = length_figures(together, lengths, recording, language=language, workshop=workshop)
    if html is not None:
        write_page(html, Results(machine, f"{model}, audio repeated", lengths=tuple(figures)))
    if log.settings().json_mode:
        log.result_json({"machine": asdict(machine), "lengths": length_bench.document(figures)})
        return
    log.table(length_bench.COLUMNS, [length_bench.cells(figure) for figure in figures])
    show_machine(machine)


@app.command("arm")
def arm_command(
    *,
    model: Model = "tiny.en",
    weights: Weights = "f16,q8_0",
    processors: Annotated[
        list[str] | None,
        typer.Option(
            "--processor",
            metavar="NAME",
            help=f"A processor of QEMU; may be given several times: "
            f"{' '.join(arm_bench.PROCESSORS)}",
            show_default="all of them",
        ),
    ] = None,
    peers: Annotated[bool, typer.Option("--peer/--no-peer", help="Beside whisper.cpp.")] = True,
    json: Json = False,
    html: Html = None,
) -> None:
    """Count the instructions of the encoder and of one decoding step on Arm, under QEMU.

    Both cores are cross-built for the same architecture. The counts are exact, and the same in
    every run; emulation takes minutes for each. Needs g++-aarch64-linux-gnu and qemu-user.
    """
    _use_json(json)
    chosen = processors or [*arm_bench.PROCESSORS]
    names = names_of(weights, "--weights")
    machine = this_machine()
    workshop = workshop_here()
    runs = len(chosen) * len(names) * (2 if peers else 1)
    with recorded(None, workshop) as recording, log.progress("counting", total=runs) as bar:
        figures = arm_bench.measure(
            workshop,
            model=model,
            weights=names,
            processors=chosen,
            samples=recording.path,
            directory=recording.path.parent,
            with_peer=peers,
            on_run=bar.update,
        )
    if html is not None:
        write_page(html, Results(machine, f"{model}, emulated", arm=tuple(figures)))
    if log.settings().json_mode:
        log.result_json({"machine": asdict(machine), "arm": arm_bench.document(figures)})
        return
    log.table(arm_bench.COLUMNS, [arm_bench.cells(figure) for figure in figures])
