"""What a C header declares, as data to compare: functions, structs, enumerations, types, macros.

Reads what the compiler's preprocessor leaves of one file. It knows as much C as headers of plain
declarations need, and no name of theirs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_TOKEN = re.compile(r'[A-Za-z_]\w*|"(?:\\.|[^"\\])*"|0[xX][0-9a-fA-F]+|\d+|\.\.\.|\S')
_WORD = re.compile(r"[A-Za-z_]\w*")
_TAGS = {"struct", "enum", "union"}
_PLAIN_TYPES = {"void", "bool", "_Bool", "char", "int", "float", "double", "long", "unsigned"}
Tokens = list[str]


@dataclass
class Header:
    """The declarations of one file; types without struct, enum and names of arguments."""

    functions: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Return type, then the types of the arguments."""
    deprecated: set[str] = field(default_factory=set)
    structs: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Fields in order as (name, type); those of a nested struct as "outer.inner"."""
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Names of the values, in order."""
    types: dict[str, str] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    """Structs that are named and not defined."""
    macros: dict[str, str] = field(default_factory=dict)
    """Macros that the file itself defines."""


def read_header(path: Path, folders: tuple[Path, ...]) -> Header:
    """Declarations of `path`; `folders` are searched for what it includes."""
    header = Header(macros=_macros(path))
    includes = [f"-I{folder}" for folder in (path.parent, *folders)]
    text = _run(["gcc", "-std=c11", "-E", *includes, str(path)])
    for declaration in _declarations(_TOKEN.findall(_lines_of(path, text))):
        _take(header, declaration)
    defined = {*header.structs}
    header.opaque -= defined
    return header


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _macros(path: Path) -> dict[str, str]:
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$", text, re.MULTILINE)
    return {name: re.sub(r"/[/*].*", "", value).strip() for name, value in found}


def _lines_of(path: Path, preprocessed: str) -> str:
    """What of it came from the file itself."""
    kept, inside = [], False
    for line in preprocessed.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            inside = Path(marker[1]).resolve() == path.resolve()
        elif inside:
            kept.append(line)
    return "\n".join(kept)


def _declarations(tokens: Tokens) -> Iterator[Tokens]:
    """Token by token up to each semicolon that stands in no bracket."""
    current: Tokens = []
    depth = 0
    for token in tokens:
        depth += (token in "({") - (token in ")}")
        if token == ";" and depth == 0:
            yield current
            current = []
        else:
            current.append(token)
    assert not current, f"the file ends inside a declaration: {' '.join(current[-20:])}"


def _take(header: Header, declaration: Tokens) -> None:
    tokens, is_deprecated = _without_attributes(declaration)
    is_typedef = bool(tokens) and tokens[0] == "typedef"
    tokens = tokens[1:] if is_typedef else tokens
    if "{" in tokens:
        _take_body(header, tokens)
    elif len(tokens) == 2 and tokens[0] in _TAGS:
        header.opaque.add(tokens[1])
    elif is_typedef:
        name, what = _declarator(tokens)
        header.types[name] = what
    elif tokens:
        name, types = _function(tokens)
        header.functions[name] = types
        if is_deprecated:
            header.deprecated.add(name)


def _without_attributes(tokens: Tokens) -> tuple[Tokens, bool]:
    kept: Tokens = []
    is_deprecated = False
    at = 0
    while at < len(tokens):
        if tokens[at] == "__attribute__":
            end = _closing(tokens, at + 1)
            is_deprecated |= "deprecated" in tokens[at:end]
            at = end + 1
        else:
            kept.append(tokens[at])
            at += 1
    return kept, is_deprecated


def _closing(tokens: Tokens, opening: int) -> int:
    """Where the bracket at `opening` is closed."""
    pair = {"(": ")", "{": "}"}[tokens[opening]]
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at] == tokens[opening]) - (tokens[at] == pair)
        if depth == 0:
            return at
    raise ValueError(f"no {pair} in: {' '.join(tokens)}")


def _take_body(header: Header, tokens: Tokens) -> None:
    tag, name = tokens[0], tokens[1]
    end = _closing(tokens, tokens.index("{"))
    body = tokens[tokens.index("{") + 1 : end]
    if tag == "enum":
        header.enums[name] = tuple(part[0] for part in _split(body, ","))
    else:
        header.structs[name] = tuple(_fields(body))


def _fields(body: Tokens) -> Iterator[tuple[str, str]]:
    for declaration in _declarations(body):
        if "{" in declaration:
            end = _closing(declaration, declaration.index("{"))
            (outer,) = declaration[end + 1 :]
            inside = declaration[declaration.index("{") + 1 : end]
            yield from ((f"{outer}.{name}", what) for name, what in _fields(inside))
        else:
            yield _declarator(declaration)


def _split(tokens: Tokens, separator: str) -> list[Tokens]:
    parts: list[Tokens] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in "({") - (token in ")}")
        if token == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _declarator(tokens: Tokens) -> tuple[str, str]:
    """Name and type of a field, a type or an argument; "" for an argument without a name."""
    if "(" in tokens:  # a pointer to a function
        opening = tokens.index("(")
        star, name = tokens[opening + 1 : opening + 3]
        assert star == "*", f"not understood: {' '.join(tokens)}"
        arguments = _arguments(tokens[_closing(tokens, opening) + 2 : -1])
        return name, f"{_type(tokens[:opening])} (*)({', '.join(arguments)})"
    last = tokens[-1]
    before = [token for token in tokens[:-1] if token not in _TAGS | {"const"}]
    if before and _WORD.fullmatch(last) and last not in _PLAIN_TYPES:
        return last, _type(tokens[:-1])
    return "", _type(tokens)


def _arguments(tokens: Tokens) -> tuple[str, ...]:
    types = tuple(_declarator(argument)[1] for argument in _split(tokens, ","))
    return () if types == ("void",) else types


def _function(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    opening = tokens.index("(")
    name = tokens[opening - 1]
    return name, (_type(tokens[: opening - 1]), *_arguments(tokens[opening + 1 : -1]))


def _type(tokens: Tokens) -> str:
    return " ".join("bool" if one == "_Bool" else one for one in tokens if one not in _TAGS)
