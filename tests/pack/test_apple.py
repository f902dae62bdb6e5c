"""What Apple's tools get: the podspec as Ruby evaluates it, Package.swift beside it, and every file
of Objective-C++ as clang reads it under ARC, with React Native's headers.
"""

from __future__ import annotations

import json
import plistlib
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.npm_packages import REACT_NATIVE_0_76, REACT_NATIVE_0_88, NpmPackage
from tests.npm_packages import unpacked as fetched
from tests.pack import cmake

from wspkit.config.load import Project
from wspkit.package.named import matching
from wspkit.package.places import PODSPEC, SWIFT_PACKAGE
from wspkit.package.stage import Staged

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
versions = pytest.mark.parametrize(
    "react_native", [REACT_NATIVE_0_76, REACT_NATIVE_0_88], ids=lambda one: one.version
)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@dataclass(frozen=True)
class Unit:
    """What is compiled into an app, by whichever tool."""

    sources: frozenset[str]
    folders: frozenset[str]
    """Where headers are looked for."""
    frameworks: frozenset[str]
    resources: frozenset[str]
    standards: tuple[str, str]
    """Of C and C++."""
    ios: str
    """The oldest system."""


@cache
def podspec(path: Path) -> dict[str, Any]:
    """What the podspec sets."""
    done = run("ruby", HERE / "podspec.rb", path)
    assert done.returncode == 0, done.stderr
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def of_pod(path: Path, files: dict[str, bytes]) -> Unit:
    """A pod's unit."""
    values = podspec(path)
    settings = values["pod_target_xcconfig"]
    found = {one for glob in values["source_files"] for one in matching(files, glob)}
    left_out = {one for glob in values["exclude_files"] for one in matching(files, glob)}
    standards = (settings["GCC_C_LANGUAGE_STANDARD"], settings["CLANG_CXX_LANGUAGE_STANDARD"])
    (resources,) = values["resource_bundles"].values()
    return Unit(
        sources=frozenset(one for one in found - left_out if not one.endswith(".h")),
        folders=frozenset(
            re.findall(r"\$\(PODS_TARGET_SRCROOT\)/([\w/]+)", settings["HEADER_SEARCH_PATHS"])
        ),
        frameworks=frozenset(values["frameworks"]),
        resources=frozenset(resources),
        standards=standards,
        ios=values["platforms"]["ios"],
    )


def strings(text: str) -> list[str]:
    return re.findall(r'"([^"]*)"', text)


def of_swift_package(text: str, files: dict[str, bytes]) -> Unit:
    """All targets of a Package.swift together; it has lists of literals only."""
    sources: set[str] = set()
    folders: set[str] = set()
    resources: set[str] = set()
    targets = re.split(r"\.target\(", text)[1:]
    for target in targets:
        (root,) = re.findall(r'path: "([^"]*)"', target)
        for name in strings(re.findall(r"sources: \[([^\]]*)\]", target)[0]):
            sources.update(matching(files, f"{root}/{name}"))
        for name in strings(re.findall(r"exclude: \[([^\]]*)\]", target)[0]):
            sources.difference_update(matching(files, f"{root}/{name}"))
            sources.discard(f"{root}/{name}")
        folders.update(
            f"{root}/{one}" for one in re.findall(r'headerSearchPath\("([^"]*)"\)', target)
        )
        resources.update(f"{root}/{one}" for one in re.findall(r'process\("([^"]*)"\)', target))
    standards = {
        language: name.replace("xx", "++")
        for language, name in re.findall(r"(c|cxx)LanguageStandard: \.(\w+)", text)
    }
    (ios,) = re.findall(r'\.iOS\("([\d.]+)"\)', text)
    return Unit(
        sources=frozenset(one for one in sources if one.endswith((".c", ".cpp", ".m", ".mm"))),
        folders=frozenset(folders),
        frameworks=frozenset(re.findall(r'linkedFramework\("(\w+)"\)', text)),
        resources=frozenset(resources),
        standards=(standards["c"], standards["cxx"]),
        ios=ios,
    )


@pytest.fixture(scope="module")
def pod(unpacked: Path, staged: Staged) -> Unit:
    return of_pod(unpacked / PODSPEC, dict(staged.files))


@pytest.fixture(scope="module")
def swift(staged: Staged) -> Unit:
    return of_swift_package(staged.files[SWIFT_PACKAGE].decode(), dict(staged.files))


def test_the_pod_compiles_what_cmake_compiles_for_apple(
    pod: Unit, unpacked: Path, tmp_path: Path
) -> None:
    compilers = ("-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19")
    # CMake knows Objective-C++ on Apple's systems only; nothing is compiled here.
    objective = ("-DCMAKE_OBJCXX_COMPILER=/usr/bin/clang++-19", "-DCMAKE_OBJCXX_COMPILE_OBJECT=:")
    made = cmake.sources(unpacked / "cpp", tmp_path, "speech", "-DAPPLE=1", *compilers, *objective)
    core = {one for one in pod.sources if one.startswith("cpp/src/")}
    assert {unpacked / one for one in core} == made.keys()


def test_the_pod_compiles_the_binding_and_all_of_the_platform(pod: Unit, staged: Staged) -> None:
    expected = {
        one
        for one in staged.files
        if one.startswith(("cpp/jsi/", "ios/")) and one.endswith((".cpp", ".m", ".mm"))
    }
    assert {one for one in pod.sources if not one.startswith("cpp/src/")} == expected


