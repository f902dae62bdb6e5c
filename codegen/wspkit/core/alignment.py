"""Which cross-attention heads of a model follow the audio, for token times by dynamic time warping.
It must not know how a model is loaded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

from wspkit.errors import UsageError

if TYPE_CHECKING:
    from wspkit.core._core import RawHeads

AlignmentPreset = Literal[
    "tiny.en",
    "tiny",
    "base.en",
    "base",
    "small.en",
    "small",
    "medium.en",
    "medium",
    "large-v1",
    "large-v2",
    "large-v3",
    "large-v3-turbo",
]
"""Published models whose heads are known."""

AlignmentHeads: TypeAlias = AlignmentPreset | int | Sequence[tuple[int, int]]
"""The name of the model; or a number: all heads of so many last layers; or pairs of text layer and
head, both from 0.
"""


def raw_heads(heads: AlignmentHeads | None) -> RawHeads:
    """Heads as the native module takes them. Raises UsageError for what is none; what the model
    lacks is refused when it is loaded.
    """
    if heads is None:
        return None
    names = ", ".join(get_args(AlignmentPreset))
    if isinstance(heads, str):
        if heads in get_args(AlignmentPreset):
            return heads
        raise UsageError(f"dtw is {heads!r}", expected=f"one of {names}")
    if isinstance(heads, int) and not isinstance(heads, bool):
        return heads
    pairs: list[tuple[int, int]] = []
    if isinstance(heads, Sequence):
        with contextlib.suppress(TypeError, ValueError):
            pairs = [(int(layer), int(head)) for layer, head in cast("Sequence[Any]", heads)]
    if not pairs:
        raise UsageError(
            f"dtw is {heads!r}",
            expected="a model's name, a number of layers, or pairs of text layer and head",
        )
    return pairs


def parse_heads(text: str) -> AlignmentHeads:
    """Heads as a command line says them: "base.en", "top-2" or "3:1,4:2".

    Raises UsageError.
    """
    names = get_args(AlignmentPreset)
    if text in names:
        return text  # type: ignore[return-value]
    try:
        if text.startswith("top-"):
            return int(text.removeprefix("top-"))
        pairs = [tuple(map(int, pair.split(":"))) for pair in text.split(",")]
        return [(layer, head) for layer, head in pairs]
    except ValueError:
        raise UsageError(
            f"--dtw is {text!r}",
            expected=f"top-N, LAYER:HEAD,LAYER:HEAD, or one of {', '.join(names)}",
        ) from None
