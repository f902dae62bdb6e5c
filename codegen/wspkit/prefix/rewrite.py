"""Writes a file's tokens again under a rename map: names in code, comments, macro bodies and `#if`
operands, file names in includes, and the strings that are names. What to rename is decided
elsewhere.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from posixpath import basename, dirname, join, normpath

from wspkit.prefix.lexer import Language, is_include, is_space
from wspkit.prefix.rename import Renames
from wspkit.prefix.source import Source, unspliced

# Addresses in comments name files of others: as a whole they are no names.
_WORDS = re.compile(r"https?://\S+|(?P<plain>[a-z]+)\b(?!\(|::)|[^\W\d]\w*")
# -D is no part of the name behind it.
_CMAKE_WORDS = re.compile(r"https?://\S+|-D(?=[^\W\d])|[^\W\d]\w*")
_OPERAND = re.compile(r'(?P<open>[<"])(?P<path>[^<>"]*)(?P<close>[>"])$')
_FILE_WORD = re.compile(r"[\w./+-]*\.\w+")


class Rewriter:
    """Writes the files of one tree.

    included: a file and an operand of its includes to the operand that finds the file afterwards.
    unknown: what a word of a comment becomes that no code has.
    """

    def __init__(
        self,
        renames: Renames,
        included: Callable[[str, str], str],
        unknown: Callable[[str], str | None],
    ) -> None:
        self._included = included
        self._unknown = unknown
        private = renames.private
        self._names = {old: new for old, new in renames.names.items() if old not in private}
        self._literals = renames.strings
        self._private: dict[str, dict[str, str]] = defaultdict(dict)
        for name, paths in private.items():
            for path in paths:
                self._private[path][name] = renames.names[name]
        self._guarded = renames.guarded

    def written(self, source: Source) -> str:
        """The text of a file under new names."""
        return self._cmake(source) if source.language is Language.CMAKE else self._code(source)

    def _code(self, source: Source) -> str:
        private = self._private.get(source.path, {})
        names = {**self._names, **private} if private else self._names
        changes: dict[str, str] = {}
        for token in source.distinct:
            new = names.get(token) or self._literals.get(token)
            if new is not None:
                changes[token] = new
            elif is_include(token):
                changes[token] = _OPERAND.sub(lambda m: self._operand(m, source.path), token)
            elif "\\" in token and (new := names.get(unspliced(token))) is not None:
                # The prefix comes in front, so the splices stay where they are.
                changes[token] = new[: len(new) - len(unspliced(token))] + token
        for comment in source.comments():
            changes[comment] = _WORDS.sub(lambda match: self._word(match, names), comment)
        get = changes.get
        out = [get(token, token) for token in source.tokens]
        self._leave_members(source, out)
        return "".join(out)

    def _operand(self, match: re.Match[str], path: str) -> str:
        return match["open"] + self._included(path, match["path"]) + match["close"]

    def _word(self, match: re.Match[str], names: Mapping[str, str]) -> str:
        """A word of a comment. A collected name such as `lock` may be plain prose there."""
        word = match[0]
        return word if match["plain"] else names.get(word) or self._unknown(word) or word

    def _leave_members(self, source: Source, out: list[str]) -> None:
        """Takes back what is somebody else's: `std::name`, and members of classes outside."""
        tokens = source.tokens
        for index, token in enumerate(tokens[:-2]):
            if token == "::":
                if tokens[index - 1] == "std":
                    out[index + 1] = tokens[index + 1]
            elif token == "." or (token == ">" and tokens[index - 1] == "-"):
                at = index + 1
                while is_space(tokens[at]) and at < len(tokens) - 1:
                    at += 1
                owners = self._guarded.get(tokens[at])
                if owners is not None and source.path not in owners:
                    out[at] = tokens[at]

    def _cmake(self, source: Source) -> str:
        """Macros, which become compile definitions, and names of files; targets and functions of
        CMake meet no linker.
        """
        names = self._names

        def word(match: re.Match[str]) -> str:
            found = match[0]
            if found == found.upper():
                return names.get(found) or self._unknown(found) or found
            if found[0] == "_" and (new := names.get(found[1:])) is not None:
                return "_" + new  # a label of the assembler, as Apple's linker spells names of C
            return found

        text = _CMAKE_WORDS.sub(word, "".join(source.tokens))
        return _FILE_WORD.sub(lambda match: self._included(source.path, match[0]), text)


def included_file(
    path: str, operand: str, files: Mapping[str, str], by_name: Mapping[str, list[str]]
) -> str:
    """The operand that finds an included file under its new name.

    files: every file of the tree, old path to new; by_name: the old paths by their last part.
    Looked for beside the including file first, as compilers do, then anywhere in the tree where a
    path ends so; a file outside the tree keeps its operand.
    """
    beside = normpath(join(dirname(path), operand))
    if beside in files:
        found = [beside]
    else:
        wanted = "/" + normpath(operand)
        found = [old for old in by_name.get(basename(operand), ()) if ("/" + old).endswith(wanted)]
    new = {files[old].rpartition("/")[2] for old in found}
    if len(new) != 1:
        return operand
    folder, slash, _ = operand.rpartition("/")
    return folder + slash + new.pop()
