"""Decides what each name of a tree becomes: from the rules of a profile and the collected names,
sorted and stable. It reads tokens and writes none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wspkit.errors import BadFormatError, UsageError
from wspkit.prefix.collect import Collection
from wspkit.prefix.lexer import Language
from wspkit.prefix.profile import Profile
from wspkit.prefix.source import Source, place

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Prefix:
    """The prefix in the three shapes that names have."""

    text: str

    def __post_init__(self) -> None:
        if not _IDENTIFIER.fullmatch(self.text):
            raise UsageError(
                f"the prefix is {self.text!r}", expected="an identifier of C, like wsp_"
            )

    def before(self, name: str) -> str:
        """What is put in front: wsp_ggml_init, WSP_GGML_MAX_DIMS, WSPGGMLMetalClass."""
        if not name[0].isupper():
            return self.text
        upper = self.text.upper()
        camel = "_" not in name and not name.isupper()
        return (upper.rstrip("_") or upper) if camel else upper

    def of(self, name: str) -> str:
        """The name under the prefix."""
        return self.before(name) + name

    def has(self, name: str) -> bool:
        """Whether the name begins with the prefix."""
        before = self.before(name)
        return name.startswith(before) and len(name) > len(before)


@dataclass(frozen=True)
class Renames:
    """What changes in a tree."""

    names: dict[str, str]
    """Old to new, sorted."""
    strings: dict[str, str]
    """String literals that are names of symbols or macros, with their quotes."""
    already: bool
    """All names that would get the prefix have it."""


def rename_map(
    sources: Sequence[Source], collection: Collection, prefix: Prefix, profile: Profile
) -> Renames:
    """The names of a tree that get the prefix.

    Errors: BadFormatError, naming file and line, for a name that is taken already, a tree of which
    only a part has the prefix, and a name that no rule covers and no definition explains.
    """
    present: set[str] = set()
    for source in sources:
        present |= source.identifiers()
    wanted = {name for name in present if profile.renames(name)}
    wanted |= {
        name
        for name, kind in collection.names.items()
        if kind in profile.collect and not profile.keeps(name)
    }
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
    return Renames(names, _strings(sources, names, profile), bool(done))


def _strings(sources: Sequence[Source], names: dict[str, str], profile: Profile) -> dict[str, str]:
    """String literals that name a renamed symbol where symbols are looked up."""
    return {}
