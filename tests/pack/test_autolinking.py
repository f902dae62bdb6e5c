"""How React Native finds the package in an app that has installed it: the command lines of its
oldest and newest release, Expo, and the codegen that builds run for all packages of an app.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.node_tools import node_modules, run
from tests.npm_packages import jni_of
from tests.npm_packages import unpacked as fetched
from tests.pack.react_native_app import RELEASES, TOOLS, Release, app_with, codegen_of
from tests.pack.test_jvm import MAVEN, classes_of

from wspkit.package.stage import Staged
from wspkit.package.tarball import tarball

EXPO = "expo-modules-autolinking/bin/expo-modules-autolinking.js"
PLATFORMS = ("android", "ios")
FOLLY = {
    "folly/dynamic.h": """
        #pragma once
        namespace folly {
        class dynamic {
         public:
          enum Type {};
          dynamic(decltype(nullptr)) {}
        };
        }
    """,
    "jsi/JSIDynamic.h": """
        #include <folly/dynamic.h>
        #include <jsi/jsi.h>
        namespace facebook::jsi {
        folly::dynamic dynamicFromValue(Runtime&, const Value&);
        Value valueFromDynamic(Runtime&, const folly::dynamic&);
        }
    """,
}
# What Gradle's plugin writes into an app with this package alone.
AUTOLINKED = """
#include <RNWspSpec.h>
#include <NativeWsp.h>

namespace facebook {
namespace react {

std::shared_ptr<TurboModule> autolinking_ModuleProvider(const std::string moduleName, const JavaTurboModule::InitParams &params) {
auto module_RNWspSpec = RNWspSpec_ModuleProvider(moduleName, params);
if (module_RNWspSpec != nullptr) {
return module_RNWspSpec;
}
  return nullptr;
}

std::shared_ptr<TurboModule> autolinking_cxxModuleProvider(const std::string moduleName, const std::shared_ptr<CallInvoker>& jsInvoker) {
if (moduleName == NativeWsp::kModuleName) {
return std::make_shared<NativeWsp>(jsInvoker);
}
  return nullptr;
}

} // namespace react
} // namespace facebook
"""  # noqa: E501
FBJNI = "com.facebook.fbjni:fbjni:0.7.0:aar"
# Annotations of libraries beside React Native's.
ANNOTATIONS = (
    *("javax.annotation.Nonnull", "javax.annotation.Nullable"),
    "com.facebook.proguard.annotations.DoNotStrip",
)
pytestmark = pytest.mark.long("jsi")


@pytest.fixture(scope="module", params=RELEASES, ids=lambda one: one.name)
def release(request: pytest.FixtureRequest) -> Release:
    found: Release = request.param
    return found


@pytest.fixture(scope="module")
def app(release: Release, staged: Staged, tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = tmp_path_factory.mktemp("archive") / "package.tgz"
    archive.write_bytes(tarball(staged.files))
    return app_with(archive, release, tmp_path_factory.mktemp("app").resolve())


def by_command_line(app: Path, release: Release) -> dict[str, Any]:
    """What `react-native config` says of the package, by platform."""
    printed = run("node", str(release.tool("cli") / "build" / "bin.js"), "config", cwd=app)
    found: dict[str, Any] = json.loads(printed)["dependencies"]["wsp.rn"]["platforms"]
    return found


def by_expo(app: Path, _: Release) -> dict[str, Any]:
    """What Expo's autolinking says of the package, by platform."""
    found: dict[str, Any] = {}
    for platform in PLATFORMS:
        options = ("react-native-config", "--json", "--platform", platform)
        printed = run("node", str(node_modules(TOOLS) / EXPO), *options, cwd=app)
        found |= json.loads(printed)["dependencies"]["wsp.rn"]["platforms"]
    return found


ways = pytest.mark.parametrize("linked", [by_command_line, by_expo])
Linked = Callable[[Path, Release], dict[str, Any]]


@ways
def test_the_pod_is_found(linked: Linked, app: Path, release: Release) -> None:
    found = linked(app, release)["ios"]
    package = app / "node_modules" / "wsp.rn"
    assert found["podspecPath"] == str(package / "wsp-rn.podspec")
    assert found["version"] == json.loads((package / "package.json").read_text())["version"]


@ways
def test_the_c_plus_plus_module_is_found_and_registered_on_android(
    linked: Linked, app: Path, release: Release
) -> None:
    found = linked(app, release)["android"]
    folder = app / "node_modules" / "wsp.rn" / "android"
    assert found["sourceDir"] == str(folder)
    # Without a name of a library Gradle's plugin does not write the line that makes the module.
    assert found["libraryName"] == "RNWspSpec"
    assert found["cmakeListsPath"] == str(
        folder / "build" / "generated" / "source" / "codegen" / "jni" / "CMakeLists.txt"
    )
    lists = Path(found["cxxModuleCMakeListsPath"])
    target = found["cxxModuleCMakeListsModuleName"]
    text = lists.read_text(encoding="utf-8")
    assert lists.parent == folder
    flags = re.MULTILINE
    assert re.search(rf"^add_library\({target} STATIC ", text, flags)
    assert re.search(rf'^target_include_directories\({target} PUBLIC .*/generated"', text, flags)
    header = (folder / "generated" / f"{found['cxxModuleHeaderName']}.h").read_text()
    assert f"using {found['cxxModuleHeaderName']} = " in header


