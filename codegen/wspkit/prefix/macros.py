"""Macros of a tree, and what is left of a file without directives, blanks and comments: what
declarations are read from. It knows the preprocessor's rules, not the language's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from wspkit.prefix.lexer import is_comment, is_identifier, is_space
from wspkit.prefix.source import unspliced

IF: Final = "#if"
ELSE: Final = "#else"
ENDIF: Final = "#endif"
_CONDITIONALS: Final = {
    **dict.fromkeys(("if", "ifdef", "ifndef"), IF),
    **dict.fromkeys(("else", "elif", "elifdef", "elifndef"), ELSE),
    "endif": ENDIF,
}
_VARIADIC: Final = "__VA_ARGS__"


@dataclass(frozen=True)
class Macro:
    """A `#define`."""

    name: str
    parameters: tuple[str, ...] | None
    """None for a macro without parentheses."""
    body: tuple[str, ...]
    """Without blanks and comments."""

    @property
    def declares(self) -> bool:
        """Whether it may stand where declarations stand, and make some."""
        return not _DECLARING.isdisjoint(self.body)


_DECLARING: Final = frozenset({"{", "}", ";", "##"})


@dataclass(frozen=True)
class Pasted:
    """A name that `##` builds."""

    name: str
    front: str
    """Its first piece."""
    from_argument: bool
    """The first piece stands at the macro's use, not in its body."""


def significant(tokens: Iterable[str]) -> tuple[list[str], list[Macro]]:
    """What declarations are read from, and the macros that are defined on the way.

    Conditionals are left as the single tokens `IF`, `ELSE`, `ENDIF`; an include of a file by its
    name in quotes stays, since it may stand in a namespace.
    """
    kept: list[str] = []
    macros: list[Macro] = []
    directive: list[str] | None = None
    fresh = True
    for token in tokens:
        first = token[0]
        if first == "\n":
            if directive is not None:
                _finish(directive, kept, macros)
                directive = None
            fresh = True
        elif directive is not None:
            directive.append(token)
        elif first in " \t\f\v\r\ufeff\\" or (first == "/" and len(token) > 1):
            continue
        elif first == "#" and fresh:
            if len(token) == 1:
                directive = []
            elif token[-1] == '"':
                kept.append(token)
        else:
            fresh = False
            kept.append(token if "\\" not in token else unspliced(token))
    if directive is not None:
        _finish(directive, kept, macros)
    return kept, macros


def _finish(directive: list[str], kept: list[str], macros: list[Macro]) -> None:
    words = [token for token in directive if not is_space(token) and not is_comment(token)]
    if not words:
        return
    if words[0] in _CONDITIONALS:
        kept.append(_CONDITIONALS[words[0]])
    elif words[0] == "define" and len(words) > 1:
        macros.append(_macro(directive, words))


def _macro(directive: list[str], words: list[str]) -> Macro:
    name = words[1]
    after = directive[directive.index(name) + 1 :]
    if after[:1] != ["("]:
        return Macro(unspliced(name), None, tuple(words[2:]))
    end = words.index(")") if ")" in words else len(words)
    inside = [word for word in words[3:end] if word != ","]
    # `name...` and `...` both take the rest.
    parameters = [word for word in inside if is_identifier(word)]
    if "." in inside and inside[-4:-3] != parameters[-1:]:
        parameters.append(_VARIADIC)
    return Macro(unspliced(name), tuple(parameters), tuple(words[end + 1 :]))


def arguments(tokens: list[str], start: int) -> tuple[list[list[str]], int]:
    """The arguments of a macro's use and where it ends. start: the index of its parenthesis."""
    found: list[list[str]] = [[]]
    depth = 0
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token in "([{":
            depth += 1
            if depth == 1:
                continue
        elif token in ")]}":
            depth -= 1
            if depth == 0:
                return found, index + 1
        if token == "," and depth == 1:
            found.append([])
        else:
            found[-1].append(token)
    return found, len(tokens)


def expanded(macro: Macro, given: list[list[str]]) -> tuple[list[str], list[Pasted]]:
    """The tokens that a macro's use stands for, and the names that `##` built in it."""
    values: Mapping[str, list[str]] = {}
    if macro.parameters:
        last = len(macro.parameters) - 1
        rest = [token for argument in given[last:] for token in (",", *argument)][1:]
        values = {**dict(zip(macro.parameters, given, strict=False)), macro.parameters[last]: rest}
    out: list[tuple[str, bool]] = []
    pasted: dict[int, tuple[str, bool]] = {}
    paste = False
    for index, token in enumerate(macro.body):
        if token == "##":
            paste = True
            continue
        if token == "#" and macro.body[index + 1 : index + 2] and macro.parameters is not None:
            continue
        if index and macro.body[index - 1] == "#" and token in values:
            pieces = [('"' + " ".join(values[token]) + '"', False)]
        else:
            pieces = [(one, True) for one in values[token]] if token in values else [(token, False)]
        if paste and out and pieces:
            front, from_argument = out[-1]
            pasted.setdefault(len(out) - 1, (front, from_argument))
            out[-1] = (front + pieces[0][0], from_argument)
            pieces = pieces[1:]
        paste = False
        out.extend(pieces)
    names = [
        Pasted(out[at][0], front, from_argument)
        for at, (front, from_argument) in pasted.items()
        if front and is_identifier(out[at][0])
    ]
    return [token for token, _ in out], names
