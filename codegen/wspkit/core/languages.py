"""The languages that multilingual models know, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.core.native import core


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the models."""

    id: int
    code: str
    """Such as "de"."""
    name: str
    """English name, such as "german"."""

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"


LANGUAGES: tuple[Language, ...] = tuple(
    Language(i, code, name) for i, (code, name) in enumerate(core.languages())
)
"""All of them; a model of the first generation knows all but the last."""


def find_language(name: str) -> Language | None:
    """The language of a code or an English name; None if it is unknown."""
    found = core.language_id(name)
    return None if found is None else LANGUAGES[found]
