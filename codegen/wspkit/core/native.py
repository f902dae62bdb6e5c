"""The one door to the native module `_core`: who lacks it learns what to do about it."""

from __future__ import annotations

from wspkit.errors import NotFoundError

try:
    from wspkit.core import _core as core
except ImportError as error:
    raise NotFoundError(
        f"the native module wspkit.core._core cannot be loaded ({error})",
        expected="one built for this Python",
        hint="Install the package with `pip install .`, or see `wsp doctor`.",
    ) from error

CancellationToken = core.CancellationToken

__all__ = ["CancellationToken", "core"]
