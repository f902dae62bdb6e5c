"""The one door to the native module `_core`: who lacks it learns what to do about it."""

from __future__ import annotations

import operator

from wspkit.errors import NotFoundError, UsageError

try:
    from wspkit.core import _core as core
except ImportError as error:
    raise NotFoundError(
        f"the native module wspkit.core._core cannot be loaded ({error})",
        expected="one built for this Python",
        hint="Install the package with `pip install .`, or see `wsp doctor`.",
    ) from error

CancellationToken = core.CancellationToken

_INT32_END = 2**31


def int32(name: str, value: int) -> int:
    """An argument as the module takes it: it says TypeError of what does not fit, and no more."""
    try:
        number = operator.index(value)  # NumPy's integers are numbers as well
    except TypeError as error:
        raise UsageError(f"{name} is {value!r}", expected="a whole number") from error
    if not -_INT32_END <= number < _INT32_END:
        raise UsageError(f"{name} is {number}", expected="a number of 32 bits")
    return number


__all__ = ["CancellationToken", "core", "int32"]
