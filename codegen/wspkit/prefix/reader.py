"""Reads the declarations of one file, at file and namespace scope, in every branch of its
conditionals; what is inside functions is skipped. It knows no other file but their macros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wspkit.prefix.declaration import BLOCK, Named, block_kind, statement_names
from wspkit.prefix.lexer import Language, is_header, is_identifier
from wspkit.prefix.macros import ELSE, ENDIF, IF, Macro, Pasted, arguments, expanded
from wspkit.prefix.source import Source

_MARKS: Final = frozenset({"{", "}", IF, ELSE, ENDIF})
# Types have linkage in C++ only.
_WITHOUT_TYPES: Final = frozenset({Language.C, Language.OBJC})
_BEHIND_MEMBERS: Final = frozenset({";", ",", "=", "[", "(", ":", "{"})
_OF_TYPES: Final = frozenset({"type", "alias"})
# Macros in macros: deeper than anybody writes, so that a macro that names itself ends.
_DEEPEST: Final = 8


@dataclass
class Collection:
    """What a tree defines."""

    names: dict[str, str] = field(default_factory=dict)
    """Name to kind: function, data, type, alias, enumerator, macro, namespace, class."""
    places: dict[str, set[str]] = field(default_factory=dict)
    """Files that declare a name."""
    members: dict[str, set[str]] = field(default_factory=dict)
    """Files, and the names of members that their classes have."""
    declared: dict[str, str] = field(default_factory=dict)
    """Functions and data that are declared; what is not in `names` is defined elsewhere."""
    internal: set[str] = field(default_factory=set)
    """Functions and data that one file sees, by `static` or `const`."""
    nameless: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)
    """Operators and specialisations, which have no name of their own: what it is, its file, and
    the names in its head.
    """
    pasted: dict[str, Pasted] = field(default_factory=dict)
    """Names that `##` builds where things are declared."""


def _members(body: list[str]) -> set[str]:
    """Names that seem to be declared in a class's body: behind a type, before what ends a name."""
    names: set[str] = set()
    depth = 0
    for index, token in enumerate(body[:-1]):
        depth += (token in "([{") - (token in ")]}")
        if depth == 0 and index and is_identifier(token) and body[index + 1] in _BEHIND_MEMBERS:
            before = body[index - 1]
            if is_identifier(before) or before in "*&>,]":
                names.add(token)
    return names


@dataclass(frozen=True)
class _State:
    """Where a reader is: what the branches of a conditional begin with."""

    scopes: tuple[str, ...] = ()
    """From outside in: C for extern "C", namespace names, "" for a namespace without one."""
    statement: tuple[str, ...] = ()
    parens: int = 0
    depth: int = 0
    """Braces of a block that is skipped."""
    inside: str = ""
    """What that block is."""


