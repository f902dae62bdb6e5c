"""The rules between the tables of api.toml and whisper.h: the real ones keep them, each breach is
named.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit.errors import BadFormatError
from wspkit.spec.c_struct import struct_fields
from wspkit.spec.check import check, problems
from wspkit.spec.check_surface import fields_of
from wspkit.spec.load import load, parse

ROOT = Path(__file__).parents[2]
GOLDENS = ROOT / "tests" / "goldens" / "generate"
INCLUDE = ROOT / "cpp" / "include"


def headers(folder: Path) -> str:
    """The text of both public headers in a folder."""
    names = ("whisper.h", "whisper_ext.h")
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


HEADER = headers(GOLDENS)


def found(*edits: tuple[str, str]) -> list[str]:
    """The problems of the small API after each edit replaced the first place that it matches."""
    text = (GOLDENS / "api.toml").read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return list(problems(parse(text, "api.toml"), HEADER))


def test_the_real_api_keeps_every_rule() -> None:
    check(load(), headers(INCLUDE))


@pytest.mark.parametrize(
    "struct",
    [
        "whisper_full_params",
        "whisper_context_params",
        "whisper_ext_options",
        "whisper_vad_params",
        "whisper_vad_context_params",
    ],
)
def test_each_field_of_the_real_structs_is_an_option_or_left_out_with_a_reason(struct: str) -> None:
    # Beside the rule in check.py, and without its code.
    api = load()
    options = {
        field
        for option in api.option.values()
        if api.struct_of(option) == struct
        for field in (option.c_field, option.c_count_field)
        if field
    } | {field.c_field for _, field in fields_of(api) if field.c_struct == struct and field.c_field}
    left_out = api.left_out.get(struct, {})
    assert sorted([*options, *left_out]) == sorted(struct_fields(headers(INCLUDE), struct))
    assert all(len(reason) > 20 for reason in left_out.values())


def test_the_small_api_keeps_every_rule() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (
            ('group = "transcribe"', 'group = "other"'),
            "section.task: there is no group 'other'",
        ),
        (
            ('section = "task"', 'section = "tsak"'),
            "option.language: there is no section 'tsak'",
        ),
        (
            ('excludes = ["n_steps"]', 'excludes = ["nothing"]'),
            "option.prompt_tokens: excludes 'nothing', which is no option",
        ),
        (
            ('excludes = ["n_steps"]\n', ""),
            "option.n_steps: excludes prompt_tokens, but prompt_tokens does not exclude it",
        ),
        (
            ('flag = "--translate"', 'flag = "--language"'),
            "option.translate: --language belongs to option.language already",
        ),
        (
            ('short_flag = "-s"', 'short_flag = "-l"'),
            "option.n_steps: -l belongs to option.language already",
        ),
        (
            ('off_flag = "--drop"', 'off_flag = "--translate"'),
            "option.keep: --translate belongs to option.translate already",
        ),
        (
            ('c_field = "keep"', 'c_field = "translate"'),
            "option.keep: field transcribe.translate belongs to option.translate already",
        ),
        (
            ('doc = "How it is done."', 'doc = "How it is done"'),
            "section.search.doc: does not end with a full stop",
        ),
        (
            ('summary = "Translate."', 'summary = "Translate"'),
            "option.translate.summary: does not end with a full stop",
        ),
        (
            ("[option.translate]", "[option.transLate]"),
            "option.transLate: the name is not snake_case",
        ),
        (
            ('summary = "Translate."', f'summary = "{"x" * 99}."'),
            "option.translate: the summary has 100 characters; it must be a line of under 100",
        ),
        (
            ('summary = "Translate."', 'summary = "Translate [all]."'),
            "option.translate: the summary has a square bracket, which terminal markup would eat",
        ),
        (
            ("[option.translate]", "[option.translation]"),
            "option.translation: has another name than its field translate",
        ),
        (
            ('since = "0.2.0"', 'since = "soon"'),
            "option.prompt_tokens: since is 'soon', not a version such as 0.1.0",
        ),
        (
            ('flag = "--translate"', 'flag = "--trans_late"'),
            "option.translate: the flag '--trans_late' is not --kebab-case",
        ),
        (
            ('short_flag = "-s"', 'short_flag = "-st"'),
            "option.n_steps: the short flag '-st' is not a dash and one letter",
        ),
        (
            ('flag = "--steps"\n', ""),
            "option.n_steps: has a short or off flag, but no flag",
        ),
        (
            ('flag = "--steps"\n', 'flag = "--steps"\noff_flag = "--no-steps"\n'),
            "option.n_steps: has an off flag, which only a bool can have",
        ),
        (
            ('off_flag = "--drop"\n', ""),
            "option.keep: is true by default, so its flag needs an off flag beside it",
        ),
        (
            (
                'c_count_field = "prompt_n_tokens"\n',
                'c_count_field = "prompt_n_tokens"\nflag = "--tokens"\n',
            ),
            "option.prompt_tokens: has a flag, but the command line has no notation for tokens",
        ),
        (
            ('unit = "nats"\n', ""),
            'option.penalty: is float, so it needs a unit ("none" for a pure number)',
        ),
        (
            ('type = "bool"\n', 'type = "bool"\nunit = "ms"\n'),
            "option.translate: is bool, so it can have no unit",
        ),
        (
            ("[option.penalty]", "[option.penalty_ms]"),
            "option.penalty_ms: ends in _ms, so its unit must be ms",
        ),
        (
            ('type = "bool"\n', 'type = "bool"\nmin = 0\n'),
            "option.translate: is bool, so it can have no range",
        ),
        (
            ("max = 8\n", "max = 0\n"),
            "option.n_steps: has the range 0 to 0, which is empty",
        ),
        (
            ("max = 8\n", "max_exclusive = true\n"),
            "option.n_steps: excludes an end of its range that it does not have",
        ),
        (
            ('choices = { greedy = "TINY_GREEDY", beam = "TINY_BEAM" }\n', ""),
            "option.strategy: must have choices if it is an enum, and only then",
        ),
        (
            ('special = { 0 = "what there is" }', 'special = { nil = "what there is" }'),
            "option.n_steps: the special value 'nil' is not of type int",
        ),
        (
            ("default = -1.0", "default = -2.0"),
            (
                "option.penalty: the default is refused by its own range: option penalty is -2.0; "
                "expected above 0, at most 1.5, or -1.0 (none at all, which the golden shows on a "
                "line of its own)"
            ),
        ),
        (
            ('default = "greedy"', 'default = "gready"'),
            (
                "option.strategy: the default is refused by its own range: option strategy is "
                "'gready'; expected one of greedy, beam"
            ),
        ),
        (
            ("default = -1.0", "default = -1"),
            "option.penalty: the default -1 is not written as float",
        ),
        (
            ('c_default = "min(4, what there is)"\n', ""),
            "option.n_steps: leaves_c_default needs c_default, to say what the value stands for",
        ),
        (
            ("default = false\n", 'default = false\nc_default = "?"\nleaves_c_default = 0\n'),
            "option.translate: is bool, so no number can stand for the C default",
        ),
        (
            ('c_field = "inner.penalty"', 'c_field = "inner.penalti"'),
            "option.penalty: tiny_params has no field inner.penalti",
        ),
        (
            ('c_field = "inner.n_steps"', 'c_field = "prompt_n_steps"'),
            "option.n_steps: tiny_params has no field prompt_n_steps",
        ),
        (
            ('c_field = "language"', 'c_field = "inner.unused"'),
            "option.language: tiny_params has no field inner.unused",
        ),
        (
            ('type = "float"\nunit = "nats"', 'type = "int"\nunit = "nats"'),
            "option.penalty: is int, but tiny_params.inner.penalty is float",
        ),
        (
            ('c_field = "strategy"', 'c_field = "prompt_n_tokens"'),
            "option.strategy: is enum, but tiny_params.prompt_n_tokens is int",
        ),
        (
            ('c_count_field = "prompt_n_tokens"\n', ""),
            "option.prompt_tokens: must have c_count_field if it is tokens or names, and only then",
        ),
        (
            ('c_count_field = "prompt_n_tokens"', 'c_count_field = "strategy"'),
            "option.prompt_tokens: tiny_params has no count field strategy",
        ),
        (
            ('debug = "Nobody needs it."\n', ""),
            "tiny_params.debug: is no option, and left_out.tiny_params gives no reason",
        ),
        (
            ('debug = "Nobody needs it."', 'debug = "Nobody needs it."\nkeep = "Twice."'),
            "left_out.tiny_params.keep: is the field of an option",
        ),
        (
            ('debug = "Nobody needs it."', 'debug = "Nobody needs it."\nother = "Gone."'),
            "left_out.tiny_params.other: tiny_params has no such field",
        ),
        (
            ('debug = "Nobody needs it."', 'debug = "Nobody"'),
            "left_out.tiny_params.debug: does not end with a full stop",
        ),
        (
            ("[left_out.tiny_params]", "[left_out.huge_params]"),
            "left_out.huge_params: the header defines no struct huge_params",
        ),
        (
            ('c_struct = "tiny_further_params"', 'c_struct = "tiny_vad_params"'),
            "group.transcribe: its options name more than one other struct",
        ),
        (
            ('options_of = "vad"\n', ""),
            "option.vad_options: must have options_of if it is options, and only then",
        ),
        (
            ('options_of = "vad"', 'options_of = "vda"'),
            "option.vad_options: there is no group 'vda'",
        ),
        (
            ("[option.vad_options]", "[option.speech_options]"),
            "option.speech_options: has another name than vad_options",
        ),
        (
            ('default = "VadOptions()"', 'default = "Vad()"'),
            "option.vad_options: its default must be VadOptions()",
        ),
        (
            ('c_field = "vad_params"', 'c_field = "debug"'),
            "option.vad_options: is tiny_vad_params, but tiny_params.debug is bool",
        ),
        (
            (
                'type = "float"\nunit = "probability"\nmin = 0.0\nmax = 1.0\ndefault = 0.5',
                'type = "string"\ndefault = ""',
            ),
            "option.vad_options: threshold cannot be nested; only plain values can",
        ),
        (
            ('nested_flag = "--vad-overlap"', 'nested_flag = "--vad-threshold"'),
            "option.vad_options: --vad-threshold belongs to option.vad_options already",
        ),
        (
            ('flag = "--rules"\n', ""),
            "option.rules: has no flag of a string, so that there is no file to read",
        ),
        (
            (
                'c_field = "model_path"\n',
                'c_field = "model_path"\nflag = "--model-path"\n',
            ),
            "option.model_path: has a flag, but the command line has no notation for path",
        ),
        (
            ('c_struct = "tiny_params"', 'c_struct = "big_params"'),
            "group.transcribe.c_struct: the header defines no struct big_params",
        ),
    ],
)
def test_each_breach_is_named(edit: tuple[str, str], problem: str) -> None:
    assert problem in found(edit)


def test_all_problems_are_raised_together() -> None:
    text = (GOLDENS / "api.toml").read_text(encoding="utf-8")
    text = text.replace('"Translate."', '"Translate"').replace('"0.2.0"', '"soon"')
    with pytest.raises(BadFormatError) as caught:
        check(parse(text, "api.toml"), HEADER)
    assert len(str(caught.value).splitlines()) == 2


def test_the_fields_of_a_c_struct_are_found_with_their_types() -> None:
    assert struct_fields(HEADER, "tiny_params") == {
        "strategy": "tiny_strategy",
        "translate": "bool",
        "keep": "bool",
        "language": "const char*",
        "prompt_tokens": "const whisper_token*",
        "prompt_n_tokens": "int",
        "inner.n_steps": "int",
        "inner.penalty": "float",
        "parsed_rules": "const int**",
        "n_parsed_rules": "size_t",
        "model_path": "const char*",
        "vad_params": "tiny_vad_params",
        "debug": "bool",
    }
    assert struct_fields(HEADER, "tiny_further_params")["candidates"] == "const char* const*"


def test_the_real_header_has_the_fields_that_upstream_has() -> None:
    header = headers(INCLUDE)
    fields = struct_fields(header, "whisper_full_params")
    assert fields["greedy.best_of"] == "int"
    assert fields["beam_search.patience"] == "float"
    assert fields["prompt_tokens"] == "const whisper_token*"
    assert fields["grammar_rules"] == "const whisper_grammar_element**"
    assert fields["strategy"] == "whisper_sampling_strategy"


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("", "the header defines no struct params"),
        ("struct params;", "the header defines no struct params"),
        ("struct params { int a;", "struct params has no closing brace"),
        ("struct params { int (*f)(void); };", "a field that is not understood"),
        ("struct params { int a[4]; };", "a field that is not understood"),
        ("struct params { int a, b; };", "a field that is not understood"),
    ],
)
def test_a_struct_that_is_not_understood_is_an_error(header: str, message: str) -> None:
    with pytest.raises(BadFormatError, match=message):
        struct_fields(header, "params")
