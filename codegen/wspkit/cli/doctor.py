"""`wsp doctor`: what this machine and installation can do, and what to do about what they cannot.

It looks and never changes anything, and works where the native module does not.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Final

import typer

import wspkit
from wspkit import log
from wspkit.errors import (
    CommandError,
    NotFoundError,
    UnhealthyError,
    UnsupportedError,
    WspError,
)
from wspkit.process import Command, Runner, SubprocessRunner

# Features that the CPU kernels use, or that tell why they do not, as /proc/cpuinfo spells them.
_CPU_FEATURES: Final = (
    "sse4_2",
    "avx",
    "f16c",
    "fma",
    "avx2",
    "avx512f",
    "avx512_vnni",
    "asimd",
    "fphp",
    "asimddp",
    "i8mm",
)

# Space that fetching and converting the base model takes, with some to spare.
_NEEDED_BYTES: Final = 500_000_000

_TOOLS: Final = {
    "cmake": "builds the core",
    "g++": "builds the core",
    "ninja": "builds the core faster than make",
    "git": "fetches and describes sources",
    "ffmpeg": "turns other recordings into WAV",
}


class Verdict(str, Enum):
    """How a finding is to be taken."""

    OK = "ok"
    NOTE = "note"
    """Something optional is missing."""
    PROBLEM = "problem"
    """wsp does not work like this."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    area: str
    name: str
    value: str
    verdict: Verdict = Verdict.OK
    hint: str = ""


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    checksums: Annotated[
        bool,
        typer.Option("--checksums", help="Also read the fetched models and compare checksums."),
    ] = False,
) -> None:
    """Check this machine and installation, and say what to do about what is missing.

    Exit code 13 if something keeps wsp from working; what is merely optional does not count.
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    findings = [*examine(SubprocessRunner(), checksums=checksums)]
    problems = [finding for finding in findings if finding.verdict is Verdict.PROBLEM]
    if json:
        log.result_json(
            {
                "healthy": not problems,
                "findings": [dataclasses.asdict(finding) for finding in findings],
            }
        )
    else:
        rows = [[f.area, f.name, f.value, f.verdict.value, f.hint] for f in findings]
        log.table(["area", "what", "found", "verdict", "hint"], rows)
    if problems:
        names = ", ".join(finding.name for finding in problems)
        raise UnhealthyError(
            f"{len(problems)} of {len(findings)} findings keep wsp from working: {names}",
            hint=problems[0].hint,
        )


def examine(runner: Runner, *, checksums: bool = False) -> Iterator[Finding]:
    """Looks at everything; checksums reads all fetched models, which takes seconds per gigabyte."""
    yield from _python()
    yield from _machine()
    yield from _native_module()
    yield from _cache()
    yield from _models(checksums=checksums)
    yield from _tools(runner)


def _python() -> Iterator[Finding]:
    yield Finding("python", "wsp", wspkit.__version__)
    enough = sys.version_info >= (3, 10)
    yield Finding(
        "python",
        "version",
        f"{platform.python_implementation()} {platform.python_version()}",
        Verdict.OK if enough else Verdict.PROBLEM,
        "" if enough else "Use Python 3.10 or newer.",
    )
    yield Finding("python", "executable", sys.executable)


def _machine() -> Iterator[Finding]:
    yield Finding("machine", "platform", platform.platform())
    yield Finding("machine", "cpus", str(os.cpu_count() or "unknown"))
    yield Finding("machine", "cpu features", " ".join(cpu_features(_cpu_info())) or "unknown")


def cpu_features(cpu_info: str) -> list[str]:
    """Those features of /proc/cpuinfo's text that matter to speech, in a fixed order."""
    for line in cpu_info.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in {"flags", "Features"}:
            present = set(value.split())
            return [feature for feature in _CPU_FEATURES if feature in present]
    return []


def _cpu_info() -> str:
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _native_module() -> Iterator[Finding]:
    try:
        from wspkit.core import build_facts  # noqa: PLC0415 - its absence is a finding

        facts = build_facts()
    except WspError as error:
        yield Finding(
            "core", "native module", error.message, Verdict.PROBLEM, error.hint or "Reinstall wsp."
        )
        return
    yield Finding("core", "native module", facts.path)
    yield Finding("core", "api version", facts.api_version)
    yield Finding("core", "kernel table", facts.kernel_table)
    yield Finding("core", "system", facts.system_info)
    yield _backend()


