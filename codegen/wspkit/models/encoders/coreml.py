"""Builds the encoder as a Core ML package (.mlpackage, an ML program) with coremltools, on any
system, without torch.

coremltools comes with the extra `wspkit[coreml]` and is imported when a package is built.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

import wspkit
from wspkit.errors import UnsupportedError, UsageError
from wspkit.fetching.progress import Bar
from wspkit.fetching.whole_folder import whole_folder
from wspkit.models.encoders.graph import EPSILON, INPUT, OUTPUT, head_scale, record_encoder
from wspkit.models.encoders.palette import palettise
from wspkit.models.encoders.source import Array, Encoder, Untyped, audio_contexts

DEFAULT_CONTEXTS: Final = (1280, 1024, 768, 512, 256)
"""Beside the model's own. Multiples of 256, because what a chip computes is padded to blocks; a
list and not a range, because Apple's neural engine takes enumerated shapes only."""

MAX_CONTEXTS: Final = 128
"""Of one package; Core ML allows no more shapes."""


_MATRICES: Final = ("conv", "linear")
"""Operations whose weights become indices into a palette."""


class ComputeUnits(str, Enum):
    """What may run the package on a device; the core hands it to Core ML when it loads."""

    ALL = "all"
    CPU_AND_NEURAL_ENGINE = "cpu-and-neural-engine"
    CPU_AND_GPU = "cpu-and-gpu"
    CPU = "cpu"


@dataclass(frozen=True)
class Options:
    """How a package is built."""

    contexts: Sequence[int] = DEFAULT_CONTEXTS
    """Lengths of windows beside the model's own, in frames of 20 ms."""
    any_context: bool = False
    """Take every length instead; the neural engine is then not used."""
    compute_units: ComputeUnits = ComputeUnits.ALL
    palette_bits: int | None = None
    """Bits of an index into the table of values that each matrix then is: 4, 6 or 8."""


def build_coreml(encoder: Encoder, destination: Path, options: Options, bar: Bar) -> Path:
    """Makes the package, whole or not at all; what is at `destination` is replaced.

    `bar` is moved by layers and steps. Computes in half precision, with features and output in
    single. Errors: UnsupportedError without coremltools; UsageError for contexts that no package
    has; what `whole_folder` raises.
    """
    contexts = audio_contexts(encoder, options.contexts)
    if min(contexts) < 1 or len(contexts) > MAX_CONTEXTS:
        raise UsageError(
            f"{len(contexts)} lengths of windows from {min(contexts)} frames on",
            expected=f"at most {MAX_CONTEXTS}, from 1 frame on",
        )
    ct = import_coremltools()
    steps = encoder.sizes.n_audio_layer + (4 if options.palette_bits else 3)
    program = _program(ct, encoder, bar, steps)
    bar.update(steps - 2, total=steps)
    package = ct.convert(
        program,
        source="milinternal",
        convert_to="mlprogram",
        inputs=[_input(ct, encoder, contexts, ranged=options.any_context)],
        compute_precision=ct.precision.FLOAT16,
        minimum_deployment_target=_target(ct, options),
        skip_model_load=True,
    )
    if options.palette_bits is not None:
        package = _palettised(package, options.palette_bits)
    bar.update(steps - 1, total=steps)
    _describe(package, encoder, contexts, options)
    with whole_folder(destination) as unfinished:
        package.save(os.fspath(unfinished))
    bar.update(steps, total=steps)
    return destination


def import_coremltools() -> Untyped:
    """The module, silenced: it draws bars of its own and warns of what it cannot run here."""
    before = os.environ.get("TQDM_DISABLE")
    os.environ["TQDM_DISABLE"] = "1"
    logging.getLogger("coremltools").setLevel(logging.ERROR)
    try:
        return importlib.import_module("coremltools")
    except ImportError as error:
        raise UnsupportedError(
            f"coremltools cannot be used: {error}",
            expected="the extra of this package that brings it",
            hint="Run `pip install 'wspkit[coreml]'`.",
        ) from error
    finally:
        if before is None:
            del os.environ["TQDM_DISABLE"]
        else:
            os.environ["TQDM_DISABLE"] = before


def _target(ct: Untyped, options: Options) -> Untyped:
    """The oldest system that runs it: tables of values came with iOS 16."""
    return ct.target.iOS15 if options.palette_bits is None else ct.target.iOS16


def _input(ct: Untyped, encoder: Encoder, contexts: Sequence[int], *, ranged: bool) -> Untyped:
    n_mels, longest = encoder.sizes.n_mels, 2 * contexts[0]
    shape: Untyped = (1, n_mels, longest)
    if ranged:
        frames = ct.RangeDim(lower_bound=2, upper_bound=longest, default=longest)
        shape = ct.Shape(shape=(1, n_mels, frames))
    elif len(contexts) > 1:
        shapes = [(1, n_mels, 2 * length) for length in contexts]
        shape = ct.EnumeratedShapes(shapes=shapes, default=shapes[0])
    return ct.TensorType(name=INPUT, shape=shape)


