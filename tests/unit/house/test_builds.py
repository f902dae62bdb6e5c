"""The core builds as its users build it: with CMake alone, and as a Conan package of no remote."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).resolve().parents[3]


def test_the_core_configures_without_python_conan_or_googletest(run: Run, tmp_path: Path) -> None:
    # What CMake looked for stands in its cache; `make test` builds and tests such a tree too.
    result = run("cmake", "-S", "cpp", "-B", str(tmp_path))
    assert result.returncode == 0, result.stderr
    cache = (tmp_path / "CMakeCache.txt").read_text(encoding="utf-8")
    # Options of our own begin with SPEECH_; they ask for nothing by being there.
    names = re.findall(r"^(?!SPEECH_)([\w.-]+):", cache, re.MULTILINE)
    wanted = re.compile(r"python|gtest|conan|pybind", re.IGNORECASE)
    # find_package(X) leaves X_DIR.
    found = re.compile(r"(?!CMAKE_|speech_).*_DIR")
    assert "CMAKE_CXX_COMPILER" in names
    assert [name for name in names if wanted.search(name) or found.fullmatch(name)] == []


def test_no_build_file_reaches_for_the_network() -> None:
    reach = re.compile(r"FetchContent|ExternalProject|file\s*\(\s*DOWNLOAD|\bcurl\b|\bwget\b")
    files = [*ROOT.glob("cpp/**/CMakeLists.txt"), *ROOT.glob("cpp/**/*.cmake")]
    found = [str(path) for path in files if reach.search(path.read_text(encoding="utf-8"))]
    assert files
    assert found == []


@pytest.mark.long("packaging")
def test_a_program_builds_against_the_conan_package_with_no_remote(
    run: Run, tmp_path: Path
) -> None:
    home = {"CONAN_HOME": str(tmp_path / "home")}

    def conan(*arguments: str) -> str:
        result = run("conan", *arguments, more=home)
        assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
        return result.stdout + result.stderr

    conan("profile", "detect")
    conan("remote", "remove", "conancenter")
    # Unoptimised, as only the package is under test here; and nothing is built in the source tree.
    said = conan(
        "create",
        "cpp",
        "--settings=build_type=Debug",
        "--conf=tools.cmake.cmaketoolchain:extra_variables={'SPEECH_PRECOMPILE_HEADERS': 'ON'}",
        f"--conf=tools.cmake.cmake_layout:test_folder={tmp_path / 'test_package'}",
    )
    # The program prints what the library answered.
    assert re.search(r"^whisper\.h \d+\.\d+\.\d+, last error code 0$", said, re.MULTILINE)


# What is built where a program has one thread, without the rest of the core.
ONE_THREAD = """
#include "base/threads.h"
#include <vector>
int main() {
  static_assert(!speech::kHasThreads);
  int n = 0;
  std::vector<speech::Thread> threads;
  threads.emplace_back([&] { n = 7; });
  const bool is_done_at_once = n == 7;
  threads.front().join();
  speech::Mutex mutex;
  speech::ConditionVariable changed;
  const std::lock_guard<speech::Mutex> held(mutex);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return n == 7; });
  const bool waited = changed.wait_for(lock, 1, [&] { return n == 8; });
  return is_done_at_once && !waited && speech::hardware_threads() == 1 &&
                 speech::this_thread_id() == speech::this_thread_id()
             ? 0
             : 1;
}
"""


def test_where_there_is_one_thread_work_is_done_at_once(run: Run, tmp_path: Path) -> None:
    source, program = tmp_path / "one_thread.cpp", tmp_path / "one_thread"
    source.write_text(ONE_THREAD)
    built = run(
        *("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-U__STDCPP_THREADS__"),
        *("-I", "cpp/src", str(source), "-o", str(program)),
    )
    assert built.returncode == 0, built.stderr
    assert run(str(program)).returncode == 0


@pytest.mark.parametrize(
    ("file", "pattern"),
    [
        ("cpp/CMakeLists.txt", r"project\(speech VERSION ([\d.]+)"),
        ("cpp/conanfile.py", r'^    version = "([\d.]+)"'),
    ],
)
def test_the_version_is_the_same_everywhere(file: str, pattern: str) -> None:
    def found(name: str, what: str) -> str:
        match = re.search(what, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert match is not None
        return match.group(1)

    assert found(file, pattern) == found("pyproject.toml", r'^version = "([\d.]+)"')
