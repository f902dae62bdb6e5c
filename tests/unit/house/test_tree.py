"""Rules of every file: how long, how it opens, what it is called, which characters it holds."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# Nothing below these is ours to read: environments, caches, what was built.
SKIPPED = {".git", ".venv", "build", "node_modules", "__pycache__"}
CODE = {".py", ".h", ".hpp", ".c", ".cpp", ".mm", ".metal", ".ts", ".tsx", ".java", ".kt"}
TEXT = CODE | {".md", ".toml", ".cmake", ".txt", ".json", ".j2", ".yml", ".sh", ""}


def tracked() -> list[Path]:
    """The repository's files: as git lists them, or all that are there where there is no git."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        names = [ROOT / name for name in listing.stdout.split("\0") if name]
    else:
        names = list(ROOT.rglob("*"))
    return sorted(
        path
        for path in names
        if path.is_file() and not SKIPPED.intersection(path.relative_to(ROOT).parts)
    )


FILES = tracked()
CODE_FILES = [path for path in FILES if path.suffix in CODE]
TEXT_FILES = [path for path in FILES if path.suffix in TEXT]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_generated(path: Path) -> bool:
    return "generated" in path.parts


def is_kernel_table(path: Path) -> bool:
    """One instruction set's kernels stay together in one file, however many they are."""
    return path.parent == ROOT / "cpp" / "src" / "kernels"


def test_the_rules_see_the_whole_tree() -> None:
    names = {shown(path) for path in FILES}
    assert {"pyproject.toml", "cpp/include/whisper.h", "codegen/wspkit/errors.py"} <= names


def test_no_file_is_longer_than_400_lines() -> None:
    # A longer one holds two ideas. The public header is one list of names, given from outside.
    limits = {
        shown(path): path.read_text(encoding="utf-8").count("\n")
        for path in CODE_FILES
        if not is_generated(path)
        and not is_kernel_table(path)
        and path != ROOT / "cpp" / "include" / "whisper.h"
    }
    assert {name: lines for name, lines in limits.items() if lines > 400} == {}


def opens_with_a_comment(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        # A docstring, or for a file of nothing else than a package's mark, no text at all.
        return not text.strip() or ast.get_docstring(ast.parse(text)) is not None
    if path.suffix == ".j2":
        return text.startswith("{#")
    return text.startswith(("//", "/*"))


def test_every_source_file_opens_by_saying_what_it_is_for() -> None:
    sources = [*CODE_FILES, *(path for path in FILES if path.suffix == ".j2")]
    assert [shown(path) for path in sources if not opens_with_a_comment(path)] == []


def test_every_build_and_tool_file_opens_with_a_comment() -> None:
    names = {"CMakeLists.txt", "Makefile", ".clang-tidy", ".editorconfig", "pyproject.toml"}
    files = [
        path
        for path in FILES
        if (path.name in names or path.suffix == ".cmake")
        # A layer's list of its sources says all by itself.
        and path.parent.parent != ROOT / "cpp" / "src"
    ]
    silent = [path for path in files if not path.read_text(encoding="utf-8").startswith("#")]
    assert [shown(path) for path in silent] == []


def test_no_name_says_nothing() -> None:
    # A file called so has no idea of its own, and gathers everybody's.
    empty = re.compile(
        r"(?:^|_)(?:util|utils|helper|helpers|misc|common|stuff)(?:_|$)", re.IGNORECASE
    )
    parts = {part for path in FILES for part in path.relative_to(ROOT).with_suffix("").parts}
    assert sorted(part for part in parts if empty.search(part)) == []


# Letters that are no surprise in prose and speech: everything printable. What would be one:
# invisible marks, look-alike spaces, and text that changes direction.
SURPRISES = re.compile("[\u00a0\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffc]")


def test_no_text_holds_characters_that_cannot_be_seen() -> None:
    found = [
        f"{shown(path)}: U+{ord(match.group()):04X}"
        for path in TEXT_FILES
        for match in SURPRISES.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_code_outside_tests_is_ascii_but_for_its_literals() -> None:
    # Speech and symbols are written in every alphabet, and are data; names and comments are not.
    literal = re.compile(
        r"""
        "(?:\\.|[^"\\])*" | U'[^']'  # a string, or a character of C++
        """.strip(),
        re.VERBOSE,
    )
    found = [
        f"{shown(path)}:{number}"
        for path in CODE_FILES
        if "tests" not in path.relative_to(ROOT).parts and not is_generated(path)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if not literal.sub("", line).isascii()
    ]
    assert found == []


def test_text_files_end_with_one_newline_and_no_carriage_return() -> None:
    odd = []
    for path in TEXT_FILES:
        data = path.read_bytes()
        if data and (b"\r" in data or not data.endswith(b"\n") or data.endswith(b"\n\n")):
            odd.append(shown(path))
    assert odd == []


@pytest.mark.parametrize(
    "word",
    [
        # Spelt in two halves, so that this file does not hold what it looks for.
        "/ro" + "ot/",
        "/wo" + "rk/",
        "fact" + "s/",
        "desig" + "n.md",
        "files.pythonhost" + "ed.org",
        "pypi" + ".org",
        "registry.npm" + "js.org",
    ],
)
def test_no_file_names_the_place_where_it_was_written(word: str) -> None:
    # A reader elsewhere has neither the folder nor the document.
    found = [shown(path) for path in TEXT_FILES if word in path.read_text(encoding="utf-8")]
    assert found == []


def test_no_weights_recordings_or_binaries_are_committed() -> None:
    # The one recording is ours; everything real is fetched.
    allowed = {"tests/sample/sample.wav"}
    binary = {".bin", ".gguf", ".onnx", ".whl", ".so", ".a", ".o", ".wav", ".mp3", ".npz", ".zip"}
    found = {shown(path) for path in FILES if path.suffix in binary}
    assert found - allowed == set()
    assert all(path.stat().st_size < 256 * 1024 for path in FILES)


def test_the_table_of_tests_names_every_test_file() -> None:
    folder = ROOT / "tests"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    named = {
        pattern: set(folder.glob(pattern)) for pattern in re.findall(r"`([\w*/]+\.py)`", readme)
    }
    tests = {path for path in FILES if path.is_relative_to(folder) and path.match("test_*.py")}
    assert tests
    assert sorted(tests - set().union(*named.values())) == []
    assert [pattern for pattern, files in named.items() if not files] == []
