"""The C++ side of the options: how each one travels from Python into its C field."""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.text import c_string, sentence
from wspkit.spec.model import Api, Option


@dataclass(frozen=True)
class EnumValue:
    """One value of an enum: its name in Python, quoted, and the C enumerator."""

    name: str
    enumerator: str


@dataclass(frozen=True)
class CppOption:
    """One option."""

    name: str
    """In Python, and in the storage."""
    kind: str
    """scalar, string, path, tokens, names, enum or options."""
    cpp_type: str
    """C++ type that the Python value is read as."""
    storage_type: str
    """C++ type of the memory behind a pointer; empty if the C field holds the value itself."""
    field: str
    """C field, with the parameter that holds it."""
    count_field: str
    """C field with the number of items, likewise; empty for other kinds."""
    leaves_c_default: str
    """C++ literal of the value that leaves the C field alone; empty if there is none."""
    values: tuple[EnumValue, ...]
    """Values of an enum."""


@dataclass(frozen=True)
class CppGroup:
    """The options of one C struct."""

    c_struct: str
    more_struct: str
    """The second C struct; empty if there is none."""
    storage: str
    """Name of the generated struct that owns what the C struct points to."""
    doc: str
    options: tuple[CppOption, ...]

    @property
    def stored(self) -> tuple[CppOption, ...]:
        """The options whose C field is a pointer."""
        return tuple(option for option in self.options if option.storage_type)


@dataclass(frozen=True)
class CppOptionsView:
    """All groups."""

    groups: tuple[CppGroup, ...]


def cpp_options(api: Api) -> CppOptionsView:
    """The view of the header that the Python binding includes."""
    return CppOptionsView(
        tuple(
            CppGroup(
                c_struct=group.c_struct,
                more_struct=api.more_struct(group_name) or "",
                storage=group.python_class.removesuffix("Options") + "Storage",
                doc=sentence(group.doc),
                options=tuple(
                    _option(name, option)
                    for name, option in api.options_of(group_name).items()
                    if not option.by_hand
                ),
            )
            for group_name, group in api.inner_first().items()
        )
    )


_CPP_TYPES = {
    "bool": ("scalar", "bool", ""),
    "int": ("scalar", "int", ""),
    "float": ("scalar", "float", ""),
    "string": ("string", "std::string", "std::string"),
    "uint64": ("scalar", "std::uint64_t", ""),
    "path": ("path", "std::string", "std::string"),
    "enum": ("enum", "std::string", ""),
    "tokens": ("tokens", "std::vector<whisper_token>", "std::vector<whisper_token>"),
    "names": ("names", "std::vector<std::string>", "Names"),
    "options": ("options", "", ""),
}


def _option(name: str, option: Option) -> CppOption:
    kind, cpp_type, storage_type = _CPP_TYPES[option.type]
    parameter = "more" if option.c_struct else "params"
    return CppOption(
        name=name,
        kind=kind,
        cpp_type=cpp_type,
        storage_type=storage_type,
        field=f"{parameter}.{option.c_field}",
        count_field=f"{parameter}.{option.c_count_field}" if option.c_count_field else "",
        leaves_c_default="" if option.leaves_c_default is None else str(option.leaves_c_default),
        values=tuple(
            EnumValue(c_string(value), symbol) for value, symbol in option.choices.items()
        ),
    )
