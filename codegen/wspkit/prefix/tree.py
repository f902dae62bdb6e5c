"""A whole tree in, the same tree under a prefix out; in memory, or from folder to folder, where the
destination is replaced as a whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import join, split

from wspkit import __version__
from wspkit.errors import BadFormatError, InputOutputError, NotFoundError, UsageError
from wspkit.prefix.collect import collect
from wspkit.prefix.names import Prefix
from wspkit.prefix.profile import Profile, load_profile
from wspkit.prefix.rename import Renames, rename_map
from wspkit.prefix.rewrite import included_file, rewritten
from wspkit.prefix.source import Source, read

__all__ = ["STAMP", "PrefixedTree", "load_profile", "prefix_files", "prefix_tree"]

STAMP = ".wsp-prefix.json"
"""The file in a destination that says what was done, by which it is known as ours."""


@dataclass(frozen=True)
class PrefixedTree:
    """A tree under a prefix, and what was changed."""

    prefix: str
    profile: str
    """Name of the profile."""
    files: Mapping[str, bytes]
    """Every file under its new path."""
    names: Mapping[str, str]
    """Names, old to new, sorted."""
    paths: Mapping[str, str]
    """Files with a new name, old path to new, sorted."""
    strings: Mapping[str, str]
    """String literals that are names, old to new, with their quotes."""
    notes: tuple[str, ...] = ()
    """What may surprise, a sentence each."""
    unchanged: bool = False
    """The source has the prefix already; nothing was renamed."""
    current: bool = False
    """The destination held just this already; nothing was written."""


def prefix_files(files: Mapping[str, bytes], *, prefix: str, profile: Profile) -> PrefixedTree:
    """A tree in memory under a prefix. files: relative path with slashes to content.

    Errors: UsageError for a prefix that is no identifier; BadFormatError, with file and line, for
    text that is no UTF-8, a comment or string that does not end, a name that is taken, and a name
    that neither a rule nor a definition covers.
    """
    shape = Prefix(prefix)
    sources = [s for path in sorted(files) if (s := read(path, files[path])) is not None]
    renames = rename_map(sources, collect(sources), shape, profile)
    moved = {path: path for path in files} if renames.already else _moved(files, shape, profile)
    table = {**renames.names, **renames.strings}

    @cache
    def unknown(word: str) -> str | None:
        return shape.of(word) if profile.renames(word) and not renames.already else None

    @cache
    def included(path: str, operand: str) -> str:
        return included_file(path, operand, moved)

    texts: dict[str, Source] = {source.path: source for source in sources}
    out = {}
    for path in sorted(files):
        source = texts.get(path)
        if source is None or renames.already:
            out[moved[path]] = files[path]
        else:
            out[moved[path]] = rewritten(source, table, included, unknown=unknown).encode()
    return PrefixedTree(
        prefix=prefix,
        profile=profile.name,
        files=out,
        names=renames.names,
        paths={old: new for old, new in sorted(moved.items()) if old != new},
        strings=renames.strings,
        notes=_notes(prefix, renames),
        unchanged=renames.already,
    )


def prefix_tree(source: Path, destination: Path, *, prefix: str, profile: Profile) -> PrefixedTree:
    """A folder under a prefix. The destination is replaced as a whole, or nothing is written.

    An unchanged second run is quick: the destination says what it was made from. A destination
    that has files and was not made here is not replaced.
    Errors: those of `prefix_files`; NotFoundError without a source; UsageError for a destination
    inside the source or around it, or not ours; InputOutputError.
    """
    Prefix(prefix)
    if not source.is_dir():
        raise NotFoundError(f"there is no folder {source}", expected="a tree of sources")
    _check_places(source, destination)
    files = _read_folder(source)
    key = _key(files, prefix, profile)
    if (stored := _stored(destination, key)) is not None:
        return stored
    tree = prefix_files(files, prefix=prefix, profile=profile)
    if STAMP in files:
        files.pop(STAMP)
    _replace(destination, tree, _stamp(tree, key))
    return tree


def _notes(prefix: str, renames: Renames) -> tuple[str, ...]:
    if renames.already:
        return (f"every name that would get the prefix {prefix} has it: nothing was renamed",)
    if not renames.elsewhere:
        return ()
    names = ", ".join(renames.elsewhere)
    return (f"declared in this tree, defined outside of it, and so not renamed: {names}",)


def _moved(files: Mapping[str, bytes], prefix: Prefix, profile: Profile) -> dict[str, str]:
    moved = {}
    for path in files:
        folder, name = split(path)
        wanted = profile.renames_file(path) and not prefix.has(name)
        moved[path] = join(folder, prefix.text + name) if wanted else path
    for old, new in moved.items():
        if old != new and new in files:
            raise BadFormatError(
                f"{new}:1: the file name is taken, which {old} would get",
                hint="Choose another prefix. Nothing was written.",
            )
    return moved


def _check_places(source: Path, destination: Path) -> None:
    inner, outer = destination.resolve(), source.resolve()
    if inner == outer or outer in inner.parents or inner in outer.parents:
        raise UsageError(
            f"the destination {destination} and the source {source} lie in each other",
            expected="two folders apart",
        )
    if destination.is_dir():
        known = (destination / STAMP).is_file() or not any(destination.iterdir())
    else:
        known = not destination.exists()
    if not known:
        raise UsageError(
            f"{destination} exists and was not made by wsp prefix (it has no {STAMP})",
            expected="an empty folder, a new one, or an earlier result",
            hint="Remove it yourself if it may go.",
        )


def _read_folder(folder: Path) -> dict[str, bytes]:
    files = {}
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in names:
            path = Path(parent, name)
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    files.pop(STAMP, None)
    return files


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _key(files: Mapping[str, bytes], prefix: str, profile: Profile) -> str:
    """What a result depends on: sources, prefix, profile and this program."""
    key = hashlib.sha256()
    for part in (__version__, _program(), prefix, profile.digest, profile.name):
        key.update(part.encode() + b"\0")
    for path in sorted(files):
        key.update(f"{path}\0{_digest(files[path])}\0".encode())
    return key.hexdigest()


@cache
def _program() -> str:
    return _digest(
        b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    )


def _stamp(tree: PrefixedTree, key: str) -> bytes:
    document = {
        "about": "made by wsp prefix; edit the source instead",
        "key": key,
        "prefix": tree.prefix,
        "profile": tree.profile,
        "unchanged": tree.unchanged,
        "notes": list(tree.notes),
        "names": dict(tree.names),
        "strings": dict(tree.strings),
        "paths": dict(tree.paths),
        "files": {path: _digest(data) for path, data in sorted(tree.files.items())},
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _stored(destination: Path, key: str) -> PrefixedTree | None:
    """The tree that lies in the destination, if it was made from the same and nobody touched it."""
    try:
        document = json.loads((destination / STAMP).read_bytes())
        if document["key"] != key:
            return None
        files = _read_folder(destination)
        if {path: _digest(data) for path, data in files.items()} != document["files"]:
            return None
        return PrefixedTree(
            prefix=document["prefix"],
            profile=document["profile"],
            files=files,
            names=document["names"],
            paths=document["paths"],
            strings=document["strings"],
            notes=tuple(document["notes"]),
            unchanged=document["unchanged"],
            current=True,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _replace(destination: Path, tree: PrefixedTree, stamp: bytes) -> None:
    target = Path(os.path.realpath(destination))
    made, old = (
        target.with_name(f".{target.name[:40]}.{os.getpid()}.{kind}") for kind in ("part", "old")
    )
    try:
        made.mkdir(parents=True)
        for path, data in {**tree.files, STAMP: stamp}.items():
            file = made / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        exists = target.exists()
        if exists:
            target.rename(old)
        try:
            made.rename(target)
        except OSError:
            if exists:
                old.rename(target)
            raise
    except OSError as error:
        raise InputOutputError(f"cannot write {destination}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
