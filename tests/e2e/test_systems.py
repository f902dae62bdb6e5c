"""Every source of the core compiles for the systems of phones by the oldest compiler that builds
for them, with our warnings as errors; what is compiled links, with its public names shown alone.

The systems' own headers are not to be had: musl's stand for Android's, Darwin's are those that Zig
carries, which are the same for all of Apple's systems; the C++ library is LLVM's, as it is there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests import zig

from wspkit.targets.exports import public_functions, symbol_list, version_script

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
COMPILER = "clang++-19"
#: As CMake compiles them, all warnings included.
OPTIONS = (
    *("-std=c++20", "-O1", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden"),
    *("-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-Wshadow", "-Wconversion"),
    # The C++ library is newer than the compiler, and says so.
    *("-Wno-sign-conversion", "-Wshorten-64-to-32", "-Wno-#warnings", "-Werror"),
)
#: What a C++ library of LLVM is told when it is built, as its own builds for Linux and Darwin are.
LIBRARY = tuple(
    f"-D_LIBCPP_{setting}"
    for setting in (
        *("ABI_VERSION=1", "ABI_NAMESPACE=__1", "HAS_THREADS=1", "HAS_MONOTONIC_CLOCK"),
        *("HAS_TERMINAL", "HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0", "HAS_FILESYSTEM=1"),
        *("HAS_RANDOM_DEVICE", "HAS_LOCALIZATION", "HAS_UNICODE", "HAS_WIDE_CHARACTERS"),
        *("HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE", "PSTL_BACKEND_SERIAL"),
        "ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
    )
)


@dataclass(frozen=True)
class System:
    """One system and processor."""

    target: str
    """As clang calls it."""
    headers: tuple[str, ...]
    """Folders below lib/libc/include of Zig."""
    flags: tuple[str, ...] = ()
    file_kind: str = "ELF"
    """What `file` calls its objects."""


def _musl(processor: str) -> tuple[str, ...]:
    musl = f"{processor}-linux-musl"
    kernel = "x86" if processor == "x86_64" else processor
    return musl, "generic-musl", f"{kernel}-linux-any", "any-linux-any"


_DARWIN = ("any-darwin-any",)
SYSTEMS = {
    "Android, arm64-v8a": System("aarch64-linux-android24", _musl("aarch64")),
    "Android, armeabi-v7a": System(
        "armv7a-linux-androideabi24", _musl("arm"), ("-mfpu=neon", "-mfloat-abi=softfp")
    ),
    "Android, x86_64": System("x86_64-linux-android24", _musl("x86_64")),
    "iOS": System("arm64-apple-ios15.1", _DARWIN, file_kind="Mach-O 64-bit"),
    "macOS": System("arm64-apple-macos12.0", _DARWIN, file_kind="Mach-O 64-bit"),
}
ANDROID = [name for name in SYSTEMS if name.startswith("Android")]


def sources() -> list[Path]:
    """Those of the library without what needs other libraries, the longest first: a folder that has
    a `no_<name>.cpp` for such builds is that file.
    """
    found = (CPP / "src").rglob("*.cpp")
    absent = {path.parent for path in (CPP / "src").rglob("no_*.cpp")}
    shipped = [path for path in found if path.parent not in absent or path.match("no_*.cpp")]
    shipped = [path for path in shipped if path.parent.name != "wasi"]
    return sorted(shipped, key=lambda path: -path.stat().st_size)


def run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env=zig.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def compile_all(system: System, folder: Path) -> list[Path]:
    """Objects of all sources, as many at a time as there are processors."""
    headers = zig.folder() / "lib"
    libc = headers / "libc" / "include"
    includes = (
        *(headers / "libcxx" / "include", headers / "libcxxabi" / "include"),
        # The compiler's own, between the C++ library's and the system's.
        Path(run(COMPILER, "-print-resource-dir").strip()) / "include",
        *(libc / name for name in system.headers),
    )
    musl = f"-D_LIBCPP_HAS_MUSL_LIBC={int('musl' in system.headers[0])}"
    launcher = ("ccache",) if shutil.which("ccache") else ()
    command = (
        *(*launcher, COMPILER, f"--target={system.target}", *system.flags, *OPTIONS, "-nostdinc"),
        *(*LIBRARY, musl, *(word for path in includes for word in ("-isystem", path))),
        *("-I", CPP / "src", "-I", CPP / "include"),
    )

    def compile_one(source: Path) -> Path:
        out = folder / f"{source.parent.name}-{source.stem}.o"
        run(*command, "-c", source, "-o", out)
        return out

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(compile_one, sources()))


Objects = dict[str, list[Path]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Objects:
    """Objects of the systems that were compiled so far."""

    class Made(dict[str, list[Path]]):
        def __missing__(self, name: str) -> list[Path]:
            self[name] = compile_all(SYSTEMS[name], tmp_path_factory.mktemp("objects"))
            return self[name]

    return Made()


def test_the_sources_are_those_of_the_library() -> None:
    names = {path.relative_to(CPP / "src").as_posix() for path in sources()}
    assert {"kernels/neon_i8mm.cpp", "base/file.cpp", "capi/full.cpp", "ext/audio.cpp"} <= names
    assert "backend/deferred/no_deferred.cpp" in names
    assert "backend/deferred/deferred_backend.cpp" not in names
    listed = "".join(path.read_text() for path in (CPP / "src").glob("*/CMakeLists.txt"))
    assert [name for name in names if name.rpartition("/")[2] not in listed] == []


@pytest.mark.long("systems")
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_source_compiles_for_a_system(name: str, made: Objects) -> None:
    objects = made[name]
    assert len(objects) == len(sources())
    assert SYSTEMS[name].file_kind in run("file", "-b", objects[0])


@pytest.mark.long("systems")
@pytest.mark.parametrize("name", ANDROID)
def test_a_library_of_android_has_16_kb_pages_and_shows_the_public_names_alone(
    name: str, made: Objects, tmp_path: Path
) -> None:
    names = public_functions(CPP)
    script, library = tmp_path / "exports.txt", tmp_path / "libspeech.so"
    script.write_text(version_script(names), encoding="utf-8")
    run(
        zig.folder() / "zig",
        *("ld.lld", "-shared", "--gc-sections", "-soname", "libspeech.so"),
        *("-z", "max-page-size=16384", f"--version-script={script}"),
        # Android's C library is not to be had.
        "--unresolved-symbols=ignore-all",
        *made[name],
        *("-o", str(library)),
    )
    loads = re.findall(
        r"^\s+LOAD\s.*\s0x([0-9a-f]+)$", run("readelf", "-lW", library), re.MULTILINE
    )
    assert loads
    assert {int(alignment, 16) for alignment in loads} == {16384}
    shown = {
        line.split()[-1]
        for line in run("nm", "-D", "--defined-only", library).splitlines()
        if " A " not in line
    }
    assert shown == set(names)


@pytest.mark.long("systems")
def test_a_library_of_macos_links_and_shows_the_public_names(made: Objects, tmp_path: Path) -> None:
    names = public_functions(CPP)
    library = tmp_path / "libspeech.dylib"
    run(
        zig.folder() / "zig",
        *("c++", "-target", "aarch64-macos.12.0", "-shared"),
        "-Wl,-dead_strip",
        *made["macOS"],
        *("-o", str(library)),
    )
    assert "Mach-O 64-bit arm64 dynamically linked shared library" in run("file", "-b", library)
    listing = run("llvm-nm-19", "--extern-only", "--defined-only", library)
    shown = {line.split()[-1] for line in listing.splitlines()}
    # The list for Apple's own linker, which Zig's does not read, names what is there.
    assert set(symbol_list(names).split()) <= shown
    # Of our namespace, as C++ spells it in symbols.
    assert not {name for name in shown if "6speech" in name}
