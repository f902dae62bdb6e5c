"""The file that says what a package was made of: commit, core, prefix, and a checksum of each
file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from wspkit.errors import BadFormatError
from wspkit.package.places import PROVENANCE
from wspkit.package.revision import Revision


def provenance(
    files: Mapping[str, bytes],
    *,
    package: Mapping[str, Any],
    core: Mapping[str, Any],
    prefix: Mapping[str, Any],
    revision: Revision,
) -> bytes:
    """The document. files: all but this one."""
    document = {
        "about": "what this package was made of; `wsp pack` holds it against its files",
        "package": dict(package),
        "source": {
            "commit": revision.commit,
            "dirty": revision.dirty,
            "changed": list(revision.changed),
        },
        "core": dict(core),
        "prefix": dict(prefix),
        "files": {path: _sha256(content) for path, content in sorted(files.items())},
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def read_provenance(content: bytes) -> dict[str, Any]:
    """The document. Raises BadFormatError for anything else."""
    try:
        found = json.loads(content)
        parts = {"package", "source", "core", "prefix", "files"}
        whole = parts <= found.keys() and isinstance(found["files"], dict)
    except (ValueError, AttributeError):
        found, whole = {}, False
    if not whole:
        raise BadFormatError(f"{PROVENANCE} is damaged", hint="Stage the package again.")
    document: dict[str, Any] = found
    return document


def differences(files: Mapping[str, bytes], document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Path and what is wrong with it, for each file that the document does not describe."""
    expected: Mapping[str, str] = document["files"]
    found = {path: "is missing" for path in expected if path not in files}
    for path, content in files.items():
        if path == PROVENANCE:
            continue
        if path not in expected:
            found[path] = f"is not in {PROVENANCE}"
        elif _sha256(content) != expected[path]:
            found[path] = f"has another checksum than {PROVENANCE} says"
    return sorted(found.items())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
