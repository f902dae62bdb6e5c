"""What the languages of the surface have in common: the fields of a struct with the options that it
includes, each with its range in words. It knows no language but the names of JavaScript.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.text import camel, sentence, shown_value, special_text
from wspkit.spec.model import Api, Option
from wspkit.spec.option import Value
from wspkit.spec.runtime import option_info
from wspkit.spec.surface import Field

SAFE_INTEGER = 2**53 - 1
"""The largest whole number that JavaScript's numbers hold exactly."""


@dataclass(frozen=True)
class Member:
    """One field of a struct, argument or property, or one option, in the same terms."""

    name: str
    """snake_case."""
    kind: str
    """Type of a Field or of an Option."""
    of: str
    """What a kind such as enum refers to; empty for others. For options, the nested group."""
    optional: bool
    """It may be absent."""
    default: Value | None
    """Value when nothing is said; None if there is none."""
    minimum: float | None
    maximum: float | None
    minimum_exclusive: bool
    maximum_exclusive: bool
    special: tuple[tuple[Value, str], ...]
    unit: str
    """Empty if there is none."""
    range_text: str
    """The range in words; empty if the type alone limits the value."""
    excludes: tuple[str, ...]
    doc: str
    """Whole sentences, one line a paragraph."""
    c_struct: str
    """Struct of the C headers; empty if the binding itself obeys the value."""
    c_field: str
    c_count_field: str
    leaves_c_default: int | None
    by_hand: bool
    since: str
    """Empty where the struct says it."""
    limits: tuple[tuple[str, str], ...] = ()
    """Platform, and what is different there."""

    @property
    def js_name(self) -> str:
        """Name in JavaScript."""
        return camel(self.name)

    @property
    def facts(self) -> str:
        """Unit, range, special values and default in a line; empty if there are none."""
        parts = [
            f"Unit: {self.unit}." if self.unit else "",
            f"Range: {self.range_text}." if self.range_text else "",
            f"Special: {special_text(self.special)}." if self.special else "",
            f"Default: {shown_value(self.default)}."
            if self.default is not None and self.kind != "options"
            else "",
            f"Not together with {', '.join(map(camel, self.excludes))}." if self.excludes else "",
            *(f"On {platform}: {text}" for platform, text in self.limits),
        ]
        return " ".join(filter(None, parts))


def of_field(name: str, field: Field) -> Member:
    """A field, argument or property."""
    low, high = field.min, field.max
    text = ""
    if low is not None and high is not None:
        text = f"{low:g} to {high:g}" if isinstance(high, float) else f"{low} to {high}"
    elif low is not None:
        text = f"at least {low:g}"
    elif high is not None:
        text = f"at most {high:g}"
    return Member(
        name=name,
        kind=field.type,
        of=field.of or "",
        optional=field.optional,
        default=field.default,
        minimum=low,
        maximum=high,
        minimum_exclusive=False,
        maximum_exclusive=False,
        special=(),
        unit=field.unit if field.unit not in {None, "none", "number"} else "",
        range_text=text,
        excludes=field.excludes,
        doc=sentence(field.doc),
        c_struct=field.c_struct or "",
        c_field=field.c_field or "",
        c_count_field="",
        leaves_c_default=None,
        by_hand=False,
        since="",
        limits=tuple((platform, sentence(text)) for platform, text in field.limits.items()),
    )


def of_option(api: Api, name: str, option: Option) -> Member:
    """An option of a group."""
    info = option_info(name, option, "")
    return Member(
        name=name,
        kind=option.type,
        of=option.options_of or "",
        optional=False,
        default=option.default,
        minimum=info.minimum if option.type != "uint64" else 0,
        maximum=info.maximum if option.type != "uint64" else SAFE_INTEGER,
        minimum_exclusive=info.minimum_exclusive,
        maximum_exclusive=info.maximum_exclusive,
        special=info.special,
        unit=info.unit or "",
        range_text=info.range_text if option.type != "uint64" else f"0 to {SAFE_INTEGER}",
        excludes=option.excludes,
        doc=f"{option.summary} {sentence(option.doc)}",
        c_struct=api.struct_of(option),
        c_field=option.c_field,
        c_count_field=option.c_count_field or "",
        leaves_c_default=option.leaves_c_default,
        by_hand=option.by_hand,
        since=option.since,
    )


def options_of(api: Api, group: str) -> tuple[Member, ...]:
    """The options of a group."""
    return tuple(of_option(api, name, option) for name, option in api.options_of(group).items())


def own_fields(api: Api, struct: str) -> tuple[Member, ...]:
    """The fields of a struct without the options that it includes."""
    return tuple(of_field(name, field) for name, field in api.struct[struct].field.items())


def all_fields(api: Api, struct: str) -> tuple[Member, ...]:
    """The fields of a struct, and before them the options that it includes."""
    includes = api.struct[struct].includes
    return (*(options_of(api, includes) if includes else ()), *own_fields(api, struct))


def arguments(fields: dict[str, Field]) -> tuple[Member, ...]:
    """The arguments of a method or callback, or the properties of a class."""
    return tuple(of_field(name, field) for name, field in fields.items())
