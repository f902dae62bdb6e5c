"""What a user installs: a plain wheel holds the package and its module, nothing made for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def wheel(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as `pip install .` builds it, but in a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    result = run(*pip, "-C", f"build-dir={folder / 'build'}", "-w", str(folder), ".")
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.long("packaging")
def test_a_wheel_holds_what_the_package_needs_and_nothing_for_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = {
        path.relative_to(ROOT / "codegen").as_posix()
        for path in (ROOT / "codegen" / "wspkit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    added = {name for name in names - sources if ".dist-info/" not in name}
    assert sources - names == set()
    # One native module, and neither layers, kernels nor libraries beside it.
    assert len(added) == 1
    assert re.fullmatch(r"wspkit/core/_core\..*(so|pyd)", added.pop())


@pytest.mark.long("packaging")
def test_a_wheel_works_in_an_environment_of_its_own(run: Run, wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "installed"
    install = ("--quiet", "--no-deps", "--target", str(target), str(wheel))
    assert run(sys.executable, "-m", "pip", "install", *install).returncode == 0
    # Without site there is no development install, so the packages are named by hand.
    packages = f"{target}{os.pathsep}{sysconfig.get_path('platlib')}"
    program = "import wspkit.core as core; print(core.__file__, core.build_facts())"
    result = run(sys.executable, "-S", "-c", program, more={"PYTHONPATH": packages})
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(str(target))
