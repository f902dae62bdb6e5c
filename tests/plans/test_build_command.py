"""`wsp build`: plans that are shown, names that are wrong, exit codes, and a build whose programs
are made up, seen from the command line.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.plans.projects import SAID, make_ndk, make_project

from wspkit.cli.app import main
from wspkit.errors import (
    BadFormatError,
    BudgetError,
    CommandError,
    NotFoundError,
    UnsupportedError,
    UsageError,
)

Said = pytest.CaptureFixture[str]

# Each says its version, and as CMake installs a library and as a compiler links one.
PROGRAM = """#!/bin/sh
echo "$(basename "$0") $*" >> "{log}"
case "$*" in
  *--version|*-dumpfullversion) echo "{version}"; exit 0;;
  *--output-folder*) exit {conan};;
  --install*) mkdir -p "{out}/lib"; echo static > "{out}/lib/libspeech.a";;
  -shared*) head -c {size} /dev/zero > "{out}/lib/libspeech.so";;
esac
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up project as the current folder, and no variables that lead to tools."""
    make_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT", "ANDROID_HOME", "ANDROID_SDK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    programs(tmp_path, monkeypatch)
    return tmp_path


def programs(root: Path, monkeypatch: pytest.MonkeyPatch, *, conan: int = 0, size: int = 9) -> None:
    """Puts made-up tools in front of the real ones; they note their calls in a file."""
    folder = root / "bin"
    folder.mkdir(exist_ok=True)
    log = root / "calls"
    out = root / "build" / "targets" / "linux-x86_64" / "out"
    for name in ("cmake", "conan", "ninja", "g++", "strip"):
        text = PROGRAM.format(log=log, out=out, conan=conan, size=size, version=SAID.get(name, "1"))
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_a_plan_of_every_target_is_shown_without_its_tools(project: Path, capsys: Said) -> None:
    assert main(["build", "--target", "all", "--dry-run"]) == 0
    said = capsys.readouterr()
    for lane in ("linux-x86_64", "linux-armhf", "wasm", "android/armeabi-v7a", "ios/device-arm64"):
        assert f"# {lane}\n" in said.out
    assert "xcodebuild -create-xcframework" in said.out
    assert "warning: no Android NDK" in said.err
    assert "warning: Apple's systems are built by Xcode" in said.err
    assert not (project / "build").exists()


def test_a_plan_is_a_document_too(project: Path, capsys: Said) -> None:
    make_ndk(project / "Android" / "Sdk" / "ndk" / "28.0.1", "28.0.1")
    words = ["build", "-t", "android", "--abi", "x86_64", "--dry-run", "--json"]
    assert main(words) == 0
    (plan,) = json.loads(capsys.readouterr().out)
    assert plan["target"] == "android"
    (lane,) = plan["lanes"]
    assert lane["name"] == "android/x86_64"
    assert lane["steps"][0]["command"][1] == "install"
    assert "CONAN_HOME" in lane["steps"][0]["environment"]
    assert "os.api_level=24" in lane["files"][0]["text"]


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (
            ["--target", "linux-arm64"],
            UsageError,
            (
                "unknown target 'linux-arm64'; expected one of linux-x86_64, linux-aarch64, "
                "linux-armhf, wasm, android, ios\nhint: Did you mean 'linux-aarch64'?"
            ),
        ),
        (
            ["--target", "android", "--abi", "arm64"],
            UsageError,
            (
                "unknown ABI 'arm64'; expected one of arm64-v8a, armeabi-v7a, x86_64\n"
                "hint: Did you mean 'arm64-v8a'?"
            ),
        ),
        (
            ["--target", "ios", "--slice", "watch"],
            UsageError,
            "unknown slice 'watch'; expected one of device, simulator, macos, catalyst, visionos",
        ),
        (
            ["--target", "wasm", "--abi", "x86_64"],
            UsageError,
            "--abi x86_64 without --target android; expected --abi together with android",
        ),
        (["--target", "android"], NotFoundError, "no Android NDK; expected one that"),
        (
            ["--target", "wasm", "--source", "nowhere", "--dry-run"],
            NotFoundError,
            "no CMakeLists.txt in ",
        ),
        (
            ["--target", "wasm", "--config", "nowhere.toml"],
            NotFoundError,
            "no file ",
        ),
    ],
)
def test_what_is_wrong_ends_with_its_code_and_what_to_do(
    words: list[str], kind: type[UsageError], message: str, project: Path, capsys: Said
) -> None:
    assert project.is_dir()
    assert main(["build", *words]) == kind.exit_code
    assert message in capsys.readouterr().err


def test_a_wrong_prefix_in_the_settings_names_its_line(project: Path, capsys: Said) -> None:
    (project / "wsp.toml").write_text('[prefix]\nname = "Wsp"\n')
    assert main(["build", "--target", "wasm", "--dry-run"]) == BadFormatError.exit_code
    assert "wsp.toml:2: prefix.name: expected lower-case letters" in capsys.readouterr().err


def test_ios_on_another_system_than_macos_says_so(
    project: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.is_dir()
    monkeypatch.setattr("platform.system", lambda: "Linux")
    assert main(["build", "--target", "ios"]) == UnsupportedError.exit_code
    said = capsys.readouterr().err
    assert "which runs on macOS, and this is Linux" in said
    assert "--dry-run shows the plan here" in said


def test_a_build_ends_with_what_it_made(project: Path, capsys: Said) -> None:
    assert main(["build", "--target", "linux-x86_64", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (library,) = document["libraries"]
    assert (library["static_bytes"], library["shared_bytes"]) == (7, 9)
    assert Path(library["exports"]).read_text().startswith("{\n  global:\n")
    calls = (project / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls[-5:]] == ["cmake", "cmake", "g++", "strip", "strip"]
    assert (project / "build" / "logs" / "linux-x86_64.log").is_file()


def test_a_library_that_is_too_large_fails_the_build_after_it_is_shown(
    project: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(project, monkeypatch, size=1001)
    (project / "wsp.toml").write_text("[budget.library_bytes]\nlinux-x86_64 = 1000\n")
    assert main(["build", "--target", "linux-x86_64"]) == BudgetError.exit_code
    said = capsys.readouterr()
    assert "1,001" in said.out
    assert "has 1,001 bytes, budget.library_bytes.linux-x86_64 in wsp.toml allows 1,000" in said.err


def test_a_tool_that_fails_is_named_with_the_log(
    project: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(project, monkeypatch, conan=6)
    assert main(["build", "--target", "linux-x86_64"]) == CommandError.exit_code
    said = capsys.readouterr().err
    assert "linux-x86_64, writing the toolchain: exit code 6: CONAN_HOME=" in said
    assert "linux-x86_64.log" in said


def test_sources_that_make_no_library_of_the_core_are_refused(
    project: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(project, monkeypatch)
    (project / "bin" / "g++").write_text("#!/bin/sh\necho 12.2.0\n")
    assert main(["build", "--target", "linux-x86_64"]) == NotFoundError.exit_code
    assert "libspeech.so was not made" in capsys.readouterr().err
