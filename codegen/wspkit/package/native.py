"""The native sources of the package: core, binding and platforms under the prefix, and what is made
of their names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wspkit.config.model import Prefix
from wspkit.package.places import BINDING, EXPORTS, OWN_CORE, PLATFORMS, PREFIX_RECORD, files_of
from wspkit.prefix.collect import collect
from wspkit.prefix.profile import load_profile
from wspkit.prefix.source import read
from wspkit.prefix.tree import prefix_files
from wspkit.targets.exports import version_script

_JNI = ("JNI_OnLoad", "JNI_OnUnload", "Java_*")
"""What Java finds by name."""


@dataclass(frozen=True)
class Native:
    """Sources as they are packed."""

    files: Mapping[str, bytes]
    names: Mapping[str, str]
    """What each name became."""


def native(root: Path, prefix: Prefix, *, profile_root: Path) -> Native:
    """The sources of our own core under a prefix. profile_root: where a path of a profile begins.

    Errors: those of `prefix_files` and `load_profile`.
    """
    sources = files_of(root, (OWN_CORE, BINDING, *PLATFORMS))
    contents = {path: file.read_bytes() for path, file in sources.items()}
    return prefixed(contents, prefix, profile_root=profile_root)


def prefixed(contents: Mapping[str, bytes], prefix: Prefix, *, profile_root: Path) -> Native:
    """Sources under a prefix, with the list of exported names and the record of the prefix."""
    named = profile_root / prefix.profile
    tree = prefix_files(
        contents,
        prefix=prefix.name,
        profile=load_profile(named if named.is_file() else prefix.profile),
    )
    record = {"about": "made by wsp stage", "prefix": prefix.name, "profile": tree.profile}
    files = {
        **tree.files,
        EXPORTS: exports(tree.files).encode(),
        PREFIX_RECORD: (json.dumps(record, indent=1) + "\n").encode(),
    }
    return Native(files, tree.names)


def exports(files: Mapping[str, bytes]) -> str:
    """The linker's list: functions of the public headers, and what Java looks up."""
    return version_script((*public_functions(files), *_JNI))


def public_functions(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The functions that the headers in cpp/include declare, sorted."""
    headers = [
        read(path, content)
        for path, content in sorted(files.items())
        if path.startswith("cpp/include/") and path.endswith(".h")
    ]
    declared = collect([header for header in headers if header is not None]).declared
    return tuple(sorted(name for name, kind in declared.items() if kind == "function"))
