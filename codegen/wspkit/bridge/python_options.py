"""The Python side of the options: a frozen dataclass per group and the table that checks its
values.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.text import python_literal, sentence, special_text, wrapped
from wspkit.spec.model import Api, Option
from wspkit.spec.option import OptionInfo
from wspkit.spec.runtime import option_info

# The longest line of the generated file, and how far its docstrings are indented.
_WIDTH = 100
_INDENT = 4


@dataclass(frozen=True)
class PythonOption:
    """One option: a field of the dataclass and a row of the table."""

    name: str
    annotation: str
    default: str
    """Python literal."""
    summary: str
    """First line of the field's docstring."""
    doc_lines: tuple[str, ...]
    """Its other lines, wrapped and indented."""
    info: tuple[str, ...]
    """Arguments of its OptionInfo, as Python source, without those that equal the default of
    OptionInfo.
    """


@dataclass(frozen=True)
class PythonGroup:
    """One dataclass."""

    class_name: str
    table: str
    """Name of the table."""
    doc: str
    options: tuple[PythonOption, ...]


@dataclass(frozen=True)
class PythonOptionsView:
    """The whole module."""

    typing_names: tuple[str, ...]
    """What it imports from typing."""
    uses_sequences: bool
    uses_paths: bool
    groups: tuple[PythonGroup, ...]
    all_tables: str
    """The tables of all groups, unpacked into a tuple display."""


def python_options(api: Api) -> PythonOptionsView:
    """The view of the module with the option classes."""
    kinds = {option.type for option in api.option.values()}
    return PythonOptionsView(
        typing_names=("Final", "Literal") if "enum" in kinds else ("Final",),
        uses_sequences=bool({"tokens", "names"} & kinds),
        uses_paths="path" in kinds,
        groups=tuple(
            PythonGroup(
                class_name=group.python_class,
                table=table_name(group_name),
                doc=sentence(group.doc),
                options=tuple(
                    _option(name, option, api.section[option.section].title)
                    for name, option in api.options_of(group_name).items()
                ),
            )
            for group_name, group in api.inner_first().items()
        ),
        # A tuple of one needs its comma; the formatter takes it from a longer one.
        all_tables=", ".join(f"*{table_name(group_name)}" for group_name in api.group)
        + ("," if len(api.group) == 1 else ""),
    )


def table_name(group: str) -> str:
    """The name of the generated table of a group."""
    return f"{group.upper()}_OPTIONS"


def annotation(option: Option) -> str:
    """The type of an option, as Python source."""
    if option.type == "enum":
        return f"Literal[{', '.join(map(python_literal, option.choices))}]"
    if option.type == "options":
        return str(option.default).removesuffix("()")
    names = {
        "uint64": "int",
        "string": "str",
        "path": "str | PathLike[str]",
        "tokens": "Sequence[int]",
        "names": "Sequence[str]",
    }
    return names.get(option.type, option.type)


def default_literal(option: Option) -> str:
    """The default of an option, as Python source."""
    return str(option.default) if option.type == "options" else python_literal(option.default)


def _option(name: str, option: Option, section_title: str) -> PythonOption:
    info = option_info(name, option, section_title)
    facts = [
        f"Unit: {info.unit}." if info.unit else "",
        f"Range: {info.range_text}." if info.range_text else "",
        f"Special: {special_text(info.special)}." if info.special else "",
        f"C: {option.c_field}" + (f", default {option.c_default}." if option.c_default else "."),
    ]
    paragraphs = [option.doc, " ".join(filter(None, facts))]
    if option.source:
        paragraphs.append(f"Source: {option.source}.")
    return PythonOption(
        name=name,
        annotation=annotation(option),
        default=default_literal(option),
        summary=option.summary,
        doc_lines=wrapped("\n\n".join(paragraphs), _WIDTH, indent=_INDENT),
        info=_arguments(info, default_literal(option)),
    )


def _arguments(info: OptionInfo, default: str) -> tuple[str, ...]:
    every = {name: getattr(info, name) for name in OptionInfo.__dataclass_fields__}
    without = OptionInfo(name="", section="", type="", default=info.default, c_field="", since="")
    required = {"name", "section", "type", "default", "c_field", "since"}
    return tuple(
        f"{name}={default if name == 'default' else python_literal(value)}"
        for name, value in every.items()
        if name in required or value != getattr(without, name)
    )
