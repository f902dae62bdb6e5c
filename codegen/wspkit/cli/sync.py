"""`wsp sync`: brings sources of a core from elsewhere, under a prefix, or says what is stale. The
work is in `wspkit.upstream`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wspkit import log
from wspkit.bridge.generate import find_root
from wspkit.errors import UsageError
from wspkit.fetching.packages import Transfer
from wspkit.fetching.whole_folder import replace_folder
from wspkit.upstream.lock import Lock, read_lock
from wspkit.upstream.source import Access
from wspkit.upstream.sync import (
    DEFAULT_PREFIX,
    Assembly,
    Difference,
    Request,
    assemble,
    differences,
    locked,
    raise_if_republished,
    raise_if_stale,
    refuse_destination,
)

_SHOWN_UNKNOWN = 10


def sync(
    destination: Annotated[
        Path, typer.Argument(metavar="DESTINATION", help="Directory to write, as a whole.")
    ],
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="pypi:NAME==VERSION, npm:NAME@VERSION, a directory, or self (this clone's core).",
            show_default="as when it was last synced",
        ),
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option(help="What names get in front.", show_default=f"as last, or {DEFAULT_PREFIX}"),
    ] = None,
    no_prefix: Annotated[
        bool, typer.Option("--no-prefix", help="Leave upstream's names as they are.")
    ] = False,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Which names: strict (all of them), compat (all but whisper_*), or a file.",
            show_default="as last, or strict for self and compat for others",
        ),
    ] = None,
    optional: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="GROUP",
            help="Also take cuda, openvino, opencl or vulkan; once for each.",
            show_default="as last, or none",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; show what is stale and exit with code 9."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; show what would change.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Bring a core's sources into a directory: fetched, selected, patched and under a prefix.

    What was synced once is synced again by `wsp sync DESTINATION` alone: sync-lock.json in it says
    from where and how. It also has the checksum of every file, so that --check finds what was
    edited by hand as well as what the source, or wsp, now gives otherwise.

    The tree has a CMakeLists.txt that builds a static library.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    before = read_lock(destination)
    if check and (source or prefix or no_prefix or profile or optional):
        raise UsageError("--check compares with what the lock says", expected="no other options")
    request = _request(
        locked(destination) if source is None else before,
        source,
        prefix=_prefix(prefix, no_prefix),
        profile=profile,
        optional=optional,
    )
    access = Access(
        transfer=Transfer(log.progress, label="fetching sources"),
        clone=lambda: find_root(Path.cwd()),
    )
    if not check:
        refuse_destination(destination, request, access)
    fresh = assemble(request, access)
    if before is not None:
        raise_if_republished(before, fresh.lock)
    found = differences(destination, before, fresh) if before else []
    written = not check and not dry_run and (before is None or bool(found))
    if written:
        replace_folder(destination, fresh.files)
    _report(destination, fresh, found, before=before, written=written, check=check)
    if check:
        raise_if_stale(destination, found)


def _prefix(prefix: str | None, no_prefix: bool) -> str | None:
    """What was asked for: a prefix, "" for none, None for what it was."""
    if prefix is not None and no_prefix:
        raise UsageError("--prefix and --no-prefix are both given", expected="one of them")
    return "" if no_prefix else prefix


def _request(
    lock: Lock | None,
    source: str | None,
    *,
    prefix: str | None,
    profile: str | None,
    optional: list[str] | None,
) -> Request:
    """What is asked for, and for the rest what the lock says."""
    last = Request.of_lock(lock) if lock else Request(source or "")
    chosen = None if prefix == "" else prefix or last.prefix
    kept_profile = last.profile if source in (None, last.source) else None
    return Request(
        source or last.source,
        chosen,
        profile or kept_profile,
        tuple(optional) if optional is not None else last.optional_groups,
    )


def _report(
    destination: Path,
    fresh: Assembly,
    found: list[Difference],
    *,
    before: Lock | None,
    written: bool,
    check: bool,
) -> None:
    lock = fresh.lock
    if log.settings().json_mode:
        log.result_json(_as_json(destination, fresh, found, written=written))
        return
    what = f"{lock.source.project} {lock.source.version} from {lock.source.asked}"
    under = (
        f", {len(lock.names)} names under {lock.prefix}" if lock.prefix else ", names as they are"
    )
    log.status(f"{what}: {len(lock.files)} files{under}")
    for one in lock.patches:
        log.status(f"patched {', '.join(one.paths)}: {one.name}")
    if lock.unknown:
        more = len(lock.unknown) - _SHOWN_UNKNOWN
        shown = ", ".join(lock.unknown[:_SHOWN_UNKNOWN]) + (f" and {more} more" if more > 0 else "")
        log.warning(
            f"{len(lock.unknown)} files that the manifest does not know were not taken: {shown}"
        )
    if before is not None and found:
        log.table(["file", "state"], [[one.path, one.state] for one in found])
    if written:
        log.result(str(destination))
    elif before is not None and not found:
        log.status(f"{destination} is current")
    elif not check and before is None:
        log.status(f"{destination} would be written")


def _as_json(
    destination: Path, fresh: Assembly, found: list[Difference], *, written: bool
) -> dict[str, Any]:
    lock = fresh.lock
    return {
        "destination": str(destination),
        "source": lock.source.model_dump(mode="json"),
        "prefix": lock.prefix,
        "profile": lock.profile.name if lock.profile else None,
        "files": len(lock.files),
        "names": len(lock.names),
        "patches": [one.name for one in lock.patches],
        "unknown": list(lock.unknown),
        "not_asked": dict(fresh.selection.not_asked),
        "differences": [{"path": one.path, "state": one.state} for one in found],
        "written": written,
    }
