"""`wsp generate`: templates give their goldens, outputs are current, stale files are remade.

Remake the goldens with `WSPKIT_REMAKE_GOLDENS=1 pytest tests/unit/test_generate.py`, and read the
difference.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pybind11
import pytest
import typer
from typer.testing import CliRunner

import wspkit
from wspkit import log
from wspkit.bridge.generate import (
    CHANGELOG,
    HEADERS,
    PROJECT,
    SPEC,
    changes,
    find_root,
    generate,
)
from wspkit.bridge.registry import OUTPUTS, Output
from wspkit.bridge.render import TEMPLATES, render
from wspkit.cli.generate import generate as generate_command
from wspkit.errors import BadFormatError, InputOutputError, InternalError, NotFoundError, StaleError
from wspkit.spec.load import load

ROOT = Path(__file__).parents[2]
GOLDENS = ROOT / "tests" / "goldens" / "generate"
REMAKE = "WSPKIT_REMAKE_GOLDENS"
by_path = pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.path)


def golden_of(output: Output) -> Path:
    """Where the golden of an output is; the suffix keeps linters and collectors away from it."""
    return GOLDENS / f"{Path(output.path).name}.golden"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all that generating reads and writes; its path has a space and is not ASCII."""
    root = tmp_path / "a clone é"
    headers = [header.as_posix() for header in HEADERS]
    read = [*headers, *(path.as_posix() for path in (SPEC, PROJECT, CHANGELOG))]
    for path in [*read, *(output.path for output in OUTPUTS)]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, root / path)
    return root


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """`python -m wspkit.bridge`, in a folder."""
    package = Path(wspkit.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-m", "wspkit.bridge", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(package), "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


# ---- templates ----


@by_path
def test_each_template_gives_its_golden(output: Output) -> None:
    text = output.text(load(GOLDENS / "api.toml"))
    golden = golden_of(output)
    if os.environ.get(REMAKE):
        golden.write_bytes(text.encode())
    assert text == golden.read_bytes().decode(), f"if that is meant, set {REMAKE}=1 and run again"


def test_every_golden_and_every_template_belongs_to_an_output() -> None:
    assert {file.name for file in GOLDENS.glob("*.golden")} == {golden_of(o).name for o in OUTPUTS}
    templates = {file.relative_to(TEMPLATES).as_posix() for file in TEMPLATES.rglob("*.j2")}
    # What `wsp sync` lays beside sources, and what `wsp build` and `wsp stage` write, have goldens
    # of their own.
    others = ("upstream/", "build/", "package/")
    ours = {name for name in templates if not name.startswith(others)}
    assert ours == {output.template for output in OUTPUTS}


def test_outputs_are_registered_once_and_sorted() -> None:
    paths = [output.path for output in OUTPUTS]
    assert paths == sorted(set(paths))


@by_path
def test_the_first_line_says_generated_from_what_and_by_which_command(output: Output) -> None:
    first = (ROOT / output.path).read_text(encoding="utf-8").partition("\n")[0]
    assert f"Generated from templates/{output.template} by `wsp generate`; do not edit." in first


@by_path
def test_outputs_end_in_one_newline_and_hold_no_trailing_blanks(output: Output) -> None:
    text = (ROOT / output.path).read_bytes().decode()
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text
    assert [line for line in text.split("\n") if line != line.rstrip()] == []


@dataclass(frozen=True)
class View:
    """A view for templates made up here."""

    word: str


MADE_UP = f"{{# view: {View.__module__}.View #}}\n"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ view.word }}", "begins with"),
        ("{# view: other.View #}\n{{ view.word }}", "begins with"),
        (MADE_UP + "{{ view.wrod }}", "has no attribute 'wrod'"),
        (MADE_UP + "{{ wrod }}", "'wrod' is undefined"),
        (MADE_UP + "{% if %}", "cannot be rendered"),
    ],
)
def test_a_template_that_is_wrong_is_a_bug_of_ours(
    tmp_path: Path, template: str, message: str
) -> None:
    (tmp_path / "a.j2").write_text(template, encoding="utf-8")
    with pytest.raises(InternalError, match=message):
        render("a.j2", View("yes"), templates=tmp_path)


def test_a_template_sees_its_view_and_the_mark_and_nothing_is_escaped(tmp_path: Path) -> None:
    text = MADE_UP + "{{ mark }}\n{% if view.word %}\n  {{ view.word }}\n{% endif %}\n"
    (tmp_path / "a.j2").write_text(text, encoding="utf-8")
    assert render("a.j2", View("<é&>"), templates=tmp_path) == (
        "Generated from templates/a.j2 by `wsp generate`; do not edit.\n  <é&>\n"
    )


