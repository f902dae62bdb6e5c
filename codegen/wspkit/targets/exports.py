"""The names that a shared library of the core shows: the functions of its public headers. It knows
no target.
"""

from __future__ import annotations

import json
from pathlib import Path

from wspkit.errors import BadFormatError, NotFoundError, UsageError
from wspkit.prefix.collect import collect
from wspkit.prefix.source import read

_RECORD = ".wsp-prefix.json"
"""Where `wsp prefix` writes down what it did."""


def check_source(source: Path, prefix: str) -> None:
    """Whether a folder has sources of the core, without prefix or with the one of wsp.toml.

    Raises NotFoundError if it has none, UsageError if they have another prefix, BadFormatError if
    the record of the prefix is damaged.
    """
    for name in ("CMakeLists.txt", "conanfile.py", "include"):
        if not (source / name).exists():
            raise NotFoundError(
                f"no {name} in {source}",
                expected="the sources of the core there",
                hint="Name their folder with --source, or build.source in wsp.toml.",
            )
    record = source / _RECORD
    if not record.is_file():
        return
    try:
        found = json.loads(record.read_text(encoding="utf-8"))["prefix"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadFormatError(
            f"{record} does not say which prefix the sources have",
            hint="Delete the folder and stage or prefix it again.",
        ) from error
    if found != prefix:
        raise UsageError(
            f"the sources in {source} have the prefix {found!r}",
            expected=f"{prefix!r} (prefix.name in wsp.toml)",
            hint="Stage or prefix them again, or change wsp.toml.",
        )


def public_functions(source: Path) -> tuple[str, ...]:
    """The functions that the headers in include/ declare, sorted. Raises BadFormatError for a
    header that cannot be read.
    """
    headers = [
        read(path.name, path.read_bytes()) for path in sorted((source / "include").glob("*.h"))
    ]
    declared = collect([header for header in headers if header is not None]).declared
    return tuple(sorted(name for name, kind in declared.items() if kind == "function"))


def version_script(names: tuple[str, ...]) -> str:
    """For the linkers of ELF: these names, and no other."""
    shown = "".join(f"    {name};\n" for name in names)
    return f"{{\n  global:\n{shown}  local:\n    *;\n}};\n"


def symbol_list(names: tuple[str, ...]) -> str:
    """For Apple's linker, where names of C begin with an underscore."""
    return "".join(f"_{name}\n" for name in names)
