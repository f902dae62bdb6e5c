"""`wsp prefix`: a tree of sources under a prefix. The work is in `wspkit.prefix`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.prefix.profile import load_profile
from wspkit.prefix.tree import PrefixedTree, prefix_tree


def prefix(
    source: Annotated[Path, typer.Argument(metavar="SRC", help="Folder with the sources.")],
    destination: Annotated[
        Path,
        typer.Argument(
            metavar="DST", help="Folder of the result: new, empty, or of an earlier run."
        ),
    ],
    *,
    prefix: Annotated[
        str, typer.Option("--prefix", metavar="NAME", help="What is put in front of names.")
    ] = "wsp_",
    profile: Annotated[
        str,
        typer.Option(
            "--profile",
            metavar="strict|compat|PATH",
            help="Which names: all (strict), all but whisper.h's (compat), or a profile of yours.",
        ),
    ] = "strict",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what each name would become.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="JSON instead of a table; errors are JSON as well.")
    ] = False,
) -> None:
    """Put a prefix in front of every name of a source tree that another library could meet.

    Reads C, C++, Objective-C, Metal and CMake files as tokens, finds the names that they define for
    the outside, and writes the whole tree to DST under new names; other files are copied. DST is
    replaced as a whole, or not at all if anything is wrong. What was done, each name with its new
    one, is written to DST/.wsp-prefix.json, by which a run without changes ends at once.

    For example:

    $ wsp prefix cpp build/core

    $ wsp prefix whisper.cpp vendor --profile compat --prefix my_

    $ wsp prefix cpp build/core --dry-run --json
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    rules = load_profile(profile)
    with log.progress(f"Prefixing {source}", total=None):
        tree = prefix_tree(source, destination, prefix=prefix, profile=rules, write=not dry_run)
    for note in tree.notes:
        log.warning(note)
    if json:
        log.result_json(_document(tree, source, destination, dry_run=dry_run))
        return
    if dry_run:
        changes = {**tree.paths, **tree.names, **tree.strings}
        log.table(["old", "new"], [[old, new] for old, new in changes.items()])
    done = "would be written to" if dry_run else "is up to date" if tree.current else "written to"
    counts = f"{len(tree.names)} names, {len(tree.strings)} strings, {len(tree.paths)} file names"
    where = f"{destination} {done}" if done == "is up to date" else f"{done} {destination}"
    log.status(f"{len(tree.files)} files, with {counts} renamed, {where}")


def _document(
    tree: PrefixedTree, source: Path, destination: Path, *, dry_run: bool
) -> dict[str, object]:
    return {
        "source": str(source),
        "destination": str(destination),
        "prefix": tree.prefix,
        "profile": tree.profile,
        "written": not dry_run and not tree.current,
        "unchanged": tree.unchanged,
        "files": len(tree.files),
        "names": dict(tree.names),
        "strings": dict(tree.strings),
        "paths": dict(tree.paths),
        "notes": list(tree.notes),
    }
