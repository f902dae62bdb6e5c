"""Lays the root of the npm package: JavaScript, sources under the prefix, platforms, licences, bill
of materials and provenance; as a whole or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wspkit.config.load import Project
from wspkit.errors import BadFormatError, UsageError
from wspkit.fetching.whole_folder import holds, replace_folder
from wspkit.package.bill import Component, bill
from wspkit.package.javascript import javascript
from wspkit.package.native import Native, exports, native, public_functions
from wspkit.package.places import (
    BILL,
    BINDING,
    EXPORTS,
    LICENSES,
    MANIFEST,
    OWN_CORE,
    PLATFORMS,
    PROVENANCE,
    SOURCES,
    files_of,
)
from wspkit.package.prebuilt import prebuilt
from wspkit.package.provenance import provenance
from wspkit.package.revision import Revision, revision_of
from wspkit.process import Runner

LICENSE = "MIT"
"""Of this project, as SPDX spells it."""


@dataclass(frozen=True)
class Staged:
    """A package in memory."""

    files: Mapping[str, bytes]
    links: Mapping[str, Path]
    """Path in the package -> file of this tree; only for development."""
    manifest: Mapping[str, Any]
    """Its package.json."""
    revision: Revision
    names: Mapping[str, str]
    """What each name of the sources became."""


def assemble(
    project: Project, runner: Runner, *, link: bool = False, binaries: Path | None = None
) -> Staged:
    """The package of a tree; nothing is written but the cache of the compiler of JavaScript.

    link: native sources are links to this tree, without prefix, and JavaScript is compiled.
    binaries: a folder of `wsp build`, whose libraries are packed as well.
    Errors: NotFoundError, BadFormatError, CommandError, NetworkError.
    """
    root, config = project.root, project.config
    revision = revision_of(root, SOURCES, runner)
    scripts = javascript(root, runner)
    manifest = _manifest(scripts, config.package.name)
    links: Mapping[str, Path] = {}
    if link:
        links = files_of(root, (OWN_CORE, BINDING, *PLATFORMS))
        headers = {path: file.read_bytes() for path, file in links.items()}
        sources = Native({EXPORTS: exports(headers).encode()}, {})
    else:
        sources = native(root, config.prefix, profile_root=root)
    files = {
        **scripts,
        MANIFEST: _json(manifest),
        **sources.files,
        f"{LICENSES}/{LICENSE}.txt": (root / "LICENSE").read_bytes(),
    }
    if binaries is not None:
        files.update(prebuilt(binaries, public_functions(files)))
    own = Component(
        config.package.name, manifest["version"], LICENSE, _copyright(root), "NOASSERTION"
    )
    if not link:
        files[BILL] = bill(files, own, (), revision)
    files[PROVENANCE] = provenance(
        files,
        package={"name": own.name, "version": own.version, "linked": link},
        core={"choice": "ours", "version": own.version},
        prefix={"name": None if link else config.prefix.name, "profile": config.prefix.profile},
        revision=revision,
    )
    return Staged(dict(sorted(files.items())), links, manifest, revision, sources.names)


def write(staged: Staged, destination: Path) -> bool:
    """Makes a folder hold the package and nothing else; false if it did already.

    Errors: UsageError for a folder that no `wsp stage` made; InputOutputError.
    """
    _refuse(destination)
    if holds(destination, staged.files, links=staged.links):
        return False
    replace_folder(destination, staged.files, links=staged.links)
    return True


def _manifest(scripts: Mapping[str, bytes], name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scripts[MANIFEST])
    found["name"] = name
    return found


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()


def _copyright(root: Path) -> str:
    lines = (root / "LICENSE").read_text(encoding="utf-8").splitlines()
    found = next((line for line in lines if line.startswith("Copyright")), None)
    if found is None:
        raise BadFormatError("LICENSE has no line that begins with Copyright")
    return found


def _refuse(destination: Path) -> None:
    ours = not destination.exists() or (
        destination.is_dir()
        and ((destination / PROVENANCE).is_file() or not any(destination.iterdir()))
    )
    if not ours:
        raise UsageError(
            f"{destination} exists and was not made by wsp stage (it has no {PROVENANCE})",
            expected="an empty folder, a new one, or an earlier result",
            hint="Remove it yourself if it may go, or name another with --out.",
        )
