"""Rules of errors, enums, structs and classes in api.toml, and of its lock: each breach is named.

The small API of the goldens keeps every rule; each case breaks one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit.bridge.docs_surface import lock
from wspkit.spec.check import problems
from wspkit.spec.load import load, parse
from wspkit.spec.lock import lock_problems

GOLDENS = Path(__file__).parents[1] / "goldens" / "generate"
SMALL = (GOLDENS / "api.toml").read_text(encoding="utf-8")
HEADERS = "\n".join(
    (GOLDENS / name).read_text(encoding="utf-8") for name in ("whisper.h", "whisper_ext.h")
)


def found(old: str, new: str) -> list[str]:
    """The problems of the small API after an edit."""
    assert old in SMALL
    return list(problems(parse(SMALL.replace(old, new, 1), "api.toml"), HEADERS))


def test_the_small_api_keeps_every_rule() -> None:
    assert list(problems(load(GOLDENS / "api.toml"), HEADERS)) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('doc = "Another major is refused."', 'doc = "No"', "contract.doc: does not end"),
        ('doc = "It came too late."', 'doc = "Late"', "error.released.doc: does not end"),
        ('{ doc = "The first." }', '{ doc = "The first" }', "enum.colour.value.dark-red.doc"),
        ('doc = "A rate."', 'doc = "A rate"', "struct.call.field.rate_hz.doc: does not end"),
        ('doc = "Runs."', 'doc = "Runs"', "class.machine.method.run.doc: does not end"),
        ('default_reason = "It is calm."\n', "", "has a default without default_reason"),
        ('unit = "hz"\n', "", "is int, so it needs a unit"),
        ('unit = "hz"', 'unit = "s"', "ends in _hz, so its unit must be hz"),
        ("min = 1\nmax = 1000", "min = 1000\nmax = 1", "has the range 1000 to 1, which is empty"),
        ("default = 16", "default = 0", "the default 0 is outside its range"),
        ("default = 16", 'default = "16"', "is not written as int"),
        ('default = "blue"', 'default = "green"', "'green' is no value of enum.colour"),
        ('of = "colour"', 'of = "color"', "there is no enum 'color'"),
        ('of = "part"\ndoc = "In order."', 'of = "parts"\ndoc = "In order."', "list of 'parts'"),
        ('c_value = "TINY_SOME"', 'c_value = "TINY_ALL"', "the headers have no TINY_ALL"),
        ('c_field = "use_fire"', 'c_field = "fire"', "tiny_context_params has no field fire"),
        ('c_code = "WHISPER_EXT_INVALID_ARGUMENT"\n', "", "no error stands for it"),
        ("WHISPER_EXT_INVALID_ARGUMENT", "WHISPER_EXT_BAD", "the headers have no WHISPER_EXT_BAD"),
        (
            'errors = ["invalid_argument", "released"]',
            'errors = ["late"]',
            "there is no error 'late'",
        ),
        ('returns = "job:whole"', 'returns = "job:call"', "returns job:call, which is nothing"),
        ('one_of = ["data", "path"]', 'one_of = ["data", "url"]', "one_of names 'url'"),
        ("[struct.call.field.title]", "[struct.call.field.keep]", "keep: is an option too"),
        ("[struct.call.field.title]", "[struct.call.field.Title]", "Title: is not snake_case"),
    ],
)
def test_each_breach_is_named(old: str, new: str, message: str) -> None:
    said = found(old, new)
    assert any(message in one for one in said), said


def test_a_field_that_a_call_takes_is_optional_or_has_a_default() -> None:
    said = found(
        'type = "string"\noptional = true\ndoc = "A title."', 'type = "string"\ndoc = "A title."'
    )
    assert said == ["struct.call.field.title: is neither optional nor has a default"]


def test_an_argument_that_is_needed_comes_first() -> None:
    part = "[class.machine.method.run.argument.audio]"
    said = found(f'{part}\ntype = "struct"', f'{part}\noptional = true\ntype = "struct"')
    assert said == []
    said = found('of = "call"\noptional = true\ndoc = "How."', 'of = "call"\ndoc = "How."')
    assert said == []
    both = SMALL.replace(f'{part}\ntype = "struct"', f'{part}\noptional = true\ntype = "struct"')
    both = both.replace('of = "call"\noptional = true\ndoc = "How."', 'of = "call"\ndoc = "How."')
    assert list(problems(parse(both, "api.toml"), HEADERS)) == [
        "class.machine.method.run: an argument that is needed follows one that is not"
    ]


def locked(text: str) -> str:
    """The lock of an API."""
    return "\n".join(lock(parse(text, "api.toml")).lines)


def test_an_addition_keeps_the_lock() -> None:
    more = SMALL.replace(
        "[struct.part]", '[error.new]\ndoc = "New."\nsince = "0.2.0"\n\n[struct.part]', 1
    )
    assert locked(more) != locked(SMALL)
    assert list(lock_problems(locked(SMALL), locked(more), "1.4.0", "")) == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('[error.released]\ndoc = "It came too late."\nsince = "0.1.0"\n', "", "error released"),
        ("struct.call.field.title", "struct.call.field.name", "field call title string?"),
        ('blue = { doc = "The second." }', "", "enum colour blue"),
        ("[option.translate]", "[option.translation]", "option transcribe translate bool"),
        ("major = 3", "major = 4", "contract Tiny 3"),
    ],
)
def test_what_is_gone_or_changed_is_refused_after_1_0(old: str, new: str, line: str) -> None:
    assert old in SMALL
    after = locked(SMALL.replace(old, new))
    said = list(lock_problems(locked(SMALL), after, "1.0.0", "## Unreleased\n- Break: all\n"))
    assert any(one.startswith(f"{line}: is gone or changed") for one in said), said


def test_before_1_0_a_break_needs_a_line_in_the_changelog() -> None:
    after = locked(SMALL.replace("struct.call.field.title", "struct.call.field.name"))
    without = list(lock_problems(locked(SMALL), after, "0.9.0", "## Unreleased\n- More.\n"))
    assert without == [
        "field call title string?: is gone or changed; say so in the changelog: - Break: title ..."
    ]
    old = "## Unreleased\n\n## 0.8\n- Break: title went.\n"
    assert list(lock_problems(locked(SMALL), after, "0.9.0", old)) == without
    new = "## Unreleased\n- Break: title is name now.\n"
    assert list(lock_problems(locked(SMALL), after, "0.9.0", new)) == []


def test_the_lock_of_this_package_holds_every_option() -> None:
    api = load()
    lines = lock(api).lines
    assert all(any(f" {name} " in line for line in lines) for name in api.option)
    assert list(lines) == sorted(lines)
