"""The built package on native parts of other versions, in a real JavaScript engine: they are built
from a copy of the C++ tree with the generated files of another description of the API.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.js.bundling import bundled
from tests.jsi.host_build import recording_host_of
from tests.node_tools import run
from tests.npm_packages import REACT_NATIVE_0_76

from wspkit.bridge.registry import OUTPUTS
from wspkit.spec.load import PATH, parse

ROOT = Path(__file__).resolve().parents[2]
GENERATED = "cpp/jsi/generated/"


def changed(path: Path, pattern: str, replacement: str) -> None:
    """Replaces the one place in a file that fits."""
    text, n = re.subn(pattern, replacement, path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert n == 1, (path, pattern, n)
    path.write_text(text, encoding="utf-8")


def tree_of(folder: Path, description: str) -> Path:
    """A copy of the C++ tree whose binding is generated from another description."""
    shutil.copytree(ROOT / "cpp", folder / "cpp")
    api = parse(description, "another api.toml")
    for output in OUTPUTS:
        if output.path.startswith(GENERATED):
            (folder / output.path).write_text(output.text(api), encoding="utf-8")
    return folder / "cpp"


def answers(tree: Path, project: Path, folder: Path) -> dict[str, Any]:
    """What the program of this package says on a native part of that tree."""
    host = recording_host_of(tree, REACT_NATIVE_0_76, folder / "build")
    program = bundled(project, "contract.js")
    found: dict[str, Any] = json.loads(run(str(host), str(program), cwd=folder))
    return found


@pytest.mark.long("jsi")
def test_newer_javascript_works_on_an_older_binary_of_the_same_major(
    project: Path, tmp_path: Path
) -> None:
    """As it was before the option audio_ctx and the method bench came."""
    description = PATH.read_text(encoding="utf-8")
    option = r"\n\[option\.audio_ctx\]\n.*?(?=\n\[|\n# ----)"
    older, n = re.subn(option, "", description, flags=re.DOTALL)
    assert n == 1
    tree = tree_of(tmp_path, older)
    changed(tree / "jsi" / "model_object.cpp", r'\{"bench", \{1, bench\}\},', "")
    changed(tree / "jsi" / "model_object.cpp", r"  const auto bench = .*?\n  \};\n", "")
    found = answers(tree, project, tmp_path)
    assert found["loaded"][0] == found["whisperRn"][0] == "a value"
    assert found["system"] == ["a value", "1.9.1"]
    assert found["text"][0] == "a value"
    assert found["text"][1].startswith(" first second")
    code, field, message = found["option"]
    assert (code, field) == ("unknown_option", "options.audioCtx")
    assert "this binary knows" in message
    code, field, message = found["method"]
    assert (code, field) == ("unsupported", "bench")
    assert "rebuild the app" in message
    assert found["after"] == ["a value", False]


@pytest.mark.long("jsi")
@pytest.mark.parametrize(("major", "what"), [(0, "older wsp.rn"), (2, "newer wsp.rn")])
def test_a_binary_of_another_major_is_refused_with_what_to_rebuild(
    major: int, what: str, project: Path, tmp_path: Path
) -> None:
    description = PATH.read_text(encoding="utf-8")
    other, n = re.subn(r"(\[contract\]\n[^\[]*?\nmajor = )\d+", rf"\g<1>{major}", description)
    assert n == 1
    found = answers(tree_of(tmp_path, other), project, tmp_path)
    for call in ("loaded", "whisperRn", "system"):
        code, _, message = found[call]
        assert code == "contract_mismatch"
        assert what in message
