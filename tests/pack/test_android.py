"""What an Android app's native build gets: files and flags of android/CMakeLists.txt, in a build
like React Native's.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.npm_packages import REACT_NATIVE_0_88
from tests.npm_packages import unpacked as fetched
from tests.pack import cmake

APP = Path(__file__).parent / "app"
CLANG = ("-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19")


def options(kit: Path) -> tuple[str, ...]:
    react = fetched(REACT_NATIVE_0_88) / "ReactCommon"
    return (*CLANG, f"-DKIT={kit}", f"-DREACT_COMMON={react}", "-DCMAKE_BUILD_TYPE=Release")


def test_the_core_for_android_is_what_cmake_compiles_small_for_linux(
    unpacked: Path, tmp_path: Path
) -> None:
    small = "-DCMAKE_BUILD_TYPE=MinSizeRel"
    ours = cmake.sources(unpacked / "cpp", tmp_path / "core", "speech", *CLANG, small)
    theirs = cmake.sources(APP, tmp_path / "app", "wsprn_core", *options(unpacked))
    # What Java calls is in the same library.
    platform = {*(unpacked / "android" / "src" / "main" / "cpp").glob("*.cpp")}
    assert len(platform) == 3
    assert {path: level for path, level in theirs.items() if path not in platform} == ours
    assert platform <= theirs.keys()
    assert set(ours.values()) == {"-O2", "-Os"}


def test_the_binding_for_android_is_all_of_it(unpacked: Path, tmp_path: Path) -> None:
    found = cmake.sources(APP, tmp_path, "wsprn", *options(unpacked))
    assert found.keys() == {*(unpacked / "cpp" / "jsi").rglob("*.cpp")}


def test_gradle_gets_a_library_of_react_natives_kind(unpacked: Path) -> None:
    text = (unpacked / "android" / "build.gradle").read_text(encoding="utf-8")
    for plugin in ("com.android.library", "org.jetbrains.kotlin.android", "com.facebook.react"):
        assert f'apply plugin: "{plugin}"' in text
    assert 'namespace "rn.wsp"' in text
    assert 'minSdk wspSetting("minSdkVersion", 24)' in text
    assert 'consumerProguardFiles "consumer-rules.pro"' in text
    assert 'implementation "com.facebook.react:react-android"' in text
    # The C++ part is built by the app, once, and not here again.
    assert "externalNativeBuild" not in text


def test_what_native_code_finds_by_name_is_kept_and_there(unpacked: Path) -> None:
    android = unpacked / "android"
    kotlin = "".join(
        path.read_text(encoding="utf-8") for path in (android / "src" / "main").rglob("*.kt")
    )
    native = "".join(
        path.read_text(encoding="utf-8") for path in (android / "src" / "main").rglob("*.cpp")
    )
    rules = (android / "consumer-rules.pro").read_text(encoding="utf-8")
    classes = {name.replace("/", ".") for name in re.findall(r'"(rn/wsp/\w+)"', native)}
    assert {*classes, "rn.wsp.Platform"} == set(re.findall(r"rn\.wsp\.\w+", rules))
    for name in (*classes, "rn.wsp.Platform"):
        simple = name.rpartition(".")[2]
        assert re.search(rf"(?:class|object) {simple}\b", kotlin), name
    registered = set(re.findall(r'\{const_cast<char\*>\("(\w+)"\)', native))
    assert registered == set(re.findall(r"external fun (\w+)", kotlin))


@pytest.mark.long("pack")
def test_a_packed_library_takes_the_place_of_the_cores_sources(
    unpacked: Path, tmp_path: Path
) -> None:
    # Links, since the prebuilt library is no part of the package that other tests have.
    kit = tmp_path / "kit"
    (kit / "android" / "prebuilt" / "arm64-v8a").mkdir(parents=True)
    (kit / "cpp").symlink_to(unpacked / "cpp")
    for name in ("CMakeLists.txt", "exports.map", "generated", "src"):
        (kit / "android" / name).symlink_to(unpacked / "android" / name)
    library = kit / "android" / "prebuilt" / "arm64-v8a" / "libspeech.a"
    library.write_bytes(b"!<arch>\n")
    abi = "-DANDROID_ABI=arm64-v8a"
    found = cmake.sources(APP, tmp_path / "build", "wsprn_core", *options(kit), abi)
    assert {path.name for path in found} == {
        *("prebuilt.cpp", "java.cpp", "platform.cpp", "transcriber.cpp")
    }
    commands = (tmp_path / "build" / "wsp_rn_cxxmodule_autolinked_build").rglob("link.txt")
    (link,) = [path.read_text() for path in commands if "wsprn_core" in str(path)]
    assert f"-Wl,--whole-archive {library} -Wl,--no-whole-archive" in link
    assert "-Wl,-z,max-page-size=16384" in link
    assert f"-Wl,--version-script={kit}/android/exports.map" in link
