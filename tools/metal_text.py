"""Puts the Metal kernels into one text that programs carry with them: compiled where it runs, since
no tool of Apple's runs on the machines that build packages.

Usage: python tools/metal_text.py

Headers stand before the kernels that include them, each once; lines of comments are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "cpp" / "src" / "backend" / "metal"
HEADER = FOLDER / "generated" / "kernels_text.h"
_INCLUDE = re.compile(r'^#include "([^"]+)"$')
_LEFT_OUT = re.compile(r"^\s*//|^#pragma once$|^#include <metal_stdlib>$")


def _lines(path: Path, seen: set[Path]) -> list[str]:
    """A file's lines with those of its headers in front; none of a file that was there before."""
    if path in seen:
        return []
    seen.add(path)
    headers: list[str] = []
    own: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := _INCLUDE.match(line):
            headers += _lines(FOLDER / Path(found[1]).name, seen)
        elif not _LEFT_OUT.match(line):
            own.append(line.rstrip())
    return [*headers, *own]


def written() -> str:
    """The header with the text of all kernels."""
    seen: set[Path] = set()
    lines = [line for path in sorted(FOLDER.glob("*.metal")) for line in _lines(path, seen)]
    text = re.sub(r"\n{2,}", "\n", "\n".join(["#include <metal_stdlib>", *lines])).strip()
    return (
        "// Written by tools/metal_text.py of the kernels beside this folder; do not edit.\n"
        "#pragma once\n\nnamespace speech {\n\n"
        f'inline constexpr const char* kKernelsText = R"metal(\n{text}\n)metal";\n\n'
        "}  // namespace speech\n"
    )


def main() -> None:
    """Writes the header."""
    HEADER.parent.mkdir(exist_ok=True)
    HEADER.write_text(written(), encoding="utf-8")


if __name__ == "__main__":
    main()
