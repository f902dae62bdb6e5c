"""`wsp sync` writes a tree as a whole with a lock, finds what is stale, and never half a tree."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Protocol

import pytest
from tests.upstream_trees import FILES, tar_gz

from wspkit.cli.app import main
from wspkit.errors import BadFormatError, InputOutputError
from wspkit.fetching.whole_folder import replace_folder
from wspkit.upstream import patch
from wspkit.upstream.lock import NAME, read_lock
from wspkit.upstream.source import Access
from wspkit.upstream.sync import Request, assemble


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The made-up tree, in a folder whose name has a space and is not ASCII."""
    root = tmp_path / "a source é"
    for path, content in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


@pytest.fixture
def synced(source: Path, tmp_path: Path) -> Path:
    destination = tmp_path / "synced"
    assert main(["sync", str(destination), "--from", str(source), "--profile", "strict", "-q"]) == 0
    return destination


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def states(destination: Path, capsys: pytest.CaptureFixture[str], code: int = 9) -> dict[str, str]:
    capsys.readouterr()
    assert main(["sync", str(destination), "--check", "--json"]) == code
    found = json.loads(capsys.readouterr().out)["differences"]
    return {one["path"]: one["state"] for one in found}


def test_a_synced_tree_holds_what_the_manifest_takes_under_the_prefix(synced: Path) -> None:
    files = snapshot(synced)
    assert sorted(files) == [
        "CMakeLists.txt",
        "LICENSE",
        "ggml/include/wsp_ggml.h",
        "ggml/src/ggml-metal/ggml-metal-embedded.metal",
        "ggml/src/ggml-metal/ggml-metal-impl.h",
        "ggml/src/ggml-metal/ggml-metal.metal",
        "ggml/src/ggml.c",
        "include/wsp_whisper.h",
        "src/whisper.cpp",
        NAME,
    ]
    assert b'#include "wsp_ggml.h"\nint wsp_ggml_length(void)' in files["ggml/src/ggml.c"]
    assert b"struct wsp_ggml_metal_kargs" in files["ggml/src/ggml-metal/ggml-metal-embedded.metal"]


def test_the_lock_says_what_the_tree_is(synced: Path, source: Path) -> None:
    lock = read_lock(synced)
    assert lock is not None
    assert (lock.source.asked, lock.source.project) == (str(source), "whisper.cpp")
    assert (lock.source.version, lock.prefix) == ("9.8.7", "wsp_")
    assert lock.names["ggml_length"] == "wsp_ggml_length"
    assert lock.paths["include/whisper.h"] == "include/wsp_whisper.h"
    assert set(lock.files) == set(snapshot(synced)) - {NAME}
    assert lock.unknown == ()
    assert lock.text().encode() == (synced / NAME).read_bytes()


