"""Libraries that `wsp build` made elsewhere, for packing: where they lie, whether they are of the
packed sources. It builds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from wspkit.config.model import Abi
from wspkit.errors import NotFoundError, UsageError

_FRAMEWORK = "WspSpeech-static.xcframework"


def prebuilt(folder: Path, functions: Sequence[str]) -> dict[str, bytes]:
    """Path in the package -> content. folder: as `wsp build --out` filled it; functions: the public
    ones of the packed sources.

    Errors: NotFoundError if nothing is there; UsageError for a library of other sources.
    """
    found: dict[str, bytes] = {}
    for abi in get_args(Abi):
        out = folder / "android" / abi / "out"
        library = out / "lib" / "libspeech.a"
        if library.is_file():
            _refuse_others(library, out / "exports.txt", functions)
            found[f"android/prebuilt/{abi}/{library.name}"] = library.read_bytes()
    framework = folder / "ios" / _FRAMEWORK
    if framework.is_dir():
        for listed in sorted((folder / "ios").glob("*/out/exports.txt")):
            _refuse_others(framework, listed, functions)
        found.update(_below(framework, f"ios/prebuilt/{_FRAMEWORK}"))
    if not found:
        raise NotFoundError(
            f"no libraries in {folder}",
            expected=f"android/<ABI>/out/lib/libspeech.a or ios/{_FRAMEWORK}",
            hint="Make them with `wsp build --source build/npm/cpp --out DIR`.",
        )
    return found


def _refuse_others(what: Path, listed: Path, functions: Sequence[str]) -> None:
    names = set(re.findall(r"\w+", listed.read_text(encoding="utf-8")))
    # Apple's linker writes names of C with an underscore in front.
    missing = [name for name in functions if not names & {name, f"_{name}"}]
    if missing:
        raise UsageError(
            f"{what} was made of other sources: it has no {missing[0]}",
            expected="a library of the sources that are packed, under their prefix",
            hint="Run `wsp stage`, then `wsp build --source build/npm/cpp --out DIR`.",
        )


def _below(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes()
