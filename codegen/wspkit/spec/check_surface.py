"""Rules of errors, enums, structs, callbacks and classes that one table of `api.toml` alone cannot
break.

It yields every problem as a sentence that names the table. It must not know what is generated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from wspkit.spec.model import Api
from wspkit.spec.surface import Field, Struct

C_TYPES = {
    "bool": ("bool",),
    "int": ("int", "int32_t"),
    "float": ("float",),
}
"""C types that can hold a field's value as it is; enums name an enumerator per value instead."""

_NUMBERS = {"int", "int64", "float"}
_LIST_OF = {"int", "float", "string"}
_UNIT_SUFFIXES = {"_ms": "ms", "_s": "s", "_hz": "hz", "_bytes": "bytes", "_percent": "percent"}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_VALUE = re.compile(r"[a-z][a-z0-9]*([_.-][a-z0-9]+)*")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_ERROR_CODE = re.compile(r"\bWHISPER_EXT_(?!OK\b|CAN_|ROW_|BACKEND_)[A-Z_]+(?=\s*=)")


def surface_problems(
    api: Api, header: str, structs: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Every rule that the surface breaks.

    header: text of the C headers; structs: C type of each field of the structs that are spoken of.
    """
    yield from _unfinished(api)
    yield from _bad_names(api)
    yield from _errors(api, header)
    for name, enum in api.enum.items():
        for value, about in enum.value.items():
            if not _VALUE.fullmatch(value):
                yield f"enum.{name}.value.{value}: is not lower case"
            if about.c_value and not re.search(rf"\b{about.c_value}\b", header):
                yield f"enum.{name}.value.{value}: the headers have no {about.c_value}"
    for where, field in fields_of(api):
        for rule in (_reference, _units, _range, _default, _c_field):
            yield from (f"{where}: {problem}" for problem in rule(api, where, field, structs))
    yield from _structs(api)
    yield from _methods(api)


def fields_of(api: Api) -> Iterator[tuple[str, Field]]:
    """Every field, argument and property, with the path of its table."""
    for name, struct in api.struct.items():
        yield from ((f"struct.{name}.field.{n}", f) for n, f in struct.field.items())
    for name, callback in api.callback.items():
        yield from ((f"callback.{name}.argument.{n}", f) for n, f in callback.argument.items())
    for name, kind in api.classes.items():
        yield from ((f"class.{name}.property.{n}", f) for n, f in kind.property.items())
        for method, about in kind.method.items():
            path = f"class.{name}.method.{method}.argument"
            yield from ((f"{path}.{n}", f) for n, f in about.argument.items())


def _texts(api: Api) -> Iterator[tuple[str, str]]:
    """Where prose stands that has to be whole sentences."""
    yield "contract.doc", api.contract.doc
    tables: Mapping[str, Mapping[str, object]] = {
        "error": api.error,
        "enum": api.enum,
        "struct": api.struct,
        "callback": api.callback,
        "class": api.classes,
    }
    for kind, table in tables.items():
        for name, one in table.items():
            yield f"{kind}.{name}.doc", str(getattr(one, "doc", ""))
    for name, enum in api.enum.items():
        yield from ((f"enum.{name}.value.{v}.doc", about.doc) for v, about in enum.value.items())
    for name, kind_ in api.classes.items():
        yield from ((f"class.{name}.method.{n}.doc", m.doc) for n, m in kind_.method.items())
    for where, field in fields_of(api):
        yield f"{where}.doc", field.doc
        if field.default_reason is not None:
            yield f"{where}.default_reason", field.default_reason
        yield from ((f"{where}.limits.{p}", text) for p, text in field.limits.items())


def _unfinished(api: Api) -> Iterator[str]:
    for where, text in _texts(api):
        if not text.strip().endswith("."):
            yield f"{where}: does not end with a full stop"


def _bad_names(api: Api) -> Iterator[str]:
    tables: tuple[Mapping[str, object], ...] = (
        *(api.error, api.enum, api.struct, api.callback, api.classes),
        *(kind.method for kind in api.classes.values()),
    )
    names = [name for table in tables for name in table]
    names += [where.rpartition(".")[2] for where, _ in fields_of(api)]
    yield from (f"{name}: is not snake_case" for name in names if not _NAME.fullmatch(name))
    since = [
        *((f"error.{n}", one.since) for n, one in api.error.items()),
        *((f"enum.{n}", one.since) for n, one in api.enum.items()),
        *((f"struct.{n}", one.since) for n, one in api.struct.items()),
        *((f"callback.{n}", one.since) for n, one in api.callback.items()),
        *((f"class.{n}", one.since) for n, one in api.classes.items()),
    ]
    for where, version in since:
        if not _VERSION.fullmatch(version):
            yield f"{where}: since is {version!r}, not a version such as 0.1.0"


def _errors(api: Api, header: str) -> Iterator[str]:
    """Each code of the core is exactly one error."""
    codes = set(_ERROR_CODE.findall(header))
    owners: dict[str, str] = {}
    for name, error in api.error.items():
        if error.c_code is None:
            continue
        if error.c_code not in codes:
            yield f"error.{name}: the headers have no {error.c_code}"
        if error.c_code in owners:
            yield f"error.{name}: {error.c_code} is error.{owners[error.c_code]} already"
        owners[error.c_code] = name
    if api.error:
        yield from (f"{code}: no error stands for it" for code in sorted(codes - set(owners)))


def _reference(api: Api, where: str, field: Field, _: object) -> Iterator[str]:
    known: Mapping[str, Mapping[str, object]] = {
        "enum": api.enum,
        "struct": api.struct,
        "callback": api.callback,
    }
    if field.type == "list":
        if field.of not in {*api.struct, *_LIST_OF}:
            yield f"is a list of {field.of!r}, which is no struct, int, float or string"
    elif field.type in known:
        if field.of not in known[field.type]:
            yield f"there is no {field.type} {field.of!r}"
    elif field.of is not None:
        yield f"is {field.type}, so it can have no `of`"
    if field.type == "callback" and not where.startswith("class."):
        yield "is a callback, which only a method can take"


def _units(_: Api, where: str, field: Field, __: object) -> Iterator[str]:
    is_number = field.type in _NUMBERS
    if is_number and field.unit is None:
        yield f'is {field.type}, so it needs a unit ("none" for a pure number)'
    if not is_number and field.type != "list" and field.unit is not None:
        yield f"is {field.type}, so it can have no unit"
    name = where.rpartition(".")[2]
    for suffix, unit in _UNIT_SUFFIXES.items():
        if name.endswith(suffix) and field.unit != unit:
            yield f"ends in {suffix}, so its unit must be {unit}"


def _range(_: Api, __: str, field: Field, ___: object) -> Iterator[str]:
    if field.type not in _NUMBERS and (field.min is not None or field.max is not None):
        yield f"is {field.type}, so it can have no range"
    if field.min is not None and field.max is not None and field.min >= field.max:
        yield f"has the range {field.min:g} to {field.max:g}, which is empty"


def _default(api: Api, where: str, field: Field, _: object) -> Iterator[str]:
    parts = where.split(".")
    taken = parts[0] == "struct" and api.struct[parts[1]].direction == "in"
    if field.default is None:
        if taken and not field.optional:
            yield "is neither optional nor has a default"
        return
    if not taken:
        yield "has a default, which only a field that a call takes can have"
    if field.optional:
        yield "is optional, so it can have no default"
    if field.default_reason is None:
        yield "has a default without default_reason"
    kinds: Mapping[str, type] = {"bool": bool, "int": int, "int64": int, "float": float}
    if type(field.default) is not kinds.get(field.type, str):
        yield f"the default {field.default!r} is not written as {field.type}"
    elif field.type == "enum" and field.of in api.enum:
        if field.default not in api.enum[field.of].value:
            yield f"the default {field.default!r} is no value of enum.{field.of}"
    elif isinstance(field.default, (int, float)) and not isinstance(field.default, bool):
        low = field.default if field.min is None else field.min
        high = field.default if field.max is None else field.max
        if not low <= field.default <= high:
            yield f"the default {field.default!r} is outside its range"


def _c_field(
    api: Api, _: str, field: Field, structs: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    if (field.c_struct is None) != (field.c_field is None):
        yield "must have both c_struct and c_field, or none"
    if field.c_struct is None or field.c_field is None:
        return
    kind = structs.get(field.c_struct, {}).get(field.c_field)
    if kind is None:
        yield f"{field.c_struct} has no field {field.c_field}"
    elif field.type == "enum" and field.of in api.enum:
        if not all(value.c_value for value in api.enum[field.of].value.values()):
            yield f"enum.{field.of} has a value without c_value"
    elif kind not in C_TYPES.get(field.type, ()):
        yield f"is {field.type}, but {field.c_struct}.{field.c_field} is {kind}"


def _structs(api: Api) -> Iterator[str]:
    for name, struct in api.struct.items():
        if struct.includes is not None:
            if struct.includes not in api.group:
                yield f"struct.{name}: there is no group {struct.includes!r}"
            else:
                twice = sorted(set(struct.field) & set(api.options_of(struct.includes)))
                yield from (f"struct.{name}.field.{n}: is an option too" for n in twice)
            if struct.direction == "out":
                yield f"struct.{name}: only a struct that a call takes can include options"
        for one in struct.one_of:
            if one not in struct.field or not struct.field[one].optional:
                yield f"struct.{name}: one_of names {one!r}, which is no optional field"
        yield from (f"struct.{name}.field.{problem}" for problem in _inner_fields(api, struct))


def _inner_fields(api: Api, struct: Struct) -> Iterator[str]:
    for name, field in struct.field.items():
        for excluded in field.excludes:
            beside = struct.field.get(excluded)
            if beside is None or name not in beside.excludes:
                yield f"{name}: {excluded} does not exclude it"
        other = api.struct.get(field.of or "")
        if field.type in {"struct", "list"} and other is not None:
            if other.direction != struct.direction:
                yield f"{name}: {field.of} goes the other way"
            if struct.direction == "in":
                yield f"{name}: nothing nests in what a call takes"


def _methods(api: Api) -> Iterator[str]:
    for name, kind in api.classes.items():
        for method, about in kind.method.items():
            where = f"class.{name}.method.{method}"
            if not _VERSION.fullmatch(about.since):
                yield f"{where}: since is {about.since!r}, not a version such as 0.1.0"
            yield from (
                f"{where}: there is no error {error!r}"
                for error in about.errors
                if error not in api.error
            )
            optional = [field.optional for field in about.argument.values()]
            if optional != sorted(optional):
                yield f"{where}: an argument that is needed follows one that is not"
            for argument, field in about.argument.items():
                taken = api.struct.get(field.of or "") if field.type == "struct" else None
                if taken is not None and taken.direction == "out":
                    yield f"{where}.argument.{argument}: {field.of} only comes back"
            returned = about.returned
            if returned is not None:
                yield from (f"{where}: {problem}" for problem in _returned(api, *returned))


def _returned(api: Api, kind: str, name: str) -> Iterator[str]:
    targets: Mapping[str, Callable[[], bool]] = {
        "struct": lambda: name in api.struct and api.struct[name].direction == "out",
        "job": lambda: name in api.struct and api.struct[name].direction == "out",
        "list": lambda: name in _LIST_OF or name in api.struct,
        "class": lambda: name in api.classes,
    }
    if kind not in targets or not targets[kind]():
        yield f"returns {kind}:{name}, which is nothing"