class Reader:
    """Reads the declarations of one file."""

    def __init__(self, source: Source, macros: Mapping[str, Macro]) -> None:
        self._macros = macros
        self._path = source.path
        self._cpp = source.language not in _WITHOUT_TYPES
        self._header = is_header(source.path)
        self.begin(())

    def begin(self, scopes: tuple[str, ...]) -> None:
        """Forgets what was read, and begins inside these scopes."""
        self.found = Collection()
        self.inner: list[tuple[str, tuple[str, ...]]] = []
        """Files that are included inside a namespace, by the end of their paths, with the scopes.
        """
        self._scopes = scopes
        self._statement: list[str] = []
        self._parens = 0
        self._depth = 0
        self._inside = ""
        self._body: list[str] = []
        self.members: set[str] = set()
        self._branches: list[tuple[_State, _State | None]] = []
        self._expansions = 0
        self._built: dict[str, Pasted] = {}

    def read(self, tokens: list[str]) -> None:
        """Takes down what these tokens declare."""
        marks = [index for index, token in enumerate(tokens) if token in _MARKS]
        marks.append(len(tokens))
        mark = index = 0
        while index < len(tokens):
            if self._depth:
                while marks[mark] < index:
                    mark += 1
                end = marks[mark] + 1
                if self._inside in {"enum", "type"}:
                    self._body += tokens[index:end]
                if end > len(tokens):
                    return
                index = end
                self._in_block(tokens[index - 1])
            else:
                index = self._in_scope(tokens, index)

    def _in_block(self, token: str) -> None:
        if token == "{":
            self._depth += 1
        elif token == "}":
            self._depth -= 1
            if self._depth == 0:
                self._close()
        else:
            self._branch(token)

    def _in_scope(self, tokens: list[str], index: int) -> int:
        """Takes the token at index, and returns where the next is."""
        token = tokens[index]
        if token == ";" and not self._parens:
            self._end_statement()
        elif token == "{":
            self._open()
        elif token == "}":
            self._scopes = self._scopes[:-1]
            self._clear()
        elif token in _MARKS:
            self._branch(token)
        elif token[0] == "#" and token[-1] == '"':
            if not self._is_global():
                self.inner.append((token.split('"')[1].removeprefix("./"), self._scopes))
        elif token == "@":
            return self._objective(tokens, index)
        elif token in self._macros and not self._parens and self._expansions < _DEEPEST:
            return self._use(self._macros[token], tokens, index)
        else:
            self._parens += (token == "(") - (token == ")")
            self._statement.append(token)
        return index + 1

    # ---- conditionals ----

    def _state(self) -> _State:
        return _State(self._scopes, tuple(self._statement), self._parens, self._depth, self._inside)

    def _restore(self, state: _State) -> None:
        self._scopes, self._parens = state.scopes, state.parens
        self._statement = list(state.statement)
        self._depth, self._inside = state.depth, state.inside

    def _branch(self, token: str) -> None:
        """Each branch begins as the first did; after them it goes on as the first one ended."""
        if token == IF:
            self._branches.append((self._state(), None))
        elif self._branches:
            begin, end = self._branches.pop()
            if token == ELSE:
                self._branches.append((begin, end or self._state()))
                self._restore(begin)
            elif end is not None:
                self._restore(end)

    # ---- blocks ----

    def _open(self) -> None:
        words = self._statement
        if words[:1] == ["extern"] and len(words) == 2 and words[1][0] == '"':
            self._enter("C")
        elif "namespace" in words[:2] and not self._parens:
            self._enter_namespace(words)
        else:
            self._depth = 1
            self._inside = "value"
            self._body = []
            if self._parens:
                return
            if not words or words[0] in "+-@:":
                self._inside = "function"
                return
            linkage, words = _linkage(words)
            kind, named = block_kind(words)
            self._inside = kind
            if named is not None:
                self._record(named, c_linkage=linkage)
            self._take_nameless(words, kind, named)
            if kind == "type" and self._is_unscoped_enum(words, named):
                self._inside = "enum"

    def _take_nameless(self, words: list[str], kind: str, named: Named | None) -> None:
        """What is told apart by the types in its head alone."""
        standard = self._scopes == ("::std",)
        if "static" in words or not (standard or self._is_global()):
            return
        names = frozenset(filter(is_identifier, words))
        # Those of memory are a program's, which replaces them on purpose.
        if kind == "function" and "operator" in words and names.isdisjoint(("new", "delete")):
            self.found.nameless.append(("operator", self._path, names))
        special = kind == "type" and words[:3] == ["template", "<", ">"]
        if special and (standard or (named is None and "std" in names)):
            self.found.nameless.append(("specialisation", self._path, names))

    def _is_unscoped_enum(self, words: list[str], named: Named | None) -> bool:
        if named is not None:
            return named.unscoped_enum
        return "enum" in words and words[words.index("enum") + 1 :][:1] not in (
            ["class"],
            ["struct"],
        )

    def _close(self) -> None:
        if self._inside == "function":
            self._clear()
            return
        if self._inside == "type":
            self.members |= _members(self._body)
        if self._inside == "enum":
            self._take_enumerators()
        self._statement.append(BLOCK)

    def _enter(self, scope: str) -> None:
        self._scopes += (scope,)
        self._clear()

    def _enter_namespace(self, words: list[str]) -> None:
        names = [w for w in words[words.index("namespace") + 1 :] if is_identifier(w)]
        names = [name for name in names if name not in {"inline", "__attribute__"}]
        if names and self._is_global():
            self.found.names.setdefault(names[0], "namespace")
        # One brace closes `namespace a::b {`, so it is one scope.
        self._enter("::" + "::".join(names) if names else "")

    def _clear(self) -> None:
        self._statement, self._parens = [], 0

    # ---- names ----

    def _is_global(self) -> bool:
        return all(scope == "C" for scope in self._scopes)

    def _record(self, named: Named, *, c_linkage: bool = False) -> None:
        """Takes a name down if it is seen outside and no namespace tells it apart."""
        if "" in self._scopes:
            return
        if named.internal:
            self.found.internal.add(named.name)
            return
        c_linkage = c_linkage or "C" in self._scopes
        if not self._is_global() and not (c_linkage and named.kind not in _OF_TYPES):
            return
        if named.kind in _OF_TYPES:
            # What has no linkage is seen by those that include it.
            linkage = self._cpp and named.kind == "type"
            if not named.defined or not (linkage or self._header):
                return
        elif not named.defined:
            self.found.declared.setdefault(named.name, named.kind)
            return
        self.found.names[named.name] = named.kind
        name = named.name
        while (built := self._built.get(name)) is not None and name not in self.found.pasted:
            self.found.pasted[name] = built
            name = built.front

    def _end_statement(self) -> None:
        words, self._statement = self._statement, []
        if not words:
            return
        linkage, words = _linkage(words)
        if words:
            for named in statement_names(words, cpp=self._cpp):
                self._record(named, c_linkage=linkage)

    def _take_enumerators(self) -> None:
        if not (self._header and self._is_global()):
            return
        expected, depth = True, 0
        for token in self._body[:-1]:
            if token in "([{":
                depth += 1
            elif token in ")]}":
                depth -= 1
            elif token == "," and depth == 0:
                expected = True
            elif expected and is_identifier(token):
                self.found.names.setdefault(token, "enumerator")
                expected = False

    # ---- Objective-C, macros ----

    def _objective(self, tokens: list[str], index: int) -> int:
        """Classes and protocols; what stands in them is methods."""
        words = tokens[index + 1 : index + 4]
        self._clear()
        match words:
            case ["interface" | "implementation", name, *after]:
                if after != ["("]:  # a category adds to somebody's class
                    self.found.names[name] = "class"
                return index + 3
            case ["protocol", name, *after]:
                if after not in ([";"], [","]):
                    self.found.names[name] = "class"
                return index + 3
            case ["end", *_]:
                return index + 2
        self._statement.append("@")
        return index + 1

    def _use(self, macro: Macro, tokens: list[str], index: int) -> int:
        """A macro where declarations stand: what it stands for may declare something."""
        given: list[list[str]] = []
        end = index + 1
        wanted = macro.declares or (macro.parameters is not None and not self._statement)
        if wanted and macro.parameters is not None:
            wanted = tokens[end : end + 1] == ["("]
            if wanted:
                given, end = arguments(tokens, end)
        if not wanted:
            self._statement.append(macro.name)
            return index + 1
        made, pasted = expanded(macro, given)
        self._built.update({name.name: name for name in pasted})
        self._expansions += 1
        self.read(made)
        self._expansions -= 1
        return end


def _linkage(words: list[str]) -> tuple[bool, list[str]]:
    """Whether `extern "C"` stands in front, and the rest."""
    if words[0] == "extern" and len(words) > 1 and words[1][0] == '"':
        return True, ["extern", *words[2:]]
    return False, words
