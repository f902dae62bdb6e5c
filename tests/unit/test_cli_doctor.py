"""`wsp doctor`: it finds what is there, hints at what is not, and fails only for what matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wspkit.cli import doctor
from wspkit.cli.app import main
from wspkit.cli.doctor import Finding, Verdict, cpu_features, examine
from wspkit.errors import NotFoundError
from wspkit.models import catalogue
from wspkit.models.cache import model_path
from wspkit.process import Command, CommandResult, RecordingRunner


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    cache = tmp_path / "cache"
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(cache))
    return cache


def findings(
    runner: RecordingRunner | None = None, *, checksums: bool = False
) -> dict[str, Finding]:
    found = examine(runner or RecordingRunner(), checksums=checksums)
    return {finding.name: finding for finding in found}


def test_a_working_installation_is_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for word in ("native module", "kernel table", "directory", "free space", "cmake"):
        assert word in out


def test_json_has_every_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["healthy"] is True
    assert {"area", "name", "value", "verdict", "hint"} == set(document["findings"][0])


def test_a_missing_native_module_is_a_problem_and_code_13(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise NotFoundError("the native module cannot be loaded", hint="Install it.")

    monkeypatch.setattr("wspkit.core.build.build_facts", missing)
    monkeypatch.setattr("wspkit.core.build_facts", missing, raising=False)
    assert main(["doctor"]) == 13
    streams = capsys.readouterr()
    assert "problem" in streams.out
    assert "native module" in streams.err
    assert "Install it." in streams.err


def test_an_unknown_back_end_is_a_problem_with_the_known_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WSPKIT_BACKEND", "abacus")
    finding = findings()["back-end"]
    assert finding.verdict is Verdict.PROBLEM
    assert "'abacus'" in finding.value
    assert "cpu" in finding.value.partition("this build has: ")[2]
    assert "WSPKIT_BACKEND" in finding.hint
    assert main(["doctor"]) == 13
    assert "back-end" in capsys.readouterr().err


def test_kernels_that_cannot_run_here_are_a_problem_with_the_names_of_those_that_can() -> None:
    # A process of its own: the core looks at the variable once.
    program = "from wspkit.cli.app import main; raise SystemExit(main(['doctor']))"
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "WSPKIT_KERNELS": "abacus", "COLUMNS": "400"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 13
    assert "'abacus', but this machine and build have: scalar" in result.stdout
    assert "Unset WSPKIT_KERNELS" in result.stdout + result.stderr


@pytest.mark.parametrize("name", ["cpu", ""])
def test_a_known_back_end_is_fine_and_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WSPKIT_BACKEND", name)
    finding = findings()["back-end"]
    assert finding.verdict is Verdict.OK
    assert finding.value == (name or "the default")


def test_a_cache_that_cannot_be_written_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x")
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(blocker / "cache"))
    finding = findings()["directory"]
    assert finding.verdict is Verdict.PROBLEM
    assert "WSPKIT_CACHE_DIR" in finding.hint


def test_looking_makes_nothing(own_cache: Path) -> None:
    findings()
    assert not own_cache.exists()


def test_missing_tools_are_notes_with_what_they_are_for() -> None:
    def script(command: Command) -> CommandResult | None:
        if command.arguments[0] == "cmake":
            raise NotFoundError("no program 'cmake'")
        if command.arguments[0] == "ninja":
            return CommandResult(command, 1)
        return CommandResult(command, 0, stdout="tool 1.2.3\nmore\n")

    found = findings(RecordingRunner(script))
    assert found["cmake"].verdict is Verdict.NOTE
    assert "builds" in found["cmake"].hint
    assert found["ninja"].verdict is Verdict.NOTE
    assert found["git"] == Finding("tools", "git", "tool 1.2.3")


def test_models_are_judged_by_size_and_on_request_by_checksum() -> None:
    assert findings()["fetched"].verdict is Verdict.NOTE
    model = catalogue.load().get("tiny.en")
    path = model_path(model)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"cut")
    assert findings()["tiny.en"].verdict is Verdict.NOTE
    with path.open("wb") as file:
        file.truncate(model.size_bytes)
    assert "checksum not read" in findings()["tiny.en"].value
    wrong = findings(checksums=True)["tiny.en"]
    assert wrong.verdict is Verdict.NOTE
    assert "checksum wrong" in wrong.value
    assert "wsp model fetch tiny.en" in wrong.hint


def test_little_space_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_NEEDED_BYTES", 2**62)
    assert findings()["free space"].verdict is Verdict.NOTE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("processor: 0\nflags\t\t: fpu avx2 avx fma f16c\n", ["avx", "f16c", "fma", "avx2"]),
        ("Features\t: fp asimd asimddp\n", ["asimd", "asimddp"]),
    ],
)
def test_cpu_features_are_read_in_a_fixed_order(text: str, expected: list[str]) -> None:
    assert cpu_features(text) == expected
