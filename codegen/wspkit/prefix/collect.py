"""Finds the names that a tree defines for the outside: what a linker, or a file that includes one
of its headers, can meet. It reads declarations at file and namespace scope and skips what is inside
functions and classes; which of the names change is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wspkit.prefix.lexer import Language, is_header, is_identifier
from wspkit.prefix.macros import Macro, significant
from wspkit.prefix.reader import Collection, Reader
from wspkit.prefix.source import Source

# Kernels of Metal are looked up in their own library by strings made at run time: no linker sees
# them. CMake and assembler text declare nothing that we read.
_SILENT: Final = frozenset({Language.METAL, Language.CMAKE, Language.ASSEMBLER})
_CLASS_KEYS: Final = frozenset({"class", "struct", "union", "enum"})
_ENDS: Final = frozenset({";", "{", "="})


def collect(sources: Sequence[Source]) -> Collection:
    """The names that the sources define together."""
    collection = Collection()
    paths = [source.path for source in sources]
    macros: dict[str, Macro] = {}
    files: list[tuple[Source, list[str]]] = []
    for source in sources:
        if source.language in _SILENT:
            continue
        kept, defined = significant(source.tokens)
        files.append((source, kept))
        for macro in defined:
            # A macro that is empty for some system makes names for another.
            if macro.name not in macros or len(macros[macro.name].body) < len(macro.body):
                macros[macro.name] = macro
            if is_header(source.path):
                collection.names.setdefault(macro.name, "macro")
                for name in (macro.name, *filter(is_identifier, macro.body)):
                    collection.places.setdefault(name, set()).add(source.path)
    readers = {source.path: Reader(source, macros) for source, _ in files}
    tokens = {source.path: kept for source, kept in files}
    for path, reader in readers.items():
        reader.read(tokens[path])
    _read_inner(readers, tokens)
    for path, reader in readers.items():
        _merge(collection, path, reader, tokens[path])
    # What is constant has a symbol nevertheless if it was declared `extern` before.
    for name in collection.internal & collection.declared.keys():
        collection.names.setdefault(name, collection.declared[name])
    _join_parts(collection, tokens, paths)
    return collection


def _merge(collection: Collection, path: str, reader: Reader, tokens: list[str]) -> None:
    found = reader.found
    for name in found.names.keys() | found.declared.keys() | _mentions(tokens):
        collection.places.setdefault(name, set()).add(path)
    collection.members[path] = reader.members
    for name, kind in found.names.items():
        collection.names[name] = kind
    for name, kind in found.declared.items():
        collection.declared.setdefault(name, kind)
    collection.internal |= found.internal
    collection.pasted.update(found.pasted)
    collection.nameless += found.nameless


def _join_parts(
    collection: Collection, tokens: Mapping[str, list[str]], paths: Sequence[str]
) -> None:
    """What a file is put together from by including sources, not headers, declares as one file."""
    parts: dict[str, set[str]] = {}
    for path, kept in tokens.items():
        for token in kept:
            if token[0] == "#" and token[-1] == '"' and not is_header(token[:-1]):
                ending = "/" + token.split('"')[1].removeprefix("./")
                for part in paths:
                    if ("/" + part).endswith(ending):
                        parts.setdefault(path, set()).add(part)
                        parts.setdefault(part, set()).add(path)
    if not parts:
        return
    for places in collection.places.values():
        waiting = [path for path in places if path in parts]
        while waiting:
            for path in parts[waiting.pop()] - places:
                places.add(path)
                waiting.append(path)


def _mentions(tokens: list[str]) -> set[str]:
    """Names behind `extern` and behind `struct` and its like, anywhere, also inside functions."""
    names: set[str] = set()
    for index, token in enumerate(tokens):
        if token in _CLASS_KEYS:
            names.update(tokens[index + 1 : index + 2])
        elif token == "extern":
            for word in tokens[index + 1 :]:
                if word in _ENDS:
                    break
                if is_identifier(word):
                    names.add(word)
    return names


def _read_inner(readers: Mapping[str, Reader], tokens: Mapping[str, list[str]]) -> None:
    """Reads again, as what they are, files that are included inside a namespace."""
    waiting = [inner for reader in readers.values() for inner in reader.inner]
    seen: set[str] = set()
    while waiting:
        operand, scopes = waiting.pop()
        for path, reader in readers.items():
            if ("/" + path).endswith("/" + operand) and path not in seen:
                seen.add(path)
                reader.begin(scopes)
                reader.read(tokens[path])
                waiting += reader.inner
