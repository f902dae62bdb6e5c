"""Programs of npm that tests run (TypeScript, metro, jest, hermesc): installed once, at the
versions of js/package-lock.json or another lock, into wsp's cache.

npm knows the user's registry, proxy and certificates; the lock holds every package to its checksum.
No package's own scripts run. Tools that cannot be had are an error, never a skip.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wspkit.fetching.cache import cache_root, exclusive

SOURCE = Path(__file__).resolve().parents[1] / "js"
_FILES = (".npmrc", "package.json", "package-lock.json")
# A slow registry, and a machine that does other things too.
_TIMEOUT_S = 1200


@cache
def node_modules(locked: Path = SOURCE) -> Path:
    """The folder `node_modules` with all tools of a folder's lock; nothing may be written to it."""
    # The lock repeats what package.json asks for; the rest of that file changes nothing here.
    content = b"\0".join((locked / name).read_bytes() for name in (".npmrc", "package-lock.json"))
    directory = cache_root() / "tests" / f"node-{hashlib.sha256(content).hexdigest()[:12]}"
    with exclusive(directory, waiting=lambda: None):
        if not directory.is_dir():
            with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
                tools = Path(scratch) / "tools"
                tools.mkdir()
                for name in _FILES:
                    shutil.copy(locked / name, tools)
                quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
                run("npm", "ci", *quiet, cwd=tools)
                tools.rename(directory)
    return directory / "node_modules"


def tool(name: str) -> str:
    """The program of a tool, such as tsc."""
    return str(node_modules() / ".bin" / name)


def run(
    *command: str, cwd: Path, environment: Mapping[str, str] | None = None, code: int = 0
) -> str:
    """Runs a program and gives its output, with its errors where it is to fail; another exit code
    than `code` fails.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == code, f"{command}: {done.returncode}\n{printed}"
    return printed if code else done.stdout
