"""Zig, out of the package index: the compiler of WebAssembly, and the headers by which the core is
compiled for systems whose own headers cannot be had here.

Installed once by pip into wsp's cache, held to its checksum; pip knows the user's index, proxy and
certificates. What cannot be had is an error, never a skip.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from wspkit.fetching.cache import cache_root, exclusive

VERSION = "0.17.1"
_REQUIREMENT = (
    f"ziglang=={VERSION} "
    "--hash=sha256:ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54\n"
)


@cache
def folder() -> Path:
    """The package's folder: the program `zig`, and `lib` with headers and sources."""
    directory = cache_root() / "tests" / f"zig-{VERSION}"
    with exclusive(directory, waiting=lambda: None):
        if not directory.is_dir():
            with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
                requirements = Path(scratch) / "requirements.txt"
                requirements.write_text(_REQUIREMENT, encoding="utf-8")
                target = Path(scratch) / "packages"
                pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps")
                options = ("--require-hashes", "--target", str(target), "-r", str(requirements))
                subprocess.run((*pip, *options), check=True)
                target.rename(directory)
    return directory / "ziglang"


def environment() -> dict[str, str]:
    """The environment in which `wsp build` finds it, and which keeps what it compiles of its own
    libraries.
    """
    cached = cache_root() / "tests" / f"zig-{VERSION}-compiled"
    return {**os.environ, "ZIG": str(folder() / "zig"), "ZIG_GLOBAL_CACHE_DIR": str(cached)}
