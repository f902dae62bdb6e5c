"""Copies of a core live in one program, or the audit says why not; on a made-up core."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.upstream_trees import FILES

from wspkit.cli.app import main
from wspkit.errors import BadFormatError, CommandError, NotFoundError, UsageError
from wspkit.fetching.whole_folder import replace_folder
from wspkit.prefix.folder import STAMP
from wspkit.process import Command, CommandResult, RecordingRunner, raise_for_failure
from wspkit.upstream.built import Compiling, libraries
from wspkit.upstream.coexistence import Copy, transcribe_together

AUDIO = Path(__file__).parents[1] / "sample" / "sample.wav"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    replace_folder(tmp_path / "source", FILES)
    return tmp_path / "source"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A file in place of a model: the made-up core does not look."""
    (tmp_path / "model.bin").write_bytes(b"made up")
    return tmp_path / "model.bin"


def synced(source: Path, name: str, *options: str) -> Path:
    destination = source.parent / name
    command = ["sync", str(destination), "--from", str(source), "--profile", "strict", "-q"]
    assert main([*command, *options]) == 0
    return destination


def audited(
    capsys: pytest.CaptureFixture[str], *arguments: str | Path
) -> tuple[int, dict[str, Any], str]:
    capsys.readouterr()
    options = ["--coexist", "--audio", str(AUDIO), "--json"]
    code = main(["audit", *map(str, arguments), *options])
    said = capsys.readouterr()
    return code, json.loads(said.out) if said.out else {}, said.err


def test_one_tree_is_joined_by_a_copy_under_another_prefix_and_one_without(
    source: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, found, _ = audited(capsys, synced(source, "a"), "-m", model)
    assert code == 0
    assert found["heard"] == [
        {"copy": "the copy under wsp_", "text": "9.8.7"},
        {"copy": "the copy under other_", "text": "9.8.7"},
        {"copy": "the copy without a prefix", "text": "9.8.7"},
    ]
    assert [tree["findings"] for tree in found["trees"]] == [[], []]


def test_copies_of_one_prefix_do_not_link_and_that_is_a_collision(
    source: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trees = [synced(source, name) for name in "ab"]
    code, _, err = audited(capsys, *trees, "-m", model)
    assert code == 14
    assert "do not link into one program" in err
    assert "multiple definition of `wsp_whisper_version'" in json.loads(err)["error"]["message"]


def test_copies_that_hear_different_things_are_a_finding(
    source: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = synced(source, "a")
    (source / "ggml/src/ggml.c").write_text(
        '#include "ggml.h"\nint ggml_length(void) { return 0; }\n'
    )
    second = synced(source, "b", "--prefix", "other_")
    code, found, err = audited(capsys, first, second, "-m", model)
    assert code == 14
    assert [one["text"] for one in found["heard"]] == ["9.8.7", "3.2.1"]
    assert "heard different things" in err


def test_what_leaks_from_a_tree_is_found_after_it_was_compiled(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = synced(source, "a")
    with (tree / "ggml/src/ggml.c").open("a") as file:
        file.write("int dl_error(void) { return 1; }\n")
    capsys.readouterr()
    assert main(["audit", str(tree), "--json"]) == 14
    (audited_tree,) = json.loads(capsys.readouterr().out)["trees"]
    (finding,) = audited_tree["findings"]
    assert (finding["kind"], finding["name"]) == ("strong", "dl_error")
    (place,) = finding["places"]
    assert place.endswith("libwsp_whisper.a[ggml.c.o]")


def test_a_tree_that_wsp_prefix_made_says_itself_which_prefix_it_has(
    source: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, tree = synced(source, "plain", "--no-prefix"), source.parent / "prefixed"
    words = ["prefix", str(plain), str(tree), "--prefix", "abc_", "--profile", "strict"]
    assert main([*words, "-q"]) == 0
    code, found, err = audited(capsys, tree, plain, "-m", model)
    assert (code, [one["copy"] for one in found["heard"]]) == (
        0,
        ["the copy under abc_", "the copy without a prefix"],
    ), err
    (tree / STAMP).write_text("{}")
    assert main(["audit", str(tree)]) == BadFormatError.exit_code
    assert STAMP in capsys.readouterr().err


def test_a_tree_that_does_not_compile_is_told_with_the_compilers_words(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = synced(source, "a")
    (tree / "ggml/src/ggml.c").write_text("int x = ;\n")
    assert main(["audit", str(tree)]) == CommandError.exit_code
    assert "expected expression" in capsys.readouterr().err


# ---- commands ----


def test_a_tree_is_compiled_with_every_inline_function_as_a_name(source: Path) -> None:
    runner = RecordingRunner()
    build = source.parent / "build"
    with pytest.raises(BadFormatError, match="makes no static library"):
        libraries(source, build, Compiling(runner, flags=("-mavx2",), jobs=3))
    flags = "-O1 -fno-inline -mavx2"
    assert [command.arguments for command in runner.commands] == [
        (
            *("cmake", "-S", str(source), "-B", str(build), "-DCMAKE_BUILD_TYPE=None"),
            *(f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}"),
        ),
        ("cmake", "--build", str(build), "-j", "3"),
    ]


def test_all_objects_of_every_copy_are_linked_also_those_that_nothing_calls(
    source: Path, model: Path, tmp_path: Path
) -> None:
    def script(command: Command) -> CommandResult | None:
        ran = command.arguments[0].endswith("together")
        return CommandResult(command, 0, '" one"\n" one"\n') if ran else None

    runner = RecordingRunner(script)
    copies = [
        Copy(name, source, "include/whisper.h", [tmp_path / f"{name}.a"], {"whisper_full": "x"})
        for name in "ab"
    ]
    heard = transcribe_together(copies, model, AUDIO, tmp_path / "b", Compiling(runner))
    assert [(one.title, one.text) for one in heard] == [("a", "one"), ("b", "one")]
    link = runner.commands[-2].arguments
    start = link.index("-Wl,--whole-archive")
    assert link[start + 1 : start + 3] == (str(tmp_path / "a.a"), str(tmp_path / "b.a"))
    assert "if (x(context, params" in (tmp_path / "b/probe0.c").read_text()
    assert (tmp_path / "b/samples.f32").stat().st_size % 4 == 0


def test_one_copy_alone_and_missing_headers_are_told(
    source: Path, model: Path, tmp_path: Path
) -> None:
    copy = Copy("a", source, "include/gone.h", [])
    compiling = Compiling(RecordingRunner())
    with pytest.raises(UsageError, match="at least two"):
        transcribe_together([copy], model, AUDIO, tmp_path / "b", compiling)
    with pytest.raises(NotFoundError, match=r"no include/gone\.h"):
        transcribe_together([copy, copy], model, AUDIO, tmp_path / "b", compiling)


@pytest.mark.parametrize("content", [b"", b"RIFF", b"no wave file"])
def test_a_recording_that_is_none_is_bad_format(
    source: Path, model: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "bad.wav").write_bytes(content)
    copies = [Copy("a", source, "include/whisper.h", [])] * 2
    with pytest.raises(BadFormatError, match=r"bad\.wav"):
        transcribe_together(
            copies, model, tmp_path / "bad.wav", tmp_path / "b", Compiling(RecordingRunner())
        )


def test_a_failed_command_is_an_error_by_itself() -> None:
    with pytest.raises(CommandError):
        raise_for_failure(CommandResult(Command(("x",)), 1))