def _backend() -> Finding:
    from wspkit.core.build import (  # noqa: PLC0415 - as above
        BACKEND_VARIABLE,
        KERNELS_VARIABLE,
        chosen_backend,
    )

    try:
        return Finding("core", "back-end", chosen_backend())
    except WspError as error:
        variable = KERNELS_VARIABLE if isinstance(error, UnsupportedError) else BACKEND_VARIABLE
        hint = f"Unset {variable}, or set it to one of these names."
        return Finding("core", "back-end", error.message, Verdict.PROBLEM, hint)


def _cache() -> Iterator[Finding]:
    from wspkit.fetching.cache import CACHE_VARIABLE, cache_root, megabytes  # noqa: PLC0415

    root = cache_root()
    # What is not there yet is made below the nearest directory that is.
    nearest = next(path for path in (root, *root.absolute().parents) if path.exists())
    writable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    state = "" if root.exists() else ", not made yet"
    yield Finding(
        "cache",
        "directory",
        f"{root}{state}",
        Verdict.OK if writable else Verdict.PROBLEM,
        ""
        if writable
        else f"Make {nearest} writable, or set {CACHE_VARIABLE} to another directory.",
    )
    free_bytes = shutil.disk_usage(nearest).free
    enough = free_bytes >= _NEEDED_BYTES
    yield Finding(
        "cache",
        "free space",
        megabytes(free_bytes),
        Verdict.OK if enough else Verdict.NOTE,
        "" if enough else f"Fetching a model takes up to {megabytes(_NEEDED_BYTES)}.",
    )


def _models(*, checksums: bool) -> Iterator[Finding]:
    from wspkit.fetching.cache import megabytes  # noqa: PLC0415
    from wspkit.models import catalogue  # noqa: PLC0415 - not for --help
    from wspkit.models.cache import model_path  # noqa: PLC0415

    found = 0
    for model in catalogue.load().model:
        path = model_path(model)
        if not path.is_file():
            continue
        found += 1
        size_bytes = path.stat().st_size
        hint = f"Delete {path}, then `wsp model fetch {model.name}`."
        if size_bytes != model.size_bytes:
            value = f"{megabytes(size_bytes)} instead of {megabytes(model.size_bytes)}"
            yield Finding("models", model.name, value, Verdict.NOTE, hint)
        elif not checksums:
            yield Finding("models", model.name, f"{megabytes(size_bytes)}, checksum not read")
        elif _checksum_is_known(path, model):
            yield Finding("models", model.name, f"{megabytes(size_bytes)}, checksum right")
        else:
            value = f"{megabytes(size_bytes)}, checksum wrong"
            yield Finding("models", model.name, value, Verdict.NOTE, hint)
    if not found:
        hint = "`wsp transcribe` fetches the model that it needs."
        yield Finding("models", "fetched", "none", Verdict.NOTE, hint)


def _checksum_is_known(path: Path, model: object) -> bool:
    from wspkit.fetching.transport import sha256_of  # noqa: PLC0415
    from wspkit.models.catalogue import Model  # noqa: PLC0415

    assert isinstance(model, Model)
    # The same weights in another order of tensors have another checksum: each source has its own.
    return sha256_of(path) in {source.sha256 for source in model.source}


def _tools(runner: Runner) -> Iterator[Finding]:
    for name, purpose in _TOOLS.items():
        version = _version_of(runner, name)
        if version:
            yield Finding("tools", name, version)
        else:
            yield Finding("tools", name, "not found", Verdict.NOTE, f"Optional: it {purpose}.")


def _version_of(runner: Runner, name: str) -> str:
    # ffmpeg takes one dash where the others take two.
    flag = "-version" if name == "ffmpeg" else "--version"
    try:
        result = runner.run(Command((name, flag), timeout_s=20), check=False)
    except (NotFoundError, CommandError):
        return ""
    lines = result.stdout.splitlines()
    return lines[0].strip() if result.ok and lines else ""
