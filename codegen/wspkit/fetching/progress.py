"""What fetching needs from whoever shows how far it is, so that a library call shows nothing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Bar(Protocol):
    """What shows how far one step is."""

    def update(self, completed: float, *, total: float | None = None) -> None:
        """Moves to `completed`."""
        ...


class ProgressFactory(Protocol):
    """Makes a bar for one step; `wspkit.log.progress` is one."""

    def __call__(
        self, description: str, *, total: float | None, in_bytes: bool = False
    ) -> AbstractContextManager[Bar]:
        """The bar, shown while the context lasts."""
        ...


class _Silent:
    def update(self, completed: float, *, total: float | None = None) -> None:
        """Shows nothing."""


def silent(
    description: str,  # noqa: ARG001
    *,
    total: float | None,  # noqa: ARG001
    in_bytes: bool = False,  # noqa: ARG001
) -> AbstractContextManager[Bar]:
    """A factory of bars that show nothing."""
    return nullcontext(_Silent())
