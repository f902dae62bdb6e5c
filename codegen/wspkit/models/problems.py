"""What keeps a readable model file from being loaded: numbers that do not fit, missing tensors.

The rules are the core's, told for the whole file at once where the core stops at the first. It
looks at the description that `inspect` read, never at words or values: the core may still refuse
those. The same rules in C++: cpp/src/model/hyperparameters.cpp and tensor_names.cpp.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from wspkit.models.ggml_types import Hyperparameters
from wspkit.models.inspect import Report, Tensor

_RANGES: Final = {
    "n_vocab": (51_864, 51_866),
    "n_audio_ctx": (1, 4096),
    "n_audio_state": (1, 4096),
    "n_audio_layer": (1, 128),
    "n_text_ctx": (16, 4096),
    "n_text_layer": (1, 128),
}
_MEL_BANDS: Final = (80, 128)
_MAX_HEAD_WIDTH: Final = 256
_MATRIX_TYPES: Final = (
    *("f32", "f16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0"),
    *("q2_K", "q3_K", "q4_K", "q5_K", "q6_K"),
)
_LAYOUT_VERSION: Final = 2
_NAMED: Final = 3


@dataclass(frozen=True)
class _Expected:
    """What a tensor must be. shape: outermost first; dimensions of 1 do not count."""

    shape: tuple[int, ...]
    types: tuple[str, ...]

    def holds(self, tensor: Tensor) -> bool:
        return _without_ones(tensor.shape) == _without_ones(self.shape)


def problems(report: Report) -> tuple[str, ...]:
    """One sentence for each kind of thing that loading refuses; none for a VAD model, whose loader
    has rules of its own.
    """
    sizes = report.hyperparameters
    if sizes is None:
        return ()
    found = [*_numbers(sizes), *_weights(report)]
    limits = [_RANGES[name][1] for name in ("n_audio_layer", "n_text_layer")]
    if sizes.n_audio_layer <= limits[0] and sizes.n_text_layer <= limits[1]:
        # Beyond, a list of the tensors would take as much memory as the header likes.
        found += _tensors(report.tensors, dict(_expected(sizes, report.weights)))
    return tuple(found)


def _numbers(sizes: Hyperparameters) -> Iterator[str]:
    for name, (low, high) in _RANGES.items():
        value = getattr(sizes, name)
        if not low <= value <= high:
            yield f"{name} is {value}; expected {low} to {high}"
    if sizes.n_text_state != sizes.n_audio_state:
        yield (
            f"n_text_state is {sizes.n_text_state}; expected {sizes.n_audio_state} as n_audio_state"
        )
    for half in ("audio", "text"):
        width, heads = getattr(sizes, f"n_{half}_state"), getattr(sizes, f"n_{half}_head")
        if width % heads:
            yield f"n_{half}_state is {width}, no multiple of the {heads} of n_{half}_head"
        elif width // heads > _MAX_HEAD_WIDTH:
            yield (
                f"n_{half}_head is {heads}; expected heads of at most {_MAX_HEAD_WIDTH} of the "
                f"width {width}"
            )
    if sizes.n_mels not in _MEL_BANDS:
        yield f"n_mels is {sizes.n_mels}; expected 80 or 128"


def _weights(report: Report) -> Iterator[str]:
    version = report.quantization_version
    if report.weights not in _MATRIX_TYPES:
        yield f"ftype says {report.weights}; expected one of {', '.join(_MATRIX_TYPES)}"
    elif report.weights.startswith("q") and version != _LAYOUT_VERSION:
        yield (
            f"ftype says {report.weights} in version {version} of the layout; expected version "
            f"{_LAYOUT_VERSION}"
        )
    elif version > _LAYOUT_VERSION:
        yield f"ftype says version {version} of the layout; expected at most {_LAYOUT_VERSION}"


def _tensors(tensors: Iterable[Tensor], expected: Mapping[str, _Expected]) -> Iterator[str]:
    counts = Counter(tensor.name for tensor in tensors)
    missing = [name for name in expected if name not in counts]
    if missing:
        there = len(expected) - len(missing)
        yield f"{there} of {len(expected)} tensors are there; missing: {_some(missing)}"
    unknown = [name for name in counts if name not in expected]
    if unknown:
        yield f"tensors that no model of these sizes has: {_some(unknown)}"
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        yield f"tensors that come more than once: {_some(twice)}"
    known = [(tensor, expected[tensor.name]) for tensor in tensors if tensor.name in expected]
    shapes = [
        f"{tensor.name} {_shown(tensor.shape)} instead of {_shown(wanted.shape)}"
        for tensor, wanted in known
        if not wanted.holds(tensor)
    ]
    if shapes:
        yield f"shapes that the header does not give: {_some(shapes)}"
    types = [
        f"{tensor.name} {tensor.type_name} instead of {' or '.join(wanted.types)}"
        for tensor, wanted in known
        if tensor.type_name not in wanted.types
    ]
    if types:
        yield f"types that ftype does not give: {_some(types)}"


def _expected(sizes: Hyperparameters, weights: str) -> Iterator[tuple[str, _Expected]]:
    """Every tensor of a model of these sizes, with its name."""
    width = sizes.n_audio_state
    yield "encoder.positional_embedding", _Expected((sizes.n_audio_ctx, width), ("f32",))
    for number, channels in ((1, sizes.n_mels), (2, width)):
        kernel = _Expected((width, channels, 3), ("f16", "f32"))
        yield f"encoder.conv{number}.weight", kernel
        yield f"encoder.conv{number}.bias", _Expected((width,), ("f32",))
    for layer in range(sizes.n_audio_layer):
        yield from _block(f"encoder.blocks.{layer}", ("attn",), width, weights)
    yield from _norm("encoder.ln_post", width)
    width = sizes.n_text_state
    yield "decoder.positional_embedding", _Expected((sizes.n_text_ctx, width), ("f32",))
    embedding = _Expected((sizes.n_vocab, width), (weights,))
    yield "decoder.token_embedding.weight", embedding
    for layer in range(sizes.n_text_layer):
        yield from _block(f"decoder.blocks.{layer}", ("attn", "cross_attn"), width, weights)
    yield from _norm("decoder.ln", width)


def _block(
    name: str, attentions: tuple[str, ...], width: int, weights: str
) -> Iterator[tuple[str, _Expected]]:
    linears = [
        (f"{attention}.{part}", width, width)
        for attention in attentions
        for part in ("query", "key", "value", "out")
    ]
    for part, rows, columns in (*linears, ("mlp.0", 4 * width, width), ("mlp.2", width, 4 * width)):
        yield f"{name}.{part}.weight", _Expected((rows, columns), (weights,))
        if not part.endswith(".key"):  # softmax would not see a bias of the keys
            yield f"{name}.{part}.bias", _Expected((rows,), ("f32",))
    for part in (*attentions, "mlp"):
        yield from _norm(f"{name}.{part}_ln", width)


def _norm(name: str, width: int) -> Iterator[tuple[str, _Expected]]:
    yield f"{name}.weight", _Expected((width,), ("f32",))
    yield f"{name}.bias", _Expected((width,), ("f32",))


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(extent for extent in shape if extent != 1)


def _shown(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _some(found: list[str]) -> str:
    more = len(found) - _NAMED
    return ", ".join(found[:_NAMED]) + (f" and {more} more" if more > 0 else "")
