"""`wsp detect-language`: which languages recordings seem to be in. The work is in
`wspkit.core.state`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from wspkit import log
from wspkit.cli.inputs import STDIN, load_recording, model_file
from wspkit.cli.several import FilesJob
from wspkit.cli.values import names_of
from wspkit.core.backend import Backend
from wspkit.errors import UsageError

if TYPE_CHECKING:
    from wspkit.core import Context, LanguageGuess


def detect_language(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="WAV files; - reads one from standard input."),
    ],
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="WSPKIT_MODEL",
            metavar="NAME|PATH",
            help="A multilingual model: a name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "base",
    candidates: Annotated[
        str,
        typer.Option(
            "--candidates",
            metavar="NAME,NAME",
            help="Choose among these, by codes or English names.",
            show_default="all that the model knows",
        ),
    ] = "",
    top: Annotated[
        int,
        typer.Option("--top", metavar="NUMBER", min=1, help="Rows of the table; JSON has all."),
    ] = 5,
    offset_ms: Annotated[
        int,
        typer.Option("--offset-ms", metavar="MS", min=0, help="Listen to the 30 s from here on."),
    ] = 0,
    threads: Annotated[
        int,
        typer.Option("--threads", "-t", metavar="THREADS", min=0, max=64, help="0: up to 4."),
    ] = 0,
    backend: Annotated[Backend, typer.Option("--backend", help="What computes.")] = Backend.AUTO,
    json: Annotated[
        bool, typer.Option("--json", help="JSON instead of a table; errors are JSON as well.")
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch/--no-fetch", help="Fetch a model of the catalogue that is not here yet."
        ),
    ] = True,
) -> None:
    """Tell which languages recordings seem to be in.

    It listens to 30 s and decodes nothing. Several files are worked through even if one fails; the
    exit code is then the highest of theirs.

    For example:

    $ wsp detect-language call.wav

    $ wsp detect-language --candidates de,fr,it --json a.wav b.wav

    $ wsp detect-language -m small --offset-ms 60000 - < interview.wav
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    if files.count(STDIN) > 1:
        raise UsageError("standard input is named twice", expected="once")
    chosen = names_of(candidates, "--candidates")
    from wspkit.core import Context  # noqa: PLC0415 - the native module, not for --help

    with Context.load(model_file(model, fetch=fetch), backend=backend) as context:
        log.detail(f"Back-end {context.backend_reason}, encoder {context.encoder_reason}")
        job = _Job(
            context=context,
            candidates=chosen,
            top=top,
            offset_ms=offset_ms,
            n_threads=threads,
            as_json=json,
            several=len(files) > 1,
        )
        job.run(files)


@dataclass(kw_only=True)
class _Job(FilesJob):
    """What is the same for all files of one call."""

    context: Context
    candidates: tuple[str, ...]
    top: int
    offset_ms: int
    n_threads: int

    def listen(self, source: str) -> None:
        guess = self.context.detect_language(
            load_recording(source),
            offset_ms=self.offset_ms,
            n_threads=self.n_threads,
            candidates=self.candidates,
        )
        if self.as_json:
            self.documents.append(
                {
                    "file": source,
                    "model": self.context.name,
                    "language": guess.code,
                    "probability": round(guess.probability, 6),
                    "languages": [
                        {"code": code, "name": _name(code), "probability": round(probability, 6)}
                        for code, probability in _ranked(guess)
                    ],
                }
            )
            return
        rows = [
            [code, _name(code), f"{probability:.1%}"]
            for code, probability in _ranked(guess)[: self.top]
        ]
        log.table(
            ["code", "language", log.Column("probability", right=True)],
            rows,
            title=source if self.several else None,
        )


def _ranked(guess: LanguageGuess) -> list[tuple[str, float]]:
    return sorted(guess.probabilities.items(), key=lambda item: -item[1])


def _name(code: str) -> str:
    from wspkit.core import find_language  # noqa: PLC0415 - the native module, not for --help

    language = find_language(code)
    return language.name if language else code
