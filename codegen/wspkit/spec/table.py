"""What all tables of `api.toml` share: strictness, scalars and units. It knows no table."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Scalar = bool | int | float | str
Unit = Literal[
    "ms",
    "s",
    "hz",
    "bytes",
    "tokens",
    "characters",
    "threads",
    "parts",
    "frames",
    "layers",
    "channels",
    "draws",
    "beams",
    "nats",
    "probability",
    "percent",
    "number",
    "none",
]
""""number" names something, such as an id; "none" is a pure number."""


class Table(BaseModel):
    """A table whose keys are known, typed, documented and never changed."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True
    )
