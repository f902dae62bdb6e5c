"""Values of options: kept in their exact type, or refused with name, value and what is allowed."""

from __future__ import annotations

import dataclasses
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

from wspkit.core.generated.options import (
    OPTIONS,
    TRANSCRIBE_OPTIONS,
    VAD_OPTIONS,
    TranscribeOptions,
    VadOptions,
)
from wspkit.errors import UsageError
from wspkit.spec.load import load
from wspkit.spec.option import OptionInfo, Value


def info(kind: str, default: Value, **more: object) -> OptionInfo:
    """An option of a kind, called x."""
    given: dict[str, object] = {
        "name": "x",
        "section": "S",
        "type": kind,
        "default": default,
        "c_field": "x",
        "since": "0.1.0",
        **more,
    }
    return OptionInfo(**given)  # type: ignore[arg-type]


def refused(option: OptionInfo, value: object) -> str:
    """What is said about a value that an option does not take."""
    with pytest.raises(UsageError) as caught:
        option.checked(value)
    return str(caught.value)


def test_the_ends_of_a_range_belong_to_it() -> None:
    option = info("int", 1, minimum=1, maximum=8)
    assert [option.checked(value) for value in (1, 8)] == [1, 8]
    assert refused(option, 0) == "option x is 0; expected 1 to 8"
    assert refused(option, 9) == "option x is 9; expected 1 to 8"


def test_an_excluded_end_does_not_belong_to_the_range() -> None:
    option = info("float", 0.5, minimum=0, maximum=1, minimum_exclusive=True)
    assert option.checked(1) == 1.0
    assert refused(option, 0) == "option x is 0; expected above 0, at most 1"
    option = info("float", 0.5, minimum=0, maximum=1, maximum_exclusive=True)
    assert option.checked(0) == 0.0
    assert refused(option, 1.0) == "option x is 1.0; expected at least 0, below 1"


def test_a_special_value_is_allowed_outside_the_range() -> None:
    option = info("float", -1.0, minimum=0, special=((-1.0, "none"),))
    assert option.checked(-1) == -1.0
    assert refused(option, -2.0) == "option x is -2.0; expected at least 0, or -1.0 (none)"


def test_a_special_value_inside_the_range_is_named_once_as_allowed() -> None:
    option = info("int", 0, minimum=0, maximum=64, special=((0, "the machine's"), (-1, "none")))
    assert refused(option, 99) == (
        "option x is 99; expected 0 to 64 (0: the machine's), or -1 (none)"
    )
    assert refused(option, "a") == (
        "option x is 'a'; expected a whole number, 0 to 64 (0: the machine's), or -1 (none)"
    )


