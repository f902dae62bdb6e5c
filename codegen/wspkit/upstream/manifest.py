"""Which files of an upstream tree are taken, by globs with reasons; knows no archive and no
network.

A manifest describes every release of a project at once: it says what a file is by where it lies,
never by a version. What it does not know is told, so that a new folder of upstream is noticed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from wspkit.errors import InternalError, UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Reason = Annotated[str, Field(min_length=10)]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Group(_Entry):
    """Files that are taken together or not at all."""

    name: str
    reason: Reason
    optional: bool = False
    """Taken only when asked for; such a group is delivered, not built."""
    platform: Literal["any", "apple"] = "any"
    """Where the group is compiled."""
    frameworks: tuple[str, ...] = ()
    """Of Apple, that its objects need."""
    arc: bool = False
    """Compiled with automatic reference counting, as it was written for."""


class FileRule(_Entry):
    """Globs, and what becomes of the files that they take."""

    globs: Annotated[tuple[str, ...], Field(min_length=1)]
    reason: Reason
    group: str | None = None
    """None: the files are left out."""
    processor: Literal["any", "x86", "arm"] = "any"
    """Compiled only for this kind."""


class Define(_Entry):
    """A macro that the compiler is told where its group is built and a file asks for it."""

    name: str
    group: str
    reason: Reason
    always: bool = False
    """Also where no file asks: the system's headers do."""
    value: str | None = None
    """A string in C; {version}, {tree} and the names of [[version]] stand for what was found."""


class VersionRule(_Entry):
    """Where a version is found that is not the project's own."""

    name: str
    file: str
    pattern: str
    """Its groups, joined by dots, are the version."""
    otherwise: str


class Manifest(_Entry):
    """What is known of a project's trees."""

    project: str
    """The name in the project() of its CMakeLists.txt."""
    public_headers: tuple[str, ...]
    """What users include; those that are there."""
    include_folders: tuple[str, ...] = ()
    """Where quoted includes are looked for; those that are there."""
    c_standard: int = 11
    cxx_standard: int = 17
    own_build: bool = False
    """The tree is built by its own CMakeLists.txt, which is one of its files."""
    group: Annotated[tuple[Group, ...], Field(min_length=1)]
    files: Annotated[tuple[FileRule, ...], Field(min_length=1)]
    define: tuple[Define, ...] = ()
    version: tuple[VersionRule, ...] = ()

    @model_validator(mode="after")
    def _groups_are_known(self) -> Manifest:
        names = [group.name for group in self.group]
        if len(set(names)) < len(names):
            raise ValueError("a group is described twice")
        used = [rule.group for rule in self.files if rule.group] + [d.group for d in self.define]
        if unknown := set(used) - set(names):
            raise ValueError(f"no group {', '.join(sorted(unknown))}")
        return self

    def chosen_groups(self, wanted: Iterable[str]) -> tuple[str, ...]:
        """The groups that are always taken and the optional ones that are wanted, in order.

        Errors: UsageError for a group that is not there.
        """
        optional = [group.name for group in self.group if group.optional]
        asked = set(wanted)
        if unknown := asked - set(optional):
            raise UsageError(
                f"{self.project} has no optional group {', '.join(sorted(unknown))}",
                expected=", ".join(optional) or "none",
            )
        return tuple(g.name for g in self.group if not g.optional or g.name in asked)


@dataclass(frozen=True)
class Taken:
    """A file that is taken, and the rule that did."""

    path: str
    group: str
    processor: Literal["any", "x86", "arm"]


@dataclass(frozen=True)
class Selection:
    """What a manifest makes of the paths of a tree."""

    taken: tuple[Taken, ...]
    """Sorted by path; of the chosen groups."""
    unknown: tuple[str, ...]
    """Sorted; of no glob at all."""
    not_asked: Mapping[str, int]
    """Files of groups that were not chosen, counted by group."""


def select(manifest: Manifest, paths: Iterable[str], wanted: Iterable[str] = ()) -> Selection:
    """Which of the paths are taken, with the optional groups `wanted`. Errors: UsageError."""
    groups = manifest.chosen_groups(wanted)
    taken: list[Taken] = []
    unknown: list[str] = []
    not_asked: dict[str, int] = {}
    for path in sorted(paths):
        rule = next((rule for rule in manifest.files if globbed(rule.globs, path)), None)
        if rule is None:
            unknown.append(path)
        elif rule.group in groups:
            assert rule.group is not None
            taken.append(Taken(path, rule.group, rule.processor))
        elif rule.group is not None:
            not_asked[rule.group] = not_asked.get(rule.group, 0) + 1
    return Selection(tuple(taken), tuple(unknown), not_asked)


def globbed(globs: tuple[str, ...], path: str) -> bool:
    """Whether one of the globs takes the path."""
    return _compiled(globs).fullmatch(path) is not None


_GLOB_TOKEN = re.compile(r"\*\*/|\*\*|\*|\{[^{}]*\}|.", re.DOTALL)


@lru_cache(maxsize=256)
def _compiled(globs: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all globs: `*` stays in a folder, `**` does not, {a,b} is either."""
    return re.compile("|".join(_regular(glob) for glob in globs))


def _regular(glob: str) -> str:
    parts = []
    for token in _GLOB_TOKEN.findall(glob):
        if token == "**/":  # noqa: S105 - no password
            parts.append("(?:.*/)?")
        elif token == "**":  # noqa: S105
            parts.append(".*")
        elif token == "*":  # noqa: S105
            parts.append("[^/]*")
        elif token[0] == "{" and len(token) > 1:
            parts.append("(?:" + "|".join(map(re.escape, token[1:-1].split(","))) + ")")
        else:
            parts.append(re.escape(token))
    return "".join(parts)


@lru_cache(maxsize=1)
def manifests() -> tuple[Manifest, ...]:
    """All manifests of this version of wsp."""
    folder = resources.files("wspkit.upstream").joinpath("manifests")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(parse(file.read_text(encoding="utf-8"), file.name) for file in files)


def parse(text: str, name: str) -> Manifest:
    """A manifest from TOML text. Errors: InternalError, since it is part of the package."""
    try:
        return Manifest.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise InternalError(f"the manifest {name} is wrong: {error}") from error
