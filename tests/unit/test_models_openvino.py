"""`wsp model openvino` where there is no OpenVINO; what it builds is tried in the long tier."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wspkit.cli.app import main


def test_where_the_tool_is_missing_the_extra_is_named(
    synthetic_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    path = tmp_path / "encoder.xml"
    assert main(["model", "openvino", str(synthetic_model), "--out", str(path)]) == 5
    assert "pip install 'wspkit[openvino]'" in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_name_and_what_is_there_are_told(
    synthetic_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "openvino", str(synthetic_model), "-o", "encoder.bin"]) == 2
    assert "expected a name that ends in .xml" in " ".join(capsys.readouterr().err.split())
    there = tmp_path / "there.xml"
    there.write_text("old")
    assert main(["model", "openvino", str(synthetic_model), "-o", str(there)]) == 2
    assert "there.xml exists" in capsys.readouterr().err
    assert there.read_text() == "old"
