"""The package compiled from its archive, as whoever installs it would: it builds, collides with
nothing, is small, becomes part of an app, and hears.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.npm_packages import LLAMA_RN, WHISPER_RN, NpmPackage
from tests.npm_packages import unpacked as fetched
from tests.pack.test_android import options

from wspkit.config.load import Project
from wspkit.errors import BadFormatError, BudgetError, CollisionError
from wspkit.package.prove import Proof, Target, prove
from wspkit.package.stage import Staged
from wspkit.package.tarball import tarball, unpacked
from wspkit.prefix.audit import shared
from wspkit.prefix.symbols import read_symbols
from wspkit.process import SubprocessRunner

pytestmark = pytest.mark.long("pack")

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "pack"
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
TEXT = SAMPLE.with_suffix(".txt").read_text(encoding="utf-8").strip()
PROGRAM = ROOT / "tests" / "e2e" / "transcribe.c"
JOBS = os.cpu_count() or 1
# An emulated processor is some thirty times slower.
TIMEOUT_S = 3600
Proven = Callable[[Target], Proof]

COMPILERS: dict[Target, tuple[str, str]] = {
    "linux-x86_64": ("gcc", "g++"),
    "linux-aarch64": ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++"),
}
EMULATOR: dict[Target, tuple[str, ...]] = {
    "linux-x86_64": (),
    "linux-aarch64": ("qemu-aarch64", "-cpu", "max,sve=off"),
}
targets = pytest.mark.parametrize("target", ["linux-x86_64", "linux-aarch64"])


def run(*command: str | Path) -> str:
    """What a program writes; it must succeed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def proven(staged: Staged, project: Project, tmp_path_factory: pytest.TempPathFactory) -> Proven:
    """What is proved of the archive for a target, once."""
    archive = tmp_path_factory.mktemp("archive") / "package.tgz"
    archive.write_bytes(tarball(staged.files))
    found: dict[Target, Proof] = {}

    def prove_once(target: Target) -> Proof:
        if target not in found:
            files = unpacked(archive)
            found[target] = prove(files, target, project, BUILD, SubprocessRunner(), jobs=JOBS)
        return found[target]

    return prove_once


@targets
def test_what_was_packed_compiles_collides_with_nothing_and_is_aligned(
    target: Target, proven: Proven
) -> None:
    proof = proven(target)
    assert proof.names > 1000
    assert proof.alignment_bytes == 16384


def test_core_and_binding_for_64_bit_arm_keep_to_their_budget(
    proven: Proven, project: Project
) -> None:
    proof = proven("linux-aarch64")
    limit = project.config.budget.library_bytes["linux-aarch64"]
    assert limit == 1_200_000
    # Less than this, and something was left out of the count.
    assert 300_000 < proof.library_bytes <= limit
    inside = run("strings", "-a", proof.library)
    for table in ("neon", "neon_dotprod", "neon_i8mm", "scalar"):
        assert re.search(rf"^{table}$", inside, re.MULTILINE), table


@targets
def test_what_was_packed_transcribes(
    target: Target, proven: Proven, staged: Staged, tiny_en_f16: Path, tmp_path: Path
) -> None:
    proof = proven(target)
    # The program calls the core by the names that it has in the package.
    words = {**staged.names, "whisper.h": "wsp_whisper.h", "whisper_ext.h": "wsp_whisper_ext.h"}
    text = re.sub(
        r"[A-Za-z_]\w*(?:\.h\b)?",
        lambda match: words.get(match[0], match[0]),
        PROGRAM.read_text(encoding="utf-8"),
    )
    source, compiled, program = (tmp_path / name for name in ("t.c", "t.o", "transcribe"))
    source.write_text(text, encoding="utf-8")
    c, cxx = COMPILERS[target]
    headers = BUILD / target / "package" / "cpp" / "include"
    run(c, "-O2", "-c", source, "-I", headers, "-o", compiled)
    run(cxx, "-static", "-pthread", compiled, proof.core, "-o", program)
    assert run(*EMULATOR[target], program, tiny_en_f16, SAMPLE).strip() == TEXT


def test_it_becomes_part_of_an_app_as_autolinking_adds_it(proven: Proven, tmp_path: Path) -> None:
    proof = proven("linux-x86_64")
    kit = tmp_path / "kit"
    shutil.copytree(BUILD / "linux-x86_64" / "package", kit)
    library = kit / "android" / "prebuilt" / "x86_64" / "libspeech.a"
    library.parent.mkdir(parents=True)
    shutil.copy(proof.core, library)
    app, build = Path(__file__).parent / "app", tmp_path / "build"
    run("cmake", "-S", app, "-B", build, *options(kit), "-DANDROID_ABI=x86_64")
    run("cmake", "--build", build, "-j", str(JOBS))
    (core,) = build.rglob("libwsprn_core.so")
    shown = {one.name for one in read_symbols([core], SubprocessRunner())}
    assert shown == exported(kit)
    linked = build / "libappmodules.so"
    assert "libwsprn_core.so" in run("readelf", "-d", linked)
    names = {one.readable for one in read_symbols([linked], SubprocessRunner())}
    assert any("autolinking_cxxModuleProvider" in name for name in names)
    assert [name for name in names if "speech" in name] == []


