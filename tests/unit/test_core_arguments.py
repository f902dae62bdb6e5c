"""Arguments that the native module could not even take: refused by name, as wrong use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wspkit.core import Context, resample
from wspkit.errors import UsageError

SILENCE = np.zeros(16000, np.float32)


@pytest.fixture(scope="module")
def context(synthetic_model: Path) -> Iterator[Context]:
    with Context.load(synthetic_model) as loaded:
        yield loaded


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("token", lambda context, value: context.token_bytes(value)),
        ("offset_ms", lambda context, value: context.detect_language(SILENCE, offset_ms=value)),
        ("n_threads", lambda context, value: context.detect_language(SILENCE, n_threads=value)),
        ("from_hz", lambda _, value: resample(SILENCE, from_hz=value)),
        ("to_hz", lambda _, value: resample(SILENCE, from_hz=16000, to_hz=value)),
    ],
)
@pytest.mark.parametrize("value", [2**31, -(2**40), 1.5, "8", None])
def test_a_number_that_32_bits_cannot_hold_is_refused_by_name(
    context: Context, name: str, call: Callable[[Context, Any], object], value: object
) -> None:
    with pytest.raises(UsageError, match=f"{name} is "):
        call(context, value)


def test_integers_of_numpy_are_numbers(context: Context) -> None:
    assert context.token_bytes(np.int64(50)) == context.token_bytes(50)


def test_text_that_utf_8_cannot_hold_is_refused(context: Context) -> None:
    with pytest.raises(UsageError, match="UTF-8"):
        context.tokenize("\udc80")


def test_a_candidate_that_is_no_text_is_refused(context: Context) -> None:
    with pytest.raises(UsageError, match="None is no language"):
        context.detect_language(SILENCE, candidates=[None])  # type: ignore[list-item]
