"""Options: each reaches the field of whisper.h that it is documented to reach, and no other."""

from __future__ import annotations

import dataclasses

import pytest

from wspkit.core import TranscribeOptions
from wspkit.core.generated.options import TRANSCRIBE_OPTIONS
from wspkit.core.native import core
from wspkit.spec.option import OptionInfo, Value


def other_value(info: OptionInfo) -> Value:
    """An allowed value that is not the default; floats that 32 bits hold exactly."""
    if info.type == "bool":
        return not info.default
    if info.type == "string":
        return "de" if info.name == "language" else "Grüße, Welt"
    if info.type == "tokens":
        return (5, 7, 11)
    if info.type == "enum":
        return next(choice for choice in info.choices if choice != info.default)
    if info.type == "int":
        return int(info.minimum or 0) + 3
    candidates = (0.25, 0.75, -0.5, -2.5, 3.5)
    low = -100 if info.minimum is None else info.minimum
    high = 100 if info.maximum is None else info.maximum
    return next(value for value in candidates if low < value < high)


def field_value(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("info", TRANSCRIBE_OPTIONS, ids=lambda info: info.name)
def test_each_option_reaches_its_field_and_no_other(info: OptionInfo) -> None:
    before = core.params_as_dict(TranscribeOptions())
    value = other_value(info)
    after = core.params_as_dict(TranscribeOptions(**{info.name: value}))  # type: ignore[arg-type]
    changed = {name for name in after if after[name] != before[name]}
    expected = {info.c_field, "prompt_n_tokens"} if info.type == "tokens" else {info.c_field}
    assert changed == expected
    assert after[info.c_field] == field_value(value)


@pytest.mark.parametrize("info", TRANSCRIBE_OPTIONS, ids=lambda info: info.name)
def test_each_default_is_what_the_field_gets(info: OptionInfo) -> None:
    fields = core.params_as_dict(TranscribeOptions())
    if info.name == "n_threads":
        assert 1 <= fields["n_threads"] <= 4
    elif info.type in {"string", "tokens"} and not info.default:
        assert fields[info.c_field] is None
    elif info.type == "float":
        assert fields[info.c_field] == pytest.approx(info.default, rel=1e-7)
    else:
        assert fields[info.c_field] == info.default


def test_token_counts_go_with_their_tokens() -> None:
    fields = core.params_as_dict(TranscribeOptions(prompt_tokens=[1, 2, 3]))
    assert fields["prompt_n_tokens"] == 3


def test_an_object_that_is_no_options_is_refused() -> None:
    with pytest.raises(AttributeError, match="language"):
        core.params_as_dict(object())  # type: ignore[arg-type]


def test_options_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TranscribeOptions().translate = True  # type: ignore[misc]
