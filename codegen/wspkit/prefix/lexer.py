"""Cuts C, C++, Objective-C(++), Metal and CMake text into tokens that, put together, are the text.

A token is a plain string; what it is shows in its first and last character (`is_identifier` and its
neighbours), so that a file of megabytes is cut in one pass of one regular expression. It knows no
grammar beyond the tokens, and nothing of names or prefixes.
"""

from __future__ import annotations

import re
from enum import Enum
from pathlib import PurePosixPath
from typing import Final

from wspkit.errors import BadFormatError

# A backslash at a line's end joins the line with the next. Compilers allow blanks between.
_SPLICE = r"\\[ \t]*\r?\n"
_BLOCK_COMMENT = rf"/(?:{_SPLICE})*\*[^*]*(?:\*(?!(?:{_SPLICE})*/)[^*]*)*\*(?:{_SPLICE})*/"
_LINE_COMMENT = rf"/(?:{_SPLICE})*/[^\\\n]*(?:\\(?:[ \t]*\r?\n)?[^\\\n]*)*"
_ESCAPE = rf"(?:{_SPLICE}|\\[\s\S])"
_RAW_STRING = r'(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\([\s\S]*?\)(?P=delimiter)"'
_RAW_BEGIN = r'(?:u8|[uUL])?R"[^()\\\s"]{0,16}\('
_STRING = rf'(?:u8|[uUL@])?"[^"\\\n]*(?:{_ESCAPE}[^"\\\n]*)*"'
_CHARACTER = rf"(?:u8|[uUL])?'[^'\\\n]*(?:{_ESCAPE}[^'\\\n]*)*'"
# Some editors put a mark in front of a file, which compilers skip.
_MARK = "\ufeff"
_BLANKS = rf"[ \t\f\v\r{_MARK}]+"
_LINES = r"\n[ \t\f\v\r\n]*"
_GAP = rf"(?:[ \t]|{_BLOCK_COMMENT}|{_SPLICE})*"
# `#include` with its operand is one token: inside <> nothing else is one.
_OPERAND = r'(?:<[^>\n]*>|"[^"\n]*")'
_INCLUDE = (
    rf"\#{_GAP}(?:include_next|include|import|embed)\b{_GAP}{_OPERAND}"
    rf"|__has_(?:include(?:_next)?|embed){_GAP}\({_GAP}{_OPERAND}"
)
_IDENTIFIER = rf"[^\W\d][\w$]*(?:(?:{_SPLICE})+[\w$]+)*"
_NUMBER = r"\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*"
_PARTS = (
    *(_BLANKS, _LINES, _STRING, _CHARACTER, _INCLUDE, _IDENTIFIER, _NUMBER),
    *(_LINE_COMMENT, _BLOCK_COMMENT, r"/\*", _SPLICE, r"\#\#?", "::?", r"[\s\S]"),
)
_C = re.compile("|".join(_PARTS))
# Only this one has a group, which makes it slower; most files hold no raw string.
_C_RAW = re.compile("|".join((_RAW_STRING, _RAW_BEGIN, *_PARTS)))

_CMAKE_BRACKET = r"\#?\[(?P<level>=*)\[[\s\S]*?\](?P=level)\]"
_CMAKE_PARTS = (
    *(_BLANKS, _LINES, r"[^\W\d]\w*", r"-D", r'"[^"\\]*(?:\\[\s\S][^"\\]*)*"'),
    *(r"\#[^\n]*", r"\\[\s\S]", r"[\s\S]"),
)
_CMAKE = re.compile("|".join(_CMAKE_PARTS))
_CMAKE_BRACKETS = re.compile("|".join((_CMAKE_BRACKET, *_CMAKE_PARTS)))
_BRACKET = re.compile(r"\[=*\[")
# Directives whose rest is prose or somebody else's language.
_PROSE: Final = frozenset({"error", "warning", "pragma", "ident"})


class Language(Enum):
    """What a file is written in, as far as tokens and names differ."""

    C = "c"
    CPP = "cpp"
    """C++; headers too, since C++ may include them."""
    OBJC = "objc"
    OBJCPP = "objc++"
    METAL = "metal"
    ASSEMBLER = "assembler"
    CMAKE = "cmake"


