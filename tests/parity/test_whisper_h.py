"""whisper.h is upstream's newest, name by name and layout by layout: nothing added or missing.

Newest: the header of npm's nodejs-whisper 0.3.1 (whisper.cpp 1.9.1) and the ten getters that npm's
whisper.rn 0.7.4 (1.9.3) has beyond it. Both are fetched when this runs.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.npm_packages import NODEJS_WHISPER, WHISPER_RN, unpacked
from tests.parity.c_header import Header, read_header

OURS = Path(__file__).resolve().parents[2] / "cpp" / "include"

#: Macros of ours with another body on purpose: symbols are exported from a static library too, so
#: that one that is linked into a shared one keeps its API.
OTHER_BODIES = {"WHISPER_API"}

#: What whisper.rn's own patches change, beyond the prefix: a field before the others.
PATCHED_STRUCTS = {"whisper_context_params"}


def folders(package: Path) -> tuple[Path, Path]:
    """Where nodejs-whisper's whisper.h and ggml's headers lie."""
    return (package / "cpp/whisper.cpp/include", package / "cpp/whisper.cpp/ggml/include")


@pytest.fixture(scope="module")
def ours() -> Header:
    return read_header(OURS / "whisper.h", ())


@pytest.fixture(scope="module")
def upstream() -> Header:
    include, ggml = folders(unpacked(NODEJS_WHISPER))
    return read_header(include / "whisper.h", (ggml,))


@pytest.fixture(scope="module")
def prefixed(tmp_path_factory: pytest.TempPathFactory) -> Header:
    """whisper.rn's header with the prefix taken away."""
    directory = tmp_path_factory.mktemp("whisper_rn")
    for header in (unpacked(WHISPER_RN) / "cpp").glob("*.h"):
        text = header.read_text(encoding="utf-8").replace("wsp_", "").replace("WSP_", "")
        (directory / header.name).write_text(text, encoding="utf-8")
    return read_header(directory / "whisper.h", ())


@pytest.fixture(scope="module")
def getters(upstream: Header, prefixed: Header) -> dict[str, tuple[str, ...]]:
    """The functions that came after 1.9.1."""
    return {
        name: types for name, types in prefixed.functions.items() if name not in upstream.functions
    }


def test_the_two_headers_of_upstream_differ_by_ten_getters(
    upstream: Header, prefixed: Header, getters: dict[str, tuple[str, ...]]
) -> None:
    assert sorted(getters) == [
        *("whisper_full_get_token_t0", "whisper_full_get_token_t0_from_state"),
        *("whisper_full_get_token_t1", "whisper_full_get_token_t1_from_state"),
        *("whisper_full_get_vad_segment_t0", "whisper_full_get_vad_segment_t0_from_state"),
        *("whisper_full_get_vad_segment_t1", "whisper_full_get_vad_segment_t1_from_state"),
        *("whisper_full_n_vad_segments", "whisper_full_n_vad_segments_from_state"),
    ]
    # Else one of them would not be what the other grew into.
    common = {name: types for name, types in prefixed.functions.items() if name not in getters}
    assert common == upstream.functions
    changed = {
        name for name in upstream.structs if prefixed.structs[name] != upstream.structs[name]
    }
    assert changed == PATCHED_STRUCTS


def test_functions_are_upstreams_with_their_types(
    ours: Header, upstream: Header, getters: dict[str, tuple[str, ...]]
) -> None:
    assert len(ours.functions) > 130  # what read nothing would agree with nothing
    assert ours.functions == {**upstream.functions, **getters}


def test_the_same_functions_are_deprecated(ours: Header, upstream: Header) -> None:
    assert ours.deprecated == upstream.deprecated


def test_structs_are_upstreams_field_by_field(ours: Header, upstream: Header) -> None:
    assert "whisper_full_params" in ours.structs
    assert ours.structs == upstream.structs
    assert ours.opaque == upstream.opaque


def test_enumerations_and_types_are_upstreams(ours: Header, upstream: Header) -> None:
    assert len(ours.enums) == 3
    assert ours.enums == upstream.enums
    assert ours.types == upstream.types


def test_macros_are_upstreams(ours: Header, upstream: Header) -> None:
    assert set(ours.macros) == set(upstream.macros)
    differing = {name for name in ours.macros if ours.macros[name] != upstream.macros[name]}
    assert differing <= OTHER_BODIES


def test_layouts_are_upstreams_byte_by_byte(upstream: Header, tmp_path: Path) -> None:
    program = tmp_path / "layout.c"
    program.write_text(layout_program(upstream), encoding="utf-8")
    include, ggml = folders(unpacked(NODEJS_WHISPER))
    expected = output(program, (include, ggml), tmp_path / "upstream")
    assert output(program, (OURS,), tmp_path / "ours") == expected
    assert len(expected.splitlines()) > 130


def layout_program(header: Header) -> str:
    """A program that prints the size of each struct, the place of each field and each value."""
    lines = ["#include <stdio.h>", '#include "whisper.h"', "int main(void) {"]
    for name, fields in header.structs.items():
        lines.append(
            f'printf("{name} %zu %zu\\n", sizeof(struct {name}), _Alignof(struct {name}));'
        )
        for one, _ in fields:
            place = f"offsetof(struct {name}, {one}), sizeof(((struct {name} *)0)->{one})"
            lines.append(f'printf("{name}.{one} %zu %zu\\n", {place});')
    for values in header.enums.values():
        lines += [f'printf("{value} %d\\n", {value});' for value in values]
    for name, what in header.types.items():
        if "(" not in what:
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
    return "\n".join([*lines, "}", ""])


def output(program: Path, includes: tuple[Path, ...], executable: Path) -> str:
    """What the program prints, compiled as C11 against one of the headers."""
    search = [f"-I{folder}" for folder in includes]
    subprocess.run(["gcc", "-std=c11", *search, str(program), "-o", str(executable)], check=True)
    return subprocess.run([executable], check=True, capture_output=True, text=True).stdout
