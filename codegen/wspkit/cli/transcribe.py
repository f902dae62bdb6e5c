"""`wsp transcribe`: recordings in, text out. The work is in `wspkit.core` and `wspkit.models`."""

from __future__ import annotations

import dataclasses
import json as json_format
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wspkit import log
from wspkit.cli.generated.transcribe_options import with_transcribe_options
from wspkit.cli.inputs import (
    STDIN,
    error_document,
    model_file,
    open_recording,
    print_documents,
)
from wspkit.cli.several import exit_with
from wspkit.cli.stats import show_stats, stats_document
from wspkit.core.alignment import parse_heads
from wspkit.core.backend import Backend
from wspkit.core.choice import CORE_VARIABLE, Core, choose
from wspkit.core.generated.options import TranscribeOptions, VadOptions
from wspkit.errors import (
    CancelledError,
    InputOutputError,
    UnsupportedError,
    UsageError,
    WspError,
)

if TYPE_CHECKING:
    from wspkit.core import Context, Transcription


class Format(str, Enum):
    """Forms of a transcription."""

    TEXT = "text"
    SRT = "srt"
    VTT = "vtt"
    JSON = "json"


@with_transcribe_options
def transcribe(
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
            help="A name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "base",
    format: Annotated[  # noqa: A002 - the option is called --format
        Format, typer.Option("--format", "-f", help="Form of the result.")
    ] = Format.TEXT,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="File to write, or a directory (existing, or named with a / at its end) that gets "
            "one file per recording.",
            show_default="standard output",
        ),
    ] = None,
    words: Annotated[
        bool,
        typer.Option(
            "--words",
            help="Give each word its time: a table, a cue per word in subtitles. JSON has both.",
        ),
    ] = False,
    dtw: Annotated[
        str | None,
        typer.Option(
            "--dtw",
            metavar="MODEL|top-N|L:H,L:H",
            help="Time each token by alignment too, with the heads of a published model such as "
            "base.en, of the last N layers, or of your own; see tokens in JSON.",
        ),
    ] = None,
    vad_model: Annotated[
        str,
        typer.Option(
            "--vad-model",
            envvar="WSPKIT_VAD_MODEL",
            metavar="NAME|PATH",
            help="For --vad: a name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "silero-vad",
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json; errors are JSON as well.")
    ] = False,
    stats: Annotated[
        bool,
        typer.Option(
            "--stats",
            help="Show times by phase, speed and peak memory on stderr; JSON has them in any case.",
        ),
    ] = False,
    backend: Annotated[
        Backend,
        typer.Option(
            "--backend",
            help="What computes; what is not there leaves the CPU, and a line on standard error "
            "says why.",
        ),
    ] = Backend.AUTO,
    encoder: Annotated[
        Path | None,
        typer.Option(
            "--encoder",
            help="Encoder of Core ML or OpenVINO.",
            show_default="the one that lies beside the model",
        ),
    ] = None,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch/--no-fetch", help="Fetch a model of the catalogue that is not here yet."
        ),
    ] = True,
    core: Annotated[
        Core,
        typer.Option(
            "--core",
            envvar=CORE_VARIABLE,
            help="What computes: our own core, or whisper.cpp (`wsp build-core` builds it).",
        ),
    ] = Core.OWN,
    options: TranscribeOptions,
) -> None:
    """Turn recordings into text, subtitles or JSON.

    The result goes to standard output, everything else to standard error. Several files are worked
    through even if one fails; the exit code is then the highest of theirs. JSON also holds the
    errors, so that each file has its document.

    For example:

    $ wsp transcribe -m base -l de --format srt -o subtitles/ a.wav b.wav

    $ wsp transcribe --words --vad talk.wav

    $ wsp transcribe --beam-size 5 --languages de,fr --json call.wav

    $ wsp transcribe -m tiny.en --grammar commands.gbnf --dtw tiny.en --json - < command.wav
    """
    if json:
        format = Format.JSON  # noqa: A001
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    if options.vad_options != VadOptions() and not options.vad:
        raise UsageError("an option of --vad without --vad", expected="both, or neither")
    targets = plan_outputs(files, output, format)
    choose(core)
    heads = None if dtw is None else parse_heads(dtw)
    from wspkit.core import Context, can  # noqa: PLC0415 - the native module, not for --help

    if stats and not can("stats"):
        raise UnsupportedError(
            f"--stats: the core {core.value} does not tell its times", hint="Use our own core."
        )
    weights = model_file(model, fetch=fetch)
    if options.vad:
        speech_model = str(model_file(vad_model, fetch=fetch))
        options = dataclasses.replace(options, vad_model_path=speech_model)
    if words:
        options = dataclasses.replace(options, token_timestamps=True)
    for target in targets:
        if target is not None and _same_file(target, weights):
            raise UsageError(f"{target} is the model", expected="another file to write")
    with Context.load(weights, dtw=heads, backend=backend, encoder=encoder) as context:
        log.detail(repr(context))
        tell = log.detail if backend is Backend.AUTO and encoder is None else log.status
        tell(f"Back-end {context.backend_reason}")
        tell(f"Encoder {context.encoder_reason}")
        job = _Job(context, options, format, words, with_stats=stats, several=len(files) > 1)
        try:
            codes = [job.run(source, target) for source, target in zip(files, targets, strict=True)]
        finally:
            job.finish()
    exit_with(codes)


