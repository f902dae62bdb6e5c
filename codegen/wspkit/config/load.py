"""Finds and reads wsp.toml. It must not know what the keys are for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wspkit import tables
from wspkit.config.model import Config
from wspkit.errors import NotFoundError

FILE = "wsp.toml"


@dataclass(frozen=True)
class Project:
    """A tree with its settings."""

    file: Path
    """Its wsp.toml."""
    config: Config

    @property
    def root(self) -> Path:
        """The folder of wsp.toml, which its paths begin at."""
        return self.file.parent


def load_project(file: Path | None = None, *, start: Path | None = None) -> Project:
    """The project of a file, or of the nearest wsp.toml from a folder upwards.

    start: that folder; the current one if None. Raises NotFoundError if there is none,
    BadFormatError with every problem of the file: its line, the key, what was expected.
    """
    found = file if file is not None else _nearest(Path.cwd() if start is None else start)
    found = found.absolute()
    config = tables.read(found, Config, what="the settings of a project", name=str(file or FILE))
    return Project(found, config)


def _nearest(start: Path) -> Path:
    for folder in (start.absolute(), *start.absolute().parents):
        if (folder / FILE).is_file():
            return folder / FILE
    raise NotFoundError(
        f"no {FILE} in {start.absolute()} or above",
        hint=f"Run wsp inside a project, name its file with --config, or make an empty {FILE}: "
        "every key has a default.",
    )
