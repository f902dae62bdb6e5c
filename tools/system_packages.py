"""Sees to the system packages that a tier needs, before the environment exists: stdlib only.

Usage: python3 tools/system_packages.py demo|test|long|bench

A missing package is installed when CI=true or on a yes at the terminal; otherwise it is named with
the line that installs it, and the exit code is 1. The names are those of Debian and Ubuntu;
elsewhere the same things have to be there under the names of the place.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MINIMUM_PYTHON = (3, 10)
# The first g++ whose library has what C++20 code here uses (<span>, <bit>, charconv of floats).
MINIMUM_GXX = 11

# The first Node.js that metro runs on.
MINIMUM_NODE = 20


@dataclass(frozen=True)
class Need:
    """A system package, what it is for, the tiers that need it, and how to see that it is there."""

    package: str
    purpose: str
    tiers: frozenset[str]
    is_there: Callable[[], bool]


def has_compiler() -> bool:
    """True if the C++ compiler answers; one named by CXX is trusted, g++ must be new enough."""
    command = shlex.split(os.environ.get("CXX", "g++"))
    if not command or shutil.which(command[0]) is None:
        return False
    if "CXX" in os.environ:
        return True
    answer = subprocess.run([*command, "-dumpversion"], capture_output=True, text=True, check=False)
    major = re.match(r"\d+", answer.stdout)
    return major is not None and int(major.group()) >= MINIMUM_GXX


def has_venv() -> bool:
    """True if `python3 -m venv` can put pip into an environment (Debian ships that part apart)."""
    return all(importlib.util.find_spec(name) is not None for name in ("venv", "ensurepip"))


def has_python_headers() -> bool:
    """True if the running Python's C headers are installed."""
    return Path(sysconfig.get_path("include"), "Python.h").is_file()


def has_googletest() -> bool:
    """True if the compiler's default folders hold GoogleTest."""
    folders = ("/usr/include", "/usr/local/include")
    return any(Path(folder, "gtest/gtest.h").is_file() for folder in folders)


def has_node() -> bool:
    """True if Node.js is there, and new enough for the tools of the JavaScript package."""
    if shutil.which("node") is None:
        return False
    answer = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    major = re.match(r"v(\d+)\.", answer.stdout)
    return major is not None and int(major.group(1)) >= MINIMUM_NODE


def has_javascriptcore() -> bool:
    """True if pkg-config finds JavaScriptCore."""
    if shutil.which("pkg-config") is None:
        return False
    command = ("pkg-config", "--exists", "javascriptcoregtk-4.1")
    return subprocess.run(command, check=False).returncode == 0


def has_libfuzzer() -> bool:
    """True if clang 19 finds its fuzzing runtime (Debian ships that apart)."""
    if shutil.which("clang++-19") is None:
        return False
    command = ("clang++-19", "-print-runtime-dir")
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    # Some builds keep the runtimes of all systems in lib/linux beside the directory that is named.
    folders = Path(answer.stdout.strip()).parent
    return any(folders.glob("*/libclang_rt.fuzzer*.a"))


