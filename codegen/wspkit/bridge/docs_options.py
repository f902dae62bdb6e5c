"""The reference of the options: a table to find one, and a section for each, for Python, command
line and C.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.python_options import annotation, default_literal
from wspkit.bridge.text import sentence, shown_value, special_text, wrapped
from wspkit.spec.model import Api, Option
from wspkit.spec.runtime import option_info

# The longest line of prose; tables are as wide as they are.
_WIDTH = 120


@dataclass(frozen=True)
class DocsOption:
    """One option, every cell as Markdown; "-" where there is nothing."""

    name: str
    type: str
    unit: str
    range: str
    default: str
    python_default: str
    flags: str
    c_field: str
    c_text: str
    """The field, and the C default where it is another one."""
    summary: str
    doc_lines: tuple[str, ...]
    special: str
    """What special values mean; empty if there are none."""
    excludes: str
    """Options that cannot be given together with it; empty if there are none."""
    source: str
    """Empty if there is none."""
    since: str


@dataclass(frozen=True)
class DocsSection:
    """Options that are read together."""

    title: str
    doc: str
    options: tuple[DocsOption, ...]


@dataclass(frozen=True)
class DocsGroup:
    """One Python class and C struct."""

    title: str
    doc: str
    python_class: str
    c_struct: str
    sections: tuple[DocsSection, ...]


@dataclass(frozen=True)
class DocsLeftOut:
    """Fields of one C struct that no option stands for."""

    c_struct: str
    fields: tuple[tuple[str, str], ...]
    """Name and reason."""


@dataclass(frozen=True)
class DocsOptionsView:
    """The whole page."""

    groups: tuple[DocsGroup, ...]
    left_out: tuple[DocsLeftOut, ...]


def docs_options(api: Api) -> DocsOptionsView:
    """The view of the option reference."""
    return DocsOptionsView(
        tuple(
            DocsGroup(
                title=group.title,
                doc=sentence(group.doc),
                python_class=group.python_class,
                c_struct=group.c_struct,
                sections=tuple(
                    DocsSection(
                        title=section.title,
                        doc=sentence(section.doc),
                        options=tuple(
                            _option(api, name, option, section.title)
                            for name, option in api.option.items()
                            if option.section == section_name
                        ),
                    )
                    for section_name, section in api.sections_of(group_name).items()
                ),
            )
            for group_name, group in api.group.items()
        ),
        tuple(
            DocsLeftOut(struct, tuple(fields.items())) for struct, fields in api.left_out.items()
        ),
    )


def _option(api: Api, name: str, option: Option, section_title: str) -> DocsOption:
    info = option_info(name, option, section_title)
    return DocsOption(
        name=name,
        type=f"`{annotation(option)}`",
        unit=info.unit or "-",
        range=info.range_text or "-",
        default=f"`{_shown_default(option)}`",
        python_default=f"`{default_literal(option)}`",
        flags=_flags(api, name, option),
        c_field=f"`{option.c_field}`",
        c_text=f"`{api.struct_of(option)}.{option.c_field}`"
        + (f", default `{option.c_default}`" if option.c_default else ""),
        summary=option.summary,
        doc_lines=wrapped(option.doc, _WIDTH),
        special=special_text(info.special),
        excludes=", ".join(f"`{other}`" for other in option.excludes),
        source=option.source or "",
        since=option.since,
    )


def _shown_default(option: Option) -> str:
    return default_literal(option) if option.type == "options" else shown_value(option.default)


def _flags(api: Api, name: str, option: Option) -> str:
    flags = [option.short_flag, option.flag, option.off_flag]
    if any(outer.options_of == api.group_of(option) for outer in api.option.values()):
        flags.append(api.nested_flag(name))
    text = ", ".join(f"`{flag}`" for flag in flags if flag)
    return f"{text} (a file)" if option.flag_reads_file else text or "-"
