"""Rules of the API that one table of `api.toml` alone cannot break: uniqueness, ranges, wording,
the C header behind it.

It collects every problem before it complains. It must not know what is generated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from wspkit.errors import BadFormatError, UsageError
from wspkit.spec.c_struct import struct_fields
from wspkit.spec.check_surface import fields_of, surface_problems
from wspkit.spec.model import Api, Option
from wspkit.spec.runtime import option_info, special_values

_C_TYPES = {
    "bool": ("bool",),
    "int": ("int", "int32_t"),
    "uint64": ("uint64_t",),
    "float": ("float",),
    "string": ("const char*",),
    "path": ("const char*",),
    "tokens": ("const whisper_token*",),
    "names": ("const char* const*",),
}
_NUMBERS = {"int", "uint64", "float", "tokens"}
_LISTS = {"tokens", "names"}
_UNIT_SUFFIXES = {"_ms": "ms", "_s": "s", "_tokens": "tokens"}
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_FLAG = re.compile(r"--[a-z][a-z0-9]*(-[a-z0-9]+)*")


def check(api: Api, header: str) -> None:
    """Holds the API against every rule of this file and against the text of the C headers.

    Raises BadFormatError with all problems, one per line.
    """
    found = list(problems(api, header))
    if found:
        raise BadFormatError("\n".join(found))


def problems(api: Api, header: str) -> Iterator[str]:
    """Every rule that the API breaks, as a sentence that names the table."""
    yield from _broken_references(api)
    yield from _repeated(api)
    yield from _unfinished_sentences(api)
    fields: dict[str, Mapping[str, str]] = {}
    for where, struct in _structs(api):
        try:
            fields[struct] = struct_fields(header, struct)
        except BadFormatError as error:
            yield f"{where}: {error}"
    for name, option in api.option.items():
        for rule in _OPTION_RULES:
            yield from (f"option.{name}: {problem}" for problem in rule(name, option))
        if option.section in api.section and api.group_of(option) in api.group:
            struct = api.struct_of(option)
            if struct in fields:
                for problem in _field_problems(api, option, fields[struct], struct):
                    yield f"option.{name}: {problem}"
    yield from _forgotten_fields(api, fields)
    yield from surface_problems(api, header, fields)


def _structs(api: Api) -> Iterator[tuple[str, str]]:
    """Each C struct that the API speaks of, and where it does."""
    for name, group in api.group.items():
        yield f"group.{name}.c_struct", group.c_struct
    for name, option in api.option.items():
        if option.c_struct:
            yield f"option.{name}.c_struct", option.c_struct
    for where, field in fields_of(api):
        if field.c_struct:
            yield f"{where}.c_struct", field.c_struct
    for struct in api.left_out:
        yield f"left_out.{struct}", struct


def _forgotten_fields(api: Api, fields: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Every field is that of an option or left out with a reason, and not both."""
    taken: dict[str, set[str]] = {struct: set() for struct in fields}
    for option in api.option.values():
        if option.section in api.section and api.group_of(option) in api.group:
            names = {option.c_field, option.c_count_field or option.c_field}
            taken.setdefault(api.struct_of(option), set()).update(names)
    for _, one in fields_of(api):
        if one.c_struct and one.c_field:
            taken.setdefault(one.c_struct, set()).add(one.c_field)
    for struct, known in fields.items():
        left_out = api.left_out.get(struct, {})
        for field in known:
            if field not in taken[struct] and field not in left_out:
                yield f"{struct}.{field}: is no option, and left_out.{struct} gives no reason"
        for field, reason in left_out.items():
            if field not in known:
                yield f"left_out.{struct}.{field}: {struct} has no such field"
            elif field in taken[struct]:
                yield f"left_out.{struct}.{field}: is the field of an option"
            if not reason.strip().endswith("."):
                yield f"left_out.{struct}.{field}: does not end with a full stop"


