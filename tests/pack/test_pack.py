"""`wsp pack`: the same bytes from the same tree, and what may be wrong with an archive."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.node_tools import SOURCE, run
from tests.pack.conftest import signed_anew

from wspkit.cli.app import main
from wspkit.config.load import Project
from wspkit.config.model import Budget, Config
from wspkit.errors import BadFormatError, BudgetError, NotFoundError, UsageError
from wspkit.package.check import check, check_size, shares
from wspkit.package.named import matching, missing_files
from wspkit.package.native import public_functions
from wspkit.package.places import BILL, PROVENANCE
from wspkit.package.prebuilt import prebuilt
from wspkit.package.prove import Proof, check_budget, segment_alignment
from wspkit.package.stage import Staged
from wspkit.package.tarball import file_name, tarball, unpacked

Archived = Callable[[Mapping[str, bytes]], Path]
ROOT = Path(__file__).resolve().parents[2]


def test_this_tree_makes_a_package_that_is_whole_and_small(
    staged: Staged, project: Project
) -> None:
    check(staged.files, project.config)
    check_size("package.tgz", len(tarball(staged.files)), staged.files, project.config)


def test_the_same_files_give_the_same_bytes(
    staged: Staged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tarball(staged.files)
    monkeypatch.chdir(tmp_path)
    before = os.umask(0o077)
    try:
        second = tarball(dict(reversed([*staged.files.items()])))
    finally:
        os.umask(before)
    assert first == second


def test_an_archive_has_npms_folder_and_nobodys_files(staged: Staged) -> None:
    with tarfile.open(fileobj=io.BytesIO(tarball(staged.files))) as archive:
        members = archive.getmembers()
    assert all(one.name.startswith("package/") and one.isfile() for one in members)
    assert {(one.mode, one.uid, one.gid, one.uname, one.mtime) for one in members} == {
        (0o644, 0, 0, "", 499_162_500)
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [("wsp.rn", "wsp.rn-1.2.3.tgz"), ("@scope/kit", "scope-kit-1.2.3.tgz")],
)
def test_archives_are_named_as_npm_names_them(name: str, expected: str) -> None:
    assert file_name(name, "1.2.3") == expected


def test_what_was_packed_is_read_back(staged: Staged, archived: Archived) -> None:
    assert unpacked(archived(staged.files)) == staged.files


# A file of each kind, and what else but provenance notices that it is gone.
NAMED = {
    "android/consumer-rules.pro": "android/build.gradle: names consumer-rules.pro",
    "android/src/main/java/rn/wsp/WspPackage.kt": "which autolinking looks for",
    "android/src/main/java/rn/wsp/WspProvider.kt": "names the class rn.wsp.WspProvider",
    "android/src/main/cpp/java.h": 'includes "java.h", which is missing',
    "cpp/src/audio/fft.cpp": "cpp/src/audio/CMakeLists.txt names it",
    "cpp/src/audio/CMakeLists.txt": "cpp/CMakeLists.txt names it",
    "cpp/cmake/warnings.cmake": "cpp/CMakeLists.txt names it",
    "cpp/src/audio/fft.h": 'includes "audio/fft.h"',
    "cpp/include/wsp_whisper.h": 'includes "wsp_whisper.h"',
    "cpp/jsi/generated/values.h": 'includes "generated/values.h"',
    "ios/audio/Microphone.h": 'includes "Microphone.h"',
    "ios/PrivacyInfo.xcprivacy": "wsp-rn.podspec: names ios/PrivacyInfo.xcprivacy",
    "lib/cjs/src/index.js": "exports of package.json names it",
    "lib/esm/src/index.d.ts": "exports of package.json names it",
    "spec/NativeWsp.ts": "codegenConfig of package.json names it",
}


@pytest.mark.parametrize("path", NAMED)
def test_a_named_file_that_is_missing_is_found_by_what_names_it(path: str, staged: Staged) -> None:
    left = {name: content for name, content in staged.files.items() if name != path}
    found = [str(problem) for problem in missing_files(left)]
    assert any(NAMED[path] in problem for problem in found), found


@pytest.mark.parametrize(
    "path",
    [
        *NAMED,
        *("cpp/jsi/module.cpp", "ios/generated/WspRegistration.mm", "android/CMakeLists.txt"),
        *("android/build.gradle", "android/src/main/AndroidManifest.xml"),
        *("android/exports.map", "Package.swift", "wsp-rn.podspec", "cpp/.wsp-prefix.json"),
        *("LICENSE", "README.md", "package.json", "react-native.config.js", PROVENANCE, BILL),
    ],
)
def test_an_archive_without_a_file_is_refused_by_name(
    path: str, staged: Staged, archived: Archived, capsys: pytest.CaptureFixture[str]
) -> None:
    left = {name: content for name, content in staged.files.items() if name != path}
    config = ("--config", str(ROOT / "wsp.toml"))
    assert main(["pack", "--check", str(archived(left)), *config]) == 4
    said = capsys.readouterr().err
    assert f"{path}: is missing" in said
    assert "Pack it again from a whole tree" in said


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"README.md": b"mine"}, "README.md: has another checksum"),
        ({"lib/extra.js": b""}, "lib/extra.js: is not in provenance.json"),
        ({PROVENANCE: b"{}"}, "provenance.json is damaged"),
        ({"android/exports.map": b"{};"}, "does not list the functions"),
    ],
)
def test_an_archive_that_was_touched_is_refused(
    changed: dict[str, bytes], problem: str, staged: Staged, project: Project
) -> None:
    with pytest.raises(BadFormatError, match=problem):
        check({**staged.files, **changed}, project.config)


@pytest.mark.parametrize("name", ["preinstall", "install", "postinstall", "prepare"])
def test_a_script_that_runs_on_installation_is_refused(
    name: str, staged: Staged, project: Project
) -> None:
    manifest = json.loads(staged.files["package.json"])
    manifest["scripts"] = {name: "node steal.js"}
    files = signed_anew({**staged.files, "package.json": json.dumps(manifest).encode()})
    with pytest.raises(BadFormatError, match=f"has the script {name}"):
        check(files, project.config)


def test_sources_under_another_prefix_are_refused(staged: Staged) -> None:
    config = Config.model_validate({"prefix": {"name": "acme_"}})
    with pytest.raises(UsageError, match=r"'wsp_'; expected 'acme_' \(prefix.name in wsp.toml\)"):
        check(staged.files, config)


def test_an_archive_over_its_budget_is_refused_with_what_is_largest(
    staged: Staged,
) -> None:
    config = Config(budget=Budget(tarball_bytes=1000))
    with pytest.raises(BudgetError, match="at most 1,000") as caught:
        check_size("wsp.rn.tgz", 1001, staged.files, config)
    assert caught.value.exit_code == 16
    assert BILL in (caught.value.hint or "")
    check_size("wsp.rn.tgz", 1000, staged.files, config)
    # Binaries have no limit: they are there or not.
    check_size("wsp.rn.tgz", 10**9, {"ios/prebuilt/a": b""}, config)


def test_a_library_over_its_budget_is_refused(project: Project, tmp_path: Path) -> None:
    limit = project.config.budget.library_bytes["linux-aarch64"]
    assert limit == 1_200_000
    library = tmp_path / "libkit.so"
    check_budget(Proof("linux-aarch64", library, library, limit, 1, 16384), project)
    with pytest.raises(BudgetError, match="at most 1,200,000"):
        check_budget(Proof("linux-aarch64", library, library, limit + 1, 1, 16384), project)


def test_the_table_counts_every_file_once(staged: Staged) -> None:
    parts = shares(staged.files)
    assert sum(one.files for one in parts) == len(staged.files)
    assert sum(one.size_bytes for one in parts) == sum(map(len, staged.files.values()))


def test_a_damaged_archive_and_none_at_all_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "cut.tgz"
    archive.write_bytes(tarball({"a": b"x" * 10_000})[:60])
    config = ("--config", str(ROOT / "wsp.toml"))
    assert main(["pack", "--check", str(archive), *config]) == 4
    assert main(["pack", "--check", str(tmp_path / "none.tgz"), *config]) == 3
    assert "there is no file" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    out = str(tmp_path / "file" / "out")
    assert main(["pack", "--out", out, "--config", str(ROOT / "wsp.toml")]) == 7
    assert "Name another folder with --out" in capsys.readouterr().err


def test_an_unknown_target_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pack", "--compile", "amiga"]) == 2
    assert "linux-x86_64, linux-aarch64, or all" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("a/**/*.{h,mm}", ["a/x.mm", "a/b/y.h"]),
        ("a/*.mm", ["a/x.mm"]),
        ("a/b", ["a/b/y.h", "a/b/z.c"]),
        ("a/x", []),
    ],
)
def test_globs_mean_what_cocoapods_means_by_them(glob: str, found: list[str]) -> None:
    files = dict.fromkeys(["a/x.mm", "a/b/y.h", "a/b/z.c", "b/x.mm"], b"")
    assert matching(files, glob) == found


def test_the_alignment_of_a_library_is_that_of_its_segments() -> None:
    with pytest.raises(BadFormatError, match="no 64-bit ELF"):
        segment_alignment(b"\xcf\xfa\xed\xfe", "lib.dylib")
    program = Path("/proc/self/exe").resolve()
    assert segment_alignment(program.read_bytes(), program.name) % 4096 == 0


def test_npm_pack_in_the_source_folder_names_the_right_command() -> None:
    assert "run wsp pack" in run("npm", "pack", "--dry-run", cwd=SOURCE, code=1)
    assert "scripts" not in json.loads((SOURCE / "package.json").read_text())["exports"]


def built(folder: Path, names: str) -> Path:
    """What `wsp build --out` leaves, as far as packing looks at it."""
    files = {
        "android/arm64-v8a/out/lib/libspeech.a": b"library",
        "android/arm64-v8a/out/exports.txt": names.encode(),
        "ios/WspSpeech-static.xcframework/Info.plist": b"plist",
        "ios/device-arm64/out/exports.txt": re.sub(r"\b(?=w)", "_", names).encode(),
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_libraries_that_were_built_elsewhere_are_packed_where_both_platforms_look(
    staged: Staged, tmp_path: Path
) -> None:
    functions = public_functions(staged.files)
    found = prebuilt(built(tmp_path, "\n".join(functions)), functions)
    assert found == {
        "android/prebuilt/arm64-v8a/libspeech.a": b"library",
        "ios/prebuilt/WspSpeech-static.xcframework/Info.plist": b"plist",
    }
    texts = (staged.files["android/CMakeLists.txt"], staged.files["wsp-rn.podspec"])
    assert b"android/prebuilt/${ANDROID_ABI}/libspeech.a" in texts[0]
    assert b"ios/prebuilt/WspSpeech-static.xcframework" in texts[1]


@pytest.mark.parametrize("part", ["android", "ios"])
def test_libraries_of_other_sources_are_refused(part: str, staged: Staged, tmp_path: Path) -> None:
    functions = public_functions(staged.files)
    folder = built(tmp_path, "\n".join(functions))
    for listed in (folder / part).rglob("exports.txt"):
        listed.write_text("whisper_full")
    with pytest.raises(UsageError, match="was made of other sources: it has no wsp_"):
        prebuilt(folder, functions)


def test_a_folder_without_libraries_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no libraries in"):
        prebuilt(tmp_path, ())
