"""`wsp stage`: the folder of the npm package. The work is in `wspkit.package`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.config.load import load_project
from wspkit.package.stage import Staged, assemble, write
from wspkit.process import SubprocessRunner


def stage(
    *,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder, which is replaced.",
            show_default="package.directory in wsp.toml",
        ),
    ] = None,
    link: Annotated[
        bool,
        typer.Option(
            "--link",
            help="For development: link the native sources, without prefix, instead of copying.",
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The settings.",
            show_default="the nearest wsp.toml from here upwards",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Lay the npm package into a folder: compiled JavaScript, sources under the prefix, platforms.

    It is replaced as a whole or not at all, and left alone if it is current. What it was made of
    stands in provenance.json, with the commit and a checksum of each file, and in sbom.spdx.json.

    TypeScript comes from npm's registry at the version of js/package-lock.json, once. Needs a clone
    of the repository, Node.js and npm.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    project = load_project(config)
    destination = out or project.root / project.config.package.directory
    with log.progress("staging", total=None):
        staged = assemble(project, SubprocessRunner(), link=link)
        written = write(staged, destination)
    if json:
        log.result_json(_document(staged, destination, written=written))
        return
    report_state(staged)
    count = len(staged.files) + len(staged.links)
    log.status(f"{count} files, {'written' if written else 'current already'}")
    log.result(str(destination))


def report_state(staged: Staged) -> None:
    """Says what was staged, and that it is not what the commit says if so."""
    log.status(f"{staged.manifest['name']} {staged.manifest['version']}, our own core")
    if staged.revision.commit is None:
        log.warning("git knows no commit of this tree, so provenance.json names none")
    elif staged.revision.dirty:
        changed = staged.revision.changed
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        log.warning(
            f"{', '.join(changed[:3])}{more}: not as in the commit, which provenance.json says"
        )


def _document(staged: Staged, destination: Path, *, written: bool) -> dict[str, object]:
    return {
        "directory": str(destination),
        "name": staged.manifest["name"],
        "version": staged.manifest["version"],
        "commit": staged.revision.commit,
        "changed": list(staged.revision.changed),
        "files": len(staged.files),
        "links": len(staged.links),
        "renamed": len(staged.names),
        "written": written,
    }
