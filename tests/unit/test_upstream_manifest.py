"""Manifests say of every file of a tree what becomes of it, and of what they do not know, that."""

from __future__ import annotations

import pytest
from tests.upstream_trees import FILES

from wspkit.errors import BadFormatError, InternalError, UsageError
from wspkit.upstream.build_file import Embedded, Names, build_file
from wspkit.upstream.manifest import Manifest, globbed, manifests, parse, select
from wspkit.upstream.metal_library import embedded_kernels

HEAD = """
project = "x"
public_headers = ["x.h"]
[[group]]
name = "core"
reason = "what everybody needs"
[[group]]
name = "extra"
optional = true
reason = "what somebody needs"
"""


def manifest(rules: str) -> Manifest:
    return parse(HEAD + rules, "x.toml")


def rule(globs: str, group: str | None = None) -> str:
    where = f'group = "{group}"\n' if group else ""
    return f"[[files]]\nglobs = {globs}\n{where}reason = 'some good reason'\n"


def whisper_cpp() -> Manifest:
    return next(m for m in manifests() if m.project == "whisper.cpp")


@pytest.mark.parametrize(
    ("glob", "path", "taken"),
    [
        ("*.c", "a.c", True),
        ("*.c", "b/a.c", False),
        ("**/*.c", "a.c", True),
        ("**/*.c", "b/c/a.c", True),
        ("b/**", "b/c/a.c", True),
        ("b/**", "bb/a.c", False),
        ("b/*/a.c", "b/c/a.c", True),
        ("a.{c,h}", "a.h", True),
        ("a.{c,h}", "a.m", False),
        ("a+b.c", "a+b.c", True),
        ("a.c", "abc", False),
        (".*", ".hidden", True),
        (".*", "a.c", False),
    ],
)
def test_a_star_stays_in_its_folder_and_two_do_not(glob: str, path: str, taken: bool) -> None:
    assert globbed((glob,), path) is taken


def test_the_first_glob_decides_and_what_none_takes_is_unknown() -> None:
    rules = rule('["b.c"]') + rule('["*.c"]', "core") + rule('["*.cu"]', "extra")
    selection = select(manifest(rules), ["z.c", "b.c", "a.c", "k.cu", "new.zig"])
    assert [one.path for one in selection.taken] == ["a.c", "z.c"]
    assert selection.unknown == ("new.zig",)
    assert selection.not_asked == {"extra": 1}
    wanted = select(manifest(rules), ["k.cu"], ["extra"])
    assert [(one.path, one.group) for one in wanted.taken] == [("k.cu", "extra")]


def test_a_group_that_is_not_optional_cannot_be_asked_for() -> None:
    for name in ("core", "nonsense"):
        with pytest.raises(UsageError, match=f"no optional group {name}; expected extra"):
            select(manifest(rule('["*"]', "core")), ["a.c"], [name])


@pytest.mark.parametrize(
    "text",
    [
        "project = 1",
        HEAD + "[[files]]\nglobs = []\nreason = 'some good reason'\n",
        HEAD + "[[files]]\nglobs = ['*']\nreason = ''\n",
        HEAD + rule('["*"]', "nonsense"),
        HEAD + rule('["*"]') + "surprise = 1\n",
        "no toml",
    ],
)
def test_a_wrong_manifest_is_a_bug_of_ours(text: str) -> None:
    with pytest.raises(InternalError, match=r"the manifest x\.toml is wrong"):
        parse(text, "x.toml")


def test_every_rule_of_ours_takes_files_and_every_group_is_used() -> None:
    for one in manifests():
        used = {rule.group for rule in one.files if rule.group}
        assert used == {group.name for group in one.group}
        assert len({glob for rule in one.files for glob in rule.globs}) == sum(
            len(rule.globs) for rule in one.files
        )


# ---- the build file ----


def written(**options: object) -> str:
    selection = select(whisper_cpp(), FILES)
    facts = {"version": "9.8.7", "ggml_version": "3.2.1", "tree": "abc"}
    return build_file(
        whisper_cpp(),
        selection.taken,
        mentioned={"WHISPER_VERSION", "GGML_VERSION"},
        facts=facts,
        **options,  # type: ignore[arg-type]
    )


def test_the_build_file_lists_what_was_taken_and_defines_what_is_asked_for() -> None:
    text = written()
    assert '"src/whisper.cpp"' in text
    assert '[=[WHISPER_VERSION="9.8.7"]=]' in text
    assert '[=[GGML_VERSION="3.2.1"]=]' in text
    assert "GGML_COMMIT" not in text  # no source asks for it
    assert "add_library(whisper STATIC)" in text
    assert ".cu" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_the_build_file_speaks_of_names_and_files_as_the_prefixer_left_them() -> None:
    names = Names(lambda name: f"WSP_{name}", lambda path: path.replace("ggml.c", "wsp_ggml.c"))
    embedded = [Embedded("ggml_metallib", "k.metal")]
    text = written(prefix="wsp_", names=names, embedded=embedded)
    assert '[=[WSP_WHISPER_VERSION="9.8.7"]=]' in text
    assert '"ggml/src/wsp_ggml.c"' in text
    assert "add_library(wsp_whisper STATIC)" in text
    assert "set(WSP_CPU_FLAGS" in text


# ---- Metal ----


def kernels(files: dict[str, str]) -> dict[str, str]:
    found = embedded_kernels({path: text.encode() for path, text in files.items()}, ("m",))
    return {f"{one.symbol} {one.path}": text.decode() for one, text in found.items()}


def test_headers_are_put_into_a_kernel_once_and_those_of_the_system_stay() -> None:
    files = {
        "m/ggml-metal.metal": '#include "a.h"\n#include "a.h"\n#include <metal_stdlib>\nend\n',
        "m/a.h": '#pragma once\n#include "b.h"\nA\n',
        "m/b.h": "B\n",
    }
    (text,) = kernels(files).values()
    assert text.split() == ["B", "A", "#include", "<metal_stdlib>", "end"]


def test_the_placeholder_of_a_header_is_filled_as_upstreams_build_does() -> None:
    files = {
        "m/x/ggml-metal.metal": "#if defined(E)\n__embed_a.h__\n#else\n"
        '#include "a.h"\n#endif\nend\n',
        "m/a.h": "A\n",
    }
    (text,) = kernels(files).values()
    assert text.split() == ["#if", "defined(E)", "A", "#else", "#endif", "end"]


def test_split_kernels_become_one_text_each() -> None:
    files = {
        "m/ggml-metal.metal": "old\n",
        "m/kernels/fa.metal": '#include "common.h"\nfa\n',
        "m/kernels/rope.metal": '#include "common.h"\nrope\n',
        "m/kernels/common.h": '#include "impl.h"\nC\n',
        "m/impl.h": "I\n",
    }
    found = kernels(files)
    assert list(found) == [
        "ggml_metallib_fa m/kernels/fa-embedded.metal",
        "ggml_metallib_rope m/kernels/rope-embedded.metal",
    ]
    assert [text.split() for text in found.values()] == [["I", "C", "fa"], ["I", "C", "rope"]]


def test_a_header_that_nobody_took_is_told_with_file_and_line() -> None:
    with pytest.raises(BadFormatError, match=r"m/ggml-metal\.metal:2: gone\.h is not among"):
        kernels({"m/ggml-metal.metal": '\n#include "gone.h"\n'})
