"""The C++ side of the surface: plain structs, the way from them into the C structs, and the way
between them and JavaScript objects.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wspkit.bridge.surface import Member, all_fields, options_of, own_fields
from wspkit.bridge.text import c_string, camel, pascal, sentence, wrapped
from wspkit.spec.model import Api
from wspkit.spec.option import Value

# Columns of a comment without what is before it.
_WIDTH = 112


@dataclass(frozen=True)
class JsiError:
    """A typed error."""

    constant: str
    code: str
    """Quoted."""
    c_code: str
    """Enumerator of the C header; empty if the core never raises it."""


@dataclass(frozen=True)
class JsiContractView:
    """What both sides are compiled with."""

    module: str
    """Quoted."""
    major: int
    minor: int
    errors: tuple[JsiError, ...]


@dataclass(frozen=True)
class JsiEnumValue:
    """A value of an enum."""

    constant: str
    text: str
    """Quoted."""
    c_value: str
    doc: str


@dataclass(frozen=True)
class JsiEnum:
    """An enum."""

    name: str
    table: str
    """Name of the table of its texts."""
    doc: str
    values: tuple[JsiEnumValue, ...]

    @property
    def is_of_c(self) -> bool:
        """Its values stand for enumerators of the C header."""
        return all(value.c_value for value in self.values)


@dataclass(frozen=True)
class JsiField:
    """A field of a plain struct."""

    name: str
    js_name: str
    """Quoted."""
    cpp_type: str
    initial: str
    """What stands behind the name in its declaration; empty if nothing."""
    kind: str
    """Which function reads or writes it: boolean, number, text, path, choice, tokens, names,
    bytes, nested, struct, list.
    """
    optional: bool
    table: str
    """For choice: the table of its texts."""
    inner: str
    """For nested, struct and list: C++ type of what is in it."""
    range: str
    """For number and tokens: the range as a C++ initializer."""
    doc: str
    excludes: tuple[str, ...]
    """Fields further down that exclude it, so that a pair is named once."""
    target: str
    """Field of a C struct, with the parameter that holds it; empty if none."""
    count_target: str
    carried: str
    """How it goes there: scalar, enum, pointer, list or nested; empty if not."""
    leaves_c_default: str


@dataclass(frozen=True)
class JsiStruct:
    """A plain struct."""

    name: str
    reader: str
    """snake_case name, for functions."""
    taken: bool
    """A call takes it."""
    doc: str
    includes: str
    """C++ type of the options that it includes; empty if none."""
    fields: tuple[JsiField, ...]
    keys: tuple[str, ...]
    """All keys that it may have in JavaScript, quoted."""
    one_of: tuple[str, ...]
    c_structs: tuple[str, ...]
    """C structs that its fields go into, the main one first."""

    @property
    def storage(self) -> str:
        """Name of the struct that holds what C pointers point to; empty if nothing is."""
        needed = any(f.carried in {"list", "pointer"} and f.kind == "names" for f in self.fields)
        return f"{self.name}Storage" if needed else ""

    @property
    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Type and name of the parameters that take its values."""
        return tuple(zip(self.c_structs, ("params", "more"), strict=False))


@dataclass(frozen=True)
class JsiValuesView:
    """All plain structs, those inside others first."""

    enums: tuple[JsiEnum, ...]
    structs: tuple[JsiStruct, ...]

    @property
    def carried(self) -> tuple[JsiStruct, ...]:
        """The structs that have fields in C structs."""
        return tuple(one for one in self.structs if one.c_structs)


def jsi_contract(api: Api) -> JsiContractView:
    """The view of the contract."""
    return JsiContractView(
        module=c_string(api.contract.module),
        major=api.contract.major,
        minor=api.contract.minor,
        errors=tuple(
            JsiError(constant(name), c_string(name), error.c_code or "")
            for name, error in api.error.items()
        ),
    )


