"""What all tables of `api.toml` share: scalars and units. It knows no table."""

from __future__ import annotations

from typing import Literal

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