def _broken_references(api: Api) -> Iterator[str]:
    for name, section in api.section.items():
        if section.group not in api.group:
            yield f"section.{name}: there is no group {section.group!r}"
    for name, option in api.option.items():
        if option.section not in api.section:
            yield f"option.{name}: there is no section {option.section!r}"
        for other in option.excludes:
            if other not in api.option:
                yield f"option.{name}: excludes {other!r}, which is no option"
            elif name not in api.option[other].excludes:
                yield f"option.{name}: excludes {other}, but {other} does not exclude it"
        if (option.type == "options") != (option.options_of is not None):
            yield f"option.{name}: must have options_of if it is options, and only then"
        elif option.options_of is not None:
            yield from _broken_nesting(api, name, option)
    for name in api.group:
        others = {o.c_struct for o in api.options_of(name).values() if o.c_struct}
        if len(others) > 1:
            yield f"group.{name}: its options name more than one other struct"


def _broken_nesting(api: Api, name: str, option: Option) -> Iterator[str]:
    inner = api.group.get(str(option.options_of))
    if inner is None:
        yield f"option.{name}: there is no group {option.options_of!r}"
        return
    if name != f"{option.options_of}_options":
        yield f"option.{name}: has another name than {option.options_of}_options"
    if option.default != f"{inner.python_class}()":
        yield f"option.{name}: its default must be {inner.python_class}()"
    simple = {"bool", "int", "float", "enum"}
    for other, nested in api.options_of(str(option.options_of)).items():
        if nested.type not in simple or nested.c_struct or nested.by_hand:
            yield f"option.{name}: {other} cannot be nested; only plain values can"


def _repeated(api: Api) -> Iterator[str]:
    # Names are keys of a table, so TOML itself keeps them unique.
    owners: dict[str, str] = {}
    for name, option in api.option.items():
        section = api.section.get(option.section)
        group = section.group if section else ""
        taken = [option.flag, option.short_flag, option.off_flag]
        if option.options_of:
            taken += [api.nested_flag(inner) for inner in api.options_of(option.options_of)]
        place = f"{group}.{option.c_struct}" if option.c_struct else group
        taken += [
            f"field {place}.{field}" for field in (option.c_field, option.c_count_field) if field
        ]
        for word in filter(None, taken):
            if word in owners:
                yield f"option.{name}: {word} belongs to option.{owners[word]} already"
            owners.setdefault(word, name)


def _unfinished_sentences(api: Api) -> Iterator[str]:
    texts: dict[str, str] = {}
    for name, group in api.group.items():
        texts[f"group.{name}.doc"] = group.doc
    for name, section in api.section.items():
        texts[f"section.{name}.doc"] = section.doc
    for name, option in api.option.items():
        texts[f"option.{name}.summary"] = option.summary
        texts[f"option.{name}.doc"] = option.doc
    for where, text in texts.items():
        if not text.strip().endswith("."):
            yield f"{where}: does not end with a full stop"


def _wording(name: str, option: Option) -> Iterator[str]:
    if not _NAME.fullmatch(name):
        yield "the name is not snake_case"
    if len(option.summary) >= 100 or "\n" in option.summary:
        yield f"the summary has {len(option.summary)} characters; it must be a line of under 100"
    if "[" in option.summary:
        yield "the summary has a square bracket, which terminal markup would eat"
    own_name = option.by_hand or option.type == "options"
    if not own_name and option.c_field.rpartition(".")[2] != name:
        # Also what keeps two fields of one type and default from being mixed up.
        yield f"has another name than its field {option.c_field}"
    if not re.fullmatch(r"\d+\.\d+\.\d+", option.since):
        yield f"since is {option.since!r}, not a version such as 0.1.0"


