"""Writes a file's tokens again under a rename map: names in code, comments, macro bodies and `#if`
operands, file names in includes, and the strings that are names. What to rename is decided
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import dirname, join, normpath

from wspkit.prefix.lexer import Language, is_include
from wspkit.prefix.source import Source, unspliced

# Addresses in comments name files of others: as a whole they are no names.
_WORDS = re.compile(r"https?://\S+|[^\W\d]\w*")
# -D and ${ are no part of the name behind them.
_CMAKE_WORDS = re.compile(r"https?://\S+|(?<=-D)[^\W\d]\w*|[^\W\d]\w*")
_OPERAND = re.compile(r'(?P<open>[<"])(?P<path>[^<>"]*)(?P<close>[>"])$')
_FILE_WORD = re.compile(r"[\w./+-]*\.\w+")


def rewritten(
    source: Source,
    names: Mapping[str, str],
    included: Callable[[str, str], str],
    *,
    unknown: Callable[[str], str | None],
) -> str:
    """The text of a file under new names.

    names: identifiers, and string literals with their quotes. included: (file, operand) to the
    operand under which the file is found afterwards. unknown: what a word of a comment becomes
    that no code has.
    """
    if source.language is Language.CMAKE:
        return _cmake(source, names, included)
    tokens = source.tokens
    get = names.get
    out = [get(token, token) for token in tokens]
    changes: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        found = match[0]
        return get(found) or unknown(found) or found

    for comment in source.comments():
        changes[comment] = _WORDS.sub(word, comment)
    for token in set(tokens):
        if is_include(token):
            changes[token] = _OPERAND.sub(lambda m: _operand(m, source.path, included), token)
        elif "\\" in token and (new := get(unspliced(token))) is not None:
            # The prefix comes in front, so the splices stay where they are.
            changes[token] = new[: len(new) - len(unspliced(token))] + token
    if any(old != new for old, new in changes.items()):
        out = [changes.get(old, new) for old, new in zip(tokens, out, strict=True)]
    _leave_standard_names(tokens, out)
    return "".join(out)


def _operand(match: re.Match[str], path: str, included: Callable[[str, str], str]) -> str:
    return match["open"] + included(path, match["path"]) + match["close"]


def _leave_standard_names(tokens: list[str], out: list[str]) -> None:
    """`std::name` is the standard library's, whatever the tree calls by that name."""
    for index, token in enumerate(tokens):
        if token == "std" and tokens[index + 1 : index + 2] == ["::"]:
            out[index + 2 : index + 3] = tokens[index + 2 : index + 3]


def _cmake(source: Source, names: Mapping[str, str], included: Callable[[str, str], str]) -> str:
    """Macros, which become compile definitions, and names of files; targets and functions of CMake
    meet no linker.
    """

    def word(match: re.Match[str]) -> str:
        found = match[0]
        if found == found.upper():
            return names.get(found, found)
        if found[0] == "_" and (new := names.get(found[1:])) is not None:
            return "_" + new  # a label of the assembler, as Apple's linker spells names of C
        return found

    text = _CMAKE_WORDS.sub(word, "".join(source.tokens))
    return _FILE_WORD.sub(lambda match: included(source.path, match[0]), text)


def included_file(path: str, operand: str, files: Mapping[str, str]) -> str:
    """The operand that finds an included file under its new name.

    files: every file of the tree, old path to new. Looked for beside the including file first, as
    compilers do, then anywhere in the tree whose path ends so; a file outside the tree keeps its
    operand.
    """
    beside = normpath(join(dirname(path), operand))
    if beside in files:
        found = [beside]
    else:
        wanted = "/" + normpath(operand)
        found = [old for old in files if ("/" + old).endswith(wanted)]
    new = {files[old].rpartition("/")[2] for old in found}
    if len(new) != 1:
        return operand
    folder, slash, _ = operand.rpartition("/")
    return folder + slash + new.pop()
