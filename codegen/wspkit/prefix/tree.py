"""A whole tree in, the same tree under a prefix out; in memory, or from folder to folder, where the
destination is replaced as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import basename, join, split

from wspkit.errors import BadFormatError
from wspkit.prefix.collect import collect
from wspkit.prefix.folder import Folder, check_places, digest, read_folder, replace, stamp_of
from wspkit.prefix.names import Prefix
from wspkit.prefix.profile import Profile, load_profile
from wspkit.prefix.rename import Renames, rename_map
from wspkit.prefix.rewrite import Rewriter, included_file
from wspkit.prefix.source import read

__all__ = ["PrefixedTree", "load_profile", "prefix_files", "prefix_tree"]


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

    @cache
    def unknown(word: str) -> str | None:
        return shape.of(word) if profile.renames(word) else None

    by_name: dict[str, list[str]] = {}
    for path in sorted(files):
        by_name.setdefault(basename(path), []).append(path)

    @cache
    def included(path: str, operand: str) -> str:
        return included_file(path, operand, moved, by_name)

    out = {moved[path]: files[path] for path in sorted(files)}
    if not renames.already:
        rewriter = Rewriter(renames, included, unknown)
        for source in sources:
            out[moved[source.path]] = rewriter.written(source).encode()
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


def prefix_tree(
    source: Path, destination: Path, *, prefix: str, profile: Profile, write: bool = True
) -> PrefixedTree:
    """A folder under a prefix. The destination is replaced as a whole, or nothing is written.

    An unchanged second run is quick: the destination says what it was made from. A destination
    that has files and was not made here is not replaced. write: otherwise only the result is given.
    Errors: those of `prefix_files`; NotFoundError without a source; UsageError for a destination
    inside the source or around it, or not ours; InputOutputError.
    """
    Prefix(prefix)
    check_places(source, destination, prefix)
    folder = read_folder(source)
    key = _key(folder.files, prefix, profile)
    if (stored := _stored(destination, key)) is not None:
        return stored
    tree = prefix_files(folder.files, prefix=prefix, profile=profile)
    if write:
        programs = frozenset(tree.paths.get(path, path) for path in folder.programs)
        replace(destination, Folder(dict(tree.files), programs), _stamp(tree, key))
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


def _key(files: Mapping[str, bytes], prefix: str, profile: Profile) -> str:
    """What a result depends on: sources, prefix, profile and this program."""
    parts = [_program(), prefix, profile.name, profile.digest]
    parts += [part for path in sorted(files) for part in (path, digest(files[path]))]
    return digest("\0".join(parts).encode())


@cache
def _program() -> str:
    parts = sorted(Path(__file__).parent.glob("*.py"))
    return digest(b"".join(path.read_bytes() for path in parts))


def _stamp(tree: PrefixedTree, key: str) -> dict[str, object]:
    return {
        "about": "made by wsp prefix: change the source instead",
        "key": key,
        "prefix": tree.prefix,
        "profile": tree.profile,
        "unchanged": tree.unchanged,
        "notes": list(tree.notes),
        "paths": dict(tree.paths),
        "strings": dict(tree.strings),
        "names": dict(tree.names),
        "files": {path: digest(data) for path, data in sorted(tree.files.items())},
    }


def _stored(destination: Path, key: str) -> PrefixedTree | None:
    """The tree that lies in the destination, if it was made from the same and nobody touched it."""
    stamp = stamp_of(destination)
    if stamp.get("key") != key:
        return None
    files = read_folder(destination).files
    tree = PrefixedTree(
        prefix=stamp["prefix"],
        profile=stamp["profile"],
        files=files,
        names=stamp["names"],
        paths=stamp["paths"],
        strings=stamp["strings"],
        notes=tuple(stamp["notes"]),
        unchanged=stamp["unchanged"],
        current=True,
    )
    return tree if _stamp(tree, key)["files"] == stamp["files"] else None
