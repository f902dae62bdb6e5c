"""The one door to the native module `_core`, over whichever core was chosen: who lacks it learns
what to do about it.
"""

from __future__ import annotations

import importlib.util
import operator
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wspkit.core import choice
from wspkit.core.choice import Core
from wspkit.errors import NotFoundError, UsageError


def _load() -> ModuleType:
    """Our own module, or the file over whisper.cpp under the same name."""
    if choice.chosen() is Core.UPSTREAM:
        path = choice.upstream_module()
        try:
            return _load_file(path)
        except ImportError as error:
            raise NotFoundError(
                f"{path} cannot be loaded ({error})",
                expected="the module of this Python and this version of wspkit",
                hint="Build it again with `wsp build-core`.",
            ) from error
    try:
        from wspkit.core import _core  # noqa: PLC0415 - only where it is chosen
    except ImportError as error:
        raise NotFoundError(
            f"the native module wspkit.core._core cannot be loaded ({error})",
            expected="one built for this Python",
            hint="Install the package with `pip install .`, or see `wsp doctor`.",
        ) from error
    return _core


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(choice.MODULE, path)
    if spec is None or spec.loader is None:
        raise ImportError("it is no module of Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[choice.MODULE] = module
    return module


if TYPE_CHECKING:
    from wspkit.core import _core as core
else:
    core = _load()

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
