"""Tools that a build needs: where they are looked for, and what is said about one that is missing,
too old or for another system.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tests.plans.projects import SAID, make_ndk, make_project, request_for, searching

from wspkit.config.model import TargetName
from wspkit.config.version_range import VersionRange
from wspkit.errors import BadFormatError, NotFoundError, UnsupportedError, UsageError, WspError
from wspkit.process import CommandResult, RecordingRunner, tool
from wspkit.targets.core import check_folder, find_tools
from wspkit.targets.every import plan_target
from wspkit.targets.exports import check_source
from wspkit.targets.ndk import find_ndk
from wspkit.targets.search import Search, find_cmake, find_conan
from wspkit.targets.wasm import find_zig
from wspkit.targets.xcode import find_xcode

NDKS = VersionRange.parse(">=28,<31")
XCODES = VersionRange.parse(">=16")


def said_about(kind: type[WspError], look: Callable[[], object]) -> str:
    """The message and hint of the error that is raised; its class says the exit code."""
    with pytest.raises(kind) as caught:
        look()
    assert type(caught.value) is kind
    return str(caught.value)


# ---- NDK ----


def test_a_named_ndk_is_taken(tmp_path: Path) -> None:
    make_ndk(tmp_path / "one", "28.2.1", clang="19")
    make_ndk(tmp_path / "two", "30.0.5", clang="21")
    for variable, name, version, clang in (
        ("ANDROID_NDK_HOME", "one", (28, 2, 1), "19"),
        ("ANDROID_NDK_ROOT", "two", (30, 0, 5), "21"),
    ):
        ndk = find_ndk(searching({variable: str(tmp_path / name)}), NDKS)
        assert (ndk.path, ndk.version, ndk.clang) == (tmp_path / name, version, clang)
        programs = tmp_path / name / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin"
        assert ndk.program("clang++") == str(programs / "clang++")


@pytest.mark.parametrize("variable", ["ANDROID_HOME", "ANDROID_SDK_ROOT"])
def test_the_newest_wanted_ndk_of_the_sdk_is_taken(variable: str, tmp_path: Path) -> None:
    for version in ("27.1.2", "28.0.13004108", "29.0.9", "31.0.1"):
        make_ndk(tmp_path / "ndk" / version, version)
    assert find_ndk(searching({variable: str(tmp_path)}), NDKS).version == (29, 0, 9)


def test_the_usual_place_of_the_sdk_is_searched_too(tmp_path: Path) -> None:
    make_ndk(tmp_path / "Android" / "Sdk" / "ndk" / "28.0.1", "28.0.1")
    assert find_ndk(searching(home=tmp_path), NDKS).version == (28, 0, 1)


def test_a_missing_ndk_is_said_with_how_to_install_one() -> None:
    assert said_about(NotFoundError, lambda: find_ndk(searching(), NDKS)) == (
        "no Android NDK; expected one that ANDROID_NDK_HOME, ANDROID_NDK_ROOT or ANDROID_HOME "
        "leads to. Install one, as in `sdkmanager 'ndk;28.0.13004108'`, and name it with "
        "ANDROID_NDK_HOME; --dry-run shows the plan without."
    )


def test_a_variable_that_leads_nowhere_is_named(tmp_path: Path) -> None:
    search = searching({"ANDROID_NDK_HOME": str(tmp_path)})
    message = said_about(NotFoundError, lambda: find_ndk(search, NDKS))
    assert message.startswith(f"no NDK in {tmp_path}, which ANDROID_NDK_HOME names. Install one")


def test_an_ndk_that_is_too_old_is_said_with_what_is_wanted(tmp_path: Path) -> None:
    make_ndk(tmp_path / "old", "27.2.12479018")
    search = searching({"ANDROID_NDK_ROOT": str(tmp_path / "old")})
    message = said_about(UnsupportedError, lambda: find_ndk(search, NDKS))
    assert message.startswith(
        f"NDK 27.2.12479018 in {tmp_path / 'old'}, which ANDROID_NDK_ROOT names; expected NDK "
        ">=28,<31 (target.android.ndk in wsp.toml). Install one"
    )


def test_an_sdk_without_a_wanted_ndk_lists_what_it_has(tmp_path: Path) -> None:
    for version in ("26.1.1", "27.0.1"):
        make_ndk(tmp_path / "ndk" / version, version)
    search = searching({"ANDROID_HOME": str(tmp_path)})
    message = said_about(UnsupportedError, lambda: find_ndk(search, NDKS))
    assert message.startswith(f"NDK 26.1.1, 27.0.1 in {tmp_path / 'ndk'}; expected NDK >=28,<31")


def test_an_ndk_without_a_compiler_is_refused(tmp_path: Path) -> None:
    (tmp_path / "source.properties").write_text("Pkg.Revision = 28.0.1\n")
    search = searching({"ANDROID_NDK_HOME": str(tmp_path)})
    message = said_about(UnsupportedError, lambda: find_ndk(search, NDKS))
    assert f"the NDK in {tmp_path} has no compiler" in message


# ---- Xcode ----


def test_the_chosen_xcode_is_taken() -> None:
    xcode = find_xcode(searching(system="Darwin"), XCODES)
    assert (xcode.version, xcode.clang) == ((16, 2), "16")


def test_where_there_can_be_no_xcode_the_message_says_what_works_here() -> None:
    assert said_about(UnsupportedError, lambda: find_xcode(searching(), XCODES)) == (
        "Apple's systems are built by Xcode, which runs on macOS, and this is Linux. Run this on a "
        "Mac; --dry-run shows the plan here, too."
    )


def test_an_xcode_that_is_too_old_is_refused() -> None:
    search = searching(system="Darwin", said={**SAID, "xcodebuild": "Xcode 15.4\nBuild 15F31d\n"})
    message = said_about(UnsupportedError, lambda: find_xcode(search, XCODES))
    assert message.startswith(
        "Xcode 15.4; expected Xcode >=16 (target.ios.xcode in wsp.toml). Install such a version"
    )


def test_the_command_line_tools_alone_are_not_enough() -> None:
    tools = "/Library/Developer/CommandLineTools\n"
    search = searching(system="Darwin", said={**SAID, "xcode-select": tools})
    message = said_about(UnsupportedError, lambda: find_xcode(search, XCODES))
    assert "only the command-line tools are chosen" in message
    assert "sudo xcode-select -s" in message
    # DEVELOPER_DIR chooses before xcode-select does.
    chosen = searching({"DEVELOPER_DIR": "/Xcode.app"}, system="Darwin", said=search_said(tools))
    assert find_xcode(chosen, XCODES).version == (16, 2)


def search_said(chosen: str) -> dict[str, str]:
    return {**SAID, "xcode-select": chosen}


def test_a_mac_without_xcode_is_told_how_to_get_it() -> None:
    search = searching(system="Darwin")
    search.runner = RecordingRunner(lambda command: CommandResult(command, 2, "", "error: none"))
    message = said_about(NotFoundError, lambda: find_xcode(search, XCODES))
    assert message.startswith("no Xcode is chosen. Install Xcode, then choose it")


# ---- CMake, Conan, compilers, Zig ----


def test_a_cmake_that_is_too_old_is_refused() -> None:
    search = searching(said={**SAID, "cmake": "cmake version 3.16.3\n"})
    wanted = VersionRange.parse(">=3.22")
    assert said_about(UnsupportedError, lambda: find_cmake(search, wanted)) == (
        "CMake 3.16.3; expected CMake >=3.22 (build.cmake in wsp.toml). Install such a version, or "
        "widen the range."
    )


def test_a_conan_that_is_too_old_is_refused_with_how_to_install_one() -> None:
    search = searching(said={**SAID, "conan": "Conan version 1.64.1\n"})
    message = said_about(UnsupportedError, lambda: find_conan(search))
    assert message == (
        "Conan 1.64.1; expected >=2.34,<3. Install it, as in `pip install 'conan>=2.34,<3'`."
    )


def test_a_program_that_is_not_there_is_said_with_how_to_install_it() -> None:
    def absent(command: object) -> CommandResult:
        raise NotFoundError(f"no program in {command}")

    search = Search(RecordingRunner(absent), environment={}, system="Linux")
    message = said_about(NotFoundError, lambda: find_conan(search))
    assert message.endswith("Install it, as in `pip install 'conan>=2.34,<3'`.")


def test_a_cross_compiler_that_is_missing_names_its_package(tmp_path: Path) -> None:
    make_project(tmp_path)
    search = searching()

    def absent(command: object) -> CommandResult:
        raise NotFoundError(f"no program in {command}")

    search.runner = RecordingRunner(absent)
    packages: dict[TargetName, str] = {
        "linux-aarch64": "g++-aarch64-linux-gnu",
        "linux-armhf": "g++-arm-linux-gnueabihf",
    }
    for name, package in packages.items():
        look = partial(plan_target, name, request_for(tmp_path), search)
        message = said_about(NotFoundError, look)
        assert message.endswith(f"Install it, as in `apt-get install {package}`.")


def test_a_gcc_that_is_too_old_is_refused(tmp_path: Path) -> None:
    make_project(tmp_path)
    search = searching(said={**SAID, "aarch64-linux-gnu-g++": "9.4.0\n"})
    message = said_about(
        UnsupportedError, lambda: plan_target("linux-aarch64", request_for(tmp_path), search)
    )
    assert message.startswith("GCC 9.4.0; expected GCC >=11 (target.linux-aarch64.gcc in wsp.toml)")


def test_zig_is_named_or_on_the_path() -> None:
    wanted = VersionRange.parse(">=0.14")
    assert find_zig(searching({"ZIG": "/opt/zig"}), wanted).program == "/opt/zig"
    assert find_zig(searching(), wanted).program == "/usr/bin/zig"
    old = searching(said={**SAID, "zig": "0.13.0\n"})
    message = said_about(UnsupportedError, lambda: find_zig(old, wanted))
    assert message.startswith("Zig 0.13.0; expected Zig >=0.14 (target.wasm.zig in wsp.toml)")


def test_a_missing_zig_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    said = {name: text for name, text in SAID.items() if name != "zig"}
    wanted = VersionRange.parse(">=0.14")
    assert said_about(NotFoundError, lambda: find_zig(searching(said=said), wanted)) == (
        "no program 'zig'. Install it, as in `pip install ziglang`, or name it with ZIG."
    )


def test_a_program_that_says_no_version_is_refused() -> None:
    search = searching(said={**SAID, "conan": "hello\n"})
    message = said_about(UnsupportedError, lambda: find_conan(search))
    assert f"'{tool('conan')} --version' answers with no version in 'hello" in message


# ---- where tools are assumed ----


def test_a_plan_is_shown_without_any_tool_and_each_problem_is_noted_once(tmp_path: Path) -> None:
    make_project(tmp_path)
    search = searching(said={**SAID, "cmake": "cmake version 3.1\n"}, assume=True)
    find_tools(search, request_for(tmp_path).project)
    names: tuple[TargetName, ...] = ("android", "ios", "android")
    for name in names:
        assert plan_target(name, request_for(tmp_path), search).lanes
    found = [problem.found for problem in search.problems]
    assert found[:2] == ["CMake 3.1", "no Android NDK"]
    assert found[2].startswith("Apple's systems are built by Xcode")
    assert len(found) == 3


# ---- sources ----


def test_a_folder_without_sources_is_refused(tmp_path: Path) -> None:
    message = said_about(NotFoundError, lambda: check_source(tmp_path, "wsp_"))
    assert message == (
        f"no CMakeLists.txt in {tmp_path}; expected the sources of the core there. Name their "
        "folder with --source, or build.source in wsp.toml."
    )


def test_sources_with_another_prefix_are_refused(tmp_path: Path) -> None:
    source = make_project(tmp_path)
    check_source(source, "wsp_")
    record = source / ".wsp-prefix.json"
    record.write_text(json.dumps({"prefix": "wsp_"}))
    check_source(source, "wsp_")
    record.write_text(json.dumps({"prefix": "old_"}))
    assert said_about(UsageError, lambda: check_source(source, "wsp_")) == (
        f"the sources in {source} have the prefix 'old_'; expected 'wsp_' (prefix.name in "
        "wsp.toml). Stage or prefix them again, or change wsp.toml."
    )
    record.write_text("{}")
    assert "does not say which prefix" in said_about(
        BadFormatError, lambda: check_source(source, "wsp_")
    )


def test_a_folder_that_holds_the_build_of_other_sources_is_refused(tmp_path: Path) -> None:
    make_project(tmp_path)
    request = request_for(tmp_path)
    check_folder(request, "wasm")
    cache = request.directory / "wasm" / "build" / "MinSizeRel" / "CMakeCache.txt"
    cache.parent.mkdir(parents=True)
    cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={request.source}\n")
    check_folder(request, "wasm")
    cache.write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
    message = said_about(UsageError, lambda: check_folder(request, "wasm"))
    assert message == (
        f"{request.directory / 'wasm'} holds a build of /elsewhere; expected one of "
        f"{request.source}, or none. Name another folder with --out, or delete this one."
    )
