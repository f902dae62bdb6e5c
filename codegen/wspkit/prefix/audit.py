"""Which names of compiled trees another copy could define too. It reads symbols, builds nothing.

A strong name that two copies share ends a link; a weak one is worse, since the linker silently
takes one copy's for both. A name is safe if its owner has the prefix, or, for instances of somebody
else's templates, if a type that they are of has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from wspkit.prefix.names import Prefix
from wspkit.prefix.profile import Profile
from wspkit.prefix.symbols import Symbol, words_of

Kind = Literal["strong", "weak", "instance", "doubled", "exported", "not exported", "shared"]

MEANING: Mapping[Kind, str] = {
    "strong": "defined without the prefix: a second copy does not link",
    "weak": "of vague linkage, without the prefix: the linker takes one copy's for both",
    "instance": "a template of others, made for a type without the prefix: likewise",
    "doubled": "has the prefix twice",
    "exported": "exported, and not in the list",
    "not exported": "in the list, and not exported",
    "shared": "defined by two of the trees",
}


@dataclass(frozen=True)
class Finding:
    """A name that is not as it should be."""

    kind: Kind
    name: str
    """As the linker compares it."""
    readable: str
    places: tuple[str, ...]
    """The objects that define it, sorted."""


@dataclass(frozen=True)
class Audit:
    """What a look at objects gave."""

    findings: tuple[Finding, ...]
    """Sorted by kind and name."""
    strong: int
    """Different strong names."""
    weak: int
    kept: tuple[str, ...]
    """Owners that have no prefix because the profile keeps their names, sorted."""
    foreign: int
    """Weak names of nothing but the compiler's libraries."""

    def counts(self) -> dict[Kind, int]:
        """Findings by kind."""
        return dict(sorted(Counter(finding.kind for finding in self.findings).items()))


def audit(symbols: Sequence[Symbol], prefix: str, profile: Profile) -> Audit:
    """Every global of the objects that belongs to the project and has no prefix."""
    shape = Prefix(prefix)
    verdicts: dict[str, Kind] = {}
    kept: set[str] = set()
    foreign = 0
    by_name = _by_name(symbols)
    for name, alike in by_name.items():
        symbol = alike[0]
        owner = symbol.owner
        if owner is None:
            bare = {root for root in symbol.involved if not shape.has(root)}
            unkept = {root for root in bare if not profile.keeps(root)}
            if not symbol.involved:
                foreign += 1
            elif bare == symbol.involved and unkept:
                verdicts[name] = "instance"
        elif shape.has(owner):
            continue
        elif profile.keeps(owner):
            kept.add(owner)
        else:
            verdicts[name] = "weak" if all(one.weak for one in alike) else "strong"
    doubled = _doubled(symbols, shape)
    verdicts |= dict.fromkeys(doubled, "doubled")
    return Audit(
        findings=_findings(verdicts, by_name),
        strong=sum(not all(one.weak for one in alike) for alike in by_name.values()),
        weak=sum(all(one.weak for one in alike) for alike in by_name.values()),
        kept=tuple(sorted(kept)),
        foreign=foreign,
    )


def shared(trees: Sequence[Sequence[Symbol]]) -> tuple[Finding, ...]:
    """Names that more than one of the trees defines, but for those of nothing but the compiler's
    libraries: strong ones end a link, weak ones mix the trees.
    """
    tables = [_by_name(symbols) for symbols in trees]
    counts = Counter(name for table in tables for name in table)
    found: dict[str, list[Symbol]] = {}
    for table in tables:
        for name, alike in table.items():
            weak = all(one.weak for one in alike)
            if counts[name] > 1 and (not weak or alike[0].involved):
                found.setdefault(name, []).extend(alike)
    return _findings(dict.fromkeys(found, "shared"), found)


def against_exports(symbols: Iterable[Symbol], wanted: Iterable[str]) -> tuple[Finding, ...]:
    """How the symbols of shared libraries differ from the list of names that they shall export."""
    by_name = _by_name(symbols)
    expected = set(wanted)
    verdicts: dict[str, Kind] = {
        name: "exported" for name in by_name if name not in expected and by_name[name][0].involved
    }
    missing = [Finding("not exported", name, name, ()) for name in sorted(expected - set(by_name))]
    return (*_findings(verdicts, by_name), *missing)


def _doubled(symbols: Sequence[Symbol], shape: Prefix) -> set[str]:
    twice = {
        word
        for word in words_of(symbols)
        if shape.has(word) and shape.has(word[len(shape.before(word)) :])
    }
    # A look at each word again is for the few that have one.
    return {symbol.name for symbol in symbols if twice and not twice.isdisjoint(words_of([symbol]))}


def _by_name(symbols: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        found.setdefault(symbol.name, []).append(symbol)
    return found


def _findings(
    verdicts: Mapping[str, Kind], by_name: Mapping[str, Sequence[Symbol]]
) -> tuple[Finding, ...]:
    found = [
        Finding(
            kind,
            name,
            by_name[name][0].readable,
            tuple(sorted({symbol.place for symbol in by_name[name]})),
        )
        for name, kind in verdicts.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.kind, one.readable, one.name)))
