"""Reads the fields of a struct out of a C header's text. It knows plain declarations only: no
macros, no bit fields.

Enough for whisper.h, whose structs hold one declaration a line and nested structs without a name of
their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from wspkit.errors import BadFormatError

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_DECLARATION = re.compile(r"(?P<type>[\w\s]+?[\w\s*]*?)(?P<name>\w+)\s*\Z")
_NESTED = re.compile(r"struct\s*\{(?P<body>[^{}]*)\}\s*(?P<name>\w+)\s*;")


def struct_fields(header: str, struct: str) -> Mapping[str, str]:
    """C type of each field, by its name; a field of a nested struct as "outer.inner".

    Raises BadFormatError if the header does not define the struct, or defines it in a way that is
    not understood.
    """
    text = _COMMENT.sub(" ", header)
    start = re.search(rf"\bstruct\s+{re.escape(struct)}\s*\{{", text)
    if start is None:
        raise BadFormatError(f"the header defines no struct {struct}")
    return _fields(_block(text, start.end(), struct), struct)


def _block(text: str, start: int, struct: str) -> str:
    depth = 1
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    raise BadFormatError(f"struct {struct} has no closing brace")


def _fields(body: str, struct: str) -> dict[str, str]:
    fields: dict[str, str] = {}

    def nested(match: re.Match[str]) -> str:
        for name, kind in _fields(match["body"], struct).items():
            fields[f"{match['name']}.{name}"] = kind
        return ""

    for statement in _NESTED.sub(nested, body).split(";"):
        if not statement.strip():
            continue
        declaration = _DECLARATION.match(statement.strip())
        if declaration is None:
            raise BadFormatError(
                f"struct {struct} has a field that is not understood: {statement.strip()!r}"
            )
        kind = " ".join(declaration["type"].split()).replace(" *", "*")
        fields[declaration["name"]] = re.sub(r"^(enum|struct) ", "", kind).strip()
    return fields
