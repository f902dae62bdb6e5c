"""`wsp generate`: rewrites the generated files, or shows what is stale.

The work is in `wspkit.bridge.generate`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wspkit import log
from wspkit.bridge.generate import find_root
from wspkit.bridge.generate import generate as bring_up_to_date


def generate(
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; show what is stale and exit with code 9."),
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(help="Root of the repository.", metavar="DIR", show_default="found upwards"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Make the bindings, option tables and reference again from the description of the API.

    Reads codegen/wspkit/spec/api.toml of a clone of the repository and replaces every generated
    file that differs. With --check it prints the differences instead.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    bring_up_to_date(root or find_root(Path.cwd()), check_only=check)
