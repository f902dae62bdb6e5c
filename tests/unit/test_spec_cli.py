"""The generated parameters of the command line: each flag reaches its own option, and only that
one.
"""

from __future__ import annotations

import dataclasses
import re

import pytest
import typer
from typer.testing import CliRunner, Result

from wspkit.cli.generated.transcribe_options import PARAMETERS, with_transcribe_options
from wspkit.core.generated.options import TranscribeOptions
from wspkit.errors import UsageError
from wspkit.spec.load import load

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
    if option.type == "string":
        return "de"
    low = option.min if option.min is not None else (option.max or 0) - 2
    high = option.max if option.max is not None else low + 3
    value = low + (high - low) / 2
    return int(value) if option.type == "int" else value


def arguments_for(name: str, value: object) -> list[str]:
    """How the command line says a value."""
    option = load().option[name]
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
def test_each_flag_sets_its_option_and_no_other(name: str) -> None:
    value = other_value(name)
    expected = {**dataclasses.asdict(TranscribeOptions()), name: value}
    assert dataclasses.asdict(given(*arguments_for(name, value))) == expected


def test_each_default_can_be_said() -> None:
    for name, option in load().options_of("transcribe").items():
        # A switch that is off by default has no flag for off.
        if option.flag and option.default is not False:
            assert given(*arguments_for(name, option.default)) == TranscribeOptions()


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
    assert [parameter.name for parameter in PARAMETERS] == [n for n, o in options.items() if o.flag]
