"""Which names get the prefix: a profile is a small TOML file, one of ours or a project's own.

It says what is meant by a tree's names and knows neither files nor tokens.
"""

from __future__ import annotations

import hashlib
import re
import sys
from fnmatch import translate
from functools import cached_property
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from wspkit.errors import BadFormatError, InputOutputError, NotFoundError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BUILT_IN: Final = ("strict", "compat")
_SYSTEM: Final = "system"
Kind = Literal["function", "data", "type", "alias", "enumerator", "macro", "namespace", "class"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Rule(_Table):
    """Names that are meant together, and why."""

    names: Annotated[tuple[str, ...], Field(min_length=1)]
    """Regular expressions; each must match a name as a whole."""
    why: Annotated[str, Field(min_length=1)]

    @field_validator("names")
    @classmethod
    def _expressions(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            try:
                re.compile(name)
            except re.error as error:
                raise ValueError(f"{name!r} is no regular expression: {error}") from error
        return names


class Strings(_Table):
    """Which string literals are names. Log text, addresses and environment variables are not."""

    lookups: tuple[str, ...] = ()
    """Functions that look symbols up by name, with * as in file names: a string that is an argument
    of one, or stands inside its definition, is renamed with its symbol, everywhere.
    """


class Files(_Table):
    """Which files get the prefix in their own names, so that includes cannot meet another copy."""

    rename: tuple[str, ...] = ()
    """Patterns that match the end of a path: "include/*.h"."""


class Profile(_Table):
    """What is renamed. A name that a `keep` rule matches stays, else one that a `rename` rule
    matches gets the prefix, else a collected name of a kind in `collect` does.
    """

    about: str
    collect: tuple[Kind, ...]
    """Kinds of collected names, as in `collect.Collection`."""
    rename: tuple[Rule, ...] = ()
    keep: tuple[Rule, ...] = ()
    strings: Strings = Strings()
    files: Files = Files()
    system: tuple[Rule, ...] = ()
    """What no profile renames; not for a profile's file."""
    name: str = ""
    digest: str = ""
    """SHA-256 of the files that the profile was read from."""

    @cached_property
    def _kept(self) -> re.Pattern[str]:
        return _union((*self.keep, *self.system))

    @cached_property
    def _own(self) -> re.Pattern[str]:
        return _union((*self.keep, *self.rename))

    @cached_property
    def _lookups(self) -> re.Pattern[str]:
        return re.compile("|".join(map(translate, self.strings.lookups)) or r"(?!)")

    @cached_property
    def _renamed(self) -> re.Pattern[str]:
        return _union(self.rename)

    def keeps(self, name: str) -> bool:
        """Whether a rule says that the name stays."""
        return self._kept.fullmatch(name) is not None

    def renames(self, name: str) -> bool:
        """Whether a rule says that the name gets the prefix, wherever it is defined."""
        return not self.keeps(name) and self._renamed.fullmatch(name) is not None

    def covers(self, name: str) -> bool:
        """Whether any rule speaks of the name."""
        return self.keeps(name) or self._renamed.fullmatch(name) is not None

    def owns(self, name: str) -> bool:
        """Whether a rule of the profile speaks of the name, as the tree's own."""
        return self._own.fullmatch(name) is not None

    def renames_file(self, path: str) -> bool:
        """Whether the file's own name gets the prefix."""
        return any(PurePosixPath(path).match(pattern) for pattern in self.files.rename)

    def looks_up(self, function: str) -> bool:
        """Whether the function of that name looks symbols up by name."""
        return self._lookups.fullmatch(function) is not None


def _union(rules: tuple[Rule, ...]) -> re.Pattern[str]:
    # Without any rule: what matches nothing.
    return re.compile("|".join(f"(?:{name})" for rule in rules for name in rule.names) or r"(?!)")


def load_profile(name_or_path: str | Path) -> Profile:
    """One of our profiles by name, or a project's own by path.

    Names of compilers and systems (profiles/system.toml) are kept in every profile.
    Errors: NotFoundError, InputOutputError, BadFormatError.
    """
    own = str(name_or_path) in BUILT_IN
    data = _built_in(str(name_or_path)) if own else _read(Path(name_or_path))
    system = _built_in(_SYSTEM)
    shown = str(name_or_path)
    values = _parse(data, shown)
    try:
        profile = Profile.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadFormatError(f"profile {shown}: {place}: {first['msg']}") from error
    kept = tuple(Rule.model_validate(rule) for rule in _parse(system, _SYSTEM)["keep"])
    return profile.model_copy(
        update={
            "system": kept,
            "name": shown if own else Path(name_or_path).stem,
            "digest": hashlib.sha256(data + system).hexdigest(),
        }
    )


def _built_in(name: str) -> bytes:
    return (
        resources.files("wspkit.prefix").joinpath("profiles").joinpath(f"{name}.toml").read_bytes()
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(
            f"there is no profile {path}",
            expected=f"{', '.join(BUILT_IN)}, or the path of a profile",
        ) from None
    except OSError as error:
        raise InputOutputError(f"cannot read the profile {path}: {error.strerror}") from error


def _parse(data: bytes, shown: str) -> dict[str, Any]:
    try:
        values: dict[str, Any] = tomllib.loads(data.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadFormatError(f"profile {shown}: {error}") from error
    return values
