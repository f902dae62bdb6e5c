"""How values and sentences are written down in Python, C++ and Markdown. It knows no option and no
template.
"""

from __future__ import annotations

import json
import re
import textwrap

from wspkit.spec.option import Value


def python_literal(value: object) -> str:
    """A value as Python source in the style of the formatter: double quotes, bare tuples."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        items = [python_literal(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return repr(value)


def c_string(text: str) -> str:
    """A text as a C string literal. Control characters and what is not ASCII are written in octal,
    which C reads alone.
    """
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode()
    )
    return f'"{escaped}"'


def wrapped(text: str, width: int, *, indent: int = 0) -> tuple[str, ...]:
    """A text as lines of at most `width` characters, indented; an empty line parts paragraphs."""
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if lines:
            lines.append("")
        lines += textwrap.wrap(
            " ".join(paragraph.split()),
            width,
            initial_indent=" " * indent,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return tuple(lines)


def sentence(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def shown_value(value: Value) -> str:
    """A value as prose shows it: true, 2.4, "auto"; nothing for an empty list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if value != int(value) else f"{value:.1f}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(str, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def special_text(special: tuple[tuple[Value, str], ...]) -> str:
    """What special values mean, such as "0: no limit"; empty if there are none."""
    return "; ".join(f"{_bare(value)}: {meaning}" for value, meaning in special)


def _bare(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "empty" if value in {"", ()} else str(value)


def camel(name: str) -> str:
    """A snake_case name in camelCase, as JavaScript writes it: n_threads is nThreads."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(name: str) -> str:
    """A name in PascalCase, as types are called; dots and dashes part words like underscores."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_.-]", name))


def js_literal(value: object) -> str:
    """A value as JavaScript source in the style of its formatter: single quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        body = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')
        return "'" + body.replace("'", "\\'") + "'"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(js_literal(item) for item in value)}]"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)