# ---- what is generated is good code ----


def as_tree(folder: Path) -> Path:
    """The folder, with the goldens under the names of their outputs."""
    for output in OUTPUTS:
        shutil.copy(golden_of(output), folder / Path(output.path).name)
    return folder


def complaints(program: str, *arguments: object) -> str:
    """What a checker says; empty if it is content. One beside the interpreter comes before PATH."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(program, path=beside) or shutil.which(program)
    assert found is not None, f"{program} is missing; `make setup` installs it"
    done = subprocess.run(
        [found, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return (done.stdout + done.stderr or "no word") if done.returncode else ""


@pytest.fixture(params=["golden", "real"])
def header(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    """A generated header, and the folder with the whisper.h that it needs."""
    if request.param == "golden":
        return as_tree(tmp_path) / "options.h", GOLDENS
    return ROOT / "cpp" / "python" / "generated" / "options.h", ROOT / "cpp" / "include"


def test_the_header_compiles_without_a_warning(header: tuple[Path, Path], tmp_path: Path) -> None:
    generated, include = header
    # Twice, since a header must bear that.
    source = tmp_path / "uses.cpp"
    source.write_text(f'#include "{generated}"\n' * 2, encoding="utf-8")
    systems = ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include")]
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
    options = ["-std=c++20", "-fsyntax-only", *warnings, *systems, "-I", include]
    assert complaints("g++", *options, source) == ""


def test_the_header_is_formatted(header: tuple[Path, Path]) -> None:
    style = f"--style=file:{ROOT / '.clang-format'}"
    assert complaints("clang-format", style, "--dry-run", "--Werror", header[0]) == ""


def test_the_python_goldens_pass_the_linter_the_formatter_and_the_type_checker(
    tmp_path: Path,
) -> None:
    files = [as_tree(tmp_path) / name for name in ("options.py", "transcribe_options.py")]
    config = ROOT / "pyproject.toml"
    # INP001 asks for the __init__.py that the outputs have beside them and the goldens have not.
    lint = ["check", "--no-cache", "--config", config, "--ignore", "INP001"]
    assert complaints("ruff", *lint, *files) == ""
    assert complaints("ruff", "format", "--check", "--no-cache", "--config", config, *files) == ""
    cache = ["--cache-dir", tmp_path / "cache"]
    assert complaints("mypy", "--strict", "--config-file", config, *cache, *files) == ""


# ---- the command ----


def test_the_committed_outputs_are_current() -> None:
    stale = "".join(change.diff for change in changes(ROOT))
    assert not stale, f"{stale}\nrun `wsp generate`"


@pytest.mark.parametrize("seed", ["1", "2"])
def test_the_outputs_depend_on_nothing_but_their_source(tree: Path, seed: str) -> None:
    """Another place, another working directory, another order of sets."""
    checked = run("--check", "--root", str(tree), cwd=tree.parent, PYTHONHASHSEED=seed)
    assert (checked.returncode, checked.stdout) == (0, ""), checked.stderr


def damage(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    path.write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


def windows_line_ends(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))


@by_path
@pytest.mark.parametrize("harm", [damage, windows_line_ends, Path.unlink])
def test_a_stale_file_is_found_and_remade(
    tree: Path, output: Output, harm: Callable[[Path], None]
) -> None:
    before = snapshot(tree)
    harm(tree / output.path)
    assert [change.path for change in changes(tree)] == [output.path]
    with pytest.raises(StaleError, match=f"1 generated file is stale: {output.path}"):
        generate(tree, check_only=True)
    assert snapshot(tree) != before
    generate(tree, check_only=False)
    assert snapshot(tree) == before


def test_a_change_of_the_source_makes_what_shows_it_stale(tree: Path) -> None:
    spec = tree / SPEC
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace("default = 2.4", "default = 2.5"), encoding="utf-8")
    # The header of the Python binding carries values and knows no default.
    assert [change.path for change in changes(tree)] == [
        "codegen/wspkit/cli/generated/transcribe_options.py",
        "codegen/wspkit/core/generated/options.py",
        "cpp/jsi/generated/values.h",
        "docs/api/javascript.md",
        "docs/api/options.md",
        "js/src/generated/defaults.ts",
        "js/src/generated/types.ts",
    ]


def test_check_prints_a_unified_diff_and_exits_with_the_code_of_stale(tree: Path) -> None:
    page = tree / "docs/api/options.md"
    page.write_text(
        page.read_text(encoding="utf-8").replace("offset_ms", "offset_s"), encoding="utf-8"
    )
    done = run("--check", cwd=tree)
    assert done.returncode == StaleError.exit_code == 9
    lines = done.stdout.splitlines()
    assert lines[:2] == ["--- a/docs/api/options.md", "+++ b/docs/api/options.md"]
    assert any(line.startswith("-") and "offset_s" in line for line in lines)
    assert any(line.startswith("+") and "offset_ms" in line for line in lines)
    assert "1 generated file is stale: docs/api/options.md" in done.stderr
    assert "Run `wsp generate`" in done.stderr


def test_generate_prints_what_changed_and_nothing_else(tree: Path) -> None:
    damage(tree / "docs/api/options.md")
    (tree / "cpp/python/generated/options.h").unlink()
    done = run(cwd=tree / "docs")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("created cpp/python/generated/options.h\nchanged docs/api/options.md\n")
    assert run(cwd=tree).stdout == ""


def test_json_lists_every_output_with_its_state(tree: Path) -> None:
    damage(tree / "docs/api/options.md")
    done = run("--check", "--json", cwd=tree)
    document = json.loads(done.stdout)
    assert document["check"] is True
    assert [entry["path"] for entry in document["outputs"]] == [o.path for o in OUTPUTS]
    states = {entry["path"]: entry["state"] for entry in document["outputs"]}
    assert states.pop("docs/api/options.md") == "changed"
    assert set(states.values()) == {"current"}
    (changed,) = (entry for entry in document["outputs"] if "diff" in entry)
    assert changed["diff"].startswith("--- a/docs/api/options.md\n")
    assert json.loads(done.stderr)["error"]["exit_code"] == 9
    document = json.loads(run("--json", cwd=tree).stdout)
    assert {"path": "docs/api/options.md", "state": "changed"} in document["outputs"]


def test_a_generated_file_that_nothing_makes_any_more_is_stale_and_removed(tree: Path) -> None:
    left = tree / "cpp/python/generated/old.h"
    left.write_text("// Generated from templates/cpp/old.h.j2 by `wsp generate`; do not edit.\n")
    ours = left.with_name("written_by_hand.h")
    ours.write_text("// Kept.\n")
    assert [(change.path, change.kind) for change in changes(tree)] == [
        ("cpp/python/generated/old.h", "removed")
    ]
    generate(tree, check_only=False)
    assert not left.exists()
    assert ours.exists()


def test_a_file_is_replaced_whole_or_not_at_all(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(tree / "docs/api/options.md")
    before = snapshot(tree)

    def full(_: Path, __: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputOutputError, match=r"options\.md cannot be written: No space left"):
        generate(tree, check_only=False)
    assert snapshot(tree) == before


def test_a_file_keeps_its_mode(tree: Path) -> None:
    page = tree / "docs/api/options.md"
    damage(page)
    page.chmod(0o640)
    generate(tree, check_only=False)
    assert page.stat().st_mode & 0o777 == 0o640


def test_a_description_that_breaks_a_rule_writes_nothing(tree: Path) -> None:
    spec = tree / SPEC
    text = spec.read_text(encoding="utf-8").replace('c_field = "translate"', 'c_field = "trans"')
    spec.write_text(text.replace("default = 2.4", "default = 2.5"), encoding="utf-8")
    before = snapshot(tree)
    with pytest.raises(
        BadFormatError, match=r"option\.translate: whisper_full_params has no field"
    ):
        generate(tree, check_only=False)
    assert snapshot(tree) == before


def test_outside_a_source_tree_the_command_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="lies in no source tree of wsp"):
        find_root(tmp_path)
    assert run(cwd=tmp_path).returncode == NotFoundError.exit_code
    with pytest.raises(NotFoundError, match="to be the root of a clone"):
        generate(tmp_path, check_only=True)


def test_an_output_that_cannot_be_read_is_an_error(tree: Path) -> None:
    page = tree / "docs/api/options.md"
    page.unlink()
    page.mkdir()
    with pytest.raises(InputOutputError, match=r"options\.md cannot be read: Is a directory"):
        generate(tree, check_only=True)


def test_the_command_of_wsp_does_the_same(tree: Path) -> None:
    app = typer.Typer()
    app.command()(generate_command)
    damage(tree / "docs/api/options.md")
    runner = CliRunner()
    try:
        stale = runner.invoke(app, ["--check", "--json", "--root", str(tree)])
        assert isinstance(stale.exception, StaleError)
        log.reset()
        assert runner.invoke(app, ["--root", str(tree)]).stdout == "changed docs/api/options.md\n"
        assert runner.invoke(app, ["--check", "--root", str(tree)]).exit_code == 0
    finally:
        log.reset()