ALL = frozenset({"demo", "test", "long", "bench"})
TEST = frozenset({"test", "long"})
LONG = frozenset({"long"})
EMULATED = frozenset({"long", "bench"})
NEEDS = (
    Need(
        "g++", f"C++20 compiler, {MINIMUM_GXX} or newer, or another named by CXX", ALL, has_compiler
    ),
    Need("python3-venv", "makes the environment .venv", ALL, has_venv),
    Need("python3-dev", "headers for the Python binding", ALL, has_python_headers),
    Need("libgtest-dev", "GoogleTest, for the tests of the core", TEST, has_googletest),
    Need(
        "ccache", "compiles what two builds share once", TEST, lambda: bool(shutil.which("ccache"))
    ),
    Need("nodejs", f"Node.js {MINIMUM_NODE} or newer, makes the JavaScript package", ALL, has_node),
    Need(
        "npm",
        "fetches TypeScript, and what tests compare with",
        ALL,
        lambda: bool(shutil.which("npm")),
    ),
    Need(
        "clang-19",
        "the compiler of the fuzzers, and of what includes React Native",
        TEST,
        lambda: bool(shutil.which("clang++-19")),
    ),
    Need(
        "lld-19",
        "links kernels for WebAssembly, and what is measured as Android links it",
        TEST,
        lambda: bool(shutil.which("wasm-ld-19")),
    ),
    Need("ruby", "evaluates the podspec", TEST, lambda: bool(shutil.which("ruby"))),
    Need(
        "pkg-config",
        "finds JavaScriptCore",
        TEST,
        lambda: bool(shutil.which("pkg-config")),
    ),
    Need(
        "libjavascriptcoregtk-4.1-dev",
        "the JavaScript engine in which the JavaScript binding is tested",
        TEST,
        has_javascriptcore,
    ),
    Need(
        "g++-aarch64-linux-gnu",
        "compiles the kernels of Arm",
        EMULATED,
        lambda: bool(shutil.which("aarch64-linux-gnu-g++")),
    ),
    Need(
        "qemu-user-static",
        "runs what is compiled for Arm",
        LONG,
        lambda: bool(shutil.which("qemu-aarch64-static")),
    ),
    Need(
        "qemu-user",
        "counts the instructions of what is compiled for Arm",
        EMULATED,
        lambda: bool(shutil.which("qemu-aarch64")),
    ),
    Need(
        "g++-arm-linux-gnueabihf",
        "compiles for 32-bit Arm",
        LONG,
        lambda: bool(shutil.which("arm-linux-gnueabihf-g++")),
    ),
    Need(
        "llvm-19",
        "reads what is compiled for WebAssembly and Apple's systems",
        LONG,
        lambda: bool(shutil.which("llvm-nm-19")),
    ),
    Need("libclang-rt-19-dev", "the fuzzers' runtime, libFuzzer", LONG, has_libfuzzer),
)


def agreed(line: str) -> bool:
    """Asks before anything is installed; CI=true is a yes, no terminal is a no."""
    if os.environ.get("CI") == "true":
        return True
    if not sys.stdin.isatty():
        return False
    return input(f"Install with `{line}`? [y/N] ").strip().lower() in {"y", "yes"}


def install_line(packages: list[str]) -> str:
    """The line that installs them, with sudo where we are not root."""
    sudo = "" if os.geteuid() == 0 or shutil.which("sudo") is None else "sudo "
    install = f"{sudo}apt-get install -y --no-install-recommends {' '.join(packages)}"
    return f"{sudo}apt-get update && {install}"


def report(line: str) -> int:
    """Says what is wrong; the exit code that goes with it."""
    print(line, file=sys.stderr)
    return 1


def main(arguments: list[str]) -> int:
    """Checks the needs of one tier. 0: all there; 1: something is missing; 2: wrong usage."""
    if len(arguments) != 1 or arguments[0] not in ALL:
        report(f"usage: system_packages.py {'|'.join(sorted(ALL))}")
        return 2
    if sys.version_info < MINIMUM_PYTHON:
        wanted = ".".join(map(str, MINIMUM_PYTHON))
        return report(
            f"Python {sys.version.split()[0]} found, {wanted} or newer needed: install one and "
            f"name it, as in `make PYTHON=python{wanted} demo`."
        )
    missing = [need for need in NEEDS if arguments[0] in need.tiers and not need.is_there()]
    if not missing:
        return 0
    for need in missing:
        report(f"Missing system package {need.package}: {need.purpose}.")
    line = install_line([need.package for need in missing])
    if shutil.which("apt-get") is None:
        return report("There is no apt-get here: install these by this system's own means.")
    if not agreed(line):
        return report(f"Install with:\n  {line}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if subprocess.run(["/bin/sh", "-c", line], env=environment, check=False).returncode != 0:
        return report(f"The installation failed. By hand:\n  {line}")
    importlib.invalidate_caches()
    still = [need for need in missing if not need.is_there()]
    for need in still:
        report(
            f"{need.package} was installed, but {sys.executable} still does not find it "
            f"({need.purpose}): is this the system's own Python and compiler?"
        )
    return 1 if still else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
