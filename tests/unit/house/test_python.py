"""Rules of the Python code: lint, format, types, and who may import whom."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from wspkit import errors

RUFF = (sys.executable, "-m", "ruff")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param((*RUFF, "check", "."), id="ruff check"),
        pytest.param((*RUFF, "format", "--check", "."), id="ruff format"),
        pytest.param((sys.executable, "-m", "mypy"), id="mypy"),
        pytest.param(("lint-imports", "--no-logo"), id="import-linter"),
    ],
)
def test_python_code_passes(findings: Callable[..., str], command: tuple[str, ...]) -> None:
    assert findings(*command) == ""


@pytest.mark.parametrize(
    ("line", "home", "elsewhere"),
    [
        ("import jinja2", "codegen/wspkit/bridge/render.py", "codegen/wspkit/bridge/text.py"),
        ("import subprocess", "codegen/wspkit/process.py", "codegen/wspkit/models/fetch.py"),
        ("from os import system", "codegen/wspkit/process.py", "codegen/wspkit/models/fetch.py"),
        ("print(1)", "codegen/wspkit/log.py", "codegen/wspkit/cli/app.py"),
    ],
)
def test_what_one_module_owns_is_refused_elsewhere(
    run: Callable[..., subprocess.CompletedProcess[str]], line: str, home: str, elsewhere: str
) -> None:
    def refused(path: str) -> bool:
        check = (*RUFF, "check", "--select", "TID251,T20", "--stdin-filename", path, "-")
        return run(*check, text=f"{line}\n").returncode != 0

    assert (refused(home), refused(elsewhere)) == (False, True)


def subclasses(kind: type[errors.WspError]) -> set[type[errors.WspError]]:
    return {kind}.union(*(subclasses(child) for child in kind.__subclasses__()))


def test_each_error_class_has_an_exit_code_of_its_own() -> None:
    kinds = subclasses(errors.WspError) - {errors.WspError}
    codes = {kind: kind.exit_code for kind in kinds if "exit_code" in vars(kind)}
    # A subclass without a code of its own is a special case of its parent's.
    assert len(set(codes.values())) == len(codes)
    # 126 and above mean something to a shell; 0 is success.
    assert all(1 <= code <= 125 for code in codes.values())
    assert len(codes) > 5
