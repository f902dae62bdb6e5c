"""Decides what each name of a tree becomes: from the rules of a profile and the collected names,
sorted and stable. It reads tokens and writes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wspkit.errors import BadFormatError
from wspkit.prefix.lexer import is_header
from wspkit.prefix.names import Prefix
from wspkit.prefix.profile import Profile
from wspkit.prefix.reader import Collection
from wspkit.prefix.source import Source, place
from wspkit.prefix.strings import looked_up

_WITHOUT_OWNER: Final = frozenset({"macro", "enumerator"})
_LIKE_MEMBERS: Final = frozenset({"function", "data"})
_LINKED: Final = frozenset({"function", "data", "type", "namespace", "class"})


@dataclass(frozen=True)
class Renames:
    """What changes in a tree."""

    names: dict[str, str]
    """Old to new, sorted."""
    private: dict[str, set[str]]
    """Names that no header declares, with the files that declare them: only there they change."""
    guarded: dict[str, set[str]]
    """Functions and data that are no members of the tree's classes, and those that are in some
    files only, with these files: elsewhere, behind . or ->, the name belongs to another's class.
    """
    strings: dict[str, str]
    """String literals that are names of symbols or macros, with their quotes."""
    elsewhere: tuple[str, ...]
    """Functions and data that keep their names, since the tree only declares them."""
    already: bool
    """All names that would get the prefix have it."""


def rename_map(
    sources: Sequence[Source], collection: Collection, prefix: Prefix, profile: Profile
) -> Renames:
    """The names of a tree that get the prefix.

    Errors: BadFormatError, naming file and line, for a name that is taken already, a tree of which
    only a part has the prefix, and a name that linkers see and nothing covers.
    """
    present: set[str] = set()
    for source in sources:
        present |= source.identifiers
    _require_rules(sources, collection, profile)
    wanted = {name for name in present if profile.renames(name)}
    wanted |= {
        name
        for name, kind in collection.names.items()
        if kind in profile.collect and not profile.keeps(name)
    }
    wanted |= _front_pieces(sources, collection, wanted)
    _require_types(sources, collection, wanted, profile)
    done = {name for name in wanted if prefix.has(name)}
    todo = sorted(wanted - done)
    if done and todo:
        name = min(done)
        raise BadFormatError(
            f"{place(name, sources)}: {name} begins with the prefix {prefix.before(name)}, and "
            f"{len(todo)} other names do not ({todo[0]} at {place(todo[0], sources)})",
            expected="a tree without the prefix, or one that has it everywhere",
            hint="Choose another prefix, or leave the file out. Nothing was written.",
        )
    names = {name: prefix.of(name) for name in todo}
    for old, new in names.items():
        if new in present:
            raise BadFormatError(
                f"{place(new, sources)}: the name {new} is taken, which {old} "
                f"({place(old, sources)}) would get",
                hint="Choose another prefix. Nothing was written.",
            )
    strings = {} if done else looked_up(sources, names, prefix, profile)
    elsewhere = tuple(
        sorted(
            name
            for name in collection.declared
            if name not in collection.names and not profile.covers(name)
        )
    )
    private, guarded = _reach(names, collection, profile)
    return Renames(names, private, guarded, strings, elsewhere, bool(done))


def _reach(
    names: Iterable[str], collection: Collection, profile: Profile
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """`Renames.private` and `Renames.guarded`. What a rule renames, it renames everywhere."""
    private: dict[str, set[str]] = {}
    guarded: dict[str, set[str]] = {}
    for name in names:
        kind = collection.names.get(name, "macro")
        if kind in _WITHOUT_OWNER or profile.renames(name):
            continue
        places = collection.places[name]
        inside = not any(is_header(path) for path in places)
        owners = {path for path, members in collection.members.items() if name in members}
        if inside:
            private[name] = places
        # Behind -> a type may stand as well, as what a function returns.
        if kind in _LIKE_MEMBERS and (inside or not owners):
            guarded[name] = owners & places if inside else set()
    return private, guarded


def _require_rules(sources: Sequence[Source], collection: Collection, profile: Profile) -> None:
    """An error for a name that linkers see and of which nothing says whether it gets the prefix."""
    for name, kind in sorted(collection.names.items()):
        if kind in _LINKED and kind not in profile.collect and not profile.covers(name):
            raise BadFormatError(
                f"{place(name, sources)}: profile {profile.name} has no rule for the {kind} {name}",
                hint=f'Add "{kind}" to `collect`, or a rule for the name. Nothing was written.',
            )


def _require_types(
    sources: Sequence[Source], collection: Collection, wanted: set[str], profile: Profile
) -> None:
    """An error for operators and specialisations of foreign types: two copies would share them."""
    for kind, path, names in collection.nameless:
        if not any(name in wanted or profile.owns(name) for name in names):
            source = next(source for source in sources if source.path == path)
            line = source.line("operator" if kind == "operator" else "template")
            raise BadFormatError(
                f"{path}:{line}: this {kind} has none of the tree's types in it, so no name of it "
                f"can get the prefix ({', '.join(sorted(names))})",
                expected="one that is static, in a namespace, or of the tree's own types",
                hint="Nothing was written.",
            )


def _front_pieces(sources: Sequence[Source], collection: Collection, wanted: set[str]) -> set[str]:
    """First pieces of names that `##` builds: the prefix of the whole comes with them."""
    pieces: set[str] = set()
    waiting = [name for name in sorted(wanted) if name in collection.pasted]
    while waiting:
        built = collection.pasted[waiting.pop()]
        if built.front in wanted or built.front in pieces:
            continue
        if built.front in collection.pasted:
            waiting.append(built.front)
        elif not built.from_argument:
            pieces.add(built.front)
        else:
            raise BadFormatError(
                f"{place(built.front, sources)}: ## builds {built.name}, which gets the prefix, "
                f"with {built.front} in front, which does not",
                hint=f"Add a rule for {built.front}. Nothing was written.",
            )
    return pieces
