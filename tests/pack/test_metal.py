"""The Metal device as clang reads it under ARC, with a stand-in for Apple's header, and the one
text of the kernels that it compiles on a phone, as the tests' own Metal library takes it.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "cpp"
DEVICE = CORE / "src" / "backend" / "metal" / "metal_device.mm"


def read(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
    words = (
        *("clang++-19", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *options),
        *("-fblocks", "-fobjc-arc", "-fobjc-exceptions", "-fobjc-runtime=ios-15.0"),
        *("-isystem", Path(__file__).parent / "apple", f"-I{CORE / 'src'}", source),
    )
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("macos", ["0", "1"])
def test_the_device_is_objective_c_plus_plus_under_arc(macos: str) -> None:
    done = read(DEVICE, f"-DTARGET_OS_OSX={macos}")
    assert done.returncode == 0, done.stderr


def test_the_look_at_it_sees_what_is_wrong(tmp_path: Path) -> None:
    text = DEVICE.read_text(encoding="utf-8")
    for right, wrong in (
        ("setThreadgroupMemoryLength:", "setThreadgroupMemory:"),
        ("[commands_ commit]", "[commands_ start]"),
        ("options.languageVersion =", "options.version ="),
    ):
        assert right in text
        text = text.replace(right, wrong)
    changed = tmp_path / "metal_device.mm"
    changed.write_text(text, encoding="utf-8")
    messages = read(changed).stderr
    for message in ("setThreadgroupMemory", "start", "'version' not found"):
        assert message in messages


@pytest.fixture
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("metal_text", ROOT / "tools" / "metal_text.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_text_is_that_of_the_kernels(generator: ModuleType) -> None:
    committed = generator.HEADER.read_text(encoding="utf-8")
    assert committed == generator.written(), "run .venv/bin/python tools/metal_text.py"


def test_all_kernels_compile_as_one_text(generator: ModuleType, tmp_path: Path) -> None:
    found = re.search(r'R"metal\((.*)\)metal"', generator.written(), re.DOTALL)
    assert found is not None
    assert len(found[1]) < 65536  # what every compiler takes as one literal
    whole, bound = tmp_path / "kernels.metal", tmp_path / "kernels.cpp"
    whole.write_text(found[1], encoding="utf-8")
    shim = CORE / "tests" / "metal" / "shim"
    subprocess.run([sys.executable, str(shim / "bind.py"), str(bound), str(whole)], check=True)
    words = ("clang++-19", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror")
    folders = (f"-I{CORE / 'src'}", f"-I{CORE / 'tests'}")
    done = subprocess.run(
        [*words, *folders, str(bound)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
