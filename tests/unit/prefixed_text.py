"""A few lines of source under a prefix, for tests that say what becomes of them."""

from __future__ import annotations

from wspkit.prefix.profile import load_profile
from wspkit.prefix.tree import PrefixedTree, prefix_files


def prefixed(
    text: str | dict[str, str], *, profile: str = "compat", prefix: str = "wsp_"
) -> PrefixedTree:
    """A tree under a prefix; a text alone is a.cpp."""
    files = {"a.cpp": text} if isinstance(text, str) else text
    encoded = {path: content.encode() for path, content in files.items()}
    return prefix_files(encoded, prefix=prefix, profile=load_profile(profile))


def after(text: str | dict[str, str], path: str = "a.cpp", *, profile: str = "compat") -> str:
    """One file of a tree under wsp_."""
    return prefixed(text, profile=profile).files[path].decode()
