"""The package index is the one that the user's pip is set up for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wspkit.errors import CommandError, NetworkError
from wspkit.fetching.package_index import IndexSettings, parse_pip_config, pip_settings
from wspkit.process import Command, CommandResult, RecordingRunner

HELP = """
Package Index Options:
  -i, --index-url <url>       Base URL (default https://default.example/simple). This should point
  --extra-index-url <url>     Extra URLs of package indexes to use in addition to --index-url.
"""


def pip(config: str, help_text: str = HELP) -> RecordingRunner:
    def answer(command: Command) -> CommandResult:
        return CommandResult(command, 0, config if "config" in command.arguments else help_text)

    return RecordingRunner(answer)


def test_without_settings_it_is_pips_own_default() -> None:
    runner = pip("global.cert='/c.pem'\n")
    assert pip_settings(runner) == IndexSettings(
        ("https://default.example/simple",), certificate_file="/c.pem"
    )
    assert [command.arguments for command in runner.commands] == [
        (sys.executable, "-m", "pip", "config", "list"),
        (sys.executable, "-m", "pip", "download", "--help"),
    ]


def test_configured_indexes_come_in_pips_order() -> None:
    config = (
        ":env:.extra-index-url='https://b.example/ https://c.example/'\n"
        "global.index-url='https://a.example/simple'\n"
        "global.find-links='/wheels https://links.example/ relative'\n"
    )
    assert pip_settings(pip(config)) == IndexSettings(
        ("https://a.example/simple", "https://b.example/", "https://c.example/"),
        directories=(Path("/wheels"), Path("relative")),
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("global.index-url='g'", "download.index-url='d'", ":env:.index-url='e'"),
        (":env:.index-url='e'", "download.index-url='d'", "global.index-url='g'"),
    ],
)
def test_the_environment_wins_whatever_the_order_of_lines(lines: tuple[str, ...]) -> None:
    assert parse_pip_config("\n".join(lines)) == {"index-url": "e"}


def test_settings_of_other_commands_and_noise_are_left_alone() -> None:
    listed = "install.index-url='i'\nWARNING: something = else\nglobal.index-url='it''s'\n\n"
    assert parse_pip_config(listed) == {"index-url": "its"}


def test_without_pip_the_environment_variable_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://e.example/simple")
    runner = RecordingRunner(lambda command: CommandResult(command, 1, "", "No module named pip"))
    assert pip_settings(runner).index_urls == ("https://e.example/simple",)


def test_no_index_at_all_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)

    def fail(command: Command) -> CommandResult:
        raise CommandError(f"{command}: no pip")

    with pytest.raises(NetworkError, match="set PIP_INDEX_URL"):
        pip_settings(RecordingRunner(fail))
    with pytest.raises(NetworkError, match="no package index is configured"):
        pip_settings(pip("", help_text="another help text"))


def test_the_real_pip_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    assert pip_settings().index_urls[0].startswith("http")
    monkeypatch.setenv("PIP_INDEX_URL", "https://user:word@index.example/simple")
    assert pip_settings().index_urls[0] == "https://user:word@index.example/simple"
