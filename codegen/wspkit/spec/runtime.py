"""From an option of `api.toml` to the `OptionInfo` that checks values at run time: the same ranges
for both.

It must not know any output; the generated tables are made of what this returns.
"""

from __future__ import annotations

from wspkit.spec.model import Option
from wspkit.spec.option import OptionInfo, Value


def option_info(name: str, option: Option, section_title: str) -> OptionInfo:
    """The run-time view of an option. Raises ValueError like `special_values`."""
    return OptionInfo(
        name=name,
        section=section_title,
        type=option.type,
        unit=None if option.unit == "none" else option.unit,
        default=option.default,
        minimum=option.min,
        maximum=option.max,
        minimum_exclusive=option.min_exclusive,
        maximum_exclusive=option.max_exclusive,
        special=special_values(option),
        choices=tuple(option.choices),
        excludes=option.excludes,
        c_field=option.c_field,
        c_default=option.c_default,
        flag=option.flag,
        since=option.since,
    )


def special_values(option: Option) -> tuple[tuple[Value, str], ...]:
    """The special values in the type of the option, with their meanings.

    Raises ValueError if one is not a value of that type.
    """
    return tuple((_parsed(option.type, text), meaning) for text, meaning in option.special.items())


def _parsed(kind: str, text: str) -> Value:
    try:
        if kind in {"int", "uint64"}:
            return int(text)
        if kind == "float":
            return float(text)
    except ValueError:
        raise ValueError(f"the special value {text!r} is not of type {kind}") from None
    if kind in {"bool", "options"}:
        raise ValueError(f"is {kind}, so it can have no special values")
    if kind in {"tokens", "names"}:
        if text:
            raise ValueError(
                f"the special value {text!r} is not the empty text, all that {kind} can have"
            )
        return ()
    return text
