"""`wsp transcribe`: recordings in, text out. The work is in `wspkit.core` and `wspkit.models`."""

from __future__ import annotations

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
from wspkit.cli.inputs import STDIN, load_recording, model_file
from wspkit.core.generated.options import TranscribeOptions
from wspkit.errors import (
    CancelledError,
    InputOutputError,
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
    json: Annotated[
        bool, typer.Option("--json", help="Short for --format json; errors are JSON as well.")
    ] = False,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Show times by phase, speed and peak memory (on stderr)."),
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch/--no-fetch", help="Fetch a model of the catalogue that is not here yet."
        ),
    ] = True,
    options: TranscribeOptions,
) -> None:
    """Turn recordings into text, subtitles or JSON.

    The result goes to standard output, everything else to standard error. Several files are worked
    through even if one fails; the exit code is then the highest of theirs.
    """
    if json:
        format = Format.JSON  # noqa: A001
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    targets = plan_outputs(files, output, format)
    from wspkit.core import Context  # noqa: PLC0415 - the native module, not for --help

    weights = model_file(model, fetch=fetch)
    for target in targets:
        if target is not None and _same_file(target, weights):
            raise UsageError(f"{target} is the model", expected="another file to write")
    with Context.load(weights) as context:
        log.detail(f"{context!r}")
        job = _Job(context, options, format, with_stats=stats, several=len(files) > 1)
        try:
            codes = [job.run(source, target) for source, target in zip(files, targets, strict=True)]
        finally:
            job.finish()
    failed = [code for code in codes if code]
    if len(files) > 1 and failed:
        log.status(f"{len(failed)} of {len(files)} files failed.")
    if failed:
        raise typer.Exit(max(failed))


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
                self.documents.append(
                    {
                        "file": source,
                        "error": {"kind": type(error).__name__, "message": error.message},
                    }
                )
            return error.exit_code
        return 0

    def finish(self) -> None:
        """Prints JSON: one document for one file, a list for several."""
        if self.several and self.documents:
            log.result_json(self.documents)
        else:
            # What failed has been told on stderr.
            for document in self.documents:
                if "error" not in document:
                    log.result_json(document)

    def _transcribe(self, source: str) -> Transcription:
        audio = load_recording(source)
        log.detail(f"{source}: {audio!r}")
        name = "standard input" if source == STDIN else Path(source).name
        with log.progress(name, total=100) as bar:
            return self.context.transcribe(audio, self.options, on_progress=bar.update)

    def _deliver(self, source: str, target: Path | None, result: Transcription) -> None:
        from wspkit.core.writers import WRITERS  # noqa: PLC0415 - not for --help

        if self.form is Format.JSON:
            document = self._document(source, result)
            if target is None:
                self.documents.append(document)
            else:
                _write(target, json_format.dumps(document, ensure_ascii=False, indent=2) + "\n")
        else:
            text = WRITERS[self.form.value](result)
            if target is None:
                if self.several:
                    log.result(f"{source}:")
                log.result(text, end="\n" if self.several else "")
            else:
                _write(target, text)
        if self.with_stats and self.form is not Format.JSON:
            show_stats(self.context, result, source if self.several else None)

    def _document(self, source: str, result: Transcription) -> dict[str, Any]:
        from wspkit.core.writers import document  # noqa: PLC0415 - not for --help

        made = {"file": source, "model": self.context.name, **document(result)}
        return {**made, "stats": stats_document(self.context, result)} if self.with_stats else made


def stats_document(context: Context, result: Transcription) -> dict[str, Any]:
    """What --stats shows, as plain data."""
    import dataclasses  # noqa: PLC0415 - not for --help

    from wspkit.core import build_facts  # noqa: PLC0415
    from wspkit.core.memory import peak_memory_bytes  # noqa: PLC0415

    return {
        **dataclasses.asdict(result.stats),
        "real_time_factor": result.stats.real_time_factor,
        "peak_memory_bytes": peak_memory_bytes(),
        "model_type": context.facts.type,
        "backend": context.backend,
        "kernel_table": build_facts().kernel_table,
    }


def show_stats(context: Context, result: Transcription, title: str | None) -> None:
    """A table of times and memory on stderr, so that stdout stays the result's own."""
    shown = stats_document(context, result)
    stats = result.stats
    factor = stats.real_time_factor
    rows = [
        ["audio", f"{stats.audio_s:.2f} s", f"language {result.language or 'unknown'}"],
        ["load", f"{stats.load_ms:.0f} ms", f"model {context.facts.type}, once"],
        ["log-mel", f"{stats.mel_ms:.0f} ms", ""],
        ["encoder", f"{stats.encode_ms:.0f} ms", _count(stats.n_windows, "window")],
        ["decoder, prompts", f"{stats.prompt_ms:.0f} ms", ""],
        ["decoder, steps", f"{stats.decode_ms:.0f} ms", _count(stats.n_tokens, "token")],
        ["decoder, batches", f"{stats.batched_ms:.0f} ms", _count(stats.n_fallbacks, "fallback")],
        ["sampling", f"{stats.sample_ms:.0f} ms", ""],
        ["total without load", f"{stats.total_ms:.0f} ms", _speed(factor)],
        ["threads", str(stats.n_threads), f"{shown['backend']}, kernels {shown['kernel_table']}"],
        ["weights", _mb(stats.weights_bytes), ""],
        ["caches and buffers", _mb(stats.state_bytes), ""],
    ]
    if (peak := shown["peak_memory_bytes"]) is not None:
        rows.append(["peak memory", _mb(peak), "of the whole process"])
    log.table(["phase", log.Column("value", right=True), "note"], rows, title=title, to_stderr=True)


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _speed(factor: float | None) -> str:
    return "" if not factor else f"{1 / factor:.1f} times real time (factor {factor:.3f})"


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"


def _write(target: Path, text: str) -> None:
    from wspkit.models.atomic_file import atomic_writer  # noqa: PLC0415 - not for --help

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
