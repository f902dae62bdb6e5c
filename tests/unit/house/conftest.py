"""How checkers are run: from the root, with the environment's tools. It knows no rule."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a program from the root; `text` is its standard input, `more` more environment."""
    # Tools lie beside the interpreter, also where nobody activated the environment.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"

    def call(
        *command: str, text: str | None = None, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PATH": path, **(more or {})}
        return subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )

    return call


@pytest.fixture(scope="session")
def findings(run: Run) -> Callable[..., str]:
    """Runs a checker; what it said if it found something, else nothing."""

    def call(*command: str) -> str:
        result = run(*command)
        return "" if result.returncode == 0 else f"{result.stdout}\n{result.stderr}"

    return call
