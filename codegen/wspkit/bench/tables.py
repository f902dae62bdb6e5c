"""Which kernel tables this machine can run, as the native module tells."""

from __future__ import annotations

import re

from wspkit.errors import InternalError


def kernel_tables() -> list[str]:
    """Names of the tables, slowest first; "scalar" is always there."""
    from wspkit.core import build_facts  # noqa: PLC0415 - the native module

    return tables_in(build_facts().system_info)


def tables_in(system_info: str) -> list[str]:
    """The tables that the core's line about itself names."""
    match = re.search(r"\(available: ([^)]*)\)", system_info)
    if match is None:
        raise InternalError(f"the core says {system_info!r}", expected="its kernel tables")
    return match[1].split()


def table_in(system_info: str) -> str | None:
    """The table that the core says it computes with; None if it says nothing of the kind."""
    match = re.search(r"\bkernels: (\w+)", system_info)
    return match[1] if match else None
