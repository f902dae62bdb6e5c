"""The CMakeLists.txt of a synced tree: a view of what was taken, and the text that the template
makes of it. It knows no single release.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from wspkit.bridge.render import render
from wspkit.upstream.manifest import Group, Manifest, Taken

PATH = "CMakeLists.txt"
_TEMPLATE = "upstream/CMakeLists.txt.j2"
_HEADERS = frozenset({".h", ".hpp"})
_SOURCES = frozenset({".c", ".cc", ".cpp", ".m", ".mm"})
_CONDITIONS = {
    ("any", "any"): "",
    ("any", "x86"): 'CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|i[3-6]86)$"',
    ("any", "arm"): 'CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64|arm.*)$"',
    ("apple", "any"): "APPLE",
}


@dataclass(frozen=True)
class Embedded:
    """A text that the library holds between two symbols."""

    symbol: str
    """What stands before _start and _end."""
    path: str


@dataclass(frozen=True)
class Part:
    """Sources that are compiled under one condition."""

    group: str
    reason: str
    condition: str
    """Of CMake; "" for always."""
    sources: tuple[str, ...]
    definitions: tuple[str, ...]
    frameworks: tuple[str, ...]
    arc: bool
    embedded: tuple[Embedded, ...]


@dataclass(frozen=True)
class BuildFileView:
    """What the template takes."""

    project: str
    version: str
    library: str
    flags_option: str
    c_standard: int
    cxx_standard: int
    public_folders: tuple[str, ...]
    folders: tuple[str, ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Names:
    """What the prefixer made of names and paths; the identity for a tree without prefix."""

    name: Callable[[str], str] = lambda name: name
    path: Callable[[str], str] = lambda path: path


def build_file(
    manifest: Manifest,
    taken: Sequence[Taken],
    *,
    mentioned: Container[str],
    facts: Mapping[str, str],
    embedded: Sequence[Embedded] = (),
    prefix: str = "",
    names: Names | None = None,
) -> str:
    """The text of the CMakeLists.txt.

    mentioned: macros that the sources ask for; others are not defined. facts: what stands for the
    names in braces of the manifest's definitions; "version" is one. embedded: texts of the group
    for Apple's graphics processors. All of them, and `taken`, are before the prefixer; names: what
    it made of them.
    """
    renamed = names or Names()
    folders = {
        str(PurePosixPath(one.path).parent)
        for one in taken
        if PurePosixPath(one.path).suffix in _HEADERS
    }
    parts = []
    for group in manifest.group:
        if group.optional:
            continue
        definitions = tuple(
            _definition(renamed.name(define.name), define.value, facts)
            for define in manifest.define
            if define.group == group.name and (define.always or define.name in mentioned)
        )
        for processor in ("any", "x86", "arm"):
            sources = tuple(
                renamed.path(one.path)
                for one in taken
                if (one.group, one.processor) == (group.name, processor)
                and PurePosixPath(one.path).suffix in _SOURCES
            )
            if sources or (definitions and processor == "any"):
                parts.append(
                    _part(group, processor, sources, definitions, _renamed(embedded, renamed))
                )
                definitions = ()
    view = BuildFileView(
        project=manifest.project,
        version=facts["version"],
        library=f"{prefix}{PurePosixPath(manifest.project).stem}",
        flags_option=f"{prefix.upper()}CPU_FLAGS",
        c_standard=manifest.c_standard,
        cxx_standard=manifest.cxx_standard,
        public_folders=_ordered(
            str(PurePosixPath(one.path).parent)
            for one in taken
            if one.path in manifest.public_headers
            # whisper.h includes ggml's headers.
        )
        + tuple(f for f in ("ggml/include",) if f in folders),
        folders=tuple(folder for folder in manifest.include_folders if folder in folders),
        parts=tuple(parts),
    )
    return render(_TEMPLATE, view, command="wsp sync")


def _ordered(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


def _renamed(embedded: Sequence[Embedded], names: Names) -> tuple[Embedded, ...]:
    return tuple(
        Embedded(names.name(f"{one.symbol}_start").removesuffix("_start"), names.path(one.path))
        for one in embedded
    )


def _part(
    group: Group,
    processor: str,
    sources: tuple[str, ...],
    definitions: tuple[str, ...],
    embedded: tuple[Embedded, ...],
) -> Part:
    return Part(
        group=group.name if processor == "any" else f"{group.name} of {processor}",
        reason=group.reason,
        condition=_CONDITIONS[group.platform, processor],
        sources=sources,
        definitions=definitions,
        frameworks=group.frameworks,
        arc=group.arc,
        embedded=embedded if group.name == "metal" else (),
    )


def _definition(name: str, value: str | None, facts: Mapping[str, str]) -> str:
    return name if value is None else f'{name}="{value.format_map(facts)}"'