def test_a_synced_tree_builds_alone_and_tells_its_versions(synced: Path, tmp_path: Path) -> None:
    build = tmp_path / "build"
    subprocess.run(["cmake", "-S", synced, "-B", build], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    (library,) = build.glob("*.a")
    text = (
        '#include "wsp_whisper.h"\n#include <stdio.h>\n'
        "int main(void) { puts(wsp_whisper_version()); }\n"
    )
    (tmp_path / "main.cpp").write_text(text)
    program = tmp_path / "main"
    command = [
        "c++",
        str(tmp_path / "main.cpp"),
        str(library),
        f"-I{synced}/include",
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert said == "9.8.7\n"


def test_what_is_current_is_said_and_not_written_again(
    synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert states(synced, capsys, code=0) == {}
    before = (synced / NAME).stat().st_mtime_ns
    assert main(["sync", str(synced)]) == 0
    assert "is current" in capsys.readouterr().err
    assert (synced / NAME).stat().st_mtime_ns == before


def test_check_tells_files_that_were_touched_from_those_that_the_source_gives_otherwise(
    synced: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (synced / "src/whisper.cpp").write_text("// mine\n")
    (synced / "LICENSE").unlink()
    (synced / "extra.c").write_text("int x;\n")
    (source / "ggml/src/ggml.c").write_text(
        '#include "ggml.h"\nint ggml_length(void) { return 2; }\n'
    )
    (source / "ggml/src/ggml-alloc.c").write_text('#include "ggml.h"\n')
    before = snapshot(synced)
    assert states(synced, capsys) == {
        "src/whisper.cpp": "edited",
        "LICENSE": "missing",
        "extra.c": "foreign",
        "ggml/src/ggml.c": "changed",
        "ggml/src/ggml-alloc.c": "new",
        "CMakeLists.txt": "changed",
    }
    assert snapshot(synced) == before


def test_syncing_again_needs_no_options_and_mends_everything(
    synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fresh = snapshot(synced)
    (synced / "src/whisper.cpp").write_text("// mine\n")
    (synced / "extra.c").write_text("int x;\n")
    assert main(["sync", str(synced)]) == 0
    assert snapshot(synced) == fresh
    assert states(synced, capsys, code=0) == {}


def test_options_that_are_given_again_replace_those_of_the_lock(synced: Path) -> None:
    assert main(["sync", str(synced), "--prefix", "abc_", "--with", "cuda", "-q"]) == 0
    lock = read_lock(synced)
    assert lock is not None
    assert (lock.prefix, lock.optional_groups) == ("abc_", ("cuda",))
    assert lock.profile is not None
    assert lock.profile.name == "strict"
    assert (synced / "ggml/src/ggml-cuda/add.cu").is_file()


def test_without_a_prefix_files_are_upstreams_byte_for_byte(source: Path, tmp_path: Path) -> None:
    destination = tmp_path / "plain"
    assert main(["sync", str(destination), "--from", str(source), "--no-prefix"]) == 0
    files = snapshot(destination)
    taken = [path for path in files if path in FILES and path != "CMakeLists.txt"]
    assert len(taken) == 7
    assert {path: files[path] for path in taken} == {path: FILES[path] for path in taken}


def test_a_release_that_is_another_archive_than_the_lock_says_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Refusal
) -> None:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    archive = tmp_path / "cache/upstream/pypi/carrier-1.0.tar.gz"
    archive.parent.mkdir(parents=True)
    archive.write_bytes(tar_gz(FILES))
    assert main(["sync", str(tmp_path / "synced"), "--from", "pypi:carrier==1.0", "-q"]) == 0
    archive.write_bytes(tar_gz({**FILES, "README.md": b"Somebody else was here.\n"}))
    words = "pypi:carrier==1.0 is another archive than the lock says"
    refused(tmp_path / "synced", code=4, words=words)
    refused(tmp_path / "synced", "--check", code=4, words=words)


def test_the_same_source_gives_the_same_bytes(source: Path) -> None:
    request = Request(str(source), "wsp_", "strict")
    assert assemble(request, Access()).files == assemble(request, Access()).files


def test_files_that_the_manifest_does_not_know_are_told_and_not_taken(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "brand_new").mkdir()
    (source / "brand_new/idea.zig").write_text("")
    destination = tmp_path / "synced"
    assert main(["sync", str(destination), "--from", str(source)]) == 0
    assert "1 files that the manifest does not know" in capsys.readouterr().err
    assert not (destination / "brand_new").exists()
    lock = read_lock(destination)
    assert lock is not None
    assert lock.unknown == ("brand_new/idea.zig",)


def test_a_dry_run_writes_nothing(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    destination = tmp_path / "synced"
    assert main(["sync", str(destination), "--from", str(source), "--dry-run"]) == 0
    assert "would be written" in capsys.readouterr().err
    assert not destination.exists()


def test_json_says_what_was_done(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["sync", str(tmp_path / "synced"), "--from", str(source), "--json"]
    assert main(command) == 0
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert said["source"]["version"] == "9.8.7"
    assert (said["written"], said["unknown"], said["not_asked"]) == (True, [], {"cuda": 1})
    assert (said["prefix"], said["profile"]) == ("wsp_", "compat")


# ---- what is refused, with nothing written ----


class Refusal(Protocol):
    """Runs `wsp sync`, which must fail with a code and words and leave all files as they are."""

    def __call__(self, *arguments: str | Path, code: int, words: str) -> None: ...


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Refusal:
    def run(*arguments: str | Path, code: int, words: str) -> None:
        before = snapshot(tmp_path)
        assert main(["sync", *map(str, arguments)]) == code
        assert words in capsys.readouterr().err
        assert snapshot(tmp_path) == before

    return run


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("a source é", "lie in each other"),
        ("a source é/inside", "lie in each other"),
        (".", "lie in each other"),
        ("full", "did not write"),
        ("full/file", "is a file"),
    ],
)
def test_a_destination_that_would_lose_something_is_refused(
    source: Path, tmp_path: Path, refused: Refusal, place: str, words: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("precious")
    refused(tmp_path / place, "--from", source, code=2, words=words)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--prefix", "9x"], 2, "identifier"),
        (["--prefix", "a-b"], 2, "identifier"),
        (["--prefix", "x_", "--no-prefix"], 2, "both given"),
        (["--with", "nonsense"], 2, "no optional group nonsense"),
        (["--profile", "nonsense"], 3, "nonsense"),
        (["--from", "nowhere/at/all"], 3, "no directory"),
        (["--check", "--prefix", "x_"], 2, "--check"),
    ],
)
def test_wrong_options_leave_a_tree_as_it_is(
    synced: Path, refused: Refusal, options: list[str], code: int, words: str
) -> None:
    refused(synced, *options, code=code, words=words)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"int a; /* never ends", "src/whisper.cpp:1"),
        (b'\nconst char * a = "never ends\n', "src/whisper.cpp:2"),
        (b"// \xff\n", "src/whisper.cpp:1"),
    ],
)
def test_a_source_that_cannot_be_prefixed_leaves_a_tree_as_it_is(
    synced: Path, source: Path, refused: Refusal, content: bytes, words: str
) -> None:
    (source / "src/whisper.cpp").write_bytes(content)
    refused(synced, code=4, words=words)


