"""What the words of a command line ask for before a command has parsed them: --json, verbosity.

It must not know the commands: whoever calls it says which options take a value, since the word
after such an option is that value, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

_VERBOSITY: Final = re.compile(r"-[vq]+|--verbose|--quiet")


def options_with_value(command: Any) -> frozenset[str]:  # noqa: ANN401 - click's class, see app
    """The names of all options of a command, and of the commands below it, that take a value."""
    names = {
        name
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag and not option.count
        for name in option.opts
    }
    below = getattr(command, "commands", {}).values()
    return frozenset(names.union(*(options_with_value(child) for child in below)))


def asks_for_json(words: Sequence[str], with_value: Collection[str] = ()) -> bool:
    """Whether --json is given as an option, so that errors of parsing can be JSON already."""
    return any(words[place] == "--json" for place in _option_places(words, with_value))


def hoist_verbosity(words: Sequence[str], with_value: Collection[str] = ()) -> list[str]:
    """Puts -v and -q, also together as in -vv, in front of the command that they stand behind."""
    places = [
        place for place in _option_places(words, with_value) if _VERBOSITY.fullmatch(words[place])
    ]
    rest = [word for place, word in enumerate(words) if place not in places]
    return [*(words[place] for place in places), *rest]


def _option_places(words: Sequence[str], with_value: Collection[str]) -> Iterator[int]:
    """Where words stand that are neither the value of an option nor behind a "--"."""
    place = 0
    while place < len(words) and words[place] != "--":
        yield place
        place += 2 if words[place] in with_value else 1