def _program(ct: Untyped, encoder: Encoder, bar: Bar, steps: int) -> Untyped:
    """The graph of MIL, over a number of frames that is not known yet."""
    mil = importlib.import_module("coremltools.converters.mil.mil")
    builder = mil.Builder
    frames = mil.get_new_symbol()
    features = builder.TensorSpec(shape=(1, encoder.sizes.n_mels, frames), dtype=mil.types.fp32)

    def graph(logmel_data: Untyped) -> Untyped:
        output = record_encoder(
            _Mil(builder),
            encoder,
            logmel_data,
            lambda layers: bar.update(layers, total=steps),
        )
        return builder.identity(x=output, name=OUTPUT)

    decorate = builder.program(input_specs=[features], opset_version=ct.target.iOS15)
    return decorate(graph)


class _Mil:
    """The operations of `graph` in MIL; see the reference of MIL ops in coremltools' documents."""

    def __init__(self, builder: Untyped) -> None:
        self._mb = builder

    def convolve(self, x: Untyped, weight: Array, bias: Array, stride: int) -> Untyped:
        return self._mb.conv(
            x=x,
            weight=_single(weight),
            bias=_single(bias),
            strides=[stride],
            pad_type="custom",
            pad=[1, 1],
        )

    def frames_first(self, x: Untyped) -> Untyped:
        return self._mb.transpose(x=x, perm=[0, 2, 1])

    def add_positions(self, x: Untyped, table: Array) -> Untyped:
        end = self._mb.shape(x=x)  # (1, T, D): where the table is cut
        rows = self._mb.slice_by_index(x=_single(table)[None], begin=[0, 0, 0], end=end)
        return self._mb.add(x=x, y=rows)

    def linear(self, x: Untyped, weight: Array, bias: Array | None) -> Untyped:
        given = {} if bias is None else {"bias": _single(bias)}
        return self._mb.linear(x=x, weight=_single(weight), **given)

    def gelu(self, x: Untyped) -> Untyped:
        return self._mb.gelu(x=x, mode="EXACT")

    def layer_norm(self, x: Untyped, gamma: Array, beta: Array) -> Untyped:
        return self._mb.layer_norm(
            x=x, axes=[-1], gamma=_single(gamma), beta=_single(beta), epsilon=EPSILON
        )

    def attend(self, q: Untyped, k: Untyped, v: Untyped, n_heads: int) -> Untyped:
        mb = self._mb
        width = q.shape[-1]
        q = mb.mul(x=q, y=head_scale(width, n_heads))
        q, k, v = (self._heads(node, n_heads) for node in (q, k, v))  # (1, H, T, K)
        weights = mb.softmax(x=mb.matmul(x=q, y=k, transpose_y=True), axis=-1)
        mixed = mb.transpose(x=mb.matmul(x=weights, y=v), perm=[0, 2, 1, 3])
        return mb.reshape(x=mixed, shape=[1, -1, width])

    def _heads(self, x: Untyped, n_heads: int) -> Untyped:
        split = self._mb.reshape(x=x, shape=[1, -1, n_heads, x.shape[-1] // n_heads])
        return self._mb.transpose(x=split, perm=[0, 2, 1, 3])

    def add(self, x: Untyped, y: Untyped) -> Untyped:
        return self._mb.add(x=x, y=y)


def _single(values: Array) -> Array:
    """What the builder takes; the conversion to half precision gives f16 weights back as they
    were.
    """
    return values.astype("<f4")


def _palettised(package: Untyped, bits: int) -> Untyped:
    optimize = importlib.import_module("coremltools.optimize.coreml")
    kind = optimize.OpPalettizerConfig(mode="custom", lut_function=partial(palettise, n_bits=bits))
    kinds = dict.fromkeys(_MATRICES, kind)  # not the table of positions
    return optimize.palettize_weights(package, optimize.OptimizationConfig(op_type_configs=kinds))


def _describe(
    package: Untyped, encoder: Encoder, contexts: Sequence[int], options: Options
) -> None:
    """What the core, and a reader, find in the package."""
    sizes = encoder.sizes
    package.short_description = (
        f"Encoder of the Whisper model {encoder.path.name}: {sizes.n_mels} mel bins, "
        f"{sizes.n_audio_layer} layers x {sizes.n_audio_state}"
    )
    package.author = f"wspkit {wspkit.__version__}"
    package.input_description[INPUT] = "Log-mel features (1, mel bins, 2 * frames of 20 ms)."
    package.output_description[OUTPUT] = "What the decoder attends to (1, frames, width)."
    package.user_defined_metadata.update(_metadata(encoder, contexts, options))


def _metadata(encoder: Encoder, contexts: Sequence[int], options: Options) -> Mapping[str, str]:
    """Keys that the core reads: encoder_fingerprint and compute_units."""
    taken = f"1 to {contexts[0]}" if options.any_context else " ".join(map(str, contexts))
    return {
        "encoder_fingerprint": encoder.fingerprint,
        "model_file": encoder.path.name,
        "model_sha256": encoder.model_sha256,
        "audio_contexts": taken,
        "compute_units": options.compute_units.value,
        "weights": f"palette of {options.palette_bits} bits" if options.palette_bits else "f16",
    }
