"""Compares the outputs with what their source gives, writes them or shows the difference. It knows
no single output.

A file is replaced whole: a reader sees the old or the new one, never a part.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wspkit import log
from wspkit.bridge.docs_surface import lock
from wspkit.bridge.registry import OUTPUTS, Output
from wspkit.errors import BadFormatError, InputOutputError, NotFoundError, StaleError
from wspkit.spec.check import check
from wspkit.spec.load import load
from wspkit.spec.lock import lock_problems
from wspkit.spec.model import Api

SPEC = Path("codegen/wspkit/spec/api.toml")
"""The description of the API, from the root of the repository."""
LOCK = Path("codegen/wspkit/spec/api.lock")
"""What callers may hold on to, likewise; an output that is also read."""
PROJECT = Path("pyproject.toml")
"""What says the version of the package, likewise."""
CHANGELOG = Path("CHANGELOG.md")
"""What has to speak of a break, likewise."""
HEADER = Path("cpp/include/whisper.h")
"""The C header that marks a clone of the repository, likewise."""
HEADERS = (HEADER, Path("cpp/include/whisper_ext.h"))
"""The C headers that the description is held against."""

_MARK = "Generated from templates/"


@dataclass(frozen=True)
class Change:
    """A generated file that is not what its source gives."""

    path: str
    """From the root of the repository."""
    before: str | None
    """Text of the file; None if there is none."""
    after: str | None
    """Text that its source gives; None if nothing makes this file any more."""

    @property
    def kind(self) -> str:
        """What `wsp generate` does about it: created, changed or removed."""
        if self.before is None:
            return "created"
        return "removed" if self.after is None else "changed"

    @property
    def diff(self) -> str:
        """From the file to what it should be, as a unified diff."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(keepends=True),
            (self.after or "").splitlines(keepends=True),
            "/dev/null" if self.before is None else f"a/{self.path}",
            "/dev/null" if self.after is None else f"b/{self.path}",
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def find_root(start: Path) -> Path:
    """The root of the repository that a folder belongs to: the nearest one above that has SPEC and
    HEADER.

    Raises NotFoundError if there is none.
    """
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / SPEC).is_file() and (folder / HEADER).is_file():
            return folder
    raise NotFoundError(
        f"{start} lies in no source tree of wsp",
        expected=f"a folder with {SPEC.as_posix()} in it or above it",
        hint="Run the command in a clone of the repository, or name one with --root.",
    )


def generate(root: Path, *, check_only: bool, outputs: Sequence[Output] = OUTPUTS) -> None:
    """Brings every output up to date and prints what changed; or, with check_only, prints a diff
    and writes nothing.

    root: of the repository. Raises StaleError if check_only finds a difference, BadFormatError if
    the description breaks a rule, InputOutputError if a file cannot be written.
    """
    found = changes(root, outputs)
    if not check_only:
        for change in found:
            _apply(root, change)
    _report(found, outputs, check_only=check_only)
    if check_only and found:
        raise StaleError(
            f"{len(found)} generated {'file is' if len(found) == 1 else 'files are'} stale: "
            + ", ".join(change.path for change in found),
            hint="Run `wsp generate` and commit what it writes.",
        )


def changes(root: Path, outputs: Sequence[Output] = OUTPUTS) -> tuple[Change, ...]:
    """Every output that differs from what its source gives, and every marked file that nothing
    makes; sorted by path.
    """
    headers = [_read(root / header) or "" for header in HEADERS]
    if "" in headers:
        missing = root / HEADERS[headers.index("")]
        raise NotFoundError(
            f"there is no file {missing}", expected=f"{root} to be the root of a clone"
        )
    api = load(root / SPEC)
    check(api, "\n".join(headers))
    _check_lock(root, api)
    compared = [
        Change(output.path, _read(root / output.path), output.text(api)) for output in outputs
    ]
    stale = [change for change in compared if change.before != change.after]
    return tuple(sorted([*stale, *_orphans(root, outputs)], key=lambda change: change.path))


def _check_lock(root: Path, api: Api) -> None:
    """Raises BadFormatError if the description lacks what an earlier one promised."""
    before = _read(root / LOCK)
    if before is None:
        return
    version = re.search(r'^version = "([^"]+)"', _read(root / PROJECT) or "", re.MULTILINE)
    if version is None:
        raise NotFoundError(f"{PROJECT} of {root} says no version")
    after = "\n".join(lock(api).lines)
    found = list(lock_problems(before, after, version[1], _read(root / CHANGELOG) or ""))
    if found:
        raise BadFormatError("\n".join(found))


def _orphans(root: Path, outputs: Sequence[Output]) -> Iterable[Change]:
    made = {output.path for output in outputs}
    for folder in sorted({(root / output.path).parent for output in outputs}):
        for file in sorted(folder.glob("*")):
            path = file.relative_to(root).as_posix()
            if path in made or not file.is_file():
                continue
            text = file.read_bytes().decode("utf-8", "replace")
            if _MARK in text.partition("\n")[0]:
                yield Change(path, text, None)


def _read(path: Path) -> str | None:
    try:
        # Bytes, since text mode would hide a CR at a line's end.
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputOutputError(f"{path} cannot be read: {error.strerror or error}") from error


def _apply(root: Path, change: Change) -> None:
    path = root / change.path
    try:
        if change.after is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, change.after)
    except OSError as error:
        raise InputOutputError(
            f"{path} cannot be written: {error.strerror or error}",
            hint="Nothing is half written; try again.",
        ) from error


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        # mkstemp makes files private; a source file keeps its mode, a new one gets the usual.
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _report(found: Sequence[Change], outputs: Sequence[Output], *, check_only: bool) -> None:
    if log.settings().json_mode:
        kinds = {output.path: "current" for output in outputs} | {
            change.path: change.kind for change in found
        }
        diffs = {change.path: change.diff for change in found} if check_only else {}
        log.result_json(
            {
                "check": check_only,
                "outputs": [
                    {"path": path, "state": kind} | ({"diff": diffs[path]} if path in diffs else {})
                    for path, kind in sorted(kinds.items())
                ],
            }
        )
        return
    for change in found:
        log.result(
            change.diff if check_only else f"{change.kind} {change.path}",
            end="" if check_only else "\n",
        )
    if not found:
        log.status(f"{len(outputs)} generated files are current")