def jsi_values(api: Api) -> JsiValuesView:
    """The view of structs, of the way into C, and of the converters."""
    groups = tuple(
        JsiStruct(
            name=group.python_class,
            reader=f"{name}_options",
            taken=True,
            doc=sentence(group.doc),
            includes="",
            fields=_fields(api, options_of(api, name), more=api.more_struct(name) or ""),
            keys=_keys(options_of(api, name)),
            one_of=(),
            c_structs=tuple(filter(None, (group.c_struct, api.more_struct(name)))),
        )
        for name, group in api.inner_first().items()
    )
    structs = tuple(
        JsiStruct(
            name=pascal(name),
            reader=name,
            taken=api.struct[name].direction == "in",
            doc=sentence(api.struct[name].doc),
            includes=api.group[inner].python_class if (inner := api.struct[name].includes) else "",
            fields=_fields(api, own_fields(api, name), more=_more_struct(api, name)),
            keys=_keys(all_fields(api, name)),
            one_of=tuple(c_string(camel(one)) for one in api.struct[name].one_of),
            c_structs=_c_structs(api, name),
        )
        for name in _inner_first(api)
    )
    return JsiValuesView(_enums(api), (*groups, *structs))


def _c_structs(api: Api, name: str) -> tuple[str, ...]:
    """The C structs that the fields of a struct go into, one or two."""
    return tuple(dict.fromkeys(f.c_struct for f in api.struct[name].field.values() if f.c_struct))


def _more_struct(api: Api, name: str) -> str:
    """The second of them, or nothing."""
    return next(iter(_c_structs(api, name)[1:]), "")


def constant(name: str) -> str:
    """A name as a C++ constant: tiny.en is kTinyEn."""
    return f"k{pascal(name)}"


def _inner_first(api: Api) -> tuple[str, ...]:
    """The structs, each behind those that it holds."""
    done: dict[str, None] = {}

    def add(name: str) -> None:
        for field in api.struct[name].field.values():
            if field.type in {"struct", "list"} and field.of in api.struct:
                add(field.of)
        done.setdefault(name)

    for name in api.struct:
        add(name)
    return tuple(done)


def _enums(api: Api) -> tuple[JsiEnum, ...]:
    own = tuple(
        JsiEnum(
            name=pascal(name),
            table=f"{constant(name)}Names",
            doc=sentence(enum.doc),
            values=tuple(
                JsiEnumValue(constant(value), c_string(value), about.c_value or "", about.doc)
                for value, about in enum.value.items()
            ),
        )
        for name, enum in api.enum.items()
    )
    of_options = tuple(
        JsiEnum(
            name=pascal(name),
            table=f"{constant(name)}Names",
            doc=sentence(option.summary),
            values=tuple(
                JsiEnumValue(constant(value), c_string(value), symbol, value)
                for value, symbol in option.choices.items()
            ),
        )
        for name, option in api.option.items()
        if option.type == "enum"
    )
    return (*own, *of_options)


def _keys(members: Sequence[Member]) -> tuple[str, ...]:
    return tuple(c_string(one.js_name) for one in members)


# kind, C++ type
_KINDS = {
    "bool": ("boolean", "bool"),
    "int": ("number", "int"),
    "int64": ("number", "std::int64_t"),
    "uint64": ("number", "std::uint64_t"),
    "string": ("text", "std::string"),
    "path": ("path", "std::string"),
    "bytes": ("bytes", "Bytes"),
    "tokens": ("tokens", "std::vector<int>"),
    "names": ("names", "std::vector<std::string>"),
}


def _fields(api: Api, members: Sequence[Member], *, more: str) -> tuple[JsiField, ...]:
    places = {one.name: number for number, one in enumerate(members)}
    return tuple(
        _field(
            api,
            one,
            more=more,
            excludes=tuple(other for other in one.excludes if places[other] > places[one.name]),
        )
        for one in members
    )


