"""`wsp build`: the core as libraries for other systems. The work is in `wspkit.targets`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import typer

from wspkit import log
from wspkit.config.load import Project, load_project
from wspkit.config.model import Abi, Slice, TargetName
from wspkit.errors import UsageError
from wspkit.process import SubprocessRunner
from wspkit.targets.core import Request, check_folder, find_tools
from wspkit.targets.every import NAMES, plan_target
from wspkit.targets.execute import Built, Progress, check_budget, execute, libraries, n_steps
from wspkit.targets.exports import check_source
from wspkit.targets.plan import Plan
from wspkit.targets.search import Search

Name = TypeVar("Name", bound=str)
LOGS = Path("build") / "logs"
"""Below the folder of wsp.toml."""


def build(
    *,
    target: Annotated[
        list[str],
        typer.Option("--target", "-t", metavar="NAME", help=f"One of {', '.join(NAMES)}, or all."),
    ],
    abi: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Of android.", show_default="target.android.abis in wsp.toml"
        ),
    ] = None,
    slice_: Annotated[
        list[str] | None,
        typer.Option(
            "--slice",
            metavar="NAME",
            help="Of ios.",
            show_default="target.ios.slices in wsp.toml",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The core's sources, prefixed or not.",
            show_default="build.source in wsp.toml",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to build, one folder for each target; other sources need another one.",
            show_default="build.directory in wsp.toml",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The settings.",
            show_default="the nearest wsp.toml from here upwards",
        ),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Compilers at the same time.")
    ] = os.cpu_count() or 1,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the files and commands; write and run nothing."),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="JSON instead of text; errors are JSON as well.")
    ] = False,
) -> None:
    """Build the core as static and shared libraries, with headers and the list of public names.

    Conan writes a toolchain file for each target from wsp.toml, and CMake builds with it, in
    build/targets. Targets, ABIs and slices are built side by side; what their tools say is in
    build/logs. ccache or sccache is used where it is installed.

    Android needs the NDK, iOS a Mac with Xcode, wasm Zig (`pip install ziglang`), the other Linuxes
    Debian's cross-compilers. --dry-run needs none of them.

    For example:

    $ wsp build --target linux-aarch64

    $ wsp build --target android --abi arm64-v8a --target ios

    $ wsp build --target all --dry-run
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    names = NAMES if "all" in target else _known(target, NAMES, "target")
    abis: tuple[Abi, ...] = _known(abi or (), get_args(Abi), "ABI")
    slices: tuple[Slice, ...] = _known(slice_ or (), get_args(Slice), "slice")
    _refuse_parts_of_others(names, abis, slices)
    project = load_project(config)
    folder = (source or project.root / project.config.build.source).absolute()
    check_source(folder, project.config.prefix.name)
    runner = SubprocessRunner()
    search = Search(runner, assume=dry_run)
    tools = find_tools(search, project)
    directory = (out or project.root / project.config.build.directory).absolute()
    request = Request(project, folder, directory, tools, jobs, abis, slices)
    plans = [plan_target(name, request, search) for name in names]
    lanes = [lane for plan in plans for lane in plan.lanes]
    if dry_run:
        for problem in search.problems:
            log.warning(f"{problem.message}; the plan assumes it. {problem.hint or ''}".rstrip())
        _show(plans, as_json=json)
        return
    # Each lane gets its share of the compilers, and no more lanes begin than there are.
    for lane in lanes:
        check_folder(request, lane.name)
    side_by_side = min(len(lanes), jobs)
    share = replace(request, jobs=max(1, jobs // side_by_side))
    plans = [plan_target(name, share, search) for name in names]
    _carry_out(plans, project, runner, side_by_side)
    built = libraries(plans)
    _report(built, plans, as_json=json)
    check_budget(built, project.config.budget)


def _known(words: Iterable[str], names: Sequence[Name], what: str) -> tuple[Name, ...]:
    """The words as names, each once. UsageError, with a near miss, for one that is none."""
    known: dict[str, Name] = {name: name for name in names}
    for word in words:
        if word not in known:
            near = difflib.get_close_matches(word, known, n=1)
            raise UsageError(
                f"unknown {what} {word!r}",
                expected=f"one of {', '.join(known)}",
                hint=f"Did you mean {near[0]!r}?" if near else None,
            )
    return tuple(dict.fromkeys(known[word] for word in words))


def _refuse_parts_of_others(
    names: Sequence[TargetName], abis: Sequence[str], slices: Sequence[str]
) -> None:
    for given, option, owner in ((abis, "--abi", "android"), (slices, "--slice", "ios")):
        if given and owner not in names:
            raise UsageError(
                f"{option} {given[0]} without --target {owner}",
                expected=f"{option} together with {owner}",
            )


def _carry_out(
    plans: Sequence[Plan], project: Project, runner: SubprocessRunner, side_by_side: int
) -> None:
    shown = ", ".join(plan.target for plan in plans)
    with log.progress(f"building {shown}", total=n_steps(plans)) as bar:
        progress = Progress(
            started=lambda lane, step: log.status(f"{lane}: {step}"),
            advanced=bar.update,
            finished=lambda lane, seconds: log.status(f"{lane}: done in {seconds:.0f} s"),
        )
        execute(
            plans,
            runner,
            logs=project.root / LOGS,
            side_by_side=side_by_side,
            progress=progress,
        )


def _show(plans: Sequence[Plan], *, as_json: bool) -> None:
    if as_json:
        log.result_json([_document(plan) for plan in plans])
        return
    for plan in plans:
        for lane in plan.lanes:
            log.result(f"# {lane.name}")
            for file in lane.files:
                log.result(f"# writes {file.path}")
            for step in lane.steps:
                log.result(str(step.command))
        if plan.steps:
            log.result(f"# {plan.target}, all together")
        for file in plan.files:
            log.result(f"# writes {file.path}")
        for step in plan.steps:
            log.result(str(step.command))


def _document(plan: Plan) -> dict[str, Any]:
    return {
        "target": plan.target,
        "lanes": [
            {
                "name": lane.name,
                "files": [{"path": str(file.path), "text": file.text} for file in lane.files],
                "steps": _steps(lane.steps),
                "static": str(lane.static),
                "shared": str(lane.shared) if lane.shared else None,
                "headers": str(lane.headers),
                "exports": str(lane.exports),
            }
            for lane in plan.lanes
        ],
        "files": [{"path": str(file.path), "text": file.text} for file in plan.files],
        "steps": _steps(plan.steps),
        "results": [str(path) for path in plan.results],
    }


def _steps(steps: Iterable[Any]) -> list[dict[str, Any]]:
    return [
        {
            "title": step.title,
            "command": list(step.command.arguments),
            "environment": dict(step.command.environment),
        }
        for step in steps
    ]


def _report(built: Sequence[Built], plans: Sequence[Plan], *, as_json: bool) -> None:
    if as_json:
        log.result_json(
            {
                "libraries": [
                    {
                        "target": one.target,
                        "lane": one.lane,
                        "static": str(one.static),
                        "static_bytes": one.static_bytes,
                        "shared": str(one.shared) if one.shared else None,
                        "shared_bytes": one.shared_bytes,
                        "headers": str(one.headers),
                        "exports": str(one.exports),
                    }
                    for one in built
                ],
                "results": [str(path) for plan in plans for path in plan.results],
            }
        )
        return
    log.table(
        [
            "library",
            log.Column("static, bytes", right=True),
            log.Column("shared, bytes", right=True),
            "where",
        ],
        [
            [
                one.lane,
                f"{one.static_bytes:,}",
                "" if one.shared_bytes is None else f"{one.shared_bytes:,}",
                str(one.static.parent),
            ]
            for one in built
        ],
    )
