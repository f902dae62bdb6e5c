"""Builds the encoder as an OpenVINO model (.xml and .bin) with OpenVINO's own Python package.

openvino comes with the extra `wspkit[openvino]` and is imported when a model is built.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from pathlib import Path

import numpy as np

import wspkit
from wspkit.errors import UnsupportedError
from wspkit.fetching.progress import Bar
from wspkit.models.encoders.graph import EPSILON, INPUT, OUTPUT, head_scale, record_encoder
from wspkit.models.encoders.source import Array, Encoder, Untyped


def build_openvino(encoder: Encoder, destination: Path, bar: Bar) -> Path:
    """Makes `destination` and, beside it, the weights with the suffix .bin; both or neither.

    Takes windows of any length. Weights are stored as the model has them; in which precision it
    computes is the device's choice. `bar` is moved by layers. Errors: UnsupportedError without
    openvino; what the operating system says.
    """
    ov = import_openvino()
    steps = encoder.sizes.n_audio_layer + 1
    opset = importlib.import_module("openvino.opset13")
    sizes = encoder.sizes
    shape = ov.PartialShape([1, sizes.n_mels, ov.Dimension(2, 2 * sizes.n_audio_ctx)])
    mel = opset.parameter(shape, np.float32, name=INPUT)
    mel.output(0).set_names({INPUT})
    output = record_encoder(
        _OpenVino(opset), encoder, mel, lambda layers: bar.update(layers, total=steps)
    )
    result = opset.result(output)
    result.output(0).set_names({OUTPUT})
    model = ov.Model([result], [mel], f"encoder of {encoder.path.name}")
    for key, value in _metadata(encoder).items():
        model.set_rt_info(value, ["speech", key])
    _save(ov, model, destination)
    bar.update(steps, total=steps)
    return destination


def import_openvino() -> Untyped:
    """The module."""
    try:
        return importlib.import_module("openvino")
    except ImportError as error:
        raise UnsupportedError(
            f"openvino cannot be used: {error}",
            expected="the extra of this package that brings it",
            hint="Run `pip install 'wspkit[openvino]'`.",
        ) from error


def _save(ov: Untyped, model: Untyped, destination: Path) -> None:
    """Weights first: who sees the .xml finds them beside it."""
    target = Path(os.path.realpath(destination))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unfinished-", dir=target.parent) as folder:
        unfinished = Path(folder) / target.name
        ov.save_model(model, os.fspath(unfinished), compress_to_fp16=False)
        unfinished.with_suffix(".bin").replace(target.with_suffix(".bin"))
        unfinished.replace(target)


def _metadata(encoder: Encoder) -> dict[str, str]:
    """The core reads encoder_fingerprint."""
    return {
        "encoder_fingerprint": encoder.fingerprint,
        "model_file": encoder.path.name,
        "model_sha256": encoder.model_sha256,
        "made_by": f"wspkit {wspkit.__version__}",
    }


class _OpenVino:
    """The operations of `graph` in OpenVINO's opset 13."""

    def __init__(self, opset: Untyped) -> None:
        self._op = opset

    def _weight(self, values: Array) -> Untyped:
        """A constant in single precision; half is stored as half and widened where it is used."""
        constant = self._op.constant(np.ascontiguousarray(values))
        return self._op.convert(constant, "f32") if values.dtype == np.float16 else constant

    def convolve(self, x: Untyped, weight: Array, bias: Array, stride: int) -> Untyped:
        product = self._op.convolution(x, self._weight(weight), [stride], [1], [1], [1])
        return self._op.add(product, self._weight(bias[None, :, None]))

    def frames_first(self, x: Untyped) -> Untyped:
        return self._op.transpose(x, [0, 2, 1])

    def add_positions(self, x: Untyped, table: Array) -> Untyped:
        n_frames = self._op.gather(self._op.shape_of(x), [1], 0)
        rows = self._op.slice(self._weight(table[None]), [0], n_frames, [1], [1])
        return self._op.add(x, rows)

    def linear(self, x: Untyped, weight: Array, bias: Array | None) -> Untyped:
        product = self._op.matmul(x, self._weight(weight), transpose_a=False, transpose_b=True)
        return product if bias is None else self._op.add(product, self._weight(bias))

    def gelu(self, x: Untyped) -> Untyped:
        return self._op.gelu(x, "ERF")

    def layer_norm(self, x: Untyped, gamma: Array, beta: Array) -> Untyped:
        normed = self._op.mvn(x, [-1], normalize_variance=True, eps=EPSILON, eps_mode="INSIDE_SQRT")
        return self._op.add(self._op.multiply(normed, self._weight(gamma)), self._weight(beta))

    def attend(self, q: Untyped, k: Untyped, v: Untyped, n_heads: int) -> Untyped:
        width = q.get_output_partial_shape(0)[2].get_length()
        scale = self._op.constant(head_scale(width, n_heads))
        q, k, v = (self._heads(node, n_heads, width) for node in (q, k, v))
        # One operation, which the CPU computes without the matrix of weights between.
        mixed = self._op.scaled_dot_product_attention(
            q, k, v, self._op.constant(np.float32(0)), scale, causal=False
        )
        return self._op.reshape(self._op.transpose(mixed, [0, 2, 1, 3]), [0, 0, width], True)

    def _heads(self, x: Untyped, n_heads: int, width: int) -> Untyped:
        split = self._op.reshape(x, [0, 0, n_heads, width // n_heads], True)
        return self._op.transpose(split, [0, 2, 1, 3])

    def add(self, x: Untyped, y: Untyped) -> Untyped:
        return self._op.add(x, y)
