"""The command line's side of the options: one typer parameter per option that has a flag."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    """Of the parameter."""
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
    conversion: str = ""
    """Function of wspkit.cli.values that makes the option's value; empty if it is one already."""
    flag: str = ""
    """Python literal of the flag, for that function's errors."""


@dataclass(frozen=True)
class CliNested:
    """Parameters that become an options object inside the command's own."""

    name: str
    """Of the option that holds it."""
    class_name: str
    fields: tuple[tuple[str, str], ...]
    """Name of the field, and of its parameter."""


@dataclass(frozen=True)
class CliOptionsView:
    """The parameters of one command."""

    group: str
    class_name: str
    decorator: str
    """Name of the function that adds the parameters."""
    typing_names: tuple[str, ...]
    options: tuple[CliOption, ...]
    nested: tuple[CliNested, ...]

    @property
    def class_names(self) -> tuple[str, ...]:
        """The options classes that it makes, sorted."""
        return tuple(sorted({self.class_name, *(one.class_name for one in self.nested)}))

    @property
    def conversions(self) -> tuple[str, ...]:
        """The functions of wspkit.cli.values that it calls, sorted."""
        return tuple(sorted({option.conversion for option in self.options if option.conversion}))


def transcribe_options(api: Api) -> CliOptionsView:
    """The view of the parameters of `wsp transcribe`."""
    return _command_options(api, "transcribe")


def vad_options(api: Api) -> CliOptionsView:
    """The view of the parameters of `wsp vad`."""
    return _command_options(api, "vad")


def _command_options(api: Api, group: str) -> CliOptionsView:
    parameters: list[CliOption] = []
    nested: list[CliNested] = []
    for name, option in api.options_of(group).items():
        title = api.section[option.section].title
        if option.options_of:
            inner = {
                n: o for n, o in api.options_of(option.options_of).items() if api.nested_flag(n)
            }
            fields = tuple((n, f"{option.options_of}_{n}") for n in inner)
            nested.append(CliNested(name, annotation(option), fields))
            parameters += [
                replace(
                    _option(n, o, title),
                    name=parameter,
                    declarations=(python_literal(api.nested_flag(n)),),
                )
                for (n, o), (_, parameter) in zip(inner.items(), fields, strict=True)
            ]
        elif option.flag:
            parameters.append(_option(name, option, title))
    names = {"Annotated", "Any", "Final", "TypeVar"}
    if any("Literal" in parameter.annotation for parameter in parameters):
        names.add("Literal")
    return CliOptionsView(
        group=group,
        class_name=api.group[group].python_class,
        decorator=f"with_{group}_options",
        typing_names=tuple(sorted(names)),
        options=tuple(parameters),
        nested=tuple(nested),
    )


def _option(name: str, option: Option, section_title: str) -> CliOption:
    is_list = option.type == "names"
    return CliOption(
        name=name,
        annotation="str" if is_list else annotation(option),
        default=python_literal(",".join(map(str, option.default)))
        if isinstance(option.default, tuple)
        else python_literal(option.default),
        declarations=tuple(map(python_literal, declarations(option))) if option.flag else (),
        help_lines=_help_lines(name, option, section_title),
        metavar="" if option.type in {"bool", "enum"} else python_literal(_metavar(option)),
        panel=python_literal(section_title),
        show_default=option.default not in {"", ()},
        conversion="text_of_file" if option.flag_reads_file else "names_of" if is_list else "",
        flag=python_literal(option.flag),
    )


def declarations(option: Option) -> tuple[str, ...]:
    """The flags of an option in typer's notation: "--on/--off", then the short form."""
    flag = f"{option.flag}/{option.off_flag}" if option.off_flag else str(option.flag)
    return (flag, option.short_flag) if option.short_flag else (flag,)


def _metavar(option: Option) -> str:
    if option.unit and option.unit not in {"none", "probability"}:
        return option.unit.upper()
    if option.flag_reads_file:
        return "FILE"
    kinds = {"string": "TEXT", "names": "NAME,NAME"}
    return kinds.get(option.type, "NUMBER")


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
