"""Which core stands behind the package: how it is chosen, where the other one is looked for, and
what is said where there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wspkit.cli.app import main
from wspkit.core import build_facts, can
from wspkit.core.choice import (
    CORE_VARIABLE,
    Core,
    built_folder,
    choose,
    chosen,
    module_name,
    upstream_module,
)
from wspkit.errors import NotFoundError, UsageError


@pytest.fixture(autouse=True)
def a_cache_without_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(CORE_VARIABLE, "own")
    return tmp_path / "cache"


def in_a_process(code: str, core: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a Python that has loaded nothing yet."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, CORE_VARIABLE: core},
        capture_output=True,
        text=True,
        check=False,
    )


def test_our_own_core_is_the_one_without_a_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CORE_VARIABLE)
    assert chosen() is Core.OWN
    monkeypatch.setenv(CORE_VARIABLE, "")
    assert chosen() is Core.OWN


def test_a_name_that_is_no_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CORE_VARIABLE, "theirs")
    with pytest.raises(UsageError, match="WSPKIT_CORE is 'theirs'; expected own or upstream"):
        chosen()


def test_our_own_core_has_all_of_the_api() -> None:
    assert can("full_audio")
    assert can("stats")


def test_a_process_keeps_the_core_that_it_loaded() -> None:
    assert build_facts().path  # loads it
    with pytest.raises(UsageError, match="the core upstream is asked for in a process"):
        choose(Core.UPSTREAM)
    choose(Core.OWN)
    assert chosen() is Core.OWN


def test_a_core_that_was_not_built_is_told_with_the_command_that_builds_it() -> None:
    with pytest.raises(NotFoundError, match="wsp build-core"):
        upstream_module()


def test_the_command_line_says_it_too(noise_wav: Path) -> None:
    words = [sys.executable, "-m", "wspkit.cli.app"]
    done = subprocess.run(
        [*words, "transcribe", "--core", "upstream", "-m", "any", str(noise_wav)],
        env={name: value for name, value in os.environ.items() if name != CORE_VARIABLE},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == NotFoundError.exit_code
    assert "wsp build-core" in done.stderr


def test_a_core_is_of_one_version_of_the_package_and_one_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built_folder().mkdir(parents=True)
    (built_folder() / module_name()).touch()
    assert upstream_module() == built_folder() / module_name()
    monkeypatch.setattr("wspkit.__version__", "99.0")
    with pytest.raises(NotFoundError):
        upstream_module()


def test_the_module_is_loaded_from_its_file_under_the_name_of_ours() -> None:
    """With our own module in the other's place: any file that fits is taken as it is."""
    built_folder().mkdir(parents=True)
    target = built_folder() / module_name()
    shutil.copyfile(build_facts().path, target)
    code = (
        "import sys, wspkit.core as c; print(c.build_facts().path);"
        "print(sys.modules['wspkit.core._core'].__file__)"
    )
    done = in_a_process(code, "upstream")
    assert done.stdout.split() == [str(target)] * 2, done.stderr


def test_a_file_that_is_no_module_is_told_with_the_command_that_builds_it() -> None:
    built_folder().mkdir(parents=True)
    (built_folder() / module_name()).write_bytes(b"no module")
    done = in_a_process("import wspkit.core.native", "upstream")
    assert "NotFoundError" in done.stderr
    assert "cannot be loaded" in done.stderr
    assert "wsp build-core" in done.stderr


def test_another_core_than_the_loaded_one_is_refused_by_the_command_line(
    noise_wav: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_facts().path
    assert main(["transcribe", "--core", "upstream", str(noise_wav)]) == UsageError.exit_code
    assert "one core for each process" in capsys.readouterr().err
