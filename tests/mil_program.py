"""Reads a Core ML package back and computes its ML program in NumPy, so that packages are tested
where there is no Core ML. Must not know how packages are built, nor what is in them.

The package: a folder with Data/com.apple.CoreML/model.mlmodel (a protobuf, Apple's published
format, whose classes coremltools brings) and weights/weight.bin. In that file a value stands at the
multiple of 64 bytes that the program names: uint32 0xDEADBEEF, uint32 type, uint64 bytes, uint64
place of the data.

Half precision is computed as a device with single-precision sums would: each operation takes the
rounded values of those before it, and its result is rounded. On request nothing is rounded but the
stored weights: what then differs from another encoder is the graph's fault, or theirs.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from wspkit.models.encoders.coreml import import_coremltools
from wspkit.parity import layers

Values = npt.NDArray[Any]
#: A part of the protobuf, whose classes have no types.
Message: TypeAlias = Any

_SENTINEL = 0xDEADBEEF
#: By the names of MIL's data types.
_TYPES: Mapping[str, np.dtype[Any]] = {
    "FLOAT16": np.dtype("<f2"),
    "FLOAT32": np.dtype("<f4"),
    "INT32": np.dtype("<i4"),
    "UINT32": np.dtype("<u4"),
    "UINT8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
_CASTS = {"fp16": np.float16, "fp32": np.float32, "int32": np.int32}


class Package:
    """A package of one function with one input and one output."""

    def __init__(self, path: Path) -> None:
        """Reads it; raises what is wrong with it."""
        import_coremltools()
        proto = importlib.import_module("coremltools.proto.Model_pb2")
        self._mil = importlib.import_module("coremltools.proto.MIL_pb2")
        data = path / "Data" / "com.apple.CoreML"
        self._model = proto.Model()
        self._model.ParseFromString((data / "model.mlmodel").read_bytes())
        self._blob = np.memmap(data / "weights" / "weight.bin", np.uint8, "r")
        function = self._model.mlProgram.functions["main"]
        self._block = function.block_specializations[function.opset]
        self.size_bytes = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())

    @property
    def metadata(self) -> dict[str, str]:
        """What the package says of itself."""
        return dict(self._model.description.metadata.userDefined)

    @property
    def system(self) -> int:
        """Version of the format: 6 runs from iOS 15 on, 7 from iOS 16 on."""
        return int(self._model.specificationVersion)

    @property
    def operations(self) -> list[str]:
        """Kinds of its operations in their order, without constants."""
        return [op.type for op in self._block.operations if op.type != "const"]

    @property
    def input_shapes(self) -> list[tuple[int, ...]]:
        """Shapes that it takes, the default first; of a range its ends."""
        described = self._model.description.input[0].type.multiArrayType
        shapes = [tuple(described.shape)]
        shapes += [tuple(shape.shape) for shape in described.enumeratedShapes.shapes]
        ranges = described.shapeRange.sizeRanges
        if ranges:
            shapes += [tuple(r.lowerBound for r in ranges), tuple(r.upperBound for r in ranges)]
        return list(dict.fromkeys(shapes))

    def run(self, features: Values, *, rounded: bool = True) -> Values:
        """The output for one input. Raises KeyError for an operation that is not known here.

        rounded: whether results of half precision are.
        """
        description = self._model.description
        values: dict[str, Values] = {description.input[0].name: features}
        for operation in self._block.operations:
            (output,) = operation.outputs
            value = self._compute(operation, values)
            values[output.name] = value if rounded or operation.type == "const" else _wide(value)
        result: Values = values[description.output[0].name]
        return result

    def _compute(self, operation: Message, values: Mapping[str, Values]) -> Message:
        given = {name: self._value(value) for name, value in operation.attributes.items()}
        if operation.type == "const":
            return given["val"]
        for name, argument in operation.inputs.items():
            (bound,) = argument.arguments
            is_name = bound.WhichOneof("binding") == "name"
            given[name] = values[bound.name] if is_name else self._value(bound.value)
        given.pop("name", None)
        return _OPERATIONS[operation.type](given)

    def _value(self, value: Message) -> Message:
        kind = value.type.tensorType
        shape = tuple(dimension.constant.size for dimension in kind.dimensions)
        type_name = self._mil.DataType.Name(kind.dataType)
        if value.WhichOneof("value") == "blobFileValue":
            dtype = _TYPES[type_name]
            return self._stored(value.blobFileValue.offset).view(dtype).reshape(shape)
        tensor = value.immediateValue.tensor
        held = getattr(tensor, tensor.WhichOneof("value")).values
        if type_name == "STRING":
            return held[0]
        if isinstance(held, bytes):
            return np.frombuffer(held, _TYPES[type_name]).reshape(shape)
        return np.array(list(held), _TYPES[type_name]).reshape(shape)

    def _stored(self, place: int) -> Values:
        sentinel, _, size, start = struct.unpack("<IIQQ", self._blob[place : place + 24].tobytes())
        assert sentinel == _SENTINEL
        return self._blob[start : start + size]


def _wide(x: Values) -> Values:
    halves = getattr(x, "dtype", None) == np.float16  # a text has none
    return x.astype(np.float32) if halves else x


def _rounded(compute: Callable[..., Values]) -> Callable[[dict[str, Any]], Values]:
    """An operation in single precision on what may be half, which then the result is, too."""

    def operation(given: dict[str, Any]) -> Values:
        dtype = given["x"].dtype
        arrays = {name: _wide(value) for name, value in given.items()}
        return compute(**arrays).astype(dtype)

    return operation


def _conv(*, x: Values, weight: Values, bias: Values, strides: Values, **rest: Values) -> Values:
    """(1, C, T); padding as the operation says, which must be one frame on both sides."""
    assert rest["pad_type"] == "custom"
    assert rest["pad"].tolist() == [1, 1]
    assert int(rest["groups"]) == 1
    assert rest["dilations"].tolist() == [1]
    convolved: Values = layers.convolve(x[0].T, weight, bias, int(strides[0])).T[None]
    return convolved


def _slice_by_index(given: dict[str, Any]) -> Values:
    assert not {"stride", "begin_mask", "end_mask", "squeeze_mask"} & given.keys()
    parts = zip(given["begin"], given["end"], strict=True)
    part: Values = given["x"][tuple(slice(begin, end) for begin, end in parts)]
    return part


def _layer_norm(*, x: Values, axes: Values, gamma: Values, beta: Values, epsilon: Values) -> Values:
    assert axes.tolist() in ([-1], [x.ndim - 1])
    # Half precision knows epsilon as 1.0014e-5.
    assert abs(float(epsilon) / layers.LAYER_NORM_EPSILON - 1) < 2e-3
    return layers.layer_norm(x, gamma, beta)


def _gelu(*, x: Values, mode: str) -> Values:
    assert mode == "EXACT"
    return layers.gelu(x)


def _linear(*, x: Values, weight: Values, bias: Values) -> Values:
    product: Values = x @ weight.T + bias
    return product


def _matmul(*, x: Values, y: Values, transpose_x: Values, transpose_y: Values) -> Values:
    left = x.swapaxes(-1, -2) if transpose_x else x
    product: Values = left @ (y.swapaxes(-1, -2) if transpose_y else y)
    return product


def _softmax(*, x: Values, axis: Values) -> Values:
    assert int(axis) in {-1, x.ndim - 1}
    return layers.softmax(x)


def _palette(given: dict[str, Any]) -> Values:
    """constexpr_lut_to_dense: indices of b bits, lowest first, into a table of 2^b values."""
    table, shape = given["lut"], tuple(given["shape"])
    n_bits = len(table).bit_length() - 1
    bits = np.unpackbits(given["indices"], bitorder="little")[: int(np.prod(shape)) * n_bits]
    indices = bits.reshape(-1, n_bits) @ (1 << np.arange(n_bits))
    dense: Values = table[indices].reshape(shape)
    return dense


_OPERATIONS: Mapping[str, Callable[[dict[str, Any]], Any]] = {
    "add": _rounded(lambda x, y: x + y),
    "cast": lambda given: given["x"].astype(_CASTS[given["dtype"]]),
    "constexpr_lut_to_dense": _palette,
    "conv": _rounded(_conv),
    "gelu": _rounded(_gelu),
    "identity": lambda given: given["x"],
    "layer_norm": _rounded(_layer_norm),
    "linear": _rounded(_linear),
    "matmul": _rounded(_matmul),
    "mul": _rounded(lambda x, y: x * y),
    "reshape": lambda given: given["x"].reshape(given["shape"]),
    "shape": lambda given: np.array(given["x"].shape, np.int32),
    "slice_by_index": _slice_by_index,
    "softmax": _rounded(_softmax),
    "transpose": lambda given: given["x"].transpose(given["perm"]),
}
