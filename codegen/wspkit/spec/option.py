"""One option at run time: what the generated tables say about it, and the check of a value by it.

It ships with the options, so it uses the standard library only and knows neither `api.toml` nor the
core.
"""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wspkit.errors import UsageError


class Options:
    """What all generated classes of options are, so that one may be nested in another."""

    __slots__ = ()


Value = bool | int | float | str | tuple[int, ...] | tuple[str, ...] | Options

# What the C fields hold.
_INT_LIMITS = {"int": (-(2**31), 2**31 - 1), "uint64": (0, 2**64 - 1)}
_INT_BITS = {"int": 32, "uint64": 64}
_FLOAT_LIMIT = 3.4028234663852886e38


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionInfo:
    """One option: name, type, range, default and where it goes."""

    name: str
    """Name in Python and in `api.toml`."""
    section: str
    """Title of the section that it belongs to."""
    type: str
    """bool, int, float, string, enum or tokens."""
    unit: str | None = None
    """Unit of a number; None if it has none."""
    default: Value
    """Value when nothing is said."""
    minimum: float | None = None
    """Smallest value; for tokens, of each id. None if there is no limit but that of the type."""
    maximum: float | None = None
    """Largest value; for tokens, of each id."""
    minimum_exclusive: bool = False
    """`minimum` itself is not allowed."""
    maximum_exclusive: bool = False
    """`maximum` itself is not allowed."""
    special: tuple[tuple[Value, str], ...] = ()
    """Values with a meaning of their own, allowed even outside the range, and that meaning."""
    choices: tuple[str, ...] = ()
    """For enum: the values allowed."""
    excludes: tuple[str, ...] = ()
    """Options that cannot be given together with this one."""
    c_field: str
    """Field of the C struct, with a dot into a nested struct."""
    c_default: str | None = None
    """Default of the C struct, as text, where it is another one or follows from a rule."""
    flag: str | None = None
    """Option of the command line."""
    since: str
    """Version that brought it."""

    @property
    def range_text(self) -> str:
        """The range in words, such as "1 to 8" or "above 0, at most 1"; empty if the type alone
        limits the value.
        """
        if self.choices:
            return ", ".join(self.choices)
        low, high = self.minimum, self.maximum
        if (
            low is not None
            and high is not None
            and not (self.minimum_exclusive or self.maximum_exclusive)
        ):
            return f"{_shown(low)} to {_shown(high)}"
        parts = []
        if low is not None:
            parts.append(f"{'above' if self.minimum_exclusive else 'at least'} {_shown(low)}")
        if high is not None:
            parts.append(f"{'below' if self.maximum_exclusive else 'at most'} {_shown(high)}")
        return ", ".join(parts)

    def checked(self, value: object) -> Value:
        """The value in the exact type of the option: NumPy numbers become Python's, sequences
        tuples.

        Raises UsageError, naming option, value and what is allowed, if the type is wrong or the
        value outside the range.
        """
        checkers: dict[str, Callable[[object], Value]] = {
            "bool": self._checked_bool,
            "int": self._checked_int,
            "uint64": self._checked_int,
            "float": self._checked_float,
            "string": self._checked_string,
            "path": self._checked_path,
            "enum": self._checked_choice,
            "tokens": self._checked_tokens,
            "names": self._checked_names,
            "options": self._checked_options,
        }
        return checkers[self.type](value)

    def _checked_bool(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise self._refused(value, "True or False")

    def _checked_int(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            raise self._refused(value, f"a whole number{self._range_suffix()}")
        number = int(value)
        kind = self.type if self.type in _INT_LIMITS else "int"
        low, high = _INT_LIMITS[kind]
        if not low <= number <= high and self._allows(number):
            raise self._refused(value, f"a number of {_INT_BITS[kind]} bits{self._range_suffix()}")
        if not self._allows(number):
            raise self._refused(value, self.range_text)
        return number

    def _checked_float(self, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise self._refused(value, f"a number{self._range_suffix()}")
        number = float(value)
        if not math.isfinite(number) or abs(number) > _FLOAT_LIMIT:
            raise self._refused(value, f"a finite number of 32 bits{self._range_suffix()}")
        if not self._allows(number):
            raise self._refused(value, self.range_text)
        return number

    def _checked_string(self, value: object) -> str:
        if not isinstance(value, str):
            raise self._refused(value, "text")
        if "\0" in value:
            # A C string would end there in silence.
            raise self._refused(value, "text without a zero character")
        if any("\ud800" <= letter <= "\udfff" for letter in value):
            # The command line hands bytes that are no UTF-8 over as lone surrogates.
            raise self._refused(value, "text that UTF-8 can write")
        return value

    def _checked_path(self, value: object) -> str:
        # No rule about UTF-8: a path is what the operating system says it is.
        path = os.fspath(value) if isinstance(value, os.PathLike) else value
        if not isinstance(path, str):
            raise self._refused(value, "a path, as text or os.PathLike")
        if "\0" in path:
            raise self._refused(value, "a path without a zero character")
        return path

    def _checked_choice(self, value: object) -> str:
        if isinstance(value, str) and value in self.choices:
            return value
        raise self._refused(value, f"one of {', '.join(self.choices)}")

    def _checked_tokens(self, value: object) -> tuple[int, ...]:
        # Text is a sequence too, but never one of token ids; NumPy's arrays are none by name.
        if isinstance(value, (str, bytes)) or not (
            isinstance(value, Sequence) or hasattr(value, "__array__")
        ):
            raise self._refused(value, "a sequence of token ids")
        return tuple(self._checked_int(item) for item in value)  # type: ignore[attr-defined]

    def _checked_names(self, value: object) -> tuple[str, ...]:
        # Text is a sequence of texts too, of letters that nobody meant.
        if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
            raise self._refused(value, "a sequence of names")
        return tuple(self._checked_string(item) for item in value)

    def _checked_options(self, value: object) -> Options:
        if isinstance(value, Options) and type(value) is type(self.default):
            return value
        raise self._refused(value, type(self.default).__name__)

    def _allows(self, number: float) -> bool:
        return self._in_range(number) or any(number == special for special, _ in self.special)

    def _in_range(self, number: float) -> bool:
        low = (
            self.minimum is None
            or number > self.minimum
            or (number == self.minimum and not self.minimum_exclusive)
        )
        high = (
            self.maximum is None
            or number < self.maximum
            or (number == self.maximum and not self.maximum_exclusive)
        )
        return low and high

    def _range_suffix(self) -> str:
        return f", {self.range_text}" if self.range_text else ""

    def _refused(self, value: object, allowed: str) -> UsageError:
        shown = repr(value)
        if len(shown) > 80:
            shown = f"{shown[:77]}..."
        return UsageError(f"option {self.name} is {shown}", expected=f"{allowed}{self._special()}")

    def _special(self) -> str:
        """What to say of a number's special values behind the range, which may hold them."""
        inside, outside = "", ""
        for value, meaning in self.special:
            if isinstance(value, (int, float)) and self._in_range(value):
                inside += f" ({value!r}: {meaning})"
            elif isinstance(value, (int, float)):
                outside += f", or {value!r} ({meaning})"
        return inside + outside


def _shown(number: float) -> str:
    # Whole numbers in full: 3600000 is read at a glance, 3.6e+06 is not.
    return str(int(number)) if number == int(number) else f"{number:g}"


def check_options(options: object, table: Sequence[OptionInfo]) -> None:
    """Checks every field of a frozen options object and puts it into its exact type. For
    `__post_init__` only.

    Raises UsageError for the first option that is wrong, or if two options are given that exclude
    each other.
    """
    for info in table:
        object.__setattr__(options, info.name, info.checked(getattr(options, info.name)))
    defaults = {info.name: info.default for info in table}
    for info in table:
        if getattr(options, info.name) == info.default:
            continue
        for other in info.excludes:
            if getattr(options, other) != defaults[other]:
                raise UsageError(
                    f"options {info.name} and {other} are both given", expected="one of them"
                )
