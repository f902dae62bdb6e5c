"""Whether an archive is the package that it should be: complete, of one piece, under the right
prefix, and small enough. It compiles nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wspkit.config.model import Config
from wspkit.errors import BadFormatError, BudgetError, UsageError
from wspkit.package.named import Files, Problem, missing_files
from wspkit.package.native import exports
from wspkit.package.places import (
    ANDROID_BUILD,
    ANDROID_MANIFEST,
    BILL,
    EXPORTS,
    GRADLE_BUILD,
    LINKING,
    MANIFEST,
    PODSPEC,
    PREFIX_RECORD,
    PROVENANCE,
    SWIFT_PACKAGE,
)
from wspkit.package.provenance import differences, read_provenance

REQUIRED = (
    ANDROID_BUILD,
    ANDROID_MANIFEST,
    BILL,
    EXPORTS,
    GRADLE_BUILD,
    "LICENSE",
    LINKING,
    MANIFEST,
    PODSPEC,
    PREFIX_RECORD,
    PROVENANCE,
    "README.md",
    SWIFT_PACKAGE,
    "cpp/CMakeLists.txt",
)
_SHOWN = 12


@dataclass(frozen=True)
class Share:
    """A part of a package and what it takes."""

    title: str
    files: int
    size_bytes: int


# The first that fits counts.
_SHARES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("binaries", ("ios/prebuilt/", "android/prebuilt/")),
    ("core", ("cpp/src/", "cpp/include/")),
    ("binding", ("cpp/jsi/",)),
    ("Apple's platform", ("ios/", PODSPEC, SWIFT_PACKAGE)),
    ("Android's platform", ("android/",)),
    ("JavaScript", ("lib/", "spec/")),
    ("the rest", ("",)),
)


def check(files: Files, config: Config) -> None:
    """Errors: BadFormatError with everything that is wrong; UsageError for another prefix."""
    missing = [Problem(path, "is missing") for path in REQUIRED if path not in files]
    # Without these nothing else can be read.
    problems = missing or [*_problems(files)]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:_SHOWN])
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise BadFormatError(
            f"the package is not whole:\n{shown}{more}\n",
            hint="Pack it again from a whole tree; nothing may be taken out of it or put into it.",
        )
    _check_prefix(files, config)


def _problems(files: Files) -> Iterator[Problem]:
    document = read_provenance(files[PROVENANCE])
    yield from (Problem(path, what) for path, what in differences(files, document))
    yield from missing_files(files)
    listed = {one["fileName"].removeprefix("./") for one in json.loads(files[BILL])["files"]}
    for path in sorted(listed ^ (files.keys() - {BILL, PROVENANCE})):
        yield Problem(path, f"is not both in the package and in {BILL}")
    if exports(files).encode() != files[EXPORTS]:
        yield Problem(EXPORTS, "does not list the functions of the public headers")


def _check_prefix(files: Files, config: Config) -> None:
    found = json.loads(files[PREFIX_RECORD])["prefix"]
    if found != config.prefix.name:
        raise UsageError(
            f"the sources of the package have the prefix {found!r}",
            expected=f"{config.prefix.name!r} (prefix.name in wsp.toml)",
            hint="Pack it again, or change wsp.toml.",
        )


def has_binaries(files: Files) -> bool:
    """Whether libraries that were built elsewhere are inside."""
    return any("/prebuilt/" in path for path in files)


def check_size(name: str, archive_bytes: int, files: Files, config: Config) -> None:
    """BudgetError for an archive larger than wsp.toml allows; one with binaries has no limit."""
    limit = config.budget.tarball_bytes
    if archive_bytes > limit and not has_binaries(files):
        largest = sorted(files, key=lambda path: -len(files[path]))[:3]
        raise BudgetError(
            f"{name} has {archive_bytes:,} bytes",
            expected=f"at most {limit:,} (budget.tarball_bytes in wsp.toml)",
            hint=f"The largest files in it are {', '.join(largest)}. Leave something out, or raise "
            "the limit.",
        )


def shares(files: Files) -> list[Share]:
    """What each part of a package takes, unpacked."""
    sizes: Mapping[str, list[int]] = {title: [] for title, _ in _SHARES}
    for path, content in files.items():
        title = next(title for title, starts in _SHARES if path.startswith(starts))
        sizes[title].append(len(content))
    return [Share(title, len(each), sum(each)) for title, each in sizes.items() if each]
