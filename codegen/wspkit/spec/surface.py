"""What `api.toml` may say beside the options: errors, enums, structs, callbacks, classes with their
methods. One frozen model per table, strict; it knows no file and no output.

Names are snake_case here and in C++, camelCase in JavaScript. What needs two tables or the C header
to decide is in `check_surface.py`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field as Key

from wspkit.spec.table import Scalar, Unit
from wspkit.tables import Table

FieldType = Literal[
    "bool",
    "int",
    "int64",
    "float",
    "string",
    "path",
    "bytes",
    "enum",
    "struct",
    "list",
    "callback",
]
Platform = Literal["ios", "android"]


class Contract(Table):
    """The version of the whole surface, compiled into both sides."""

    module: str
    """Name of the native module."""
    major: int = Key(ge=0)
    """Another one is refused."""
    minor: int = Key(ge=0)
    """Grows with each addition."""
    doc: str
    """What the numbers promise."""


class Failure(Table):
    """A typed error: its name is the stable code that programs compare with."""

    c_code: str | None = None
    """Enumerator of `whisper_ext_code` that becomes it; None if the core never raises it."""
    doc: str
    """When it comes, and what to do."""
    since: str
    """Version of wsp that brought it."""


class EnumValue(Table):
    """One value of an enum, written as the text that JavaScript sees."""

    doc: str
    """What it stands for."""
    c_value: str | None = None
    """Enumerator of the C header."""


class Enum(Table):
    """A set of texts. The order of the values is that of C++'s enumerators."""

    doc: str
    """What the values choose."""
    since: str
    """Version of wsp that brought it."""
    value: dict[str, EnumValue]
    """The values, in order."""


class Field(Table):
    """A field of a struct, an argument of a method or callback, or a property of a class."""

    type: FieldType
    """bool, int (32 bits), int64 (whole, exact up to 2^53 in JavaScript), float (64 bits), string
    (UTF-8), path, bytes (ArrayBuffer or a view of one), enum, struct, list, callback.
    """
    of: str | None = None
    """For enum, struct and callback: its name; for list: a struct, int, float or string."""
    unit: Unit | None = None
    """Required for numbers and lists of them; "none" for a pure count."""
    min: int | float | None = None
    """Smallest value."""
    max: int | float | None = None
    """Largest value."""
    optional: bool = False
    """It may be absent, and stands for nothing then."""
    default: Scalar | None = None
    """Value when nothing is said; in structs that calls take, what is not optional has one."""
    default_reason: str | None = None
    """Why the default is what it is."""
    excludes: Annotated[tuple[str, ...], Key(strict=False)] = ()
    """Fields of the same struct that cannot be given together with it; each names the other."""
    c_struct: str | None = None
    """Struct of the C headers that holds it; None where the binding itself obeys it."""
    c_field: str | None = None
    """Its field there."""
    limits: dict[Platform, str] = Key(default_factory=dict)
    """By platform: what is different there."""
    doc: str
    """What it says; whole sentences."""


class Struct(Table):
    """A plain object that crosses the border, in one direction."""

    direction: Literal["in", "out"]
    """in: a call takes it, every field is checked; out: it comes back."""
    doc: str
    """What it is for."""
    since: str
    """Version of wsp that brought it."""
    includes: str | None = None
    """Group of options whose options it has beside its own fields."""
    one_of: Annotated[tuple[str, ...], Key(strict=False)] = ()
    """Fields of which exactly one is given."""
    field: dict[str, Field] = Key(default_factory=dict)
    """Its own fields."""


class Callback(Table):
    """A function of the caller's."""

    doc: str
    """When it is called."""
    since: str
    """Version of wsp that brought it."""
    argument: dict[str, Field]
    """What it is called with."""


class Method(Table):
    """A function of a class."""

    doc: str
    """What it does."""
    returns: str | None = None
    """"kind:name" as in "struct:stats", with a kind of FieldType, or class or job; a bare name is
    a struct; None is nothing. job:x is a job whose promise resolves with the struct x.
    """
    promise: bool = False
    """It returns a promise of that."""
    errors: Annotated[tuple[str, ...], Key(strict=False)]
    """Errors that it can throw, or reject with, beside internal."""
    since: str
    """Version of wsp that brought it."""
    argument: dict[str, Field] = Key(default_factory=dict)
    """Its arguments, in order; those that may be left out are last."""

    @property
    def returned(self) -> tuple[str, str] | None:
        """Kind and name of what it returns."""
        if self.returns is None:
            return None
        kind, colon, name = self.returns.partition(":")
        return (kind, name) if colon else ("struct", kind)


class Class(Table):
    """An object with methods that lives on the native side."""

    doc: str
    """What it stands for."""
    since: str
    """Version of wsp that brought it."""
    property: dict[str, Field] = Key(default_factory=dict)
    """What can be read of it."""
    method: dict[str, Method] = Key(default_factory=dict)
    """What it does."""
