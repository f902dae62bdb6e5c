"""Reads `api.toml` into its model. It must not know what the options mean: rules between tables
are in `check.py`.
"""

from __future__ import annotations

from pathlib import Path

from wspkit import tables
from wspkit.spec.model import Api

PATH = Path(__file__).with_name("api.toml")
"""The file of this package."""


def load(path: Path = PATH) -> Api:
    """The API that a file describes.

    Raises NotFoundError if there is no such file, BadFormatError with every problem of it, one per
    line, if it is not TOML, holds an unknown key, lacks one or has a value of the wrong type.
    """
    return tables.read(path, Api, what="the description of the API")


def parse(text: str, name: str) -> Api:
    """The API that a text describes; `name` stands for it in messages. Raises BadFormatError like
    `load`.
    """
    return tables.parse(text, name, Api)
