"""`wsp audit`: looks at compiled trees for names that another copy could define too, and runs
several copies in one program. The work is in `wspkit.prefix.audit` and `wspkit.upstream`.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from wspkit import log
from wspkit.bridge.generate import find_root
from wspkit.cli.values import text_of_file
from wspkit.errors import CollisionError, NotFoundError, UsageError
from wspkit.fetching.packages import Transfer
from wspkit.fetching.whole_folder import replace_folder
from wspkit.models.fetch import resolve
from wspkit.prefix.audit import MEANING, Audit, Finding, against_exports, audit, shared
from wspkit.prefix.profile import load_profile
from wspkit.prefix.symbols import Symbol, is_shared, read_symbols
from wspkit.process import SubprocessRunner
from wspkit.upstream.built import Compiling, libraries
from wspkit.upstream.coexistence import Copy, Heard, transcribe_together
from wspkit.upstream.described import Described, describe
from wspkit.upstream.source import Access
from wspkit.upstream.sync import Request, assemble

_SHOWN = 40
_OTHER_PREFIX = "other_"


@dataclass(frozen=True)
class _Looked:
    """A tree or a set of objects, compiled and read."""

    title: str
    libraries: Sequence[Path]
    symbols: Sequence[Symbol]
    audit: Audit | None
    """None for a tree that is meant to have no prefix."""


def audit_trees(
    what: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|OBJECT...", help="Trees that CMake builds; or objects and libraries."
        ),
    ],
    *,
    prefix: Annotated[
        str | None, typer.Option(help="What names must begin with.", show_default="as synced")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Whose kept names are no finding: strict, compat or a file.",
            show_default="as synced, or strict",
        ),
    ] = None,
    exports: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Names, one a line, that the shared libraries must export."
        ),
    ] = None,
    coexist: Annotated[
        bool,
        typer.Option(
            "--coexist",
            help="Link all trees into one program in which each transcribes. Of one synced tree: "
            "beside a copy under another prefix and one without.",
        ),
    ] = False,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="NAME|PATH", help="For --coexist.")
    ] = "tiny.en",
    audio: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="For --coexist: a WAV file, 16 kHz, mono, 16 bit."),
    ] = None,
    flags: Annotated[
        str,
        typer.Option(metavar="FLAGS", help="For the compiler, such as '-mavx2 -mfma -mf16c'."),
    ] = "",
    build_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to compile.", show_default="a folder that goes"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Prove that compiled sources collide with no other copy of theirs.

    Trees are compiled. Every strong and weak name without the prefix is a finding, and every
    instance of a template of others for a type without it; of several trees also each name that two
    define. The exit code is 14 if there is a finding, or if copies do not live together.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    if coexist and audio is None:
        raise UsageError("--coexist needs a recording", expected="--audio FILE")
    missing = [path for path in what if not path.exists()]
    if missing:
        raise NotFoundError(f"there is no {missing[0]}", expected="trees or object files")
    trees = [describe(path) for path in what if path.is_dir()]
    objects = [path for path in what if not path.is_dir()]
    with _workshop(build_dir) as build:
        compiling = Compiling(SubprocessRunner(), tuple(shlex.split(flags)))
        if coexist and len(trees) == 1:
            trees += _other_copies(trees[0], build)
        looked = [
            _look_at(tree, build / f"tree{number}", compiling, prefix, profile)
            for number, tree in enumerate(trees)
        ]
        built = [one.libraries for one in looked]
        if objects:
            looked.append(_look_at_objects(objects, compiling, prefix, profile))
        between = shared([one.symbols for one in looked]) if len(looked) > 1 else ()
        if exports is not None:
            between += _against_exports(objects, exports, compiling)
        heard: list[Heard] = []
        if coexist:
            assert audio is not None
            copies = [_copy(tree, libs) for tree, libs in zip(trees, built, strict=True)]
            with log.progress("transcribing", total=None):
                heard = transcribe_together(
                    copies, resolve(model), audio, build / "together", compiling
                )
    _report(looked, between, heard)
    _raise_for(looked, between, heard)


@contextmanager
def _workshop(chosen: Path | None) -> Iterator[Path]:
    if chosen is not None:
        yield chosen.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="wsp-audit-") as folder:
        yield Path(folder)


def _look_at(
    tree: Described, build: Path, compiling: Compiling, prefix: str | None, profile: str | None
) -> _Looked:
    with log.progress(f"compiling {tree.source}", total=None):
        built = libraries(tree.source, build, compiling)
    symbols = read_symbols(built, compiling.runner)
    plain = tree.lock is not None and tree.prefix is None
    found = (
        None
        if plain and prefix is None
        else _audited(tree.source, symbols, prefix or tree.prefix, profile or tree.profile)
    )
    return _Looked(str(tree.source), built, symbols, found)


def _look_at_objects(
    objects: Sequence[Path], compiling: Compiling, prefix: str | None, profile: str | None
) -> _Looked:
    symbols = read_symbols(objects, compiling.runner)
    title = ", ".join(map(str, objects))
    return _Looked(title, objects, symbols, _audited(title, symbols, prefix, profile))


def _audited(
    title: str | Path, symbols: Sequence[Symbol], prefix: str | None, profile: str | None
) -> Audit:
    if not prefix:
        raise UsageError(f"nothing says which prefix {title} has", expected="--prefix")
    return audit(symbols, prefix, load_profile(profile or "strict"))


def _against_exports(
    objects: Sequence[Path], exports: Path, compiling: Compiling
) -> tuple[Finding, ...]:
    shared_libraries = [path for path in objects if is_shared(path)]
    if not shared_libraries:
        raise UsageError("--exports looks at shared libraries", expected="a .so or .dylib")
    symbols = read_symbols(shared_libraries, compiling.runner)
    return against_exports(symbols, text_of_file(str(exports), "--exports").split())


def _other_copies(tree: Described, build: Path) -> list[Described]:
    """Copies of a synced tree under another prefix and without one."""
    if tree.lock is None:
        raise UsageError(
            f"{tree.source} is alone", expected="a synced tree, or two trees that shall coexist"
        )
    access = Access(
        transfer=Transfer(log.progress, label="fetching sources"),
        clone=lambda: find_root(Path.cwd()),
    )
    copies = []
    for name, prefix in (("other", _OTHER_PREFIX), ("plain", None)):
        request = replace(Request.of_lock(tree.lock), prefix=prefix)
        replace_folder(build / name, assemble(request, access).files)
        copies.append(describe(build / name))
    return copies


def _copy(tree: Described, built: Sequence[Path]) -> Copy:
    title = f"the copy under {tree.prefix}" if tree.prefix else "the copy without a prefix"
    return Copy(title, tree.source, tree.header, built, tree.names)


def _report(looked: Sequence[_Looked], between: Sequence[Finding], heard: Sequence[Heard]) -> None:
    if log.settings().json_mode:
        log.result_json(_as_json(looked, between, heard))
        return
    for one in looked:
        if one.audit is None:
            continue
        log.table(
            ["names", log.Column("count", right=True)],
            [
                ["strong", str(one.audit.strong)],
                ["of vague linkage", str(one.audit.weak)],
                ["  of these the compiler's libraries'", str(one.audit.foreign)],
                ["kept by the profile", str(len(one.audit.kept))],
                *([MEANING[kind], str(count)] for kind, count in one.audit.counts().items()),
            ],
            title=one.title,
        )
        _table(one.audit.findings)
    _table(between)
    for one_heard in heard:
        log.result(f"{one_heard.title}: {one_heard.text}")


def _table(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    everything = log.settings().verbosity >= log.Verbosity.VERBOSE
    shown = findings if everything else findings[:_SHOWN]
    log.table(
        ["finding", "name", "defined in"],
        [[one.kind, one.readable, ", ".join(map(_object, one.places[:3]))] for one in shown],
    )
    if len(shown) < len(findings):
        log.status(f"{len(findings) - len(shown)} more; --verbose or --json shows all")


def _object(place: str) -> str:
    """The part of a library, without the folders that lead to it."""
    return place.rpartition("/")[2]


def _as_json(
    looked: Sequence[_Looked], between: Sequence[Finding], heard: Sequence[Heard]
) -> dict[str, Any]:
    return {
        "trees": [
            {
                "what": one.title,
                "strong": one.audit.strong,
                "weak": one.audit.weak,
                "foreign": one.audit.foreign,
                "kept": list(one.audit.kept),
                "findings": [_finding(finding) for finding in one.audit.findings],
            }
            for one in looked
            if one.audit is not None
        ],
        "findings": [_finding(finding) for finding in between],
        "heard": [{"copy": one.title, "text": one.text} for one in heard],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "name": finding.name,
        "readable": finding.readable,
        "places": list(finding.places),
    }


def _raise_for(
    looked: Sequence[_Looked], between: Sequence[Finding], heard: Sequence[Heard]
) -> None:
    audits = [one.audit for one in looked if one.audit is not None]
    findings = [*(finding for one in audits for finding in one.findings), *between]
    if findings:
        first = findings[0]
        raise CollisionError(
            f"{len(findings)} names could meet another copy's, {first.readable} ({first.kind}) "
            "for one",
            hint="Let the profile rename them, or keep them in the file that uses them.",
        )
    texts = {one.text for one in heard}
    if len(texts) > 1 or "" in texts:
        raise CollisionError(
            "the copies heard different things: "
            + "; ".join(f"{one.title}: {one.text!r}" for one in heard),
            expected="the same text of each",
        )