def _field(api: Api, member: Member, *, more: str, excludes: tuple[str, ...]) -> JsiField:
    kind, cpp_type, inner = _type(api, member)
    table = f"{constant(member.of or member.name)}Names" if member.kind == "enum" else ""
    parameter = "more" if more and member.c_struct == more else "params"
    target = f"{parameter}.{member.c_field}" if member.c_field and not member.by_hand else ""
    return JsiField(
        name=member.name,
        js_name=c_string(member.js_name),
        cpp_type=f"std::optional<{cpp_type}>" if member.optional else cpp_type,
        initial="" if member.optional else _initial(member, cpp_type),
        kind=kind,
        optional=member.optional,
        table=table,
        inner=inner,
        range=_range(member) if kind in {"number", "tokens"} else "",
        doc=" ".join(wrapped(f"{member.doc.partition('. ')[0].rstrip('.')}.", 10_000)),
        excludes=excludes,
        target=target,
        count_target=f"{parameter}.{member.c_count_field}" if member.c_count_field else "",
        carried=_carried(member) if target else "",
        leaves_c_default=""
        if member.leaves_c_default is None
        else _number(member.leaves_c_default, cpp_type),
    )


def _type(api: Api, member: Member) -> tuple[str, str, str]:
    if member.kind == "float":
        # An option goes into a float of C; what comes back or belongs to the binding is a double.
        return "number", "float" if member.c_struct else "double", ""
    if member.kind == "enum":
        return "choice", pascal(member.of or member.name), ""
    if member.kind == "options":
        return "nested", api.group[member.of].python_class, api.group[member.of].python_class
    if member.kind == "struct":
        return "struct", pascal(member.of), pascal(member.of)
    if member.kind == "list":
        inner = {"int": "int", "float": "double", "string": "std::string"}.get(
            member.of, pascal(member.of)
        )
        return "list", f"std::vector<{inner}>", inner
    return *_KINDS[member.kind], ""


def _carried(member: Member) -> str:
    return {
        "string": "pointer",
        "path": "pointer",
        "tokens": "list",
        "names": "list",
        "enum": "enum",
        "options": "nested",
    }.get(member.kind, "scalar")


def _initial(member: Member, cpp_type: str) -> str:
    value = member.default
    if member.kind == "enum":
        texts = () if value is None else (str(value),)
        return f" = {cpp_type}::{constant(texts[0])}" if texts else f" = {cpp_type}{{}}"
    if value is None:
        return " = 0" if cpp_type in {"int", "std::int64_t", "double"} else _zero(cpp_type)
    if member.kind in {"tokens", "names", "options"} or value == "":
        return ""
    return f" = {_literal(value, cpp_type)}"


def _zero(cpp_type: str) -> str:
    return " = false" if cpp_type == "bool" else ""


def _literal(value: Value, cpp_type: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(value, cpp_type)
    return c_string(str(value))


def _number(value: float, cpp_type: str) -> str:
    if cpp_type == "float":
        return f"{float(value)!r}F"
    return repr(float(value)) if cpp_type == "double" else str(int(value))


_LIMITS = {"int": (-(2**31), 2**31 - 1), "tokens": (-(2**31), 2**31 - 1)}
_FLOAT_LIMIT = 3.4028234663852886e38


def _range(member: Member) -> str:
    low, high = _LIMITS.get(member.kind, (-(2**53) + 1, 2**53 - 1))
    if member.kind == "float":
        low, high = -_FLOAT_LIMIT, _FLOAT_LIMIT  # type: ignore[assignment]
    minimum = low if member.minimum is None else member.minimum
    maximum = high if member.maximum is None else member.maximum
    # Inside the range a special value needs no word of its own; no option has two outside.
    special = [
        float(value)
        for value, _ in member.special
        if isinstance(value, (int, float))
        and (
            not minimum <= value <= maximum
            or (value == minimum and member.minimum_exclusive)
            or (value == maximum and member.maximum_exclusive)
        )
    ]
    parts = [
        f".minimum = {_exact(minimum)}",
        f".maximum = {_exact(maximum)}",
        *([".minimum_exclusive = true"] if member.minimum_exclusive else []),
        *([".maximum_exclusive = true"] if member.maximum_exclusive else []),
        *([f".special = {_exact(special[0])}"] if special else []),
        f".words = {c_string(member.range_text)}",
    ]
    return f"{{{', '.join(parts)}}}"


def _exact(value: float) -> str:
    return repr(float(value)) if math.isfinite(value) else "0.0"
