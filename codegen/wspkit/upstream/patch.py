"""Small changes to an upstream tree, each with a reason, that apply exactly or not at all.

A patch says by content which trees it is for, never by a version. It holds onto single lines that
must stand in their file once; it copies nothing of the text around them.
"""

from __future__ import annotations

import difflib
import hashlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from wspkit.errors import BadFormatError, InternalError
from wspkit.upstream.manifest import globbed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Trees(_Entry):
    """Which files are meant: those of the name that have all of some texts and none of others."""

    file: str
    """A glob."""
    has: Annotated[tuple[str, ...], Field(min_length=1)]
    lacks: tuple[str, ...] = ()

    def mean(self, path: str, text: str) -> bool:
        """Whether the file is one of them."""
        return (
            globbed((self.file,), path)
            and all(part in text for part in self.has)
            and not any(part in text for part in self.lacks)
        )


class Edit(_Entry):
    """One change."""

    at: Annotated[str, Field(min_length=8)]
    """A text that must be in the file exactly once."""
    put: Literal["before", "after", "instead"]
    text: str

    def apply(self, path: str, text: str, patch: str) -> str:
        """The file with the change. Errors: BadFormatError with file and line."""
        count = text.count(self.at)
        if count != 1:
            raise BadFormatError(
                f"{path}:{_line(text, self.at)}: the patch {patch} no longer applies: "
                f"{self.at.strip()!r} is there {count} times",
                expected="once",
                hint="Upstream has changed there: write the patch anew, or narrow which trees it "
                "is for.",
            )
        start = text.index(self.at)
        end = start + len(self.at)
        before, after = {"before": (start, start), "after": (end, end), "instead": (start, end)}[
            self.put
        ]
        return text[:before] + self.text + text[after:]


class Patch(_Entry):
    """Changes that belong together."""

    name: str
    reason: Annotated[str, Field(min_length=20)]
    trees: Annotated[Trees, Field(alias="for")]
    edit: Annotated[tuple[Edit, ...], Field(min_length=1)]
    sha256: str


@dataclass(frozen=True)
class Applied:
    """A patch, and the files that it changed."""

    patch: Patch
    paths: tuple[str, ...]


def apply(
    patches: Sequence[Patch], files: Mapping[str, bytes]
) -> tuple[dict[str, bytes], list[Applied]]:
    """The files with the patches that are for them, in order, and which those are.

    Errors: BadFormatError, with file and line, if one no longer applies.
    """
    changed = dict(files)
    applied = []
    for patch in patches:
        paths = []
        for path in sorted(changed):
            if not globbed((patch.trees.file,), path):
                continue
            text = changed[path].decode("utf-8", "surrogateescape")
            if patch.trees.mean(path, text):
                for edit in patch.edit:
                    text = edit.apply(path, text, patch.name)
                changed[path] = text.encode("utf-8", "surrogateescape")
                paths.append(path)
        if paths:
            applied.append(Applied(patch, tuple(paths)))
    return changed, applied


def _line(text: str, wanted: str) -> int:
    """The line to look at: where the text is for the second time, or what is most like it."""
    lines = text.splitlines()
    first = text.find(wanted)
    if first >= 0:
        return text.count("\n", 0, text.index(wanted, first + 1)) + 1
    whole = next(line for line in wanted.splitlines() if line.strip())
    if whole in lines:
        return lines.index(whole) + 1
    near = difflib.get_close_matches(whole, lines, n=1, cutoff=0.4)
    return lines.index(near[0]) + 1 if near else 1


@lru_cache(maxsize=1)
def patches() -> tuple[Patch, ...]:
    """All patches of this version of wsp, sorted by name."""
    folder = resources.files("wspkit.upstream").joinpath("patches")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(parse(file.name.removesuffix(".toml"), file.read_bytes()) for file in files)


def parse(name: str, content: bytes) -> Patch:
    """A patch from TOML. Errors: InternalError, since it is part of the package."""
    try:
        values = tomllib.loads(content.decode())
        return Patch.model_validate(
            {**values, "name": name, "sha256": hashlib.sha256(content).hexdigest()}
        )
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise InternalError(f"the patch {name} is wrong: {error}") from error
