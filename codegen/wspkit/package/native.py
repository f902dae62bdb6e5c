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
from wspkit.prefix.profile import Profile, Rule, load_profile
from wspkit.prefix.source import read
from wspkit.prefix.tree import prefix_files
from wspkit.targets.exports import version_script

_JNI = ("JNI_OnLoad", "JNI_OnUnload", "Java_*")
"""What Java finds by name."""
_APART = "speech_"
_SHARED = Profile(
    name="apart",
    about="names of ggml that whisper.h's programs use",
    collect=(),
    rename=(Rule(names=(r"ggml_\w*",), why="whisper.rn has ggml's names under the prefix wsp_"),),
    keep=(Rule(names=(r"(?!ggml_)\w+",), why="is nobody else's"),),
)
"""What gets a name of its own before the prefix, so that an app may have other kits too."""


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
    profile = load_profile(named if named.is_file() else prefix.profile)
    meant = {path: content for path, content in contents.items() if b"ggml_" in content}
    apart = prefix_files(meant, prefix=_APART, profile=_SHARED)
    tree = prefix_files({**contents, **apart.files}, prefix=prefix.name, profile=profile)
    record = {"about": "made by wsp stage", "prefix": prefix.name, "profile": tree.profile}
    files = {
        **tree.files,
        EXPORTS: exports(tree.files).encode(),
        PREFIX_RECORD: (json.dumps(record, indent=1) + "\n").encode(),
    }
    names = dict(tree.names)
    names |= {old: names.pop(new) for old, new in apart.names.items()}
    return Native(files, dict(sorted(names.items())))


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
