"""What `api.toml` may say: one frozen model per table, strict, each key with its meaning. It knows
no file and no output.

An unknown key or a wrong type is refused here; what needs two tables or another file to decide is
in `check.py`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wspkit.spec.surface import Callback, Class, Contract, Enum, Failure, Struct
from wspkit.spec.table import Scalar, Unit
from wspkit.tables import Table

# TOML has lists; a frozen model has tuples.
Tokens = Annotated[tuple[int, ...], Field(strict=False)]
Names = Annotated[tuple[str, ...], Field(strict=False)]
Value = Scalar | Tokens | Names
OptionType = Literal[
    "bool", "int", "uint64", "float", "string", "path", "enum", "tokens", "names", "options"
]


class Group(Table):
    """Options that travel together: one C struct, one Python class."""

    title: str
    """Heading in the reference."""
    doc: str
    """What the options are for; whole sentences."""
    c_struct: str
    """Struct of whisper.h that holds them."""
    python_class: str
    """Name of the generated dataclass."""


class Section(Table):
    """Options that are read together: a panel of the command's help, a part of the reference."""

    group: str
    """Name of the group that it belongs to."""
    title: str
    """Heading in the help and in the reference."""
    doc: str
    """What the options are for; whole sentences."""


class Option(Table):
    """One option of the public API, the same in every language."""

    section: str
    """Name of the section that it belongs to."""
    type: OptionType
    """bool, int (32 bits), uint64, float (32 bits), string (UTF-8), path, enum (one of `choices`),
    tokens (list of token ids), names (list of strings), options (another group, `options_of`).
    """
    unit: Unit | None = None
    """Required for numbers and tokens; "none" for a pure number."""
    min: int | float | None = None
    """Smallest value allowed; for tokens, of each id."""
    max: int | float | None = None
    """Largest value allowed; for tokens, of each id."""
    min_exclusive: bool = False
    """`min` itself is not allowed."""
    max_exclusive: bool = False
    """`max` itself is not allowed."""
    special: dict[str, str] = Field(default_factory=dict)
    """Values with a meaning of their own, as text, and that meaning; allowed even outside the
    range.
    """
    choices: dict[str, str] = Field(default_factory=dict)
    """For enum: each value, and the C enumerator that it stands for."""
    options_of: str | None = None
    """For options: the group that is nested here."""
    default: Value
    """Value when nothing is said; for options, the call that makes the nested defaults."""
    c_default: str | None = None
    """Default of the C struct, as text, where it is another one or follows from a rule."""
    leaves_c_default: int | None = None
    """Value that leaves the C field at the default of the C struct."""
    excludes: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Options that cannot be given together with this one; each names the other."""
    summary: str
    """One sentence for the command's help, under 100 characters."""
    doc: str
    """The rest, argued: what it does, when to change it, why the default is what it is."""
    source: str | None = None
    """Paper section or rule behind it."""
    c_struct: str | None = None
    """Struct that holds the field, where it is not the group's; a group has at most one other."""
    c_field: str
    """Field of the C struct; a dot leads into a nested struct."""
    c_count_field: str | None = None
    """For tokens and names: field that takes their number."""
    by_hand: bool = False
    """Hand-written code carries the value into its field, which is none that fits by itself."""
    flag: str | None = None
    """Option of the command line; none where the command line has no use for it."""
    flag_reads_file: bool = False
    """For string: the flag names a UTF-8 file, whose text is the value."""
    nested_flag: str | None = None
    """Option of the command line where the group is nested, if it is another one than the flag with
    the group's name before it.
    """
    short_flag: str | None = None
    """One letter form of `flag`."""
    off_flag: str | None = None
    """For bool: option of the command line that sets false; required where the default is true and
    there is a flag.
    """
    since: str
    """Version of wsp that brought the option."""


class Api(Table):
    """The whole file. Tables keep the order of the file, and so do all outputs."""

    group: dict[str, Group]
    section: dict[str, Section]
    option: dict[str, Option]
    left_out: dict[str, dict[str, str]] = Field(default_factory=dict)
    """By C struct: fields that no option stands for, each with the reason."""
    contract: Contract
    error: dict[str, Failure] = Field(default_factory=dict)
    enum: dict[str, Enum] = Field(default_factory=dict)
    struct: dict[str, Struct] = Field(default_factory=dict)
    callback: dict[str, Callback] = Field(default_factory=dict)
    classes: dict[str, Class] = Field(default_factory=dict, alias="class")

    def group_of(self, option: Option) -> str:
        """The name of the group that an option belongs to."""
        return self.section[option.section].group

    def struct_of(self, option: Option) -> str:
        """The C struct that holds an option's field."""
        return option.c_struct or self.group[self.group_of(option)].c_struct

    def more_struct(self, group: str) -> str | None:
        """The second C struct of a group; None if it has one only."""
        return next((o.c_struct for o in self.options_of(group).values() if o.c_struct), None)

    def nested_flag(self, name: str) -> str | None:
        """The flag of an option where its group is nested in another command; None if none."""
        option = self.option[name]
        if option.nested_flag or not option.flag:
            return option.nested_flag
        return f"--{self.group_of(option)}-{option.flag.removeprefix('--')}"

    def inner_first(self) -> dict[str, Group]:
        """The groups in the order of the file, but each behind those that are nested in it."""
        inner = {option.options_of for option in self.option.values() if option.options_of}
        return dict(sorted(self.group.items(), key=lambda item: item[0] not in inner))

    def sections_of(self, group: str) -> dict[str, Section]:
        """The sections of a group, in the order of the file."""
        return {name: section for name, section in self.section.items() if section.group == group}

    def options_of(self, group: str) -> dict[str, Option]:
        """The options of a group: section by section, inside a section in the order of the file."""
        return {
            name: option
            for section in self.sections_of(group)
            for name, option in self.option.items()
            if option.section == section
        }
