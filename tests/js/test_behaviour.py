"""What the JavaScript package does, by node's own test runner on the installed package, and its
mock inside jest.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.node_tools import SOURCE, run, tool

FILES = sorted(path.name for path in (SOURCE / "test").glob("*.test.mjs"))


@pytest.mark.parametrize("file", FILES)
def test_the_package_does_what_its_tests_say(file: str, project: Path) -> None:
    printed = run("node", "--test", "--test-reporter=tap", f"test/{file}", cwd=project)
    passed = re.search(r"^# pass (\d+)$", printed, re.MULTILINE)
    assert passed is not None
    assert int(passed.group(1)) > 0
    assert re.search(r"^# skipped 0$", printed, re.MULTILINE)


def test_the_mock_works_in_jest(project: Path) -> None:
    config = {"rootDir": str(project), "testMatch": ["<rootDir>/test/jest.test.cjs"]}
    options = (f"--config={json.dumps(config)}", "--runInBand", "--no-cache", "--json")
    printed = run(tool("jest"), *options, cwd=project)
    report = json.loads(printed[printed.index("{") : printed.rindex("}") + 1])
    assert report["numPassedTests"] == 2