def test_the_swift_package_has_the_pods_files_but_for_react_native(pod: Unit, swift: Unit) -> None:
    bound = {
        one for one in pod.sources if one.startswith(("cpp/jsi/", "ios/generated/", "ios/binding/"))
    }
    assert bound
    assert swift.sources == pod.sources - bound


def test_the_swift_package_has_the_pods_flags_and_frameworks(pod: Unit, swift: Unit) -> None:
    assert swift.folders == pod.folders - {"cpp/jsi"}
    assert swift.frameworks == pod.frameworks
    assert swift.resources == pod.resources
    assert swift.standards == pod.standards == ("c11", "c++20")
    assert swift.ios == pod.ios


def test_both_are_for_the_systems_of_the_settings(
    pod: Unit, project: Project, staged: Staged
) -> None:
    ios = project.config.target.ios
    text = staged.files[SWIFT_PACKAGE].decode()
    assert pod.ios == ios.deployment_target
    assert f'.macCatalyst("{ios.deployment_target}")' in text
    assert f'.macOS("{ios.macos_deployment_target}")' in text
    assert f'.visionOS("{ios.visionos_deployment_target}")' in text


def test_the_pod_says_who_it_is_as_package_json_does(unpacked: Path, staged: Staged) -> None:
    values = podspec(unpacked / PODSPEC)
    assert values["name"] == Path(PODSPEC).stem
    assert values["version"] == staged.manifest["version"]
    assert values["license"] == {"type": "MIT", "file": "LICENSE"}
    # React Native's own pods come with it.
    assert values["modules_dependencies"] is True


def test_with_a_packed_framework_the_core_is_not_compiled(staged: Staged, tmp_path: Path) -> None:
    for path in (PODSPEC, "package.json"):
        (tmp_path / path).write_bytes(staged.files[path])
    framework = tmp_path / "ios" / "prebuilt" / "WspSpeech-static.xcframework"
    framework.mkdir(parents=True)
    pod = of_pod(tmp_path / PODSPEC, dict(staged.files))
    assert {one.split("/")[1] for one in pod.sources if one.startswith("cpp/")} == {"jsi"}
    assert podspec(tmp_path / PODSPEC)["vendored_frameworks"] == str(
        framework.relative_to(tmp_path)
    )


def test_the_privacy_manifest_tells_what_the_sources_call(staged: Staged) -> None:
    manifest = plistlib.loads(staged.files["ios/PrivacyInfo.xcprivacy"])
    assert manifest["NSPrivacyTracking"] is False
    assert manifest["NSPrivacyCollectedDataTypes"] == []
    declared = {
        one["NSPrivacyAccessedAPIType"].removeprefix("NSPrivacyAccessedAPICategory")
        for one in manifest["NSPrivacyAccessedAPITypes"]
    }
    # Apple's list of functions for which a reason is required.
    asked = {
        "FileTimestamp": r"\b(?:f|l)?stat(?:at)?\(|getattrlist|NSFileCreationDate",
        "SystemBootTime": r"systemUptime|mach_absolute_time",
        "DiskSpace": r"\bf?statv?fs\(|NSFileSystemFreeSize",
        "ActiveKeyboards": r"activeInputModes",
        "UserDefaults": r"NSUserDefaults",
    }
    code = b"\n".join(
        content
        for path, content in staged.files.items()
        if path.startswith(("cpp/", "ios/")) and path.endswith((".h", ".cpp", ".mm"))
    ).decode()
    assert declared == {kind for kind, pattern in asked.items() if re.search(pattern, code)}


APPLE = (
    *("clang++-19", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DNDEBUG"),
    *("-Wno-unused-parameter", "-fblocks", "-fobjc-arc", "-fobjc-runtime=ios-15.0"),
    *("-isystem", HERE / "apple"),
)


def react_folders(react_native: NpmPackage) -> list[str]:
    react = fetched(react_native) / "ReactCommon"
    folders = ("", "jsi", "callinvoker", "react/nativemodule/core", "runtimeexecutor")
    return [word for folder in folders for word in ("-isystem", str(react / folder))]


@versions
def test_the_platform_is_objective_c_plus_plus_under_arc(
    react_native: NpmPackage, pod: Unit, unpacked: Path
) -> None:
    files = sorted(one for one in pod.sources if one.startswith("ios/"))
    assert len(files) >= 5
    own = [f"-I{unpacked / folder}" for folder in pod.folders]
    for file in files:
        done = run(*APPLE, *own, *react_folders(react_native), unpacked / file)
        assert done.returncode == 0, done.stderr


def test_the_platform_compiles_for_macos(swift: Unit, unpacked: Path) -> None:
    own = [f"-I{unpacked / folder}" for folder in swift.folders]
    for file in sorted(one for one in swift.sources if one.startswith("ios/")):
        done = run(*APPLE, "-DTARGET_OS_OSX=1", *own, unpacked / file)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("[engine prepare]", "[engine prepareAll]", "no visible @interface"),
        ("_engine = engine;", "_engine = input;", "incompatible pointer types"),
        (
            "return [session setCategory",
            "return (BOOL)[session setOptions",
            "may not respond|no visible",
        ),
    ],
)
def test_what_is_wrong_is_seen(
    before: str, after: str, said: str, unpacked: Path, tmp_path: Path
) -> None:
    text = (unpacked / "ios" / "audio" / "Microphone.mm").read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "Wrong.mm").write_text(text.replace(before, after), encoding="utf-8")
    done = run(*APPLE, f"-I{unpacked / 'ios' / 'audio'}", tmp_path / "Wrong.mm")
    assert done.returncode != 0
    assert re.search(said, done.stderr), done.stderr
