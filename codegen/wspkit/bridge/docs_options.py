"""The reference of the options: a table to find one, and a section for each, for Python, command
line and C.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.python_options import annotation
from wspkit.bridge.text import python_literal, sentence, shown_value, special_text, wrapped
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
class DocsOptionsView:
    """The whole page."""

    groups: tuple[DocsGroup, ...]


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
                            _option(name, option, group.c_struct, section.title)
                            for name, option in api.option.items()
                            if option.section == section_name
                        ),
                    )
                    for section_name, section in api.sections_of(group_name).items()
                ),
            )
            for group_name, group in api.group.items()
        )
    )


def _option(name: str, option: Option, c_struct: str, section_title: str) -> DocsOption:
    info = option_info(name, option, section_title)
    return DocsOption(
        name=name,
        type=f"`{annotation(option)}`",
        unit=info.unit or "-",
        range=info.range_text or "-",
        default=f"`{shown_value(option.default)}`",
        python_default=f"`{python_literal(option.default)}`",
        flags=", ".join(
            f"`{flag}`" for flag in (option.short_flag, option.flag, option.off_flag) if flag
        )
        or "-",
        c_field=f"`{option.c_field}`",
        c_text=f"`{c_struct}.{option.c_field}`"
        + (f", default `{option.c_default}`" if option.c_default else ""),
        summary=option.summary,
        doc_lines=wrapped(option.doc, _WIDTH),
        special=special_text(info.special),
        excludes=", ".join(f"`{other}`" for other in option.excludes),
        source=option.source or "",
        since=option.since,
    )
