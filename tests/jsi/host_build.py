"""Builds the host of cpp/jsi from React Native's sources of npm's registry, with clang, Debian's
JavaScriptCore, and the core that the tests of the core have built.

It must not know any single test.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.npm_packages import NpmPackage, unpacked

from wspkit.fetching.cache import exclusive

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
COMPILERS = ("-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19")
FAST = "-DCMAKE_CXX_FLAGS_RELEASE=-O1"
JOBS = str(os.cpu_count() or 1)


@dataclass(frozen=True)
class Hosts:
    """Programs that run scripts in JavaScriptCore with the native module."""

    real: Path
    """On the real core."""
    recording: Path
    """On one that computes nothing and tells what it was asked."""


@cache
def hosts(react_native: NpmPackage, sanitizer: str = "") -> Hosts:
    """The hosts for a React Native. sanitizer: "address" or "thread"; empty for none."""
    folder = BUILD / f"jsi-{react_native.version}{'-' if sanitizer else ''}{sanitizer}"
    with exclusive(folder, waiting=lambda: None):
        options = [f"-DSPEECH_REACT_NATIVE={unpacked(react_native) / 'ReactCommon'}"]
        if sanitizer:
            # The core has to be instrumented as well, so that it is built here.
            options += [f"-DSPEECH_SANITIZE={sanitizer}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
            options += ["-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1"]
        else:
            options += [f"-DSPEECH_JSI_CORE={_core()}", FAST]
        _run("-S", "cpp", "-B", str(folder), "-DSPEECH_BUILD_JSI=ON", *COMPILERS, *options)
        _run("--build", str(folder), "-j", JOBS, "--target", "jsi_host", "jsi_recording_host")
    return Hosts(folder / "jsi" / "jsi_host", folder / "jsi" / "jsi_recording_host")


def recording_host_of(source: Path, react_native: NpmPackage, build: Path) -> Path:
    """The host on the recording core, of the C++ tree in another folder."""
    react = f"-DSPEECH_REACT_NATIVE={unpacked(react_native) / 'ReactCommon'}"
    _run("-S", str(source), "-B", str(build), "-DSPEECH_BUILD_JSI=ON", *COMPILERS, react, FAST)
    # Such trees are in a folder of their own each; ccache then knows what is in all of them.
    same = {"CCACHE_BASEDIR": str(source.parent), "CCACHE_NOHASHDIR": "1"}
    _run("--build", str(build), "-j", JOBS, "--target", "jsi_recording_host", **same)
    return build / "jsi" / "jsi_recording_host"


def _core() -> Path:
    """The core's static library, as the core's own tests build it."""
    folder = BUILD / "core"
    with exclusive(folder / "library", waiting=lambda: None):
        if not (folder / "CMakeCache.txt").is_file():
            _run("-S", "cpp", "-B", str(folder))
        _run("--build", str(folder), "-j", JOBS, "--target", "speech")
    return folder / "libspeech.a"


def _run(*arguments: str, **environment: str) -> None:
    command = ["cmake", *arguments]
    if "-S" in arguments and shutil.which("ccache"):
        command += ["-DCMAKE_C_COMPILER_LAUNCHER=ccache", "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
