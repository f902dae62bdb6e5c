"""The JavaScript part of the package, compiled: runs js/lay.mjs with the TypeScript of its lock."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

from wspkit.errors import BadFormatError, NotFoundError
from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.npm import npm_archive
from wspkit.fetching.whole_folder import replace_folder
from wspkit.process import Command, Runner
from wspkit.upstream.archive_tree import read_archive

_COMPILER = "typescript"
_TIMEOUT_S = 600.0


def javascript(root: Path, runner: Runner) -> dict[str, bytes]:
    """Path in the package -> content. Errors: NotFoundError without node or npm, CommandError with
    what the compiler says, BadFormatError, NetworkError.
    """
    modules = _compiler(root / "js", runner)
    with tempfile.TemporaryDirectory(prefix="wsp-js-") as scratch:
        laid = Path(scratch) / "laid"
        command = Command(
            ("node", "lay.mjs", str(laid), str(modules)), cwd=root / "js", timeout_s=_TIMEOUT_S
        )
        try:
            runner.run(command)
        except NotFoundError as error:
            raise NotFoundError(
                "node is not there, which compiles js/", hint="Install Node.js with npm."
            ) from error
        return {
            path.relative_to(laid).as_posix(): path.read_bytes()
            for path in sorted(laid.rglob("*"))
            if path.is_file()
        }


def _compiler(js: Path, runner: Runner) -> Path:
    """A folder node_modules with the compiler alone, at the version and checksum of the lock."""
    entry = json.loads((js / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    locked = entry[f"node_modules/{_COMPILER}"]
    folder = cache_root() / "tools" / f"{_COMPILER}-{locked['version']}"
    modules = folder / "node_modules"
    with exclusive(folder, waiting=lambda: None):
        if not modules.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                archive = npm_archive(_COMPILER, locked["version"], Path(scratch), runner=runner)
                _check(archive, locked["integrity"])
                files = read_archive(archive)
            replace_folder(
                modules / _COMPILER,
                {path.partition("/")[2]: content for path, content in files.items()},
            )
    return modules


def _check(archive: Path, integrity: str) -> None:
    kind, _, expected = integrity.partition("-")
    found = base64.b64encode(hashlib.new(kind, archive.read_bytes()).digest()).decode()
    if found != expected:
        shutil.rmtree(archive.parent, ignore_errors=True)
        raise BadFormatError(
            f"{archive.name} has the checksum {kind}-{found}",
            expected=f"{integrity}, as js/package-lock.json says",
        )
