"""Holds the include checker to its table: what a layer must not know, it cannot include."""

from __future__ import annotations

from pathlib import Path

import pytest

import check_includes

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small tree with a header in each place that the rules below speak of."""
    for header in (
        "include/whisper.h",
        "src/base/status.h",
        "src/backend/backend.h",
        "src/backend/cpu/cpu_backend.h",
        "src/kernels/kernel_table.h",
        "src/whisper/weights.h",
        "src/session/context.h",
        "src/audio/audio.h",
    ):
        path = tmp_path / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#pragma once\n")
    return tmp_path


def breaches(tree: Path, file: str, *lines: str) -> list[str]:
    path = tree / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    return [str(breach) for breach in check_includes.check_tree(tree)]


def test_the_core_includes_only_what_its_layers_may_know() -> None:
    assert [str(breach) for breach in check_includes.check_tree(ROOT / "cpp")] == []


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("src/base/x.cpp", '#include "session/context.h"'),
        ("src/kernels/x.cpp", '#include "backend/backend.h"'),
        ("src/whisper/x.cpp", '#include "kernels/kernel_table.h"'),
        ("src/whisper/x.cpp", '#include "backend/cpu/cpu_backend.h"'),
        ("src/decode/x.cpp", '#include "whisper/weights.h"'),
        ("src/ext/audio_intake.cpp", '#include "session/context.h"'),
        ("python/core_x.cpp", '#include "base/status.h"'),
        ("src/audio/x.cpp", '#  include   "../session/context.h"'),
        ("src/session/x.cpp", "#include <whisper.h>"),
        ("src/session/x.cpp", '#include "gone.h"'),
        ("src/kernels/x.cpp", "#include <vector>"),
        ("src/session/x.cpp", "#include <mutex>"),
        ("newcomer/x.cpp", "#include <vector>"),
    ],
)
def test_a_forbidden_include_is_caught_with_its_file_and_line(
    tree: Path, file: str, line: str
) -> None:
    found = breaches(tree, file, "// A file.", line)
    assert len(found) == 1
    assert found[0].startswith(f"{file}:")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("src/whisper/x.cpp", '#include "backend/backend.h"'),
        ("src/backend/cpu/x.cpp", '#include "kernels/kernel_table.h"'),
        ("src/session/x.cpp", '#include "whisper/weights.h"'),
        ("src/ext/audio_intake.cpp", '#include "audio/audio.h"'),
        ("python/core_x.cpp", '#include "whisper.h"'),
        ("python/inspect_x.cpp", '#include "kernels/kernel_table.h"'),
        ("src/kernels/x.cpp", "#include <immintrin.h>"),
        ("src/kernels/select.cpp", "#include <cstdlib>"),
        ("src/base/threads.h", "#include <mutex>"),
        ("jsi/x.cpp", "#include <mutex>"),
        ("src/base/x.cpp", '// #include "session/context.h"'),
    ],
)
def test_an_allowed_include_passes(tree: Path, file: str, line: str) -> None:
    assert breaches(tree, file, "// A file.", line) == []
