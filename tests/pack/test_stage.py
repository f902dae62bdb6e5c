"""`wsp stage`: what it lays, that it lays it whole and the same every time, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from wspkit.cli.app import main
from wspkit.config.load import Project
from wspkit.config.model import Prefix
from wspkit.errors import InputOutputError, NotFoundError, UsageError
from wspkit.package.bill import Component, bill
from wspkit.package.native import native, public_functions
from wspkit.package.places import BILL, EXPORTS, PROVENANCE, Part, files_of
from wspkit.package.provenance import provenance, read_provenance
from wspkit.package.revision import Revision, revision_of
from wspkit.package.stage import Staged, assemble, write
from wspkit.process import SubprocessRunner

ROOT = Path(__file__).resolve().parents[2]


def test_sources_are_under_the_prefix_and_react_natives_names_are_not(staged: Staged) -> None:
    module = staged.files["cpp/jsi/module.h"].decode()
    assert "namespace wsp_speech::js {" in module
    assert "public facebook::react::TurboModule" in module
    assert b"wsp_whisper_init_state" in staged.files["cpp/include/wsp_whisper.h"]
    assert "cpp/include/whisper.h" not in staged.files


def test_another_prefix_is_one_word_of_the_settings() -> None:
    sources = native(ROOT, Prefix(name="acme_"), profile_root=ROOT)
    assert b"namespace acme_speech" in sources.files["cpp/jsi/module.h"]
    assert b"wsp_speech" not in b"".join(sources.files.values())


def test_nothing_of_the_workshop_is_in_the_package(staged: Staged) -> None:
    folders = {path.split("/")[1] for path in staged.files if path.startswith("cpp/")}
    assert folders == {
        *(".wsp-prefix.json", "CMakeLists.txt", "conanfile.py"),
        *("cmake", "include", "jsi", "src"),
    }
    assert [path for path in staged.files if "/host/" in path or "/test" in path] == []


def test_the_list_of_exports_has_each_public_function(staged: Staged) -> None:
    functions = public_functions(staged.files)
    assert "wsp_whisper_full" in functions
    assert "wsp_whisper_ext_audio_open" in functions
    listed = staged.files[EXPORTS].decode()
    assert [name for name in functions if f"    {name};\n" not in listed] == []
    assert "Java_*" in listed


def test_every_file_stands_in_the_bill_with_its_checksums(staged: Staged) -> None:
    document = json.loads(staged.files[BILL])
    assert document["spdxVersion"] == "SPDX-2.3"
    described = {one["fileName"].removeprefix("./"): one for one in document["files"]}
    assert described.keys() == staged.files.keys() - {BILL, PROVENANCE}
    for path, one in described.items():
        sums = {each["algorithm"]: each["checksumValue"] for each in one["checksums"]}
        assert sums["SHA256"] == hashlib.sha256(staged.files[path]).hexdigest()
        assert sums["SHA1"] == hashlib.sha1(staged.files[path]).hexdigest()
    ids = [one["SPDXID"] for one in document["files"]]
    assert len(ids) == len(set(ids))
    (package,) = document["packages"]
    assert package["hasFiles"] == ids
    assert package["licenseDeclared"] == "MIT"


def test_the_verification_code_of_the_bill_is_that_of_the_standard() -> None:
    # SPDX 2.3, 7.9: SHA-1 of the sorted SHA-1 sums, put together.
    files = {"a": b"one", "b": b"two"}
    document = json.loads(
        bill(files, Component("x", "1", "MIT", "me", "NOASSERTION"), (), Revision(None, 0))
    )
    sums = sorted(hashlib.sha1(content).hexdigest() for content in files.values())
    code = document["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"]
    assert code == hashlib.sha1("".join(sums).encode()).hexdigest()


def test_a_second_run_writes_nothing_and_a_changed_file_is_mended(
    staged: Staged, tmp_path: Path
) -> None:
    folder = tmp_path / "npm"
    assert write(staged, folder)
    assert not write(staged, folder)
    (folder / "LICENSE").write_text("mine")
    (folder / "foreign").write_text("")
    assert write(staged, folder)
    assert (folder / "LICENSE").read_bytes() == staged.files["LICENSE"]
    assert not (folder / "foreign").exists()


def test_a_folder_of_somebody_else_is_left_alone(staged: Staged, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="was not made by wsp stage"):
        write(staged, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_place_that_cannot_be_written_is_named(staged: Staged, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputOutputError, match="file/npm"):
        write(staged, tmp_path / "file" / "npm")


def test_for_development_sources_are_links_without_prefix(
    project: Project, staged: Staged, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = ("cpp/", "ios/", "android/", "LICENSES/", BILL, PROVENANCE, "wsp-rn.", "Package.")
    scripts = {path: text for path, text in staged.files.items() if not path.startswith(native)}
    monkeypatch.setattr("wspkit.package.stage.javascript", lambda *_: scripts)
    linked = assemble(project, SubprocessRunner(), link=True)
    write(linked, tmp_path / "npm")
    header = tmp_path / "npm" / "cpp" / "include" / "whisper.h"
    assert header.is_symlink()
    assert header.resolve() == ROOT / "cpp" / "include" / "whisper.h"
    assert b"    whisper_full;" in (tmp_path / "npm" / EXPORTS).read_bytes()
    assert not write(linked, tmp_path / "npm")
    # The same places as in the package, apart from names that carry the prefix.
    plain = {path.replace("/wsp_", "/") for path in staged.files}
    made = {"LICENSES/MIT.txt", BILL, "cpp/.wsp-prefix.json"}
    assert {*linked.links, *linked.files} - made == plain - made


def test_a_tree_without_platforms_is_no_tree(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no folder"):
        native(tmp_path, Prefix(), profile_root=tmp_path)


def test_what_builds_leave_is_not_packed(tmp_path: Path) -> None:
    for path in ("src/a.kt", "build/b.kt", ".gradle/c", "src/androidTest/d.kt"):
        (tmp_path / "android" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "android" / path).write_text("")
    assert list(files_of(tmp_path, (Part("android", ("**/*",)),))) == ["android/src/a.kt"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with a commit."""
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "a.ts").write_text("1")
    (tmp_path / "notes").write_text("1")
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    when = {"GIT_COMMITTER_DATE": "2026-01-31T12:00:00Z", "PATH": "/usr/bin:/bin"}
    subprocess.run([*git, "commit", "-q", "-m", "all"], check=True, env=when)
    return tmp_path


