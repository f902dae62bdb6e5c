"""What the package is made of, as an SPDX 2.3 document (https://spdx.github.io/spdx-spec/v2.3/)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import wspkit
from wspkit.package.revision import Revision


@dataclass(frozen=True)
class Component:
    """A project whose code is in the package."""

    name: str
    version: str
    license: str
    """As SPDX spells it."""
    copyright: str
    origin: str
    """Where it came from: an address, or NOASSERTION."""


def bill(
    files: Mapping[str, bytes], package: Component, others: Iterable[Component], revision: Revision
) -> bytes:
    """The document; the same files give the same bytes. files: all but this one."""
    hashes = {path: _hashes(content) for path, content in sorted(files.items())}
    # SPDX 2.3, 7.9: of the sorted SHA-1 sums of the files.
    joined = "".join(sorted(sums["SHA1"] for sums in hashes.values()))
    code = hashlib.sha1(joined.encode(), usedforsecurity=False).hexdigest()
    main = _package(package) | {
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": code},
        "hasFiles": [_file_id(path) for path in hashes],
    }
    inside = [_package(one) | {"filesAnalyzed": False} for one in others]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{package.name}-{package.version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{package.name}-{package.version}-{code}",
        "creationInfo": {
            "created": revision.time,
            "creators": [f"Tool: wspkit-{wspkit.__version__}"],
        },
        "documentDescribes": [main["SPDXID"]],
        "packages": [main, *inside],
        "files": [_file(path, sums, package) for path, sums in hashes.items()],
        "relationships": [
            _relation("SPDXRef-DOCUMENT", "DESCRIBES", main["SPDXID"]),
            *(_relation(main["SPDXID"], "CONTAINS", one["SPDXID"]) for one in inside),
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _package(one: Component) -> dict[str, object]:
    return {
        "SPDXID": f"SPDXRef-Package-{re.sub(r'[^A-Za-z0-9.-]', '-', one.name)}",
        "name": one.name,
        "versionInfo": one.version,
        "downloadLocation": one.origin,
        "licenseConcluded": one.license,
        "licenseDeclared": one.license,
        "copyrightText": one.copyright,
    }


def _file(path: str, sums: Mapping[str, str], package: Component) -> dict[str, object]:
    return {
        "SPDXID": _file_id(path),
        "fileName": f"./{path}",
        "checksums": [{"algorithm": kind, "checksumValue": value} for kind, value in sums.items()],
        "licenseConcluded": package.license,
        "copyrightText": "NOASSERTION",
    }


def _file_id(path: str) -> str:
    # Ids have letters, digits, dots and dashes only; a checksum keeps paths apart that then agree.
    mark = hashlib.sha256(path.encode()).hexdigest()[:8]
    return f"SPDXRef-File-{re.sub(r'[^A-Za-z0-9.-]', '-', path)}-{mark}"


def _relation(one: object, kind: str, other: object) -> dict[str, object]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def _hashes(content: bytes) -> dict[str, str]:
    return {
        "SHA1": hashlib.sha1(content, usedforsecurity=False).hexdigest(),
        "SHA256": hashlib.sha256(content).hexdigest(),
    }
