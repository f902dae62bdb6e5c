"""A missing system package is installed on a yes, else named with the line that installs it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

import system_packages


@dataclass
class Machine:
    """A make-believe machine that lacks one package until it is installed."""

    installed: bool = False
    works: bool = True
    lines: list[str] = field(default_factory=list)

    def run(self, command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        self.lines.append(command[-1])
        self.installed = self.works
        return subprocess.CompletedProcess(command, 0 if self.works else 100)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    need = system_packages.Need(
        "libnew-dev", "a thing", frozenset({"test"}), lambda: machine.installed
    )
    monkeypatch.setattr(system_packages, "NEEDS", (need,))
    monkeypatch.setattr("subprocess.run", machine.run)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.delenv("CI", raising=False)
    return machine


def at_terminal(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda _question: answer)


INSTALL = "sudo apt-get update && sudo apt-get install -y --no-install-recommends libnew-dev"


def test_ci_installs_without_asking(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert system_packages.main(["test"]) == 0
    assert machine.lines == [INSTALL]


def test_root_installs_without_sudo(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    system_packages.main(["test"])
    assert machine.lines == [INSTALL.replace("sudo ", "")]


def test_a_yes_at_the_terminal_installs(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    at_terminal(monkeypatch, "y")
    assert system_packages.main(["test"]) == 0
    assert machine.lines == [INSTALL]


@pytest.mark.parametrize("answer", ["", "n", "no"])
def test_anything_else_names_the_package_and_the_line(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
) -> None:
    at_terminal(monkeypatch, answer)
    assert system_packages.main(["test"]) == 1
    assert machine.lines == []
    said = capsys.readouterr().err
    assert "libnew-dev: a thing" in said
    assert INSTALL in said


def test_nobody_is_asked_where_there_is_no_terminal(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: False))
    assert system_packages.main(["test"]) == 1
    assert machine.lines == []
    assert INSTALL in capsys.readouterr().err


def test_a_failed_installation_is_a_failure(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    machine.works = False
    assert system_packages.main(["test"]) == 1
    assert INSTALL in capsys.readouterr().err


def test_a_tier_asks_only_for_what_it_needs(machine: Machine) -> None:
    assert system_packages.main(["demo"]) == 0
    assert machine.lines == []


def test_a_system_without_apt_is_told_what_is_missing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    assert system_packages.main(["test"]) == 1
    assert machine.lines == []
    assert "libnew-dev" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["nothing"], ["demo", "test"]])
def test_wrong_usage_is_told_apart(machine: Machine, arguments: list[str]) -> None:
    assert system_packages.main(arguments) == 2
    assert machine.lines == []