def exported(kit: Path) -> set[str]:
    """Functions of the list of exports, but for one of Java's that nothing of ours is called by."""
    text = (kit / "android" / "exports.map").read_text(encoding="utf-8")
    return {*re.findall(r"^    (\w+);$", text, re.MULTILINE)} - {"JNI_OnUnload"}


def compiled(package: NpmPackage, patterns: tuple[str, ...], folder: Path) -> Path:
    """A library of another kit's sources, as its own build would compile them for a processor
    without extensions.
    """
    root = fetched(package)
    sources = sorted({path for pattern in patterns for path in root.glob(pattern)})
    assert sources
    folders = {path.parent for path in root.rglob("*.h")}
    library = folder / f"lib{package.name}.a"
    library.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    defined = [
        *(
            f"{prefix}_GGML_{name}"
            for prefix in ("WSP", "LM")
            for name in ("USE_CPU", "CPU_GENERIC")
        ),
        *(
            f'{prefix}GGML_{name}="0"'
            for prefix in ("", "WSP_", "LM_")
            for name in ("VERSION", "COMMIT")
        ),
        'WHISPER_VERSION="0"',
    ]
    lines = [
        "cmake_minimum_required(VERSION 3.22)",
        "project(other C CXX)",
        f"add_library(other STATIC {' '.join(map(str, sources))})",
        f"target_include_directories(other PRIVATE {' '.join(map(str, sorted(folders)))})",
        "target_compile_options(other PRIVATE -O0 -w -D_GNU_SOURCE)",
        f"target_compile_definitions(other PRIVATE {' '.join(defined)})",
        "set_target_properties(other PROPERTIES CXX_STANDARD 17 POSITION_INDEPENDENT_CODE ON)",
    ]
    (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run("cmake", "-S", folder, "-B", folder / "build")
    run("cmake", "--build", folder / "build", "-j", str(JOBS))
    return folder / "build" / "libother.a"


#: What both compile of ggml, whisper.cpp and llama.cpp on every processor; the rest has the same
#: prefixes.
OTHERS = {
    "whisper.rn": (WHISPER_RN, ("cpp/ggml*.c", "cpp/ggml*.cpp", "cpp/gguf.cpp", "cpp/whisper.cpp")),
    "llama.rn": (LLAMA_RN, ("cpp/ggml*.c", "cpp/ggml*.cpp", "cpp/gguf.cpp", "cpp/llama-vocab.cpp")),
}


@pytest.mark.parametrize("name", OTHERS)
def test_it_links_beside_other_kits(name: str, proven: Proven, tmp_path: Path) -> None:
    package, patterns = OTHERS[name]
    other = compiled(package, patterns, BUILD / "others" / name)
    ours = proven("linux-x86_64").core
    runner = SubprocessRunner()
    both = [read_symbols([library], runner) for library in (ours, other)]
    assert all(both)
    assert shared(both) == ()
    # All objects of both; what the other one lacks of itself is not asked for.
    run(
        *("g++", "-shared", "-o", tmp_path / "together.so"),
        *("-Wl,--whole-archive", ours, other, "-Wl,--no-whole-archive", "-lpthread"),
    )


def test_a_name_of_another_kit_would_be_found(tmp_path: Path) -> None:
    source, compiled_object = tmp_path / "double.c", tmp_path / "double.o"
    source.write_text("void wsp_ggml_free(void *context) { (void)context; }\n", encoding="utf-8")
    run("gcc", "-c", source, "-o", compiled_object)
    package, patterns = OTHERS["whisper.rn"]
    other = compiled(package, patterns, BUILD / "others" / "whisper.rn")
    runner = SubprocessRunner()
    both = [read_symbols([one], runner) for one in (compiled_object, other)]
    assert [one.name for one in shared(both)] == ["wsp_ggml_free"]


@pytest.mark.parametrize(
    ("appended", "error", "said"),
    [
        (
            {"cpp/src/base/last_error.cpp": b"int stray() { return 1; }\n"},
            CollisionError,
            r"stray\(\) \(strong\)",
        ),
        (
            {"cpp/include/wsp_whisper_ext.h": b"extern int wsp_whisper_ext_absent(void);\n"},
            BadFormatError,
            "not exported",
        ),
    ],
    ids=["a name without the prefix", "a public function that is not there"],
)
def test_what_is_wrong_with_the_compiled_package_is_told(
    appended: dict[str, bytes],
    error: type[Exception],
    said: str,
    staged: Staged,
    project: Project,
) -> None:
    files = {path: text + appended.get(path, b"") for path, text in staged.files.items()}
    with pytest.raises(error, match=said):
        prove(files, "linux-x86_64", project, BUILD / "wrong", SubprocessRunner(), jobs=JOBS)


def test_a_library_that_is_too_large_is_told(
    proven: Proven, staged: Staged, project: Project
) -> None:
    proven("linux-x86_64")
    budget = project.config.budget.model_copy(update={"library_bytes": {"linux-x86_64": 1000}})
    strict = Project(project.file, project.config.model_copy(update={"budget": budget}))
    with pytest.raises(BudgetError, match="at most 1,000"):
        prove(staged.files, "linux-x86_64", strict, BUILD, SubprocessRunner(), jobs=JOBS)
