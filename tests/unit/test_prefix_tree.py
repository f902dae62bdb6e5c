"""Whole trees: what was prefixed can be taken back, a second time changes nothing, and what is
wrong leaves the destination as it was.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.unit.generated_c import generated_tree

from wspkit.errors import (
    BadFormatError,
    InputOutputError,
    NotFoundError,
    UnsupportedError,
    UsageError,
    WspError,
)
from wspkit.prefix.folder import STAMP, read_folder
from wspkit.prefix.profile import load_profile
from wspkit.prefix.tree import PrefixedTree, prefix_files, prefix_tree

ROOT = Path(__file__).parents[2]
STRICT = load_profile("strict")
COMPAT = load_profile("compat")


def encoded(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def taken_back(tree: PrefixedTree) -> dict[str, str]:
    """The tree without the prefix, by replacing words; knows no tokens."""
    old = {new: name for name, new in tree.names.items()}
    paths = {new: path for path, new in tree.paths.items()}
    word = re.compile(r"[^\W\d](?:\w|\\\n)*")

    def back(match: re.Match[str]) -> str:
        plain = match[0].replace("\\\n", "")
        return match[0][len(plain) - len(old[plain]) :] if plain in old else match[0]

    return {
        paths.get(path, path): word.sub(back, data.decode()) for path, data in tree.files.items()
    }


# ---- generated trees ----


@pytest.mark.parametrize("seed", range(60))
def test_taking_the_prefix_back_gives_the_tree(seed: int) -> None:
    made = generated_tree(seed)
    tree = prefix_files(encoded(made.files), prefix="wsp_", profile=STRICT)
    assert made.public <= tree.names.keys()
    assert made.inner.isdisjoint(tree.names)
    assert taken_back(tree) == made.files


@pytest.mark.parametrize("seed", range(60))
def test_a_second_time_changes_nothing_and_says_so(seed: int) -> None:
    made = generated_tree(seed)
    once = prefix_files(encoded(made.files), prefix="wsp_", profile=STRICT)
    twice = prefix_files(once.files, prefix="wsp_", profile=STRICT)
    assert twice.files == once.files
    assert twice.unchanged
    assert not once.unchanged
    assert dict(twice.names) == {}
    assert "nothing was renamed" in twice.notes[0]


@pytest.mark.parametrize("seed", range(3))
def test_a_prefixed_tree_compiles_and_every_symbol_has_the_prefix(
    seed: int, tmp_path: Path
) -> None:
    made = generated_tree(seed)
    tree = prefix_files(encoded(made.files), prefix="wsp_", profile=STRICT)
    for path, data in tree.files.items():
        (tmp_path / path).write_bytes(data)
    sources = [path for path in tree.files if path.endswith(".c")]
    subprocess.run(["gcc", "-c", *sources], cwd=tmp_path, check=True)
    objects = sorted(str(path) for path in tmp_path.glob("*.o"))
    said = subprocess.run(
        ["nm", "-g", "--defined-only", *objects], check=True, capture_output=True, text=True
    ).stdout
    names = {line.split()[-1] for line in said.splitlines() if len(line.split()) == 3}
    assert len(names) >= 5
    assert {name for name in names if not name.startswith("wsp_")} == set()


def test_the_same_tree_gives_the_same_bytes_and_a_sorted_map() -> None:
    files = encoded(generated_tree(7).files)
    backwards = dict(reversed(files.items()))
    one = prefix_files(files, prefix="wsp_", profile=STRICT)
    other = prefix_files(backwards, prefix="wsp_", profile=STRICT)
    assert one == other
    assert list(one.names) == sorted(one.names)


@pytest.mark.parametrize("prefix", ["wsp_", "x_", "abc", "Kit_"])
def test_any_identifier_is_a_prefix(prefix: str) -> None:
    made = generated_tree(11)
    tree = prefix_files(encoded(made.files), prefix=prefix, profile=STRICT)
    assert taken_back(tree) == made.files
    assert all(new.lower().startswith(prefix.lower().rstrip("_")) for new in tree.names.values())


# ---- bad input: an error, and nothing written ----


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "a tree é"
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "ggml.h").write_text("int ggml_init(void);\n")
    (folder / "a.c").write_text('#include "ggml.h"\nint ggml_init(void) { return 1; }\n')
    (folder / "data.bin").write_bytes(b"\xff\x00ggml_init")
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("prefix", ["", "1a", "a-b", "a b", "ä_", "a.b", "wsp_\n"])
def test_a_prefix_that_is_no_identifier_is_refused(
    prefix: str, source: Path, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="expected an identifier of C"):
        prefix_tree(source, tmp_path / "out", prefix=prefix, profile=STRICT)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        ("b.c", b"int a;\n/* x\n", r"b\.c:2: a comment begins here and does not end"),
        ("b.c", b'\n\nchar * s = "x;\n', r"b\.c:3: a string begins here and does not end"),
        ("b.h", b"int a;\n\n// \xe4\n", r"b\.h:3: byte 0xe4 is not UTF-8"),
        ("b.c", b"\nint wsp_ggml_init;\n", r"b\.c:2: .*wsp_ggml_init"),
        ("b.c", b"\n\nstatic int wsp_ggml_init;\n", r"b\.c:3: .* wsp_ggml_init is taken"),
        ("include/wsp_ggml.h", b"", r"include/wsp_ggml\.h:1: the file name is taken"),
    ],
)
def test_bad_input_names_file_and_line_and_leaves_the_destination(
    path: str, data: bytes, said: str, source: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    before = snapshot(out)
    (source / path).write_bytes(data)
    with pytest.raises(BadFormatError, match=said):
        prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    assert snapshot(out) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [source.name, "out"]


def test_a_tree_that_has_the_prefix_in_part_is_an_error(source: Path, tmp_path: Path) -> None:
    (source / "b.c").write_text("int a;\nint wsp_other(void) { return 1; }\n")
    with pytest.raises(BadFormatError, match=r"b\.c:2: wsp_other begins with the prefix wsp_"):
        prefix_tree(source, tmp_path / "out", prefix="wsp_", profile=STRICT)
    assert not (tmp_path / "out").exists()


def test_a_name_that_no_rule_covers_is_an_error(source: Path, tmp_path: Path) -> None:
    profile = tmp_path / "own.toml"
    profile.write_text('about = "no types"\ncollect = ["function"]\n')
    (source / "b.cpp").write_text("\nstruct Escapes { int a; };\n")
    with pytest.raises(BadFormatError, match=r"b\.cpp:2: profile own has no rule for the type Esc"):
        prefix_tree(source, tmp_path / "out", prefix="wsp_", profile=load_profile(profile))


@pytest.mark.parametrize("place", ["out", ".", "..", "include/deeper"])
def test_folders_that_lie_in_each_other_are_refused(place: str, source: Path) -> None:
    before = snapshot(source)
    with pytest.raises(UsageError, match="lie in each other"):
        prefix_tree(source, source / place, prefix="wsp_", profile=STRICT)
    assert snapshot(source) == before


def test_a_link_into_the_source_is_inside_it(source: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(source)
    with pytest.raises(UsageError, match="lie in each other"):
        prefix_tree(source, tmp_path / "link" / "out", prefix="wsp_", profile=STRICT)


def test_somebody_s_own_folder_is_not_replaced(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "diary.txt").write_text("mine")
    with pytest.raises(UsageError, match="was not made by wsp prefix"):
        prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    assert snapshot(out) == {"diary.txt": b"mine"}


def test_a_source_that_is_not_there_or_no_folder_is_an_error(source: Path, tmp_path: Path) -> None:
    for wrong in (tmp_path / "nowhere", source / "a.c"):
        with pytest.raises(NotFoundError):
            prefix_tree(wrong, tmp_path / "out", prefix="wsp_", profile=STRICT)


def test_a_link_to_a_folder_is_not_left_out_in_silence(source: Path, tmp_path: Path) -> None:
    (source / "link").symlink_to(tmp_path)
    with pytest.raises(UnsupportedError, match="link to a folder"):
        prefix_tree(source, tmp_path / "out", prefix="wsp_", profile=STRICT)


def test_a_destination_that_cannot_be_written_is_an_error(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputOutputError, match="cannot write"):
        prefix_tree(source, tmp_path / "file" / "out", prefix="wsp_", profile=STRICT)


def test_a_failure_while_writing_leaves_what_was_there(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    before = snapshot(out)
    (source / "b.c").write_text("int ggml_more(void) { return 2; }\n")
    rename = Path.rename

    def failing(path: Path, target: Path) -> Path:
        if path.name.endswith(".part"):
            raise OSError(28, "No space left on device")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(InputOutputError, match="No space left"):
        prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    assert snapshot(out) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [source.name, "out"]


# ---- from folder to folder ----


def test_a_folder_is_written_whole_with_what_was_done(source: Path, tmp_path: Path) -> None:
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    out = tmp_path / "new" / "out"
    tree = prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    assert (out / "a.c").read_text().startswith('#include "wsp_ggml.h"\nint wsp_ggml_init(')
    assert (out / "data.bin").read_bytes() == b"\xff\x00ggml_init"
    assert os.access(out / "run.sh", os.X_OK)
    assert {**read_folder(out).files} == dict(tree.files)
    assert '"ggml_init": "wsp_ggml_init"' in (out / STAMP).read_text()


def test_an_unchanged_second_run_writes_nothing(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    marks = {path: path.stat().st_ino for path in out.rglob("*")}
    second = prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    assert second.current
    assert not first.current
    assert dict(second.names) == dict(first.names)
    assert {path: path.stat().st_ino for path in out.rglob("*")} == marks


@pytest.mark.parametrize("change", ["source", "destination", "prefix", "profile", "gone", "more"])
def test_any_change_is_made_good(change: str, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    prefix_tree(source, out, prefix="wsp_", profile=STRICT)
    prefix, profile = "wsp_", STRICT
    match change:
        case "source":
            (source / "a.c").write_text("int ggml_other(void) { return 1; }\n")
        case "destination":
            (out / "a.c").write_text("edited\n")
        case "prefix":
            prefix = "abc_"
        case "profile":
            profile = COMPAT
        case "gone":
            (out / "a.c").unlink()
        case "more":
            (out / "left.c").write_text("")
    tree = prefix_tree(source, out, prefix=prefix, profile=profile)
    assert not tree.current
    assert read_folder(out).files == dict(tree.files)


def test_its_own_output_changes_nothing_and_another_prefix_is_refused(
    source: Path, tmp_path: Path
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    prefix_tree(source, one, prefix="wsp_", profile=STRICT)
    again = prefix_tree(one, two, prefix="wsp_", profile=STRICT)
    assert again.unchanged
    assert read_folder(two).files == read_folder(one).files
    with pytest.raises(UsageError, match="has the prefix wsp_ already"):
        prefix_tree(one, tmp_path / "three", prefix="abc_", profile=STRICT)


# ---- profiles ----


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        ("about = 1", BadFormatError, "about"),
        ('about = ""\ncollect = []\nextra = 1', BadFormatError, "extra"),
        ('about = ""\ncollect = ["functoin"]', BadFormatError, "collect"),
        ('about = ""\ncollect = []\n[[keep]]\nnames = ["("]\nwhy = "x"', BadFormatError, "keep"),
        ("about = [", BadFormatError, "profile"),
    ],
)
def test_a_wrong_profile_says_where(
    text: str, kind: type[WspError], said: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(kind, match=said):
        load_profile(path)


def test_a_profile_that_is_not_there_names_ours(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="strict, compat"):
        load_profile(tmp_path / "none.toml")


def test_a_project_s_own_profile_is_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(
        'about = "mine"\ncollect = ["function"]\n'
        '[[rename]]\nnames = ["app_\\\\w*"]\nwhy = "ours"\n'
        '[[keep]]\nnames = ["app_stable"]\nwhy = "others call it"\n'
    )
    text = "int app_a(void); int app_stable(void) { return 1; } int other(void) { return 2; }\n"
    tree = prefix_files({"a.c": text.encode()}, prefix="k_", profile=load_profile(path))
    assert dict(tree.names) == {"app_a": "k_app_a", "other": "k_other"}
