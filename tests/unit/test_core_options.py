"""Options: each reaches the C field that it is documented to reach, and no other."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from wspkit.core import TranscribeOptions, VadOptions
from wspkit.core.generated.options import TRANSCRIBE_OPTIONS, VAD_OPTIONS
from wspkit.core.native import core
from wspkit.errors import BadFormatError, WspError
from wspkit.spec.option import OptionInfo, Value

FIELDS = tuple(info for info in TRANSCRIBE_OPTIONS if info.type != "options")
"""The options that have a field of their own."""
GRAMMAR = 'root ::= "ja" | other\nother ::= [0-9]\n'
TOGETHER = {
    "beam_size": {"strategy"},
    "prompt_tokens": {"prompt_n_tokens"},
    "language_candidates": {"n_language_candidates"},
    "grammar": {"n_grammar_rules"},
}
"""Fields that follow from an option beside its own."""


def other_value(info: OptionInfo) -> Value:
    """An allowed value that is not the default; floats that 32 bits hold exactly."""
    made_up: dict[str, Value] = {"language": "de", "grammar": GRAMMAR}
    if info.name in made_up:
        return made_up[info.name]
    if info.type == "bool":
        return not info.default
    if info.type in {"string", "path"}:
        return "Grüße, Welt"
    if info.type == "tokens":
        return (5, 7, 11)
    if info.type == "names":
        return ("de", "french")
    if info.type == "enum":
        return next(choice for choice in info.choices if choice != info.default)
    if info.type == "uint64":
        return 2**64 - 3
    if info.type == "int":
        return int(info.minimum or 0) + 3
    candidates = (0.25, 0.75, -0.5, -2.5, 3.5)
    low = -100 if info.minimum is None else info.minimum
    high = 100 if info.maximum is None else info.maximum
    return next(value for value in candidates if low < value < high)


def field_value(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value


def fields(**options: object) -> dict[str, Any]:
    """The C structs that options become, as the binding reads them by hand."""
    return core.params_as_dict(TranscribeOptions(**options))  # type: ignore[arg-type]


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in after if after[name] != before[name]}


# The start rule does nothing without a grammar; the test of grammars has it.
@pytest.mark.parametrize(
    "info", [info for info in FIELDS if info.name != "grammar_start"], ids=lambda info: info.name
)
def test_each_option_reaches_its_field_and_no_other(info: OptionInfo) -> None:
    value = other_value(info)
    after = fields(**{info.name: value})
    assert changed(fields(), after) == {info.c_field, *TOGETHER.get(info.name, set())}
    if info.name != "grammar":
        assert after[info.c_field] == field_value(value)


@pytest.mark.parametrize("info", VAD_OPTIONS, ids=lambda info: info.name)
def test_each_nested_option_reaches_its_field_and_no_other(info: OptionInfo) -> None:
    value = other_value(info)
    after = fields(vad_options=VadOptions(**{info.name: value}))  # type: ignore[arg-type]
    assert changed(fields(), after) == {f"vad_params.{info.c_field}"}
    assert after[f"vad_params.{info.c_field}"] == value


def test_more_than_one_beam_is_a_beam_search() -> None:
    assert fields(beam_size=1)["strategy"] == 0
    assert fields(beam_size=1)["beam_search.beam_size"] == fields()["beam_search.beam_size"] == -1
    assert fields(beam_size=2)["strategy"] == 1
    assert fields(beam_size=2)["beam_search.beam_size"] == 2


def test_a_grammar_is_parsed_and_its_start_is_the_rule_named() -> None:
    after = fields(grammar=GRAMMAR)
    assert after["n_grammar_rules"] == 2
    root = after["grammar_rules"][after["i_start_rule"]]
    # Elements of whisper.h: a character is 3, an alternative 1, a rule 2, a range's end 5.
    assert root[:3] == [(3, ord("j")), (3, ord("a")), (1, 0)]
    after = fields(grammar=GRAMMAR, grammar_start="other")
    assert after["grammar_rules"][after["i_start_rule"]] == [(3, ord("0")), (5, ord("9"))]


def test_a_grammar_that_is_none_is_told_with_line_and_column() -> None:
    with pytest.raises(BadFormatError, match="line 2, column"):
        fields(grammar='root ::= "a"\nother ::= [')
    with pytest.raises(WspError, match="nowhere"):
        fields(grammar=GRAMMAR, grammar_start="nowhere")


@pytest.mark.parametrize("info", FIELDS, ids=lambda info: info.name)
def test_each_default_is_what_the_field_gets(info: OptionInfo) -> None:
    found = fields()[info.c_field]
    if info.name == "n_threads":
        assert 1 <= found <= 4
    elif info.name == "beam_size":
        assert found == -1  # not used by the other strategy
    elif info.name == "grammar_start":
        assert found == 0  # of no rules
    elif info.type in {"string", "tokens", "names", "path"} and not info.default:
        assert found is None
    elif info.type == "float":
        assert found == pytest.approx(info.default, rel=1e-7)
    else:
        assert found == info.default


def test_token_counts_go_with_their_tokens() -> None:
    assert fields(prompt_tokens=[1, 2, 3])["prompt_n_tokens"] == 3
    assert fields(language_candidates=["de", "fr"])["n_language_candidates"] == 2


def test_an_object_that_is_no_options_is_refused() -> None:
    with pytest.raises(AttributeError, match="language"):
        core.params_as_dict(object())  # type: ignore[arg-type]


def test_options_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        TranscribeOptions().translate = True  # type: ignore[misc]
