"""Where the finished files of models lie on this machine; fetches nothing."""

from __future__ import annotations

from pathlib import Path

from wspkit.fetching.cache import cache_root
from wspkit.models.catalogue import Model


def model_path(model: Model) -> Path:
    """Where the finished file of a model lies, or would lie."""
    return cache_root() / "models" / model.file


def cached_model(model: Model) -> Path | None:
    """The finished file, None if it has not been fetched.

    A file stands under its final name only after its checksum was right, so only the size is looked
    at here: it catches a file that something else cut.
    """
    path = model_path(model)
    try:
        return path if path.stat().st_size == model.size_bytes else None
    except OSError:
        return None