def test_the_commit_is_named_and_a_tree_as_committed_is_clean(tree: Path) -> None:
    found = revision_of(tree, ("js",), SubprocessRunner())
    assert found.commit is not None
    assert len(found.commit) == 40
    assert found.time == "2026-01-31T12:00:00Z"
    assert not found.dirty


def test_provenance_says_which_files_are_not_as_committed(tree: Path) -> None:
    (tree / "js" / "a.ts").write_text("2")
    (tree / "js" / "new one.ts").write_text("2")
    (tree / "notes").write_text("not packed")
    found = revision_of(tree, ("js",), SubprocessRunner())
    document = read_provenance(provenance({}, package={}, core={}, prefix={}, revision=found))
    assert document["source"] == {
        "commit": found.commit,
        "dirty": True,
        "changed": ["js/a.ts", "js/new one.ts"],
    }


def test_a_tree_without_git_has_no_commit(tmp_path: Path) -> None:
    assert revision_of(tmp_path, ("js",), SubprocessRunner()) == Revision(None, 315_532_800)
    assert Revision(None, 0).dirty


def test_a_prefix_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = tmp_path / "wsp.toml"
    settings.write_text('[prefix]\nname = "9lives"\n')
    assert main(["stage", "--config", str(settings)]) == 4
    assert "wsp.toml:2" in capsys.readouterr().err
