"""`wsp model coreml` and `wsp model openvino`: encoders that the core finds beside a model.

The work is in `wspkit.models.encoders`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from wspkit import log
from wspkit.errors import InputOutputError, UsageError
from wspkit.fetching.cache import megabytes
from wspkit.models.encoders.coreml import (
    DEFAULT_CONTEXTS,
    ComputeUnits,
    Options,
    build_coreml,
    import_coremltools,
)
from wspkit.models.encoders.openvino import build_openvino, import_openvino
from wspkit.models.encoders.source import Encoder, read_encoder
from wspkit.models.fetch import resolve

_COREML_SUFFIX = "-encoder.mlpackage"
_OPENVINO_SUFFIX = "-encoder-openvino.xml"

Model = Annotated[
    str, typer.Argument(help="A .bin file of f16 or f32, or the name of a fetched model.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def coreml(
    model: Model,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Package to write.",
            show_default="<model>-encoder.mlpackage beside the model",
        ),
    ] = None,
    audio_contexts: Annotated[
        str,
        typer.Option(
            metavar="N,N...",
            help="Lengths of windows, in frames of 20 ms, that it takes beside the model's own.",
        ),
    ] = ",".join(map(str, DEFAULT_CONTEXTS)),
    any_context: Annotated[
        bool,
        typer.Option(
            "--any-context",
            help="Take windows of every length; the neural engine then does not run it.",
        ),
    ] = False,
    compute_units: Annotated[
        ComputeUnits, typer.Option(help="What may run it on a device.")
    ] = ComputeUnits.ALL,
    palette_bits: Annotated[
        int | None,
        typer.Option(
            metavar="4|6|8",
            help="Make each matrix indices of so many bits into a table of its values: a smaller "
            "package, less exact, from iOS 16 on.",
            show_default="half precision",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make the Core ML encoder of a model, which the core then runs in the place of its own.

    The package lies beside the model, and serves its quantised forms as well. It says of which
    model it is; beside another one, it is not used. Needs the extra wspkit[coreml].
    """
    _use_json(json)
    if palette_bits not in {None, 4, 6, 8}:
        raise UsageError(f"--palette-bits {palette_bits}", expected="4, 6 or 8")
    options = Options(_numbers(audio_contexts), any_context, compute_units, palette_bits)
    path = resolve(model)
    target = _target(path, output, _COREML_SUFFIX, ".mlpackage", replace=force)
    import_coremltools()  # says what is missing before a large file is read
    encoder = read_encoder(path)
    with log.progress(f"building {target.name}", total=None) as bar:
        build_coreml(encoder, target, options, bar)
    files = [file for file in target.rglob("*") if file.is_file()]
    _show(encoder, target, files)


def openvino(
    model: Model,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            help="Model to write; its weights lie beside it with the suffix .bin.",
            show_default="<model>-encoder-openvino.xml beside the model",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make the OpenVINO encoder of a model, for cores that are built with OpenVINO.

    It lies beside the model, serves its quantised forms as well, and takes windows of every length.
    Needs the extra wspkit[openvino].
    """
    _use_json(json)
    path = resolve(model)
    target = _target(path, output, _OPENVINO_SUFFIX, ".xml", replace=force)
    import_openvino()
    encoder = read_encoder(path)
    with log.progress(f"building {target.name}", total=None) as bar:
        try:
            build_openvino(encoder, target, bar)
        except OSError as error:
            raise InputOutputError(f"{target}: {error.strerror or error}") from error
    _show(encoder, target, [target, target.with_suffix(".bin")])


def _use_json(wanted: bool) -> None:
    if wanted:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)


def _numbers(text: str) -> tuple[int, ...]:
    """Whole numbers between commas; none for an empty text."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    if not all(re.fullmatch(r"[0-9]{1,9}", word) and int(word) > 0 for word in words):
        raise UsageError(
            f"--audio-contexts {text!r}", expected="whole numbers of frames, such as 1024,512"
        )
    return tuple(int(word) for word in words)


def _target(
    model: Path, output: Path | None, name_suffix: str, file_suffix: str, *, replace: bool
) -> Path:
    target = output or model.with_name(model.name.removesuffix(".bin") + name_suffix)
    if target.suffix != file_suffix:
        raise UsageError(f"{target} as the encoder", expected=f"a name that ends in {file_suffix}")
    if target.exists() and not replace:
        raise UsageError(f"{target} exists", hint="Give --force to replace it, or another -o.")
    return target


def _show(encoder: Encoder, target: Path, files: list[Path]) -> None:
    size_bytes = sum(file.stat().st_size for file in files)
    if log.settings().json_mode:
        document: dict[str, Any] = {
            "source": str(encoder.path),
            "path": str(target),
            "size_bytes": size_bytes,
            "encoder_fingerprint": encoder.fingerprint,
            "model_sha256": encoder.model_sha256,
        }
        log.result_json(document)
        return
    log.status(f"{target.name}: {megabytes(size_bytes)}")
    log.result(str(target))
