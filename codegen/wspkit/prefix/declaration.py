"""Reads one declaration of C, C++ or Objective-C: what it names, and whether linkers and other
files see that. It knows no file and no scope.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wspkit.prefix.lexer import is_identifier

BLOCK: Final = "{}"
"""Stands for a skipped block inside a declaration."""
_GROUP: Final = "()"
_CLASS_KEYS: Final = frozenset({"class", "struct", "union", "enum"})
# With their parentheses they say nothing of names.
_WITH_GROUP: Final = frozenset(
    {
        *("__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "noexcept"),
        *("asm", "__asm__", "__asm", "throw", "explicit", "requires"),
    }
)
_TYPE_WITH_GROUP: Final = frozenset({"decltype", "typeof", "__typeof__", "_Atomic"})
_QUALIFIERS: Final = frozenset(
    {
        *("static", "inline", "extern", "constexpr", "consteval", "constinit", "virtual", "friend"),
        *("typedef", "register", "thread_local", "_Thread_local", "__thread", "mutable", "const"),
        *("volatile", "__inline", "__inline__", "__forceinline", "__extension__", "_Noreturn"),
    }
)
_VALUES: Final = frozenset({"true", "false", "nullptr", "NULL"})
_NO_NAMES: Final = frozenset(
    {
        *("if", "for", "while", "switch", "return", "sizeof", "operator", "void", "int", "char"),
        *("bool", "float", "double", "long", "short", "signed", "unsigned", "auto", "final"),
        *("static_assert", "_Static_assert", "override", "const", "else", "do", "case", "delete"),
        *("default", "new", "goto", "using", "namespace", "public", "private", "protected"),
    }
)


@dataclass(frozen=True)
class Named:
    """A name that a declaration declares. kind: function, data, type, or alias: a type that has
    another one's symbol, by `typedef` or `using`.
    """

    name: str
    kind: str
    defined: bool = True
    internal: bool = False
    """Only this file sees it, by `static` or `const`."""
    unscoped_enum: bool = False


def block_kind(tokens: list[str]) -> tuple[str, Named | None]:
    """What a brace after these tokens begins: "type", "function" or "value", and its name if it has
    one of its own.
    """
    flat = _flat(tokens)
    key = _class_key(flat)
    if key is not None and _GROUP not in flat[key:] and "=" not in flat:
        return "type", _type_name(flat, key, defined=True)
    if "operator" in flat and _GROUP in flat:  # whose name may be ==
        return "function", None
    if "=" not in flat:
        found = _function_name(flat)
        if found is not None:
            name, qualified = found
            if qualified or name is None:
                return "function", None
            return "function", Named(name, "function", internal="static" in flat)
        if (maker := _maker_name(tokens)) is not None:
            return "function", Named(maker, "function", internal="static" in flat)
        if _GROUP in flat:
            # A use of somebody's macro that takes a block, as TEST(suite, name) { } does.
            return "function", None
    return "value", None


def statement_names(tokens: list[str], *, cpp: bool) -> list[Named]:
    """The names of a declaration that ended with a semicolon."""
    if tokens[0] == "template" and tokens[1:2] != ["<"]:  # an explicit instantiation
        return []
    if tokens[0] == "extern" and tokens[1:2] == ["template"]:
        return []
    flat = _flat(tokens)
    if flat[:1] == ["using"] and flat[2:3] == ["="]:
        return [Named(flat[1], "alias")]
    if not flat or flat[0] in _NO_NAMES - _TYPES or flat[0] in "@+-:~" or "operator" in flat:
        return []
    if "typedef" in flat:
        return _typedef_names(tokens, flat)
    if "friend" in flat:
        return []
    if BLOCK not in flat:
        key = _class_key(flat)
        if key is not None and len(flat) - key <= 4 and _only_a_tag(flat[key:]):
            named = _type_name(flat, key, defined=False)
            return [named] if named else []
        before = flat[: flat.index("=")] if "=" in flat else flat
        if _GROUP in before:
            return _names_with_group(tokens, before, static="static" in flat, cpp=cpp)
    return _data_names(flat, cpp=cpp)


def _names_with_group(
    tokens: list[str], flat: list[str], *, static: bool, cpp: bool
) -> list[Named]:
    """The name of a declaration with parentheses: a function, mostly."""
    found = _function_name(flat)
    if found is not None and found[0] is not None and not found[1]:
        if _is_constructed(tokens, found[0]):
            return [Named(found[0], "data", internal=static)]
        # Parameters that are declared behind the parentheses: C of before 1989.
        behind = [word for word in flat[flat.index(_GROUP) + 1 :] if is_identifier(word)]
        defined = not cpp and len(behind) > 1
        return [Named(found[0], "function", defined=defined, internal=static)]
    if (maker := _maker_name(tokens)) is not None:
        return [Named(maker, "function", defined=False, internal=static)]
    pointer = _pointer_name(tokens)
    return [Named(pointer, "data", internal=static)] if pointer else []


_TYPES: Final = frozenset(
    {
        *("void", "int", "char", "bool", "float", "double", "long", "short", "signed", "unsigned"),
        *("auto", "const"),
    }
)


def _flat(tokens: list[str]) -> list[str]:
    """The tokens with groups in parentheses as one, without attributes, template arguments and
    array bounds.
    """
    out: list[str] = []
    index, count = 0, len(tokens)
    while index < count:
        token = tokens[index]
        if token == "(":
            index = _after(tokens, index, "(", ")")
            if out and out[-1] in _WITH_GROUP:
                out.pop()
            elif not (out and out[-1] in _TYPE_WITH_GROUP):
                out.append(_GROUP)
            continue
        if token == "[":
            index = _after(tokens, index, "[", "]")
            continue
        if token == "<" and out and (is_identifier(out[-1])) and out[-1] != "operator":
            end = _after_angle(tokens, index)
            if end is not None:
                index = end
                if out[-1] == "template":
                    out.pop()
                continue
        out.append(token)
        index += 1
    return out


def _after(tokens: list[str], start: int, opening: str, closing: str) -> int:
    depth = 0
    for index in range(start, len(tokens)):
        if tokens[index] == opening:
            depth += 1
        elif tokens[index] == closing:
            depth -= 1
            if depth == 0:
                return index + 1
    return len(tokens)


def _after_angle(tokens: list[str], start: int) -> int | None:
    """Behind the template arguments that begin here; None if nothing ends them."""
    depth = parens = 0
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token == "(":
            parens += 1
        elif token == ")":
            parens -= 1
        elif parens == 0 and token == "<":
            depth += 1
        elif parens == 0 and token == ">":
            depth -= 1
            if depth == 0:
                return index + 1
    return None


def _class_key(flat: list[str]) -> int | None:
    return next((i for i, token in enumerate(flat) if token in _CLASS_KEYS), None)


def _type_name(flat: list[str], key: int, *, defined: bool) -> Named | None:
    end = flat.index(":", key) if ":" in flat[key:] else len(flat)
    words = [token for token in flat[key + 1 : end] if token not in _CLASS_KEYS]
    if "::" in words:
        return None
    names = [word for word in words if is_identifier(word) and word not in _NO_NAMES]
    if not names:
        return None
    scoped = flat[key + 1 : key + 2] in (["class"], ["struct"])
    unscoped = flat[key] == "enum" and not scoped
    return Named(names[-1], "type", defined=defined, unscoped_enum=unscoped)


def _only_a_tag(flat: list[str]) -> bool:
    """`struct name` or `enum name : int`, and nothing of that type."""
    end = flat.index(":") if ":" in flat else len(flat)
    words = [token for token in flat[1:end] if token not in _CLASS_KEYS]
    return len(words) == 1 and is_identifier(words[0])


def _function_name(flat: list[str]) -> tuple[str | None, bool] | None:
    """The function that is declared, and whether its name is qualified; None if none is."""
    typed = False
    for index, token in enumerate(flat):
        called = flat[index + 1 : index + 2] == [_GROUP]
        if not called:
            if is_identifier(token) and token not in _QUALIFIERS:
                typed = True
            continue
        if not is_identifier(token) or token in _NO_NAMES or token in _QUALIFIERS:
            continue
        if flat[index - 1 : index] in (["::"], ["~"]):
            return token, True
        if typed:
            return token, False
    return None


def _is_constructed(tokens: list[str], name: str) -> bool:
    """Whether parentheses hold values, so that `type name(1);` is data."""
    at = next(i for i, token in enumerate(tokens) if token == name and tokens[i + 1] == "(")
    first = tokens[at + 2]
    return first[0].isdigit() or first[0] in "-&!~" or first[-1] in "\"'" or first in _VALUES


def _pointer_name(tokens: list[str]) -> str | None:
    """`name` of `type (*name)(...)`."""
    for index in range(len(tokens) - 2):
        if tokens[index] == "(" and tokens[index + 1] in {"*", "^"}:
            words = tokens[index + 2 : _after(tokens, index, "(", ")")]
            for word in words:
                if is_identifier(word) and word not in _QUALIFIERS:
                    return word
    return None


def _maker_name(tokens: list[str]) -> str | None:
    """`name` of `type (*name(...))(...)`, a function that returns a pointer to one."""
    for index in range(len(tokens) - 3):
        opening, star, name, arguments = tokens[index : index + 4]
        if opening == arguments == "(" and star == "*" and is_identifier(name):
            return name
    return None


def _typedef_names(tokens: list[str], flat: list[str]) -> list[Named]:
    pointer = _pointer_name(tokens)
    if pointer is not None and _GROUP in flat:
        return [Named(pointer, "alias")]
    # An unnamed structure takes the typedef's name for linkage.
    kind = "type" if BLOCK in flat and _unnamed_structure(flat) else "alias"
    names = [part[-1] for part in _declarators(flat) if part and is_identifier(part[-1])]
    if _GROUP in flat:  # a function's type: typedef int name(int);
        found = _function_name(flat)
        names = [found[0]] if found is not None and found[0] is not None else []
    return [Named(name, kind) for name in names if name not in _NO_NAMES]


def _unnamed_structure(flat: list[str]) -> bool:
    key = _class_key(flat)
    return key is not None and flat[key + 1 : key + 2] == [BLOCK]


def _declarators(flat: list[str]) -> list[list[str]]:
    """The parts between commas, each up to its initialiser."""
    parts: list[list[str]] = [[]]
    skip = False
    for token in flat:
        if token == ",":
            parts.append([])
            skip = False
        elif token == "=":
            skip = True
        elif not skip and token != _GROUP:
            parts[-1].append(token)
    return parts


def _data_names(flat: list[str], *, cpp: bool) -> list[Named]:
    # The block of `struct name { } variable` belongs to the type, that of `int x{1}` to the name.
    if BLOCK in flat and _class_key(flat) is not None and "=" not in flat[: flat.index(BLOCK)]:
        flat = [*flat[: flat.index(BLOCK)], "type", *flat[flat.index(BLOCK) + 1 :]]
        if flat[-1] == "type":
            return []
    parts = [[token for token in part if token != BLOCK] for part in _declarators(flat)]
    defined = "extern" not in flat or "=" in flat
    found = []
    for number, part in enumerate(parts):
        words = [token for token in part if is_identifier(token)]
        if not words or (number == 0 and len([w for w in words if w not in _QUALIFIERS]) < 2):
            continue
        if part[-1] != words[-1] or words[-1] in _NO_NAMES or part[-2:-1] == ["::"]:
            continue
        found.append(
            Named(words[-1], "data", defined=defined, internal=_is_internal(flat, part, cpp=cpp))
        )
    return found


def _is_internal(flat: list[str], part: list[str], *, cpp: bool) -> bool:
    if "static" in flat:
        return True
    if not cpp or "extern" in flat or "inline" in flat:
        return False
    if "constexpr" in flat:
        return True
    after_star = part[len(part) - part[::-1].index("*") :] if "*" in part else part
    return "const" in after_star
