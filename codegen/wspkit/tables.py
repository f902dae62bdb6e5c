"""Files of TOML tables as frozen models: strict, each key with its meaning, and messages that name
file, line and the nearest known key. It knows no table.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from wspkit.errors import BadFormatError, NotFoundError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Table(BaseModel):
    """A table whose keys are known, typed, documented and never changed."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )


Root = TypeVar("Root", bound=Table)


def read(path: Path, root: type[Root], *, what: str, name: str | None = None) -> Root:
    """What a file says. what: the file in a message, "the description of the API"; name: the file
    in front of a line's number, its own name if None.

    Raises NotFoundError if there is no such file, BadFormatError like `parse`.
    """
    shown = name or path.name
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadFormatError(f"{shown} is not UTF-8: {error}") from None
    except FileNotFoundError:
        raise NotFoundError(f"there is no file {path}", expected=what) from None
    return parse(text, shown, root)


def parse(text: str, name: str, root: type[Root]) -> Root:
    """What a text says; `name` stands for it in messages.

    Raises BadFormatError with every problem, one per line, if it is not TOML, holds an unknown key,
    lacks one or has a value of the wrong type.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFormatError(f"{name} is not TOML: {error}") from None
    try:
        return root.model_validate(data)
    except ValidationError as error:
        lines = line_numbers(text)
        located = [
            f"{name}:{line_of(lines, detail['loc'])}: {_describe(root, detail)}"
            for detail in error.errors()
        ]
        # A value that fits no member of a union is reported once per member; the reader needs it
        # once.
        raise BadFormatError("\n".join(dict.fromkeys(located))) from None


def line_numbers(text: str) -> dict[tuple[str, ...], int]:
    """Line, from 1, of each table header and of each key under one, by its path.

    Enough for plain TOML: tables in brackets, bare keys, one key a line, strings
    of several lines in three double quotes. Where it is wrong, only a message names a wrong line.
    """
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    inside_string = False
    for number, line in enumerate(text.splitlines(), start=1):
        quotes = line.count('"""')
        if inside_string:
            inside_string = quotes % 2 == 0
            continue
        inside_string = quotes % 2 == 1
        if header := re.match(r"\s*\[([\w.-]+)\]", line):
            table = tuple(header[1].split("."))
            for length in range(1, len(table) + 1):
                found.setdefault(table[:length], number)
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            found.setdefault((*table, key[1]), number)
    return found


def line_of(lines: Mapping[tuple[str, ...], int], location: tuple[int | str, ...]) -> int:
    """Line of the nearest known part of a path: the key, else its table, else the first line."""
    path = tuple(str(part) for part in location)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def _describe(root: type[BaseModel], detail: Mapping[str, Any]) -> str:
    path = [str(part) for part in detail["loc"]]
    message = str(detail["msg"])
    if detail["type"] == "extra_forbidden":
        known = _known_keys(root, path)
        near = difflib.get_close_matches(path[-1], known, n=1)
        hint = (
            f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(sorted(known))}"
        )
        return f"unknown key {'.'.join(path)!r}; {hint}"
    if detail["type"] == "missing":
        return f"{'.'.join(path[:-1]) or 'the file'} lacks the key {path[-1]!r}"
    # What follows table, name and key are pydantic's names for the members of a union.
    place = ".".join(path[:3])
    if detail["type"] == "value_error":
        return f"{place}: {message.removeprefix('Value error, ')}"
    found = f", not {detail['input']!r}" if isinstance(detail["input"], str | int | float) else ""
    return f"{place}: {message[0].lower()}{message[1:]}{found}"


def _known_keys(root: type[BaseModel], path: list[str]) -> list[str]:
    """The keys of the table that holds the last part of a path."""
    table = root
    for part in path[:-1]:
        field = next(
            (one for name, one in table.model_fields.items() if part in (name, one.alias)), None
        )
        # A part that is no key is the name of a table, such as beam_size of option.
        if field is not None:
            table = next(filter(_is_table, (field.annotation, *get_args(field.annotation))), table)
    return [field.alias or name for name, field in table.model_fields.items()]


def _is_table(kind: object) -> TypeGuard[type[BaseModel]]:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