def _flags(_: str, option: Option) -> Iterator[str]:
    for flag in filter(None, (option.flag, option.off_flag, option.nested_flag)):
        if not _FLAG.fullmatch(flag):
            yield f"the flag {flag!r} is not --kebab-case"
    if option.short_flag is not None and not re.fullmatch(r"-[A-Za-z]", option.short_flag):
        yield f"the short flag {option.short_flag!r} is not a dash and one letter"
    if option.flag is None and (option.short_flag or option.off_flag):
        yield "has a short or off flag, but no flag"
    if option.type != "bool" and option.off_flag:
        yield "has an off flag, which only a bool can have"
    if option.type == "bool" and option.default is True and option.flag and not option.off_flag:
        yield "is true by default, so its flag needs an off flag beside it"
    if option.type in {"tokens", "options", "path"} and option.flag:
        yield f"has a flag, but the command line has no notation for {option.type}"
    if option.flag_reads_file and (option.type != "string" or not option.flag):
        yield "has no flag of a string, so that there is no file to read"


def _units(name: str, option: Option) -> Iterator[str]:
    if option.type in _NUMBERS and option.unit is None:
        yield f'is {option.type}, so it needs a unit ("none" for a pure number)'
    if option.type not in _NUMBERS and option.unit is not None:
        yield f"is {option.type}, so it can have no unit"
    for suffix, unit in _UNIT_SUFFIXES.items():
        if name.endswith(suffix) and option.unit != unit:
            yield f"ends in {suffix}, so its unit must be {unit}"


def _ranges(name: str, option: Option) -> Iterator[str]:
    if option.type not in _NUMBERS and (option.min is not None or option.max is not None):
        yield f"is {option.type}, so it can have no range"
    if option.min is not None and option.max is not None and option.min >= option.max:
        yield f"has the range {option.min:g} to {option.max:g}, which is empty"
    if (option.min_exclusive and option.min is None) or (
        option.max_exclusive and option.max is None
    ):
        yield "excludes an end of its range that it does not have"
    if (option.type == "enum") != bool(option.choices):
        yield "must have choices if it is an enum, and only then"
    try:
        special_values(option)
    except ValueError as error:
        yield str(error)
        return
    if option.type == "options":
        return
    try:
        checked = option_info(name, option, "").checked(option.default)
        # 1 == 1.0 == True in Python, but the file must say what it means.
        if type(checked) is not type(option.default):
            yield f"the default {option.default!r} is not written as {option.type}"
    except UsageError as error:
        yield f"the default is refused by its own range: {error}"
    if option.leaves_c_default is not None and option.c_default is None:
        yield "leaves_c_default needs c_default, to say what the value stands for"
    if option.leaves_c_default is not None and option.type not in {"int", "float"}:
        yield f"is {option.type}, so no number can stand for the C default"


def _field_problems(
    api: Api, option: Option, fields: Mapping[str, str], struct: str
) -> Iterator[str]:
    kind = fields.get(option.c_field)
    if kind is None:
        yield f"{struct} has no field {option.c_field}"
    elif option.by_hand:
        pass
    elif option.type == "enum":
        if kind in {"bool", "int", "float", "const char*"}:
            yield f"is enum, but {struct}.{option.c_field} is {kind}"
    elif option.type == "options":
        inner = api.group.get(str(option.options_of))
        if inner and kind != inner.c_struct:
            yield f"is {inner.c_struct}, but {struct}.{option.c_field} is {kind}"
    elif kind not in _C_TYPES[option.type]:
        yield f"is {option.type}, but {struct}.{option.c_field} is {kind}"
    if (option.type in _LISTS) != (option.c_count_field is not None) and not option.by_hand:
        yield "must have c_count_field if it is tokens or names, and only then"
    elif option.c_count_field is not None and fields.get(option.c_count_field) not in {
        "int",
        "size_t",
    }:
        yield f"{struct} has no count field {option.c_count_field}"


_OPTION_RULES: tuple[Callable[[str, Option], Iterator[str]], ...] = (
    _wording,
    _flags,
    _units,
    _ranges,
)
