"""`wsp build-core` as recorded commands: what is synced, configured, built and kept; and that every
function of the public headers is there whichever core stands behind them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.upstream_trees import FILES

from wspkit.core.choice import built_folder, module_name
from wspkit.errors import CommandError
from wspkit.process import Command, CommandResult, RecordingRunner
from wspkit.upstream.core_build import CoreBuild, build_core, this_machine
from wspkit.upstream.lock import read_lock
from wspkit.upstream.source import Access

CPP = Path(__file__).resolve().parents[2] / "cpp"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A made-up tree of whisper.cpp in a directory."""
    for path, content in FILES.items():
        file = tmp_path / "whisper.cpp" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return tmp_path / "whisper.cpp"


@pytest.fixture
def plan(tmp_path: Path, source: Path) -> CoreBuild:
    return CoreBuild(tmp_path / "clone", tmp_path / "core", str(source), "-mavx2")


def making(plan: CoreBuild, content: bytes) -> Callable[[Command], CommandResult | None]:
    """Stands for CMake: its second command leaves the module."""

    def script(command: Command) -> CommandResult | None:
        if "--build" in command.arguments:
            plan.made.parent.mkdir(parents=True, exist_ok=True)
            plan.made.write_bytes(content)
        return None

    return script


def test_the_tree_is_synced_then_configured_then_built_and_the_module_kept(plan: CoreBuild) -> None:
    runner = RecordingRunner(making(plan, b"a module"))
    steps: list[int] = []
    lock = build_core(plan, runner, Access(), steps.append)
    assert (lock.source.version, lock.prefix) == ("9.8.7", "wsp_")
    assert lock.profile is not None
    assert lock.profile.name == "compat"
    assert read_lock(plan.tree) == lock
    configure, build = (command.arguments for command in runner.commands)
    assert Path(configure[0]).name == "cmake"
    assert configure[1:5] == ("-S", str(plan.repository / "cpp"), "-B", str(plan.folder / "build"))
    assert {
        "-DSPEECH_BUILD_PYTHON=ON",
        f"-DSPEECH_UPSTREAM={plan.tree}",
        f"-DPython_EXECUTABLE={sys.executable}",
        "-DWSP_CPU_FLAGS=-mavx2",
    } <= {*configure}
    assert build[1:5] == (
        "--build",
        str(plan.folder / "build"),
        "--target",
        "speech_python_upstream",
    )
    assert plan.module.read_bytes() == b"a module"
    assert steps == [1, 2, 3]


def test_without_flags_those_of_the_last_build_stay(plan: CoreBuild) -> None:
    bare = CoreBuild(plan.repository, plan.folder, plan.source)
    runner = RecordingRunner(making(bare, b"a module"))
    build_core(bare, runner, Access())
    assert not any("CPU_FLAGS" in word for word in runner.commands[0].arguments)


def test_a_second_build_leaves_a_tree_that_is_current_and_mends_one_that_is_not(
    plan: CoreBuild,
) -> None:
    build_core(plan, RecordingRunner(making(plan, b"first")), Access())
    header = plan.tree / "include" / "whisper.h"
    before = header.stat()
    build_core(plan, RecordingRunner(making(plan, b"second")), Access())
    assert header.stat().st_mtime_ns == before.st_mtime_ns  # or all would be compiled again
    assert plan.module.read_bytes() == b"second"
    text = header.read_bytes()
    header.write_bytes(b"edited")
    build_core(plan, RecordingRunner(making(plan, b"third")), Access())
    assert header.read_bytes() == text


def test_a_build_that_fails_leaves_the_module_that_was_there(plan: CoreBuild) -> None:
    build_core(plan, RecordingRunner(making(plan, b"first")), Access())
    runner = RecordingRunner(lambda command: CommandResult(command, 1, "", "no compiler"))
    with pytest.raises(CommandError, match="no compiler"):
        build_core(plan, runner, Access())
    assert plan.module.read_bytes() == b"first"


def test_it_goes_where_the_package_looks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path))
    assert this_machine(tmp_path).module == built_folder() / module_name()


# ---- the build option ----


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "holds no sync-lock.json"),
        ({"source": {"project": "whisper.cpp", "version": "1.8.5"}}, "expected whisper.cpp 1.9.1"),
        ({"source": {"project": "speech", "version": "1.9.1"}}, "expected whisper.cpp 1.9.1"),
        ({"names": {"whisper_full": "wsp_whisper_full"}}, "--profile compat"),
    ],
)
def test_cmake_refuses_a_tree_that_cannot_be_the_core(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    lock = {
        "source": {"project": "whisper.cpp", "version": "1.9.1"},
        "prefix": "wsp_",
        "names": {"ggml_init": "wsp_ggml_init"},
    }
    if changes:
        (tree / "sync-lock.json").write_text(json.dumps(lock | changes), "utf-8")
    # The folder by itself: to look for compilers would take longer than all the rest.
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(test NONE)\n"
        f'add_subdirectory("{CPP / "upstream"}" upstream)\n',
        "utf-8",
    )
    done = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DSPEECH_UPSTREAM={tree}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())


def functions_of(text: str) -> set[str]:
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return set(re.findall(r"\b(whisper_\w+)\s*\(", plain))


def test_all_of_whisper_ext_h_is_there_over_whisper_cpp() -> None:
    declared = functions_of((CPP / "include" / "whisper_ext.h").read_text("utf-8"))
    assert len(declared) > 30
    listed = (CPP / "upstream" / "CMakeLists.txt").read_text("utf-8")
    files = [CPP / "src" / name for name in re.findall(r"\b[a-z]+/\w+\.cpp\b", listed)]
    assert CPP / "src" / "ext" / "words.cpp" in files
    texts = [file.read_text("utf-8") for file in [*files, CPP / "upstream" / "ext.cpp"]]
    # As a definition: at the beginning of a line, behind its type.
    defined = {
        name
        for text in texts
        for name in re.findall(r"^[\w:*\s]*?\b(whisper_\w+)\([^;]*?\) *\{", text, re.MULTILINE)
    }
    assert declared - defined == set()


def test_nothing_that_looks_inside_our_core_is_linked_under_whisper_cpp() -> None:
    listed = (CPP / "upstream" / "CMakeLists.txt").read_text("utf-8")
    layers = {name.split("/")[0] for name in re.findall(r"\b[a-z]+/\w+\.cpp\b", listed)}
    assert layers == {"audio", "base", "decode", "ext", "tensor", "text"}
