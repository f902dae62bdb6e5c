"""Reading api.toml: what is not understood is refused with file, line and the nearest known key."""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit.errors import BadFormatError, NotFoundError
from wspkit.spec.load import load, parse

SMALL = Path(__file__).parents[1] / "goldens" / "generate" / "api.toml"


def refused(text: str) -> str:
    """What is said about a text that is not a description of an API."""
    with pytest.raises(BadFormatError) as caught:
        parse(text, "api.toml")
    return str(caught.value)


def edited(old: str, new: str) -> str:
    """The small API with its first `old` replaced."""
    text = SMALL.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def line_with(text: str, part: str) -> int:
    """Number, from 1, of the first line that holds `part`."""
    return next(i for i, line in enumerate(text.splitlines(), start=1) if part in line)


def test_the_api_of_this_package_is_read() -> None:
    api = load()
    assert api.option["language"].default == "auto"
    assert list(api.options_of("transcribe")) != []


def test_tables_keep_the_order_of_the_file() -> None:
    api = load(SMALL)
    assert list(api.sections_of("transcribe")) == ["task", "search"]
    assert list(api.options_of("transcribe"))[:4] == [
        "language",
        "translate",
        "prompt_tokens",
        "keep",
    ]


def test_options_are_ordered_by_section_before_file_order() -> None:
    text = edited('[option.language]\nsection = "task"', '[option.language]\nsection = "search"')
    options = list(parse(text, "api.toml").options_of("transcribe"))
    assert options[:3] == ["translate", "prompt_tokens", "language"]


def test_an_unknown_key_of_an_option_names_file_line_and_near_miss() -> None:
    text = edited('short_flag = "-l"', 'short_flga = "-l"')
    line = line_with(text, "short_flga")
    assert refused(text) == (
        f"api.toml:{line}: unknown key 'option.language.short_flga'; did you mean 'short_flag'?"
    )


def test_an_unknown_table_names_its_near_miss() -> None:
    text = edited("[section.task]", "[sectoin.task]")
    line = line_with(text, "[sectoin.task]")
    assert f"api.toml:{line}: unknown key 'sectoin'; did you mean 'section'?" in refused(text)


def test_an_unknown_key_like_no_other_lists_the_known_ones() -> None:
    message = refused(edited('title = "Transcription"', 'title = "T"\nzzzz = 1'))
    assert "known keys are c_struct, doc, python_class, title" in message


def test_a_missing_key_names_the_table_and_its_line() -> None:
    text = edited('since = "0.1.0"\n', "")
    line = line_with(text, "[option.language]")
    assert refused(text) == f"api.toml:{line}: option.language lacks the key 'since'"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("default = false", "default = 1979-05-27", "default"),
        ('c_field = "language"', "c_field = 3", "c_field"),
        ("max = 8", 'max = "8"', "max"),
        ('type = "bool"', 'type = "boolean"', "type"),
        ('unit = "nats"', 'unit = "furlongs"', "unit"),
        ("min_exclusive = true", "min_exclusive = 1", "min_exclusive"),
    ],
)
def test_a_value_of_the_wrong_type_names_its_line_once(old: str, new: str, key: str) -> None:
    text = edited(old, new)
    lines = [entry for entry in refused(text).splitlines() if f".{key}: " in entry]
    assert lines
    assert all(entry.startswith(f"api.toml:{line_with(text, new)}: ") for entry in lines)
    assert len(lines) == len(set(lines))


def test_every_problem_is_said_at_once() -> None:
    text = edited('short_flag = "-l"', 'short_flga = "-l"').replace("off_flag", "of_flag")
    message = refused(text)
    assert "short_flga" in message
    assert "of_flag" in message


@pytest.mark.parametrize("text", ["[option.language", "a = ", "[a]\n[a]\n", "\0"])
def test_what_is_not_toml_is_refused_with_its_place(text: str) -> None:
    message = refused(text)
    assert message.startswith("api.toml is not TOML: ")
    assert "line 1" in message or "line 2" in message or "end of document" in message


def test_an_empty_file_lacks_its_tables() -> None:
    assert "the file lacks the key 'option'" in refused("")


def test_what_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "api.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(BadFormatError, match=r"api\.toml is not UTF-8"):
        load(tmp_path / "api.toml")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"there is no file .*nothing\.toml"):
        load(tmp_path / "nothing.toml")
