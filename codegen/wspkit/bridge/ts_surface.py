"""The TypeScript side of the surface: types, the spec of the native module, contract, errors,
defaults, and the keys of the mock.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wspkit.bridge.surface import Member, all_fields, arguments, options_of, own_fields
from wspkit.bridge.text import camel, js_literal, pascal, sentence, wrapped
from wspkit.spec.check_surface import fields_of
from wspkit.spec.model import Api
from wspkit.spec.surface import Method

# The longest line of a comment, without its indent.
_WIDTH = 100


@dataclass(frozen=True)
class TsField:
    """A property of an interface."""

    declaration: str
    """Name and type, without the semicolon."""
    doc_lines: tuple[str, ...]


@dataclass(frozen=True)
class TsInterface:
    """An interface."""

    name: str
    extends: str
    """Name of the interface that it extends; empty if none."""
    doc_lines: tuple[str, ...]
    fields: tuple[TsField, ...]


@dataclass(frozen=True)
class TsAlias:
    """A union of texts, or the type of a function."""

    name: str
    definition: str
    doc_lines: tuple[str, ...]


@dataclass(frozen=True)
class TsTypesView:
    """All types."""

    aliases: tuple[TsAlias, ...]
    interfaces: tuple[TsInterface, ...]
    job: tuple[TsField, ...]
    """What a job has beside its promise; empty where nothing gives a job."""
    job_doc_lines: tuple[str, ...]


@dataclass(frozen=True)
class TsMethod:
    """A method in the types that React Native's codegen understands."""

    name: str
    parameters: str
    returned: str


@dataclass(frozen=True)
class TsNativeView:
    """The spec of the native module."""

    module: str
    methods: tuple[TsMethod, ...]


@dataclass(frozen=True)
class TsContractView:
    """The contract that JavaScript was written for."""

    module: str
    major: int
    minor: int
    doc_lines: tuple[str, ...]


@dataclass(frozen=True)
class TsError:
    """A typed error."""

    code: str
    """Quoted."""
    doc_lines: tuple[str, ...]


@dataclass(frozen=True)
class TsErrorsView:
    """All errors."""

    errors: tuple[TsError, ...]


@dataclass(frozen=True)
class TsKeys:
    """The keys of an object that a call takes, and its defaults."""

    constant: str
    """SCREAMING_CASE."""
    type_name: str
    entries: tuple[tuple[str, str], ...]
    """Key, and default as JavaScript; only keys that have one."""
    keys: tuple[str, ...]
    """All keys, quoted."""


@dataclass(frozen=True)
class TsDefaultsView:
    """Keys and defaults of all objects that calls take."""

    objects: tuple[TsKeys, ...]


@dataclass(frozen=True)
class TsClassKeys:
    """The keys of a native object."""

    constant: str
    methods: tuple[tuple[str, bool], ...]
    """Name, quoted, and whether it gives a promise."""
    properties: tuple[str, ...]
    """Quoted."""


@dataclass(frozen=True)
class TsMockView:
    """The keys of all native objects."""

    classes: tuple[TsClassKeys, ...]


def ts_types(api: Api) -> TsTypesView:
    """The view of the types."""
    interfaces = [
        TsInterface(
            name=group.python_class,
            extends="",
            doc_lines=_doc(api, group.doc),
            fields=tuple(_field(api, one, taken=True) for one in options_of(api, name)),
        )
        for name, group in api.inner_first().items()
    ]
    interfaces += [
        TsInterface(
            name=pascal(name),
            extends=api.group[struct.includes].python_class if struct.includes else "",
            doc_lines=_doc(api, struct.doc),
            fields=tuple(
                _field(api, one, taken=struct.direction == "in") for one in own_fields(api, name)
            ),
        )
        for name, struct in api.struct.items()
    ]
    interfaces += [
        TsInterface(
            name=f"Native{pascal(name)}",
            extends="",
            doc_lines=_doc(api, kind.doc),
            fields=(
                *(_field(api, one, taken=False) for one in arguments(kind.property)),
                *(_method(api, n, method) for n, method in kind.method.items()),
            ),
        )
        for name, kind in api.classes.items()
        if name != "job"
    ]
    job = api.classes.get("job")
    return TsTypesView(
        aliases=(*_enums(api), *_callbacks(api)),
        interfaces=tuple(interfaces),
        job=()
        if job is None
        else (
            *(_field(api, one, taken=False) for one in arguments(job.property)),
            *(_method(api, n, method) for n, method in job.method.items()),
        ),
        job_doc_lines=_doc(api, job.doc) if job else (),
    )


def ts_native(api: Api) -> TsNativeView:
    """The view of the spec of the native module."""
    module = api.classes.get("module")
    return TsNativeView(
        module=api.contract.module,
        methods=tuple(
            TsMethod(
                name=camel(name),
                parameters=", ".join(
                    f"{one.js_name}{'?' if one.optional else ''}: {_plain(api, one)}"
                    for one in arguments(method.argument)
                ),
                returned=_plain_returned(method),
            )
            for name, method in (module.method if module else {}).items()
        ),
    )


def ts_contract(api: Api) -> TsContractView:
    """The view of the contract."""
    contract = api.contract
    return TsContractView(contract.module, contract.major, contract.minor, _doc(api, contract.doc))


def ts_errors(api: Api) -> TsErrorsView:
    """The view of the errors."""
    return TsErrorsView(
        tuple(TsError(js_literal(name), _doc(api, error.doc)) for name, error in api.error.items())
    )


def ts_defaults(api: Api) -> TsDefaultsView:
    """The view of the defaults."""
    groups = [
        _keys(f"{name}_options", group.python_class, options_of(api, name))
        for name, group in api.inner_first().items()
    ]
    structs = [
        _keys(name, pascal(name), all_fields(api, name))
        for name, struct in api.struct.items()
        if struct.direction == "in"
    ]
    return TsDefaultsView((*groups, *structs))


