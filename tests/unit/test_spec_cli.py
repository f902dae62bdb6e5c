"""The generated parameters of the command line: each flag reaches its own option, and only that
one.
"""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from wspkit.cli.generated.transcribe_options import PARAMETERS, with_transcribe_options
from wspkit.core.generated.options import TranscribeOptions, VadOptions
from wspkit.errors import BadFormatError, NotFoundError, UsageError, WspError
from wspkit.spec.load import load

GRAMMAR = 'root ::= "ä"\n'
received: list[TranscribeOptions] = []


def app() -> typer.Typer:
    """A command that only remembers its options."""
    made = typer.Typer()

    @made.command()
    @with_transcribe_options
    def transcribe(file: str, *, options: TranscribeOptions, model: str = "base") -> None:
        """Transcribe."""
        assert (file, model) == ("a.wav", "base")
        received.append(options)

    return made


def run(*arguments: str) -> Result:
    """What the command does with some arguments."""
    received.clear()
    return CliRunner().invoke(app(), ["a.wav", *arguments], env={"COLUMNS": "200", "NO_COLOR": "1"})


def given(*arguments: str) -> TranscribeOptions:
    """The options that some arguments give."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    [options] = received
    return options


def other_value(name: str) -> object:
    """A value that an option takes and that is not its default."""
    option = load().option[name]
    if option.type == "bool":
        return not option.default
    if name == "grammar":
        return GRAMMAR
    if option.type == "string":
        return "de"
    if option.type == "names":
        return ("de", "french")
    if option.type == "uint64":
        return 2**64 - 1
    low = option.min if option.min is not None else (option.max or 0) - 2
    high = option.max if option.max is not None else low + 3
    value = low + (high - low) / 2
    return int(value) if option.type == "int" else value


def arguments_for(name: str, value: object, folder: Path) -> list[str]:
    """How the command line says a value; folder: for a file that holds it."""
    option = load().option[name]
    if isinstance(value, tuple):
        value = ",".join(value)
    if option.flag_reads_file and value:
        path = folder / "grammar.gbnf"
        path.write_text(str(value), encoding="utf-8")
        value = path
    if option.type == "bool":
        flag = option.flag if value else option.off_flag
        assert flag is not None
        return [flag]
    assert option.flag is not None
    return [option.flag, str(value)]


with_flag = pytest.mark.parametrize(
    "name", [n for n, o in load().options_of("transcribe").items() if o.flag]
)


def test_no_flag_gives_the_defaults() -> None:
    assert given() == TranscribeOptions()


@with_flag
def test_each_flag_sets_its_option_and_no_other(name: str, tmp_path: Path) -> None:
    value = other_value(name)
    expected = {**dataclasses.asdict(TranscribeOptions()), name: value}
    assert dataclasses.asdict(given(*arguments_for(name, value, tmp_path))) == expected


@pytest.mark.parametrize("name", load().options_of("vad"))
def test_each_nested_flag_sets_its_nested_option_and_no_other(name: str) -> None:
    value = other_value(name)
    flag = load().nested_flag(name)
    assert flag is not None
    assert flag.startswith("--vad-")
    expected = VadOptions(**{name: value})  # type: ignore[arg-type]
    assert given(flag, str(value)) == TranscribeOptions(vad_options=expected)


def test_a_list_has_commas_and_an_empty_name_in_it_is_refused() -> None:
    assert given("--languages", "de, fr").language_candidates == ("de", "fr")
    result = run("--languages", "de,,fr")
    assert isinstance(result.exception, UsageError)
    assert "--languages is 'de,,fr'" in str(result.exception)


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (None, NotFoundError, "--grammar: there is no file"),
        (b"", BadFormatError, "is empty"),
        (b"root ::= \xff", BadFormatError, "is not UTF-8"),
        (b"a" * 1_000_001, UsageError, "has more than 1000000 bytes"),
    ],
)
def test_a_file_that_is_no_text_is_refused_with_its_flag(
    data: bytes | None, kind: type[WspError], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "grammar"
    if data is not None:
        path.write_bytes(data)
    error = run("--grammar", str(path)).exception
    assert isinstance(error, kind)
    assert "--grammar" in str(error)
    assert message in str(error)


def test_each_default_can_be_said(tmp_path: Path) -> None:
    for name, option in load().options_of("transcribe").items():
        # A switch that is off by default has no flag for off.
        if option.flag and option.default is not False:
            assert given(*arguments_for(name, option.default, tmp_path)) == TranscribeOptions()


def test_short_flags_mean_their_long_ones() -> None:
    for name, option in load().options_of("transcribe").items():
        if option.short_flag:
            value = other_value(name)
            assert getattr(given(option.short_flag, str(value)), name) == value


def test_a_value_outside_its_range_is_refused_before_the_command_runs() -> None:
    result = run("--best-of", "9")
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == "option best_of is 9; expected 1 to 8"
    assert received == []


def test_the_help_shows_every_flag_summary_range_and_panel() -> None:
    api = load()
    result = run("--help")
    assert result.exit_code == 0
    # The frame and the columns break sentences anywhere.
    text = " ".join(re.sub(r"[│╭╮╰╯─]", " ", result.output).split())
    for option in api.options_of("transcribe").values():
        if option.flag:
            assert option.flag in text
            assert option.summary.removesuffix(".") in text
    for section in api.sections_of("transcribe").values():
        assert section.title in text
    assert "(1 to 8)" in text
    assert "[default: 2.4]" in text


def test_parameters_stand_in_the_order_of_the_reference() -> None:
    options = load().options_of("transcribe")
    expected: list[str] = []
    for name, option in options.items():
        if option.options_of:
            expected += [f"vad_{inner}" for inner in load().options_of(option.options_of)]
        elif option.flag:
            expected.append(name)
    assert [parameter.name for parameter in PARAMETERS] == expected
