"""The reference of the JavaScript API's native side, and the lock: one line for each thing that
callers may hold on to.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.surface import Member, arguments, options_of, own_fields
from wspkit.bridge.text import camel, js_literal, pascal, sentence
from wspkit.bridge.ts_surface import field_type, returned_type, with_camel_names
from wspkit.spec.model import Api, Group


@dataclass(frozen=True)
class DocsRow:
    """A row of a table; every cell as Markdown."""

    name: str
    type: str
    text: str


@dataclass(frozen=True)
class DocsMethod:
    """A method."""

    signature: str
    doc: str
    arguments: tuple[DocsRow, ...]
    errors: str
    """Empty if it has none of its own."""
    since: str


@dataclass(frozen=True)
class DocsClass:
    """A native object."""

    name: str
    doc: str
    properties: tuple[DocsRow, ...]
    methods: tuple[DocsMethod, ...]


@dataclass(frozen=True)
class DocsTable:
    """A struct, enum or group of options."""

    name: str
    doc: str
    rows: tuple[DocsRow, ...]


@dataclass(frozen=True)
class DocsSurfaceView:
    """The whole page."""

    contract: str
    contract_doc: str
    classes: tuple[DocsClass, ...]
    callbacks: tuple[DocsTable, ...]
    taken: tuple[DocsTable, ...]
    given: tuple[DocsTable, ...]
    enums: tuple[DocsTable, ...]
    errors: tuple[DocsRow, ...]


@dataclass(frozen=True)
class LockView:
    """The lock."""

    lines: tuple[str, ...]


def docs_surface(api: Api) -> DocsSurfaceView:
    """The view of the reference."""
    groups = [
        DocsTable(group.python_class, sentence(group.doc), _rows(api, options_of(api, name)))
        for name, group in api.inner_first().items()
    ]
    structs = {
        name: DocsTable(
            pascal(name),
            with_camel_names(api, sentence(struct.doc))
            + (f" It has all of {inner.python_class}." if (inner := _included(api, name)) else "")
            + (f" Exactly one of {', '.join(struct.one_of)}." if struct.one_of else ""),
            _rows(api, own_fields(api, name)),
        )
        for name, struct in api.struct.items()
    }
    return DocsSurfaceView(
        contract=f"{api.contract.major}.{api.contract.minor}",
        contract_doc=sentence(api.contract.doc),
        classes=tuple(
            DocsClass(
                name=_class_name(name),
                doc=sentence(kind.doc),
                properties=_rows(api, arguments(kind.property)),
                methods=tuple(
                    DocsMethod(
                        signature=f"{camel(n)}({_parameters(api, arguments(m.argument))}): "
                        f"{returned_type(m)}",
                        doc=with_camel_names(api, sentence(m.doc)),
                        arguments=_rows(api, arguments(m.argument)),
                        errors=", ".join(f"`{error}`" for error in m.errors),
                        since=m.since,
                    )
                    for n, m in kind.method.items()
                ),
            )
            for name, kind in api.classes.items()
        ),
        callbacks=tuple(
            DocsTable(pascal(name), sentence(one.doc), _rows(api, arguments(one.argument)))
            for name, one in api.callback.items()
        ),
        taken=(
            *groups,
            *(structs[name] for name, one in api.struct.items() if one.direction == "in"),
        ),
        given=tuple(structs[name] for name, one in api.struct.items() if one.direction == "out"),
        enums=tuple(
            DocsTable(
                pascal(name),
                sentence(enum.doc),
                tuple(
                    DocsRow(f"`{js_literal(value)}`", "", sentence(about.doc))
                    for value, about in enum.value.items()
                ),
            )
            for name, enum in api.enum.items()
        ),
        errors=tuple(
            DocsRow(f"`{name}`", "", with_camel_names(api, sentence(error.doc)))
            for name, error in api.error.items()
        ),
    )


def lock(api: Api) -> LockView:
    """The view of the lock: sorted, one line a thing, with all that a caller may rely on."""
    lines = [f"contract {api.contract.module} {api.contract.major}"]
    lines += [f"error {name}" for name in api.error]
    for name, enum in api.enum.items():
        lines += [f"enum {name} {value}" for value in enum.value]
    for name in api.group:
        lines += [f"option {name} {_locked(one)}" for one in options_of(api, name)]
    for name, struct in api.struct.items():
        lines.append(f"struct {name} {struct.direction} {struct.includes or '-'}")
        lines += [f"field {name} {_locked(one)}" for one in own_fields(api, name)]
    for name, callback in api.callback.items():
        taken = " ".join(_locked(one) for one in arguments(callback.argument))
        lines.append(f"callback {name} {taken}")
    for name, kind in api.classes.items():
        lines += [f"property {name} {_locked(one)}" for one in arguments(kind.property)]
        for method, about in kind.method.items():
            promise = "promise " if about.promise else ""
            lines.append(f"method {name} {method} {promise}{about.returns or 'nothing'}")
            lines += [
                f"argument {name} {method} {place} {_locked(one)}"
                for place, one in enumerate(arguments(about.argument))
            ]
    return LockView(tuple(sorted(lines)))


def _included(api: Api, struct: str) -> Group | None:
    included = api.struct[struct].includes
    return api.group[included] if included else None


def _locked(member: Member) -> str:
    of = f":{member.of}" if member.of else ""
    return f"{member.name} {member.kind}{of}{'?' if member.optional else ''}"


def _class_name(name: str) -> str:
    return "NativeJob<Result>" if name == "job" else f"Native{pascal(name)}"


def _parameters(api: Api, members: tuple[Member, ...]) -> str:
    return ", ".join(
        f"{one.js_name}{'?' if one.optional else ''}: {field_type(api, one)}" for one in members
    )


def _rows(api: Api, members: tuple[Member, ...]) -> tuple[DocsRow, ...]:
    return tuple(
        DocsRow(
            name=f"`{one.js_name}`",
            type=_cell(f"`{field_type(api, one)}`" + (", may be absent" if one.optional else "")),
            text=_cell(with_camel_names(api, " ".join(filter(None, (one.doc, one.facts))))),
        )
        for one in members
    )


def _cell(text: str) -> str:
    """Text for a cell of a table, where a bar would begin the next one."""
    return text.replace("|", "\\|")
