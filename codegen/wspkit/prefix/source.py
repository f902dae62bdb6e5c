"""A file of a tree, cut into tokens; knows where a name stands, and nothing of what it means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wspkit.errors import BadFormatError
from wspkit.prefix.lexer import (
    Language,
    check,
    is_comment,
    is_identifier,
    language_of,
    line_of,
    tokens_of,
)

_SPLICES = re.compile(r"\\[ \t]*\r?\n")


@dataclass(frozen=True)
class Source:
    """One source file. path: relative, with slashes."""

    path: str
    language: Language
    tokens: list[str]

    @cached_property
    def distinct(self) -> frozenset[str]:
        """Each token once."""
        return frozenset(self.tokens)

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """All names in it, outside comments and strings."""
        return frozenset(unspliced(token) for token in self.distinct if is_identifier(token))

    def line(self, name: str) -> int:
        """The line in which a token first stands, 1 if it does not."""
        for index, token in enumerate(self.tokens):
            if token == name or ("\\" in token and unspliced(token) == name):
                return line_of(self.tokens, index)
        return 1

    def comments(self) -> set[str]:
        """All comments in it."""
        mark = "#" if self.language is Language.CMAKE else "/"
        return {t for t in self.distinct if t[0] == mark and (mark == "#" or is_comment(t))}


def read(path: str, data: bytes) -> Source | None:
    """A file in tokens, None if it is in no language of ours. Raises BadFormatError, with file and
    line, for what is not UTF-8 or has a comment or string that does not end.
    """
    language = language_of(path)
    if language is None:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFormatError(
            f"{path}:{line}: byte 0x{data[error.start]:02x} is not UTF-8",
            hint="Nothing was written. Convert the file, or leave it out.",
        ) from None
    tokens = tokens_of(text, language)
    check(tokens, text, path, language)
    return Source(path, language, tokens)


def unspliced(token: str) -> str:
    """A name without the line splices inside."""
    return _SPLICES.sub("", token) if "\\" in token else token


def place(name: str, sources: Iterable[Source]) -> str:
    """The first occurrence of a name, as "file:line"."""
    for source in sources:
        if name in source.identifiers:
            return f"{source.path}:{source.line(name)}"
    return "?"