def plan_outputs(files: list[str], output: str | None, form: Format) -> list[Path | None]:
    """Where each file's result goes; None is standard output.

    output: as typed, so that a separator at its end tells a directory.
    Raises UsageError before any work if two results, or a result and a recording, would share a
    file, or if several results would run into one another on standard output.
    """
    from wspkit.core.writers import SUFFIXES  # noqa: PLC0415 - not for --help

    if files.count(STDIN) > 1:
        raise UsageError("standard input is named twice", expected="once")
    if output == "":
        raise UsageError("--output is empty", expected="a file or a directory")
    if output is None:
        if len(files) > 1 and form in {Format.SRT, Format.VTT}:
            raise UsageError(
                f"{len(files)} files as {form.value} on standard output would be one broken file",
                hint="Give a directory: -o DIR/",
            )
        return [None for _ in files]
    place = Path(output)
    wants_directory = len(files) > 1 or place.is_dir() or output.endswith(("/", os.sep))
    if not wants_directory:
        targets = [place]
    elif place.exists() and not place.is_dir():
        raise UsageError(
            f"{output} is a file, and there are {len(files)} recordings", expected="a directory"
        )
    else:
        stems = ["stdin" if name == STDIN else Path(name).stem for name in files]
        targets = [place / (stem + SUFFIXES[form.value]) for stem in stems]
    for i, target in enumerate(targets):
        if target in targets[:i]:
            raise UsageError(
                f"{files[targets.index(target)]} and {files[i]} would both be written to {target}",
                hint="Write them to different directories.",
            )
        if any(name != STDIN and _same_file(target, Path(name)) for name in files):
            raise UsageError(f"{target} is one of the recordings", expected="another file")
    return [*targets]


@dataclass
class _Job:
    """What is the same for all files of one call."""

    context: Context
    options: TranscribeOptions
    form: Format
    by_words: bool
    with_stats: bool
    several: bool

    def __post_init__(self) -> None:
        self.documents: list[dict[str, Any]] = []

    def run(self, source: str, target: Path | None) -> int:
        """Transcribes one file and returns its exit code; only cancellation is passed on."""
        try:
            self._deliver(source, target, self._transcribe(source))
        except CancelledError:
            raise
        except WspError as error:
            log.failure(error.about(source) if self.several else error)
            if self.form is Format.JSON and target is None:
                self.documents.append(error_document(source, error))
            return error.exit_code
        return 0

    def finish(self) -> None:
        """Prints JSON: one document for one file, a list for several."""
        print_documents(self.documents, several=self.several)

    def _transcribe(self, source: str) -> Transcription:
        audio = open_recording(source)
        log.detail(f"{source}: {audio!r}")
        name = "standard input" if source == STDIN else Path(source).name
        with log.progress(name, total=100) as bar:
            return self.context.transcribe(audio, self.options, on_progress=bar.update)

    def _deliver(self, source: str, target: Path | None, result: Transcription) -> None:
        from wspkit.core.writers import WORD_WRITERS, WRITERS  # noqa: PLC0415 - not for --help

        writers = WORD_WRITERS if self.by_words else WRITERS
        if self.form is Format.JSON:
            document = self._document(source, result)
            if target is None:
                self.documents.append(document)
            else:
                _write(target, json_format.dumps(document, ensure_ascii=False, indent=2) + "\n")
        else:
            text = writers[self.form.value](result)
            if target is None and self.by_words and self.form is Format.TEXT:
                _show_words(result, source if self.several else None)
            elif target is None:
                if self.several:
                    log.result(f"{source}:")
                log.result(text, end="\n" if self.several else "")
            else:
                _write(target, text)
        if self.with_stats and self.form is not Format.JSON:
            show_stats(self.context, result, source if self.several else None)

    def _document(self, source: str, result: Transcription) -> dict[str, Any]:
        from wspkit.core.writers import document  # noqa: PLC0415 - not for --help

        return {
            "file": source,
            "model": self.context.name,
            **document(result),
            "options": dataclasses.asdict(self.options),
            "stats": stats_document(self.context, result),
        }


def _show_words(result: Transcription, title: str | None) -> None:
    columns = [log.Column("start", right=True), log.Column("end", right=True)]
    rows = [
        [
            f"{word.start_s:.2f} s",
            f"{word.end_s:.2f} s",
            f"{word.probability:.0%}",
            word.text.strip(),
        ]
        for word in result.words
    ]
    log.table([*columns, log.Column("probability", right=True), "word"], rows, title=title)


def _write(target: Path, text: str) -> None:
    from wspkit.fetching.atomic_file import atomic_writer  # noqa: PLC0415 - not for --help

    with _writing(target), atomic_writer(target) as file:
        # The name of a recording may be no text; as an escape it is valid JSON still.
        file.write(text.encode("utf-8", "backslashreplace"))
    log.status(f"Wrote {target}")


@contextmanager
def _writing(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputOutputError(
            f"cannot write {target}: {error.strerror or error}",
            hint="Check the directory and its permissions.",
        ) from error


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False
