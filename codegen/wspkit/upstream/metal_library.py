"""Texts of Metal kernels with their headers put in, since a kernel is compiled on the phone, where
no file of ours lies. It knows no release: what a text includes and the tree has is put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from wspkit.errors import BadFormatError
from wspkit.upstream.build_file import Embedded

_INCLUDE = re.compile(
    r'^[ \t]*(?:#[ \t]*(?:include|import)[ \t]*"(?P<include>[^"\n]+)"|__embed_(?P<embed>[\w.-]+)__)'
    r"[^\n]*$",
    re.MULTILINE,
)
_MAIN = "ggml-metal.metal"
_SPLIT = "kernels"
_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*$", re.MULTILINE)


def embedded_kernels(files: Mapping[str, bytes], folders: tuple[str, ...]) -> dict[Embedded, bytes]:
    """One text for each library of kernels: of a folder kernels/ one a file, else of the one text.

    files: what was taken, by path; folders: where includes are looked for beside the text's own.
    Errors: BadFormatError for a header that is not there.
    """
    texts = [path for path in files if path.endswith(".metal")]
    split = sorted(path for path in texts if PurePosixPath(path).parent.name == _SPLIT)
    mains = split or [path for path in texts if PurePosixPath(path).name == _MAIN]
    found = {}
    for path in mains:
        place = PurePosixPath(path)
        symbol = f"ggml_metallib_{place.stem}" if split else "ggml_metallib"
        target = place.with_name(f"{place.stem}-embedded.metal")
        found[Embedded(symbol, str(target))] = _with_headers(files, path, folders).encode()
    return found


def _with_headers(files: Mapping[str, bytes], path: str, folders: tuple[str, ...]) -> str:
    seen: set[str] = set()

    def put_in(path: str) -> str:
        text = files[path].decode()

        def header(match: re.Match[str]) -> str:
            name = match["include"] or match["embed"]
            found = _find(files, name, PurePosixPath(path).parent, folders)
            if found is None:
                line = text.count("\n", 0, match.start()) + 1
                raise BadFormatError(
                    f"{path}:{line}: {name} is not among the files of the tree",
                    expected="every header that a kernel includes",
                    hint="Add it to the manifest.",
                )
            if found in seen:
                return ""
            seen.add(found)
            return put_in(found)

        return _INCLUDE.sub(header, _PRAGMA.sub("", text))

    return put_in(path)


def _find(
    files: Mapping[str, bytes], name: str, place: PurePosixPath, folders: tuple[str, ...]
) -> str | None:
    candidates = [place, *place.parents, *map(PurePosixPath, folders)]
    paths = (str(folder / name) for folder in candidates)
    return next((path for path in paths if path in files), None)
