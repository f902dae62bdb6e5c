"""A project, its sources, an NDK and an Xcode, all made up: what plans are made from in tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wspkit.config.load import load_project
from wspkit.config.model import Abi, Slice
from wspkit.process import Command, CommandResult, RecordingRunner
from wspkit.targets.core import Request, Tools
from wspkit.targets.search import Search

HEADER = """
#define WHISPER_API
WHISPER_API const char * whisper_version(void);
WHISPER_API void whisper_free(struct whisper_context * ctx);
static inline int inside(void) { return 1; }
"""
TOOLS = Tools("cmake", "conan", "ninja", None, "Linux", "x86_64")

# What programs say of themselves; a test changes one.
SAID: Mapping[str, str] = {
    "cmake": "cmake version 3.28.1\n\nCMake suite maintained by Kitware\n",
    "conan": "Conan version 2.34.0\n",
    "ninja": "1.13.2\n",
    "g++": "12.2.0\n",
    "aarch64-linux-gnu-g++": "12.2.0\n",
    "arm-linux-gnueabihf-g++": "12.2.0\n",
    "zig": "0.17.1\n",
    "xcode-select": "/Applications/Xcode.app/Contents/Developer\n",
    "xcodebuild": "Xcode 16.2\nBuild version 16C5032a\n",
    "xcrun": "Apple clang version 16.0.0 (clang-1600.0.26.6)\n",
}


def make_project(root: Path, settings: str = "") -> Path:
    """Lays wsp.toml and sources with two public functions; gives the folder of the sources."""
    include = root / "cpp" / "include"
    include.mkdir(parents=True)
    (root / "wsp.toml").write_text(settings, encoding="utf-8")
    (root / "cpp" / "CMakeLists.txt").write_text("project(speech VERSION 1.2.3 LANGUAGES CXX)\n")
    (root / "cpp" / "conanfile.py").write_text("")
    (include / "whisper.h").write_text(HEADER)
    return root / "cpp"


def make_ndk(folder: Path, revision: str = "28.0.13004108", clang: str = "19") -> Path:
    """Lays what is looked at of an NDK."""
    prebuilt = folder / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64"
    (prebuilt / "lib" / "clang" / clang).mkdir(parents=True)
    text = f"Pkg.Desc = Android NDK\nPkg.Revision = {revision}\n"
    (folder / "source.properties").write_text(text)
    return folder


def searching(
    environment: Mapping[str, str] | None = None,
    *,
    system: str = "Linux",
    said: Mapping[str, str] = SAID,
    home: Path = Path("/nowhere"),
    assume: bool = False,
) -> Search:
    """A search on a machine whose programs say `said`; one that says nothing is not there."""

    def answer(command: Command) -> CommandResult:
        name = Path(command.arguments[0]).name
        assert name in said, command
        return CommandResult(command, 0, said[name])

    return Search(
        RecordingRunner(answer),
        environment=environment or {},
        system=system,
        which=lambda name: f"/usr/bin/{name}" if name in said else None,
        home=home,
        assume=assume,
    )


def request_for(
    root: Path, abis: tuple[Abi, ...] = (), slices: tuple[Slice, ...] = (), jobs: int = 2
) -> Request:
    """A request for the project in a folder."""
    project = load_project(root / "wsp.toml")
    return Request(project, root / "cpp", root / "build" / "targets", TOOLS, jobs, abis, slices)
