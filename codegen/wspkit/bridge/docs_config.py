"""The reference of wsp.toml: each table with its keys, their defaults and meanings, as the model of
`wspkit.config` has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from wspkit.config.model import Config
from wspkit.config.version_range import VersionRange
from wspkit.spec.model import Api
from wspkit.tables import Table


@dataclass(frozen=True)
class DocsKey:
    """One key, every cell as Markdown."""

    name: str
    type: str
    default: str
    doc: str


@dataclass(frozen=True)
class DocsTable:
    """One table of the file."""

    name: str
    doc: str
    keys: tuple[DocsKey, ...]


@dataclass(frozen=True)
class DocsConfigView:
    """The whole page."""

    tables: tuple[DocsTable, ...]


def docs_config(_: Api) -> DocsConfigView:
    """The view of the reference of settings, which no option of the API changes."""
    return DocsConfigView(tuple(_tables(Config(), "")))


def _tables(table: Table, path: str) -> Iterator[DocsTable]:
    keys: list[DocsKey] = []
    inner: list[tuple[Table, str]] = []
    for name, field in type(table).model_fields.items():
        value = getattr(table, name)
        key = field.alias or name
        if isinstance(value, Table):
            inner.append((value, f"{path}.{key}" if path else key))
        else:
            keys.append(
                DocsKey(key, _type(field), f"`{_literal(value)}`", _one_line(field.description))
            )
    if keys:
        yield DocsTable(path, _one_line(type(table).__doc__), tuple(keys))
    for value, inner_path in inner:
        yield from _tables(value, inner_path)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _type(field: FieldInfo) -> str:
    kind: Any = field.annotation
    if kind is VersionRange:
        return "range of versions"
    if get_origin(kind) is Literal:
        return _choices(kind)
    if get_origin(kind) is tuple:
        return f"list of {_choices(get_args(kind)[0])}"
    if get_origin(kind) is dict:
        return f"table of {_choices(get_args(kind)[0])}, each with a whole number"
    names = {str: "text", int: "whole number", bool: "true or false"}
    return names[kind]


def _choices(kind: object) -> str:
    return ", ".join(f"`{_literal(choice)}`" for choice in get_args(kind))


def _literal(value: object) -> str:
    if isinstance(value, VersionRange):
        return json.dumps(value.text)
    return json.dumps(list(value) if isinstance(value, tuple) else value)
