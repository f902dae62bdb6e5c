"""`wsp pack`: the archive of the npm package, checked. The work is in `wspkit.package`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.cli.stage import report_state
from wspkit.config.load import Project, load_project
from wspkit.errors import UsageError
from wspkit.package.check import check, check_size, shares
from wspkit.package.prove import COUNTED, TARGETS, Proof, Target, prove
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
    with_prebuilt: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Also pack the libraries that `wsp build --out DIR` made of them."
        ),
    ] = None,
    check_only: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Pack nothing; check this archive."),
    ] = None,
    compile_for: Annotated[
        list[str] | None,
        typer.Option(
            "--compile",
            metavar="TARGET",
            help=f"Also compile what was packed: {', '.join(TARGETS)}, or all.",
        ),
    ] = None,
    build: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Where --compile works."),
    ] = Path("build") / "pack",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Compilers at the same time.")
    ] = os.cpu_count() or 1,
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

    --compile builds core and binding of the archive for Linux, looks for names that another copy
    could define, for exports, for the alignment that Android asks for, and measures the library. It
    needs CMake, GCC for the target and clang 19.

    For example:

    $ wsp pack --out build

    $ wsp pack --out build --compile linux-aarch64
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    targets = _targets(compile_for or ())
    project = load_project(config)
    packed = (
        _checked(check_only, project)
        if check_only
        else _packed(project, out or Path.cwd(), with_prebuilt)
    )
    proofs = []
    runner = SubprocessRunner()
    for target in targets:
        with log.progress(f"compiling for {target}", total=None):
            proofs.append(prove(packed.files, target, project, build.absolute(), runner, jobs=jobs))
    _report(packed, project, proofs, as_json=json)


def _targets(words: Sequence[str]) -> list[Target]:
    """Each named target once. UsageError for one that nothing is known of."""
    if "all" in words:
        return list(TARGETS)
    unknown = next((word for word in words if word not in TARGETS), None)
    if unknown is not None:
        raise UsageError(
            f"unknown target {unknown!r}", expected=f"one of {', '.join(TARGETS)}, or all"
        )
    return [target for target in TARGETS if target in words]


def _packed(project: Project, out: Path, binaries: Path | None) -> _Packed:
    require_writable(out)
    with log.progress("packing", total=None):
        staged = assemble(project, SubprocessRunner(), binaries=binaries)
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


def _report(packed: _Packed, project: Project, proofs: Sequence[Proof], *, as_json: bool) -> None:
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
                "counted": COUNTED,
                "libraries": [
                    {
                        "target": one.target,
                        "library": str(one.library),
                        "bytes": one.library_bytes,
                        "limit_bytes": project.config.budget.library_bytes.get(one.target),
                        "core": str(one.core),
                        "names": one.names,
                        "alignment_bytes": one.alignment_bytes,
                    }
                    for one in proofs
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
    if proofs:
        limits = project.config.budget.library_bytes
        log.table(
            [
                "compiled for",
                log.Column("bytes", right=True),
                log.Column("limit", right=True),
                log.Column("names audited", right=True),
                log.Column("aligned to", right=True),
            ],
            [
                [
                    one.target,
                    f"{one.library_bytes:,}",
                    f"{limits[one.target]:,}" if one.target in limits else "",
                    f"{one.names:,}",
                    f"{one.alignment_bytes:,}",
                ]
                for one in proofs
            ],
        )
        log.status(f"Counted: {COUNTED}.")
    log.result(str(packed.path))
