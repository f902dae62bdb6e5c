"""Reads `api.toml` into its model, and says file, line and near miss for what it does not
understand.

It must not know what the options mean: rules between tables are in `check.py`.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeGuard, get_args

from pydantic import BaseModel, ValidationError

from wspkit.errors import BadFormatError, NotFoundError
from wspkit.spec.model import Api

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = Path(__file__).with_name("api.toml")
"""The file of this package."""


def load(path: Path = PATH) -> Api:
    """The API that a file describes.

    Raises NotFoundError if there is no such file, BadFormatError with every problem of it, one per
    line, if it is not TOML, holds an unknown key, lacks one or has a value of the wrong type.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadFormatError(f"{path.name} is not UTF-8: {error}") from None
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no file {path}", expected="the description of the API"
        ) from None
    return parse(text, path.name)


def parse(text: str, name: str) -> Api:
    """The API that a text describes; `name` stands for it in messages. Raises BadFormatError like
    `load`.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFormatError(f"{name} is not TOML: {error}") from None
    try:
        return Api.model_validate(data)
    except ValidationError as error:
        lines = line_numbers(text)
        problems = [
            _describe(detail["type"], detail["loc"], detail["msg"]) for detail in error.errors()
        ]
        located = [
            f"{name}:{line_of(lines, detail['loc'])}: {problem}"
            for detail, problem in zip(error.errors(), problems, strict=True)
        ]
        # A value that fits no member of a union is reported once per member; the reader needs it
        # once.
        raise BadFormatError("\n".join(dict.fromkeys(located))) from None


def line_numbers(text: str) -> dict[tuple[str, ...], int]:
    """Line, from 1, of each table header and of each key under one, by its path.

    Enough for the plain TOML of `api.toml`: tables in brackets, bare keys, one key a line, strings
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


def _describe(kind: str, location: tuple[int | str, ...], message: str) -> str:
    path = [str(part) for part in location]
    if kind == "extra_forbidden":
        known = _known_keys(path)
        near = difflib.get_close_matches(path[-1], known, n=1)
        hint = (
            f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(sorted(known))}"
        )
        return f"unknown key {'.'.join(path)!r}; {hint}"
    if kind == "missing":
        return f"{'.'.join(path[:-1]) or 'the file'} lacks the key {path[-1]!r}"
    # What follows table, name and key are pydantic's names for the members of a union.
    return f"{'.'.join(path[:3])}: {message[0].lower()}{message[1:]}"


def _known_keys(path: list[str]) -> list[str]:
    """The keys of the table that holds the last part of a path."""
    table: type[BaseModel] = Api
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
