"""Rules of the C++ code: format, clang-tidy, names, public headers that any compiler takes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.npm_packages import REACT_NATIVE_0_76, unpacked

Findings = Callable[..., str]
ROOT = Path(__file__).resolve().parents[3]
CPP = ROOT / "cpp"
PUBLIC_HEADERS = sorted((CPP / "include").glob("*.h"))
HAND_WRITTEN = sorted(
    path
    for path in CPP.rglob("*")
    if path.suffix in {".h", ".c", ".cpp"} and "generated" not in path.parts
)


def test_cpp_code_is_formatted(findings: Findings) -> None:
    # The public headers line their columns up by hand, as their readers know them.
    files = [str(path) for path in HAND_WRITTEN if path not in PUBLIC_HEADERS]
    assert findings("clang-format", "--dry-run", "-Werror", *files) == ""


def tidy_findings(findings: Findings, *options: str) -> str:
    """What tools/run_clang_tidy.py says, of the JavaScript binding too."""
    react = unpacked(REACT_NATIVE_0_76) / "ReactCommon"
    tool = str(ROOT / "tools" / "run_clang_tidy.py")
    return findings(sys.executable, tool, "--react-native", str(react), *options)


def test_a_file_of_each_layer_passes_clang_tidy(findings: Findings) -> None:
    assert tidy_findings(findings, "--sample") == ""


@pytest.mark.long("tidy")
def test_cpp_code_passes_clang_tidy(findings: Findings) -> None:
    assert tidy_findings(findings) == ""


@pytest.mark.parametrize("header", PUBLIC_HEADERS, ids=lambda path: path.name)
@pytest.mark.parametrize(
    "language", [("gcc", "c", "c11"), ("g++", "c++", "c++20")], ids=lambda how: how[2]
)
def test_a_public_header_compiles_alone(
    findings: Findings, tmp_path: Path, header: Path, language: tuple[str, str, str]
) -> None:
    compiler, kind, standard = language
    source = tmp_path / "alone.c"
    # Twice: a header must bear to be included again.
    include = f'#include "{header.name}"\n'
    source.write_text(f"{include}{include}int main(void) {{ return 0; }}\n")
    flags = (f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    command = (compiler, "-x", kind, *flags, f"-I{header.parent}", str(source))
    assert findings(*command) == ""


def without_comments_and_strings(text: str) -> str:
    """C++ text with comments and literals blanked, so that what is left is names."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    return re.sub(pattern, " ", text, flags=re.DOTALL)


def test_no_name_of_the_core_begins_with_the_prefix_that_packaging_puts_on() -> None:
    # `wsp_` goes in front of every name when the core is packed; environment strings are exempt.
    name = re.compile(r"\b(?:wsp|WSP)\w*")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in HAND_WRITTEN
        for match in name.finditer(without_comments_and_strings(path.read_text(encoding="utf-8")))
        # The Python module that the binding defines carries the package's name.
        if not path.is_relative_to(CPP / "python")
    ]
    files = [str(path) for path in CPP.rglob("*") if path.name.lower().startswith("wsp")]
    assert found + files == []


def test_environment_variables_of_the_core_carry_the_kit_name() -> None:
    call = re.compile(r'\bgetenv\(\s*"([^"]+)"')
    names = {
        name for path in HAND_WRITTEN for name in call.findall(path.read_text(encoding="utf-8"))
    }
    # What belongs to the system, not to us.
    names -= {"TMPDIR", "HOME"}
    assert [name for name in sorted(names) if not name.startswith("WSPKIT_")] == []