_SUFFIXES: Final = {
    ".c": Language.C,
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".cu", ".ipp", ".tpp"), Language.CPP),
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc", ".inl"), Language.CPP),
    ".m": Language.OBJC,
    ".mm": Language.OBJCPP,
    ".metal": Language.METAL,
    ".S": Language.ASSEMBLER,
    ".cmake": Language.CMAKE,
}
# Presets set the options that the others read.
_CMAKE_FILES: Final = frozenset({"CMakeLists.txt", "CMakePresets.json"})
_HEADERS: Final = frozenset({".h", ".hh", ".hpp", ".hxx", ".cuh"})


def language_of(path: str) -> Language | None:
    """The language of a file by its name; None for what is no source, and stays as it is."""
    name = PurePosixPath(path.removesuffix(".in"))
    return Language.CMAKE if name.name in _CMAKE_FILES else _SUFFIXES.get(name.suffix)


def is_header(path: str) -> bool:
    """Whether other files are meant to include the file."""
    return PurePosixPath(path.removesuffix(".in")).suffix in _HEADERS


def tokens_of(text: str, language: Language) -> list[str]:
    """The tokens of a text, in order; joined, they are the text. Never fails: see `check`."""
    if language is Language.CMAKE:
        if _BRACKET.search(text):
            return [match.group() for match in _CMAKE_BRACKETS.finditer(text)]
        return _CMAKE.findall(text)
    if language is not Language.C and 'R"' in text:
        return [match.group() for match in _C_RAW.finditer(text)]
    return _C.findall(text)


def check(tokens: list[str], text: str, path: str, language: Language) -> None:
    """Raises BadFormatError, with file and line, for a comment or string that never ends."""
    if language is not Language.CMAKE and "/*" in tokens:
        raise _unfinished("comment", tokens, tokens.index("/*"), path)
    if 'R"' in text:
        for index, token in enumerate(tokens):
            if len(token) > 2 and token[-1] == "(" and token[0] in "uULR":
                raise _unfinished("raw string", tokens, index, path)
    for quote in ('"',) if language is Language.CMAKE else ('"', "'"):
        if quote not in tokens or language is Language.ASSEMBLER:
            continue
        for index, token in enumerate(tokens):
            if token == quote and not (language is not Language.CMAKE and _skipped(tokens, index)):
                kind = "string" if quote == '"' else "character literal"
                raise _unfinished(kind, tokens, index, path)


def line_of(tokens: list[str], index: int) -> int:
    """The line, from 1, in which a token begins."""
    return "".join(tokens[:index]).count("\n") + 1


def _unfinished(kind: str, tokens: list[str], index: int, path: str) -> BadFormatError:
    return BadFormatError(
        f"{path}:{line_of(tokens, index)}: a {kind} begins here and does not end",
        hint="Nothing was written.",
    )


def _skipped(tokens: list[str], index: int) -> bool:
    """Whether a token stands where no compiler reads tokens: in prose, or below `#if 0`."""
    words: list[str] = []
    zeros: list[bool] = []
    last: list[str] = []
    for token in [*tokens[:index], "\n"]:
        if token[0] != "\n":
            if not token.isspace():
                words.append(token)
            continue
        match words:
            case ["#", "if", *rest]:
                zeros.append(rest[:1] == ["0"])
            case ["#", "ifdef" | "ifndef", *_]:
                zeros.append(False)
            case ["#", "else" | "elif", *_] if zeros:
                zeros[-1] = False
            case ["#", "endif", *_] if zeros:
                zeros.pop()
        last, words = words, []
    return any(zeros) or (last[:1] == ["#"] and last[1:2] != [] and last[1] in _PROSE)


# ---- what a token is ----


def is_identifier(token: str) -> bool:
    """Whether a token is a name or keyword, perhaps with line splices inside."""
    first = token[0]
    return (first.isalpha() or first == "_") and token[-1] not in "\"'()>"


def is_comment(token: str) -> bool:
    """Whether a token of a C-like language is a comment."""
    return token[0] == "/" and len(token) > 1


def is_string(token: str) -> bool:
    """Whether a token is a whole string literal, with its prefix and quotes."""
    return token[-1] == '"' and len(token) > 1 and token[0] in '"@uULR'


def is_include(token: str) -> bool:
    """Whether a token is an `#include`, `#import` or `__has_include(` with its operand."""
    return token[-1] in '">' and token[0] in "#_" and len(token) > 2


def is_space(token: str) -> bool:
    """Whether a token is blanks, line ends or a line splice."""
    return token[0] in " \n\t\f\v\r\ufeff" or (token[0] == "\\" and token[-1] == "\n")
