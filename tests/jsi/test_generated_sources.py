"""What is generated for React Native compiles with the oldest and the newest one: its registration
on both platforms, as their builds would use it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.npm_packages import REACT_NATIVE_0_76, REACT_NATIVE_0_88, NpmPackage, unpacked

ROOT = Path(__file__).resolve().parents[2]
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


def check_syntax(react_native: NpmPackage, *arguments: str | Path) -> None:
    """Compiles without making anything, with warnings of our files as errors."""
    react = unpacked(react_native) / "ReactCommon"
    folders = ["", "jsi", "callinvoker", "react/nativemodule/core", "runtimeexecutor"]
    command = [
        *("clang++-19", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DNDEBUG"),
        *(f"-I{ROOT / folder}" for folder in ("cpp/jsi", "cpp/include", "android/generated")),
        *(argument for folder in folders for argument in ("-isystem", str(react / folder))),
        *map(str, arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@versions
def test_autolinking_on_android_finds_the_module(react_native: NpmPackage, tmp_path: Path) -> None:
    source = tmp_path / "autolinking.cpp"
    source.write_text(AUTOLINKED, encoding="utf-8")
    check_syntax(react_native, source)


@versions
def test_the_registration_on_ios_is_objective_c_plus_plus(
    react_native: NpmPackage, tmp_path: Path
) -> None:
    (tmp_path / "Foundation").mkdir()
    (tmp_path / "Foundation" / "Foundation.h").write_text(FOUNDATION, encoding="utf-8")
    registration = ROOT / "ios" / "generated" / "WspRegistration.mm"
    apple = ("-fobjc-arc", "-fobjc-runtime=ios-15.0", "-isystem", tmp_path)
    check_syntax(react_native, *apple, registration)
