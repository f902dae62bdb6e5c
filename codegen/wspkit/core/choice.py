"""Which core stands behind this package: our own, or whisper.cpp under the same API. A process has
one; it is chosen before anything needs it. This file loads nothing and must not know models.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Final

import wspkit
from wspkit.errors import NotFoundError, UsageError
from wspkit.fetching.cache import cache_root

CORE_VARIABLE: Final = "WSPKIT_CORE"
"""Environment variable that names the core: "own" or "upstream"."""
MODULE: Final = "wspkit.core._core"
_DOOR: Final = "wspkit.core.native"


class Core(str, Enum):
    """A core with the functions of both public headers."""

    OWN = "own"
    """The one in cpp/."""
    UPSTREAM = "upstream"
    """whisper.cpp, as `wsp build-core` builds it."""


def chosen() -> Core:
    """The core that the environment names, our own if none. Raises UsageError for another name."""
    name = os.environ.get(CORE_VARIABLE) or Core.OWN.value
    try:
        return Core(name)
    except ValueError:
        known = " or ".join(core.value for core in Core)
        raise UsageError(f"{CORE_VARIABLE} is {name!r}", expected=known) from None


def choose(core: Core) -> None:
    """Makes `core` the one of this process and of those that it starts.

    Raises UsageError if the process has loaded another already.
    """
    if core is not chosen() and _DOOR in sys.modules:
        raise UsageError(
            f"the core {core.value} is asked for in a process that has loaded {chosen().value}",
            expected=f"one core for each process, by {CORE_VARIABLE} or before its first use",
        )
    os.environ[CORE_VARIABLE] = core.value


def built_folder() -> Path:
    """Where `wsp build-core` keeps whisper.cpp for this version of wspkit: tree, build, module."""
    return cache_root() / "cores" / f"whisper.cpp-for-{wspkit.__version__}"


def module_name() -> str:
    """What the file of the native module is called for this Python."""
    return f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"


def upstream_module() -> Path:
    """The native module over whisper.cpp: installed beside our own, else what was built last.

    Raises NotFoundError, with the command that makes it.
    """
    found = next((path for path in _candidates() if path.is_file()), None)
    if found is None:
        raise NotFoundError(
            "there is no core of whisper.cpp for this Python",
            expected=f"{built_folder() / module_name()}",
            hint="Make it with `wsp build-core`, in a clone of the repository.",
        )
    return found


def _candidates() -> Iterator[Path]:
    own = importlib.util.find_spec(MODULE)
    if own is not None and own.origin:
        # A package that was built with SPEECH_UPSTREAM.
        yield Path(own.origin).parent / Core.UPSTREAM.value / module_name()
    yield built_folder() / module_name()
