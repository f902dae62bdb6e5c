"""The command line's side of the options: one typer parameter per option that has a flag."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.python_options import annotation
from wspkit.bridge.text import python_literal, special_text, wrapped
from wspkit.spec.model import Api, Option
from wspkit.spec.runtime import option_info

# Columns of the generated file: its longest line, what stands around a help text of one line, and
# around each piece of a longer one with the blank that joins it to the next.
_WIDTH = 100
_AROUND_HELP = len('                help="",')
_AROUND_PIECE = len('                    " "')


@dataclass(frozen=True)
class CliOption:
    """One parameter of the command."""

    name: str
    annotation: str
    default: str
    """Python literal."""
    declarations: tuple[str, ...]
    """Flags in typer's notation, as Python literals."""
    help_lines: tuple[str, ...]
    """Help text as Python literals, which stand on one line or concatenate."""
    metavar: str
    """What stands for the value in the help, as a Python literal; empty for a bool."""
    panel: str
    """Heading that it stands under, as a Python literal."""
    show_default: bool
    """False where the default is nothing to show."""


@dataclass(frozen=True)
class CliOptionsView:
    """The parameters of one command."""

    group: str
    class_name: str
    decorator: str
    """Name of the function that adds the parameters."""
    typing_names: tuple[str, ...]
    options: tuple[CliOption, ...]


def transcribe_options(api: Api) -> CliOptionsView:
    """The view of the parameters of `wsp transcribe`."""
    return _command_options(api, "transcribe")


def vad_options(api: Api) -> CliOptionsView:
    """The view of the parameters of `wsp vad`."""
    return _command_options(api, "vad")


def _command_options(api: Api, group: str) -> CliOptionsView:
    options = {name: option for name, option in api.options_of(group).items() if option.flag}
    names = {"Annotated", "Any", "Final", "TypeVar"}
    if any(option.type == "enum" for option in options.values()):
        names.add("Literal")
    return CliOptionsView(
        group=group,
        class_name=api.group[group].python_class,
        decorator=f"with_{group}_options",
        typing_names=tuple(sorted(names)),
        options=tuple(
            _option(name, option, api.section[option.section].title)
            for name, option in options.items()
        ),
    )


def _option(name: str, option: Option, section_title: str) -> CliOption:
    return CliOption(
        name=name,
        annotation=annotation(option),
        default=python_literal(option.default),
        declarations=tuple(map(python_literal, declarations(option))),
        help_lines=_help_lines(name, option, section_title),
        metavar="" if option.type in {"bool", "enum"} else python_literal(_metavar(option)),
        panel=python_literal(section_title),
        show_default=option.default != "",
    )


def declarations(option: Option) -> tuple[str, ...]:
    """The flags of an option in typer's notation: "--on/--off", then the short form."""
    flag = f"{option.flag}/{option.off_flag}" if option.off_flag else str(option.flag)
    return (flag, option.short_flag) if option.short_flag else (flag,)


def _metavar(option: Option) -> str:
    if option.unit and option.unit not in {"none", "probability"}:
        return option.unit.upper()
    return {"string": "TEXT", "int": "NUMBER", "float": "NUMBER"}[option.type]


def _help_lines(name: str, option: Option, section_title: str) -> tuple[str, ...]:
    info = option_info(name, option, section_title)
    limits = "; ".join(filter(None, (info.range_text, special_text(info.special))))
    if not limits or option.type == "enum":
        return (python_literal(option.summary),)
    text = f"{option.summary.removesuffix('.')} ({limits})."
    if len(text) <= _WIDTH - _AROUND_HELP:
        return (python_literal(text),)
    *lines, last = wrapped(text, _WIDTH - _AROUND_PIECE)
    return (*(python_literal(f"{line} ") for line in lines), python_literal(last))
