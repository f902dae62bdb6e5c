"""Finds the string literals that are names: of symbols that are looked up while a program runs, and
of macros that a program gives to Metal's compiler. All other strings are text and stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wspkit.prefix.lexer import Language, is_identifier, is_space, is_string
from wspkit.prefix.names import Prefix
from wspkit.prefix.profile import Profile
from wspkit.prefix.source import Source

_OBJECTIVE: Final = frozenset({Language.OBJC, Language.OBJCPP})
_TESTS: Final = frozenset({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"})


def looked_up(
    sources: Sequence[Source], names: Mapping[str, str], prefix: Prefix, profile: Profile
) -> dict[str, str]:
    """String literals, with their quotes, and what they become; sorted.

    A symbol that is looked up anywhere is renamed in every literal that is nothing but its name, so
    that whoever asks and whoever answers keep meaning the same.
    """
    literals: dict[str, set[str]] = {}
    asked: set[str] = set()
    tested = _tested_by_metal(sources)
    for source in sources:
        if source.language in {Language.CMAKE, Language.METAL}:
            continue
        found = {
            token
            for token in source.distinct
            if is_string(token)
            and _is_name(content := _content(token))
            and (content in names or profile.renames(content))
        }
        for token in found:
            content = _content(token)
            literals.setdefault(content, set()).add(token)
            if source.language in _OBJECTIVE and token[0] == "@" and content in tested:
                asked.add(content)
        if found and any(profile.looks_up(name) for name in source.identifiers):
            asked |= _asked(source.tokens, found, profile)
    return {
        literal: literal.replace(name, prefix.of(name))
        for name in sorted(asked)
        for literal in sorted(literals[name])
    }


def _content(literal: str) -> str:
    return literal.partition('"')[2][:-1]


def _is_name(content: str) -> bool:
    return content.isidentifier()


def _asked(tokens: list[str], literals: set[str], profile: Profile) -> set[str]:
    """The names among the literals that stand in a look-up's call or definition."""
    places = {index for index, token in enumerate(tokens) if token in literals}
    asked: set[str] = set()
    # Open brackets, each with whether it belongs to a look-up.
    open_: list[bool] = []
    call = ""
    header = False
    for index, token in enumerate(tokens):
        if is_space(token):
            continue
        if token in "([":
            is_lookup = token == "(" and call != "" and profile.looks_up(call)
            header = header or is_lookup
            open_.append(is_lookup)
        elif token == "{":
            open_.append(header)
            header = False
        elif token in ")]}":
            if open_:
                open_.pop()
        elif token == ";":
            header = False
        elif index in places and any(open_):
            asked.add(_content(token))
        call = token if is_identifier(token) else ""
    return asked


def _tested_by_metal(sources: Sequence[Source]) -> set[str]:
    """Names in conditionals of Metal files: a program may define them when it has them compiled."""
    tested: set[str] = set()
    for source in sources:
        if source.language is not Language.METAL:
            continue
        words: list[str] = []
        for token in [*source.tokens, "\n"]:
            if token[0] == "\n":
                if words[:1] == ["#"] and words[1:2] and words[1] in _TESTS:
                    tested |= {word for word in words if is_identifier(word)}
                words = []
            elif not is_space(token):
                words.append(token)
    return tested