@pytest.mark.parametrize(
    ("kind", "default", "value", "message"),
    [
        ("bool", False, 1, "option x is 1; expected True or False"),
        ("bool", False, None, "option x is None; expected True or False"),
        ("int", 0, True, "option x is True; expected a whole number"),
        ("int", 0, 1.0, "option x is 1.0; expected a whole number"),
        ("int", 0, "1", "option x is '1'; expected a whole number"),
        ("int", 0, 2**31, "option x is 2147483648; expected a number of 32 bits"),
        ("float", 0.0, True, "option x is True; expected a number"),
        ("float", 0.0, "1", "option x is '1'; expected a number"),
        ("float", 0.0, math.nan, "option x is nan; expected a finite number of 32 bits"),
        ("float", 0.0, -math.inf, "option x is -inf; expected a finite number of 32 bits"),
        ("float", 0.0, 1e39, "option x is 1e+39; expected a finite number of 32 bits"),
        ("string", "", None, "option x is None; expected text"),
        ("string", "", b"de", "option x is b'de'; expected text"),
        ("string", "", "a\0b", "option x is 'a\\x00b'; expected text without a zero character"),
        ("string", "", "\udcff", "option x is '\\udcff'; expected text that UTF-8 can write"),
        ("tokens", (), "12", "option x is '12'; expected a sequence of token ids"),
        ("tokens", (), 5, "option x is 5; expected a sequence of token ids"),
        ("tokens", (), [1, "2"], "option x is '2'; expected a whole number"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(
    kind: str, default: Value, value: object, message: str
) -> None:
    assert refused(info(kind, default), value) == message


def test_a_choice_must_be_one_of_the_choices() -> None:
    option = info("enum", "greedy", choices=("greedy", "beam"))
    assert option.checked("beam") == "beam"
    assert refused(option, "Beam") == "option x is 'Beam'; expected one of greedy, beam"


def test_each_token_must_be_in_the_range() -> None:
    option = info("tokens", (), minimum=0)
    assert option.checked([5, 6]) == (5, 6)
    assert refused(option, [5, -1]) == "option x is -1; expected at least 0"


def test_a_long_value_is_shortened_in_the_message() -> None:
    assert len(refused(info("int", 0), "y" * 1000)) < 150


def test_numpy_values_become_pythons() -> None:
    assert type(info("int", 0).checked(np.int64(3))) is int
    assert type(info("float", 0.0).checked(np.float32(0.5))) is float
    assert info("tokens", ()).checked(np.array([1, 2], np.int32)) == (1, 2)
    assert type(info("float", 0.0).checked(2)) is float


# ---- the generated class ----


CLASSES: dict[str, tuple[type[TranscribeOptions | VadOptions], tuple[OptionInfo, ...]]] = {
    "transcribe": (TranscribeOptions, TRANSCRIBE_OPTIONS),
    "vad": (VadOptions, VAD_OPTIONS),
}
"""By group of the API."""


def test_every_group_of_the_api_has_its_class() -> None:
    assert list(load().group) == list(CLASSES)
    assert tuple(row for _, table in CLASSES.values() for row in table) == OPTIONS


@pytest.mark.parametrize("group", CLASSES)
def test_defaults_are_those_of_the_api(group: str) -> None:
    options = CLASSES[group][0]()
    nested = {"VadOptions()": VadOptions()}
    assert {
        name: nested.get(str(option.default), option.default)
        for name, option in load().options_of(group).items()
    } == {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}


@pytest.mark.parametrize("group", CLASSES)
def test_the_table_has_a_row_per_field_in_order(group: str) -> None:
    options, table = CLASSES[group]
    assert [row.name for row in table] == [field.name for field in dataclasses.fields(options)]


@pytest.mark.parametrize("row", OPTIONS, ids=lambda row: row.name)
def test_every_range_of_the_api_is_held(row: OptionInfo) -> None:
    spec = load().option[row.name]
    made = next(made for made, table in CLASSES.values() if row in table)
    special = {float(text) for text in spec.special if row.type in {"int", "float"}}
    outside: list[float] = []
    if spec.min is not None:
        outside += [spec.min - 1, spec.min] if spec.min_exclusive else [spec.min - 1]
    if spec.max is not None:
        outside += [spec.max + 1, spec.max] if spec.max_exclusive else [spec.max + 1]
    for value in outside:
        if value in special:
            continue
        given = [value] if row.type == "tokens" else value
        with pytest.raises(UsageError, match=f"option {row.name} is "):
            made(**{row.name: given})  # type: ignore[arg-type]


def test_options_that_exclude_each_other_cannot_be_given_together() -> None:
    TranscribeOptions(initial_prompt="Hello.")
    TranscribeOptions(prompt_tokens=[1])
    with pytest.raises(UsageError, match="options initial_prompt and prompt_tokens are both given"):
        TranscribeOptions(initial_prompt="Hello.", prompt_tokens=[1])


def test_an_options_object_is_a_value() -> None:
    options = TranscribeOptions(language="de", prompt_tokens=[1, 2])
    same = TranscribeOptions(language="de", prompt_tokens=(1, 2))
    assert options == same
    assert hash(options) == hash(same)
    assert pickle.loads(pickle.dumps(options)) == options
    with pytest.raises(dataclasses.FrozenInstanceError):
        options.language = "en"  # type: ignore[misc]
    with pytest.raises(UsageError, match="option best_of is 0"):
        dataclasses.replace(options, best_of=0)


def test_a_seed_has_64_bits_and_no_sign() -> None:
    option = info("uint64", 0)
    assert option.checked(2**64 - 1) == 2**64 - 1
    assert refused(option, 2**64).endswith("is 18446744073709551616; expected a number of 64 bits")
    assert refused(option, -1) == "option x is -1; expected a number of 64 bits"


def test_names_are_a_sequence_and_no_text() -> None:
    option = info("names", ())
    assert option.checked(["de", "fr"]) == ("de", "fr")
    assert refused(option, "de,fr") == "option x is 'de,fr'; expected a sequence of names"
    assert refused(option, [5]) == "option x is 5; expected text"


def test_a_path_may_be_an_object_and_bytes_that_are_no_text() -> None:
    option = info("path", "")
    assert option.checked(Path("a") / "b") == str(Path("a") / "b")
    assert option.checked("\udcff.bin") == "\udcff.bin"
    assert refused(option, 5) == "option x is 5; expected a path, as text or os.PathLike"
    assert "expected a path without a zero character" in refused(option, "a\0b")


def test_nested_options_are_of_their_own_class() -> None:
    option = info("options", VadOptions())
    inner = VadOptions(threshold=0.25)
    assert option.checked(inner) is inner
    assert "expected VadOptions" in refused(option, TranscribeOptions())
    assert "expected VadOptions" in refused(option, {"threshold": 0.25})


def test_a_range_is_shown_in_whole_numbers() -> None:
    assert info("int", 0, minimum=0, maximum=3600000).range_text == "0 to 3600000"
    assert info("float", 0.0, minimum=-0.5, maximum=1.5).range_text == "-0.5 to 1.5"