def test_a_patch_that_no_longer_applies_leaves_a_tree_as_it_is(
    synced: Path, refused: Refusal, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = (
        b'reason = "so that there is one that does not apply"\n[for]\nfile = "src/whisper.cpp"\n'
        b'has = ["whisper_version"]\n[[edit]]\nat = "what is not there"\nput = "after"\ntext = ""\n'
    )
    monkeypatch.setattr(patch, "patches", lambda: (patch.parse("stale", toml),))
    words = "src/whisper.cpp:1: the patch stale no longer applies"
    refused(synced, code=4, words=words)


def test_a_tree_that_nobody_synced_needs_a_source(tmp_path: Path, refused: Refusal) -> None:
    refused(tmp_path / "nothing", code=3, words="--from")
    refused(tmp_path / "nothing", "--check", code=3, words="--from")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 1}', "\0"])
def test_a_damaged_lock_is_bad_format_and_replaces_nothing(
    synced: Path, refused: Refusal, text: str
) -> None:
    (synced / NAME).write_text(text)
    refused(synced, code=BadFormatError.exit_code, words=NAME)


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "target"
    replace_folder(target, {"a/b": b"1", "c": b"2"})
    replace_folder(target, {"c": b"3"})
    assert snapshot(tmp_path) == {"target/c": b"3"}
    # A file cannot be a folder, too: the second write fails half way.
    with pytest.raises(InputOutputError, match="Nothing was changed"):
        replace_folder(target, {"x": b"4", "x/y": b"5"})
    assert snapshot(tmp_path) == {"target/c": b"3"}


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    replace_folder(tmp_path / "real", {"a": b"1"})
    (tmp_path / "link").symlink_to("real")
    replace_folder(tmp_path / "link", {"b": b"2"})
    assert (tmp_path / "link").is_symlink()
    assert snapshot(tmp_path / "real") == {"b": b"2"}
    shutil.rmtree(tmp_path / "real")