def ts_mock(api: Api) -> TsMockView:
    """The view of the keys of the mock."""
    return TsMockView(
        tuple(
            TsClassKeys(
                constant=name.upper(),
                methods=tuple((js_literal(camel(n)), m.promise) for n, m in kind.method.items()),
                properties=tuple(js_literal(camel(n)) for n in kind.property)
                + (("'promise'",) if name == "job" else ()),
            )
            for name, kind in api.classes.items()
        )
    )


def field_type(api: Api, member: Member) -> str:
    """The type of a member, as TypeScript."""
    if member.kind == "enum" and not member.of:
        choices = api.option[member.name].choices
        return " | ".join(js_literal(value) for value in choices)
    if member.kind == "list":
        item = "number" if member.of in {"int", "float"} else member.of
        return f"readonly {item if item in {'number', 'string'} else pascal(item)}[]"
    if member.kind == "options":
        return api.group[member.of].python_class
    if member.kind in {"enum", "struct", "callback"}:
        return pascal(member.of)
    names = {
        "bool": "boolean",
        "string": "string",
        "path": "string",
        "bytes": "ArrayBuffer | ArrayBufferView",
        "tokens": "readonly number[]",
        "names": "readonly string[]",
    }
    return names.get(member.kind, "number")


def returned_type(method: Method) -> str:
    """The type of what a method returns, as TypeScript."""
    kind, name = method.returned or ("", "void")
    types = {
        "": name,
        "struct": pascal(name),
        "class": f"Native{pascal(name)}",
        "job": f"NativeJob<{pascal(name)}>",
        "list": f"readonly {'number' if name in {'int', 'float'} else pascal(name)}[]",
    }
    return f"Promise<{types[kind]}>" if method.promise else types[kind]


def _doc(api: Api, text: str, facts: str = "") -> tuple[str, ...]:
    whole = f"{sentence(text)}\n\n{facts}" if facts else sentence(text)
    return wrapped(with_camel_names(api, whole), _WIDTH)


def with_camel_names(api: Api, text: str) -> str:
    """A finished text with the names of options, fields and methods as JavaScript writes them."""
    fields = (where.rpartition(".")[2] for where, _ in fields_of(api))
    methods = (name for kind in api.classes.values() for name in kind.method)
    known = {*api.option, *fields, *methods}
    return re.sub(
        r"[a-z]+(?:_[a-z0-9]+)+",
        lambda match: camel(match[0]) if match[0] in known else match[0],
        text,
    )


def _field(api: Api, member: Member, *, taken: bool) -> TsField:
    may_lack = member.optional or member.default is not None
    # `undefined` as a value is as good as none, also under exactOptionalPropertyTypes.
    undefined = " | undefined" if may_lack and taken else ""
    text = f"readonly {member.js_name}{'?' if may_lack else ''}: {field_type(api, member)}"
    return TsField(text + undefined, _doc(api, member.doc, member.facts))


def _method(api: Api, name: str, method: Method) -> TsField:
    parameters = ", ".join(
        f"{one.js_name}{'?' if one.optional else ''}: {field_type(api, one)}"
        for one in arguments(method.argument)
    )
    errors = f"Errors: {', '.join(method.errors)}." if method.errors else ""
    lines = [f"{one.js_name}: {one.doc}" for one in arguments(method.argument)]
    return TsField(
        f"{camel(name)}({parameters}): {returned_type(method)}",
        _doc(api, method.doc, "\n\n".join(filter(None, [*lines, errors]))),
    )


def _enums(api: Api) -> tuple[TsAlias, ...]:
    return tuple(
        TsAlias(
            name=pascal(name),
            definition=" | ".join(js_literal(value) for value in enum.value),
            doc_lines=_doc(
                api,
                enum.doc,
                "\n\n".join(
                    f"{js_literal(value)}: {sentence(about.doc)}"
                    for value, about in enum.value.items()
                ),
            ),
        )
        for name, enum in api.enum.items()
    )


def _callbacks(api: Api) -> tuple[TsAlias, ...]:
    return tuple(
        TsAlias(
            name=pascal(name),
            definition=f"({_parameters(api, arguments(callback.argument))}) => void",
            doc_lines=_doc(api, callback.doc),
        )
        for name, callback in api.callback.items()
    )


def _parameters(api: Api, members: Sequence[Member]) -> str:
    return ", ".join(f"{one.js_name}: {field_type(api, one)}" for one in members)


# React Native's codegen reads this one file alone, and knows no types of other files: what is more
# than a scalar is an Object to it, and its real type is in types.ts.
_PLAIN = {"bool": "boolean", "string": "string", "path": "string", "enum": "string"}


def _plain(api: Api, member: Member) -> str:
    if member.kind == "callback":
        inner = arguments(api.callback[member.of].argument)
        return f"({', '.join(f'{one.js_name}: {_plain(api, one)}' for one in inner)}) => void"
    if member.kind in {"int", "int64", "float"}:
        return "number"
    return _PLAIN.get(member.kind, "Object")


def _plain_returned(method: Method) -> str:
    kind = method.returned[0] if method.returned else ""
    plain = {"": "void", "list": "Array<Object>"}.get(kind, "Object")
    return f"Promise<{plain}>" if method.promise else plain


def _keys(name: str, type_name: str, members: Sequence[Member]) -> TsKeys:
    return TsKeys(
        constant=name.upper(),
        type_name=type_name,
        entries=tuple(
            (one.js_name, "{}" if one.kind == "options" else js_literal(one.default))
            for one in members
            if one.default is not None
        ),
        keys=tuple(js_literal(one.js_name) for one in members),
    )
