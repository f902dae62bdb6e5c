"""What the installed `wsp` script calls: Ctrl-C has one answer from the first import on."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from wspkit.cli import entry

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("module", ["typer", "wspkit.log", "wspkit.cli.app", "wspkit.cli.doctor"])
def test_ctrl_c_during_imports_is_code_130_without_a_traceback(module: str) -> None:
    code = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from wspkit.cli.entry import main; sys.exit(main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr


def test_arguments_and_exit_code_pass_through(capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("wsp ")
    assert entry.main(["nonsense"]) == 2


def test_the_installed_script_calls_what_is_there() -> None:
    scripts = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["scripts"]
    module, _, function = scripts["wsp"].partition(":")
    assert getattr(importlib.import_module(module), function) is entry.main
