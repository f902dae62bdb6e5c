"""`wsp prefix`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wspkit.cli.app import main


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "whisper.h").write_text("int whisper_full(void);\n")
    (folder / "a.c").write_text('#include "whisper.h"\nint whisper_full(void) { return 1; }\n')
    return folder


def test_a_tree_is_written_and_the_work_is_counted(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["prefix", str(source), str(out)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"2 files, with 1 names, 0 strings, 1 file names renamed, written to {out}\n"
    )
    assert (out / "include" / "wsp_whisper.h").read_text() == "int wsp_whisper_full(void);\n"
    assert main(["prefix", str(source), str(out)]) == 0
    assert f"{out} is up to date" in capsys.readouterr().err


def test_a_dry_run_shows_the_map_and_writes_nothing(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["prefix", str(source), str(out), "--dry-run", "--prefix", "my_"]) == 0
    said = capsys.readouterr()
    assert [line.split() for line in said.out.splitlines()] == [
        ["old", "new"],
        ["include/whisper.h", "include/my_whisper.h"],
        ["whisper_full", "my_whisper_full"],
    ]
    assert "would be written to" in said.err
    assert not out.exists()


def test_json_has_everything_that_was_done(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["prefix", str(source), str(out), "--profile", "strict", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == {
        "source": str(source),
        "destination": str(out),
        "prefix": "wsp_",
        "profile": "strict",
        "written": True,
        "unchanged": False,
        "files": 2,
        "names": {"whisper_full": "wsp_whisper_full"},
        "strings": {},
        "paths": {"include/whisper.h": "include/wsp_whisper.h"},
        "notes": [],
    }


def test_its_own_output_is_left_as_it_is_and_that_is_said(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prefix", str(source), str(tmp_path / "one")]) == 0
    capsys.readouterr()
    assert main(["prefix", str(tmp_path / "one"), str(tmp_path / "two")]) == 0
    assert "has it: nothing was renamed" in capsys.readouterr().err


def test_what_is_only_declared_is_named(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "b.c").write_text("int from_elsewhere(int);\n")
    assert main(["prefix", str(source), str(tmp_path / "out")]) == 0
    assert "defined outside of it, and so not renamed: from_elsewhere" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--prefix", "a-b"], 2, "the prefix is 'a-b'"),
        (["--profile", "none"], 3, "there is no profile none"),
        (["--wrong"], 2, "No such option"),
    ],
)
def test_wrong_use_has_its_exit_code(
    *,
    arguments: list[str],
    code: int,
    said: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prefix", str(source), str(tmp_path / "out"), *arguments]) == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_damaged_text_is_reported_with_file_and_line_as_json(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "b.c").write_text("int a;\n/* never closed\n")
    assert main(["prefix", str(source), str(tmp_path / "out"), "--json"]) == 4
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["message"].startswith("b.c:2: a comment begins here")
    assert not (tmp_path / "out").exists()


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prefix", "--help"]) == 0
    assert "$ wsp prefix cpp build/core" in capsys.readouterr().out