@ways
def test_the_library_of_gradle_is_found_with_its_package_of_modules(
    linked: Linked, app: Path, release: Release
) -> None:
    found = linked(app, release)["android"]
    assert found["isPureCxxDependency"] is False
    folder = app / "node_modules" / "wsp.rn" / "android"
    imported = re.fullmatch(r"import ([\w.]+)\.(\w+);", found["packageImportPath"])
    assert imported is not None
    where, name = imported.groups()
    assert found["packageInstance"] == f"new {name}()"
    (source,) = folder.rglob(f"{name}.kt")
    assert f"package {where}\n" in source.read_text(encoding="utf-8")
    # Its codegen makes the library that autolinking names.
    assert re.search(r"com\.facebook\.react\b", (folder / "build.gradle").read_text())


def test_without_its_configuration_the_module_is_not_registered(
    app: Path, release: Release
) -> None:
    configuration = app / "node_modules" / "wsp.rn" / "react-native.config.js"
    text = configuration.read_text(encoding="utf-8")
    configuration.unlink()
    try:
        for linked in (by_command_line, by_expo):
            assert linked(app, release)["android"]["cxxModuleHeaderName"] is None
    finally:
        configuration.write_text(text, encoding="utf-8")


def compiled(release: Release, *arguments: str | Path) -> None:
    """Checks C++ with the headers of a React Native."""
    react = fetched(release.react_native) / "ReactCommon"
    folders = ("", "jsi", "callinvoker", "react/nativemodule/core", "runtimeexecutor")
    headers = [word for folder in folders for word in ("-isystem", react / folder)]
    options = ("-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-DNDEBUG")
    command = ["clang++-19", *options, *arguments, *headers]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def lay_folly(folder: Path) -> None:
    """Lays what only devices have, and nothing here uses."""
    for path, text in FOLLY.items():
        (folder / path).parent.mkdir()
        (folder / path).write_text(text, encoding="utf-8")


def test_what_the_codegen_makes_for_apple_compiles_beside_the_module(
    app: Path, release: Release, tmp_path: Path
) -> None:
    made = codegen_of(app, release, "ios")
    (header,) = made.rglob("RNWspSpecJSI.h")
    (protocol,) = made.rglob("RNWspSpec.h")
    assert "@protocol NativeWspSpec " in protocol.read_text(encoding="utf-8")
    package = app / "node_modules" / "wsp.rn"
    ours = [f"-I{package / folder}" for folder in ("android/generated", "cpp/jsi", "cpp/include")]
    lay_folly(tmp_path)
    both = tmp_path / "both.cpp"
    both.write_text("#include <NativeWsp.h>\n#include <RNWspSpecJSI.h>\n", encoding="utf-8")
    # Up to some release there is a source, too.
    for source in (both, *made.rglob("RNWspSpecJSI-generated.cpp")):
        compiled(release, *ours, f"-I{header.parent}", "-isystem", tmp_path, source)


def test_the_codegen_makes_the_library_that_autolinking_names(app: Path, release: Release) -> None:
    made = codegen_of(app, release, "android")
    (lists,) = made.rglob("jni/CMakeLists.txt")
    assert re.search(r"add_library\(\s*react_codegen_RNWspSpec\b", lists.read_text())
    header = (lists.parent / "RNWspSpec.h").read_text(encoding="utf-8")
    assert "RNWspSpec_ModuleProvider(" in header


@pytest.mark.long("android")
def test_javac_takes_what_the_codegen_makes_for_android(
    app: Path, release: Release, tmp_path: Path
) -> None:
    """A class that nobody extends, since the module is C++; Gradle compiles it all the same."""
    (java,) = codegen_of(app, release, "android").rglob("NativeWspSpec.java")
    for name in ANNOTATIONS:
        package, _, annotation = name.rpartition(".")
        stub = (tmp_path / "stubs").joinpath(*name.split(".")).with_suffix(".java")
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(f"package {package}; public @interface {annotation} {{}}\n")
    classes = classes_of(f"com.facebook.react:react-android:{release.maven}:aar:release")
    places = ("-cp", classes, "-sourcepath", tmp_path / "stubs", "-d", tmp_path / "out")
    run("javac", "-proc:none", *map(str, places), str(java), cwd=tmp_path)
    assert [*(tmp_path / "out").rglob("NativeWspSpec.class")]


@pytest.mark.long("android")
def test_an_app_of_android_compiles_what_is_written_into_it(
    app: Path, release: Release, tmp_path: Path
) -> None:
    """With React Native's own headers for Android, fbjni's, and this machine's Java."""
    where = f"-DoutputDirectory={tmp_path}"
    run(*MAVEN, "dependency:copy", f"-Dartifact={FBJNI}", where, cwd=tmp_path)
    with zipfile.ZipFile(tmp_path / "fbjni-0.7.0.aar") as archive:
        archive.extractall(tmp_path / "fbjni")
    lay_folly(tmp_path)
    java = Path(shutil.which("javac") or "").resolve().parents[1] / "include"
    react = fetched(release.react_native) / "ReactCommon"
    systems = (
        *(tmp_path, tmp_path / "fbjni" / "prefab" / "modules" / "fbjni" / "include"),
        *(java, java / "linux", react / "react/nativemodule/core/platform/android"),
        fetched(jni_of(release.react_native)) / "ReactAndroid" / "src" / "main" / "jni",
    )
    (made,) = codegen_of(app, release, "android").rglob("RNWspSpec-generated.cpp")
    package = app / "node_modules" / "wsp.rn"
    ours = [f"-I{package / folder}" for folder in ("android/generated", "cpp/jsi", "cpp/include")]
    autolinking = tmp_path / "autolinking.cpp"
    autolinking.write_text(AUTOLINKED, encoding="utf-8")
    headers = [word for folder in systems for word in ("-isystem", folder)]
    for source in (autolinking, made):
        compiled(release, *ours, f"-I{made.parent}", *headers, source)
