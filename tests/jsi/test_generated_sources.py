"""What is generated for React Native compiles with the oldest and the newest one: converters,
types, registration on both platforms. The committed files, and goldens, which are of another
description.

Elsewhere committed converters are compiled with both as the hosts are built, committed TypeScript
as the package is, and the committed registration on iOS with all that is packed for Apple.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.node_tools import SOURCE, run, tool
from tests.npm_packages import REACT_NATIVE_0_76, REACT_NATIVE_0_88, NpmPackage, unpacked

from wspkit.bridge.registry import OUTPUTS

ROOT = Path(__file__).resolve().parents[2]
GOLDENS = ROOT / "tests" / "goldens" / "generate"
# What React Native's Gradle plugin writes into an app for a package of this header.
AUTOLINKED = """
#include <ReactCommon/TurboModule.h>
#include <NativeWsp.h>

namespace facebook {
namespace react {
std::shared_ptr<TurboModule> find(const std::string moduleName,
                                  const std::shared_ptr<CallInvoker>& jsInvoker) {
  if (moduleName == NativeWsp::kModuleName) {
    return std::make_shared<NativeWsp>(jsInvoker);
  }
  return nullptr;
}
}  // namespace react
}  // namespace facebook
"""
# As much of Apple's as the registration uses.
FOUNDATION = """
__attribute__((objc_root_class)) @interface NSObject
+ (void)load;
@end
"""
versions = pytest.mark.parametrize(
    "react_native", [REACT_NATIVE_0_76, REACT_NATIVE_0_88], ids=lambda one: one.version
)


STRICT = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror")


def compiled(*command: str | Path) -> None:
    """Compiles without making anything, with warnings of our files as errors."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check_syntax(react_native: NpmPackage, *arguments: str | Path) -> None:
    """Compiles with the headers of a React Native."""
    react = unpacked(react_native) / "ReactCommon"
    folders = ["", "jsi", "callinvoker", "react/nativemodule/core", "runtimeexecutor"]
    headers = [word for folder in folders for word in ("-isystem", react / folder)]
    ours = [f"-I{ROOT / folder}" for folder in ("cpp/jsi", "cpp/include", "android/generated")]
    compiled("clang++-19", *STRICT, "-Wno-sign-conversion", "-DNDEBUG", *arguments, *ours, *headers)


def goldens_of(folder: str, destination: Path) -> Path:
    """Lays goldens as the outputs below a folder lie; returns the destination."""
    for output in OUTPUTS:
        if output.path.startswith(folder):
            path = destination / output.path
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(GOLDENS / f"{path.name}.golden", path)
    return destination


@pytest.mark.parametrize("of", ["golden", "committed"])
def test_values_and_their_c_fields_need_no_react_native(of: str, tmp_path: Path) -> None:
    tree, include = ROOT, ROOT / "cpp" / "include"
    if of == "golden":
        tree, include = goldens_of("cpp/jsi/", tmp_path), GOLDENS
    source = tmp_path / "uses.cpp"
    # Twice, since a header must bear that.
    source.write_text('#include "generated/params.h"\n#include "generated/contract.h"\n' * 2)
    folders = [f"-I{folder}" for folder in (tree / "cpp/jsi", include, ROOT / "cpp/jsi")]
    compiled("g++", *STRICT, "-Wpedantic", *folders, source)


@pytest.mark.parametrize(
    "react_native",
    [REACT_NATIVE_0_76, pytest.param(REACT_NATIVE_0_88, marks=pytest.mark.long("jsi"))],
    ids=lambda one: one.version,
)
def test_converters_of_another_description_compile(
    react_native: NpmPackage, tmp_path: Path
) -> None:
    binding = goldens_of("cpp/jsi/", tmp_path) / "cpp" / "jsi"
    check_syntax(
        react_native, f"-I{binding}", f"-I{GOLDENS}", binding / "generated" / "converters.cpp"
    )


def test_typescript_of_another_description_compiles(tmp_path: Path) -> None:
    goldens_of("js/", tmp_path)
    js = tmp_path / "js"
    shutil.copytree(SOURCE / "types", js / "types")
    config = {"extends": str(SOURCE / "tsconfig.json"), "include": ["types", "src", "mock"]}
    options = {"noEmit": True, "rootDir": "."}
    (js / "tsconfig.json").write_text(json.dumps({**config, "compilerOptions": options}))
    assert run(tool("tsc"), "-p", str(js), cwd=js) == ""


@versions
def test_autolinking_on_android_finds_the_module(react_native: NpmPackage, tmp_path: Path) -> None:
    source = tmp_path / "autolinking.cpp"
    source.write_text(AUTOLINKED, encoding="utf-8")
    check_syntax(react_native, source)


@versions
def test_registration_on_ios_is_objective_c_plus_plus(
    react_native: NpmPackage, tmp_path: Path
) -> None:
    (tmp_path / "Foundation").mkdir()
    (tmp_path / "Foundation" / "Foundation.h").write_text(FOUNDATION, encoding="utf-8")
    registration = goldens_of("ios/", tmp_path) / "ios" / "generated" / "WspRegistration.mm"
    apple = ("-fobjc-arc", "-fobjc-runtime=ios-15.0", "-isystem", tmp_path)
    check_syntax(react_native, *apple, registration)
