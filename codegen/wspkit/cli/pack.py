"""`wsp pack`: the archive of the npm package, checked. The work is in `wspkit.package`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.cli.stage import report_state
from wspkit.config.load import Project, load_project
from wspkit.package.check import check, check_size, shares
from wspkit.package.stage import assemble
from wspkit.package.tarball import file_name, require_writable, tarball, unpacked, write
from wspkit.process import SubprocessRunner


@dataclass(frozen=True)
class _Packed:
    path: Path
    size_bytes: int
    files: Mapping[str, bytes]


def pack(
    *,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the archive goes.", show_default="here"),
    ] = None,
    check_only: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Pack nothing; check this archive."),
    ] = None,
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
    """Pack the npm package, and prove that it is whole and small enough.

    The same tree gives the same bytes. Every file that its build files, headers and entries name is
    inside, each with the checksum of provenance.json; no script runs on installation; sizes keep to
    the budget of wsp.toml.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    project = load_project(config)
    packed = _checked(check_only, project) if check_only else _packed(project, out or Path.cwd())
    _report(packed, project, as_json=json)


def _packed(project: Project, out: Path) -> _Packed:
    require_writable(out)
    with log.progress("packing", total=None):
        staged = assemble(project, SubprocessRunner())
        content = tarball(staged.files)
        name = file_name(staged.manifest["name"], staged.manifest["version"])
        check(staged.files, project.config)
    check_size(name, len(content), staged.files, project.config)
    report_state(staged)
    return _Packed(write(out, name, content), len(content), staged.files)


def _checked(archive: Path, project: Project) -> _Packed:
    files = unpacked(archive)
    check(files, project.config)
    size_bytes = archive.stat().st_size
    check_size(archive.name, size_bytes, files, project.config)
    return _Packed(archive, size_bytes, files)


def _report(packed: _Packed, project: Project, *, as_json: bool) -> None:
    limit = project.config.budget.tarball_bytes
    parts = shares(packed.files)
    if as_json:
        log.result_json(
            {
                "archive": str(packed.path),
                "archive_bytes": packed.size_bytes,
                "limit_bytes": limit,
                "parts": [
                    {"part": one.title, "files": one.files, "bytes": one.size_bytes}
                    for one in parts
                ],
            }
        )
        return
    log.table(
        ["part", log.Column("files", right=True), log.Column("bytes", right=True)],
        [
            *([one.title, str(one.files), f"{one.size_bytes:,}"] for one in parts),
            [
                "unpacked",
                str(len(packed.files)),
                f"{sum(one.size_bytes for one in parts):,}",
            ],
            [f"archive (limit {limit:,})", "1", f"{packed.size_bytes:,}"],
        ],
    )
    log.result(str(packed.path))
