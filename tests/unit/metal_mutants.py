"""Makes mutants of the Metal kernels, each by one change of its text, and runs the kernels' own
tests on them. It knows the kernels as text, and the build tree of `cpp/tests/metal`.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "cpp" / "src" / "backend" / "metal"
BIND = ROOT / "cpp" / "tests" / "metal" / "shim" / "bind.py"
CLANG = "clang++-19"
TIMEOUT_S = 300
# Where what stands in a header of kernels is tested.
USERS = {
    "linear_store.h": ("linear_vector",),
    "row_sums.h": ("attend_weights", "layer_norm"),
    "weight_formats.h": ("linear_vector",),
}

Change = tuple[int, int, str]
NOT_CODE = re.compile(r'//.*|"[^"\n]*"|\[\[[^\]]*\]\]|^(?:#|template \[\[).*', re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e-?\d+)?f|\d+)(?![\w.])")
ARRAY = re.compile(r"^\s*(?:const )?(?:float|simdgroup_float8x8) \w+(?:\[\w[^\]]*\])+( = \{\})?;")


@dataclass(frozen=True)
class Mutant:
    """A kernel file with one change; line counts from 1."""

    operator: str
    file: str
    line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.operator}: {self.file}: {self.before} -> {self.after}"


def barrier_removed(code: str) -> Iterator[Change]:
    for match in re.finditer(r"(?:threadgroup|simdgroup)_barrier\([^)]*\);", code):
        yield match.start(), match.end(), ""


def in_declared_array(code: str, match: re.Match[str]) -> bool:
    """Whether a change would only make an array longer."""
    begin = code.rfind("\n", 0, match.start()) + 1
    return ARRAY.match(code[begin : code.find("\n", match.end())]) is not None


def index_off_by_one(code: str) -> Iterator[Change]:
    for match in re.finditer(r"(?<=[\w\]])\[([^\[\]]+)\]", code):
        if not in_declared_array(code, match):
            yield match.start(1), match.end(1), f"({match[1]}) + 1"


def bound_loosened(code: str) -> Iterator[Change]:
    for match in re.finditer(r" < | >= 0\b| >= ", code):
        yield match.start(), match.end(), {" < ": " <= ", " >= 0": " >= -1"}.get(match[0], " > ")


def constant_changed(code: str) -> Iterator[Change]:
    for match in NUMBER.finditer(code):
        if in_declared_array(code, match):
            continue
        if match[0].endswith("f"):
            value = float(match[0][:-1])
            yield match.start(), match.end(), f"{1.5 * value if value else 1.0!r}f"
        else:
            yield match.start(), match.end(), str(int(match[0]) + 1)


def type_narrowed(code: str) -> Iterator[Change]:
    for match in re.finditer(r"\bfloat(?= \w+(?:\(| =|;|,|\[))", code):
        yield match.start(), match.end(), "half"
    # What grows with the size of a model, and so does not fit into eight bits.
    for match in re.finditer(
        r"\b(uint|int)(?= \w+ = [^;]*\b(?:params|group|place|row|first_row)\b)", code
    ):
        yield match.start(), match.end(), {"uint": "uchar", "int": "char"}[match[1]]


OPERATORS: tuple[Callable[[str], Iterator[Change]], ...] = (
    barrier_removed,
    index_off_by_one,
    bound_loosened,
    constant_changed,
    type_narrowed,
)


def blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def kernel_files() -> list[Path]:
    """Files of kernels, and the headers that are theirs alone."""
    return sorted([*KERNELS.glob("*.metal"), *(KERNELS / name for name in USERS)])


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of one file."""
    text = path.read_text(encoding="utf-8")
    # Nothing is changed in comments, messages, attributes, names of instances and includes.
    code = NOT_CODE.sub(blank, text)
    for operator in OPERATORS:
        for start, end, new in operator(code):
            begin, stop = text.rfind("\n", 0, start) + 1, text.find("\n", end)
            yield Mutant(
                operator=operator.__name__.replace("_", " "),
                file=path.name,
                line=text.count("\n", 0, start) + 1,
                before=text[begin:stop].strip(),
                after=(text[begin:start] + new + text[end:stop]).strip(),
                text=text[:start] + new + text[end:],
            )


def drawn(seed: int) -> dict[str, list[Mutant]]:
    """The mutants of each operator over all kernels, in an order that the seed makes."""
    every: dict[str, list[Mutant]] = {}
    for path in kernel_files():
        for mutant in mutants_of(path):
            every.setdefault(mutant.operator, []).append(mutant)
    for mutants in every.values():
        random.Random(seed).shuffle(mutants)
    return every


def succeeds(command: list[str], folder: Path) -> bool:
    """Whether a program ends well, in time."""
    try:
        result = subprocess.run(
            command, cwd=folder, capture_output=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0


def survives(mutant: Mutant, tree: Path, folder: Path) -> bool | None:
    """Whether the tests of a mutant's file pass; None if no compiler takes it.

    tree: where `test_metal` is built; folder: an empty one, for the files of this mutant.
    """
    built = tree / "tests" / "metal"
    for path in kernel_files():
        shutil.copy(path, folder)
    (folder / mutant.file).write_text(mutant.text, encoding="utf-8")
    stems = USERS.get(mutant.file, (mutant.file.partition(".")[0],))
    files = [str(folder / f"{stem}.metal") for stem in stems]
    suites = [stem.title().replace("_", "") for stem in stems]
    bind = ["python3", str(BIND), "bound.cpp", *files]
    # Less optimised than the kernels otherwise are, which takes twice as long as all their tests.
    compiler = [CLANG, f"@{built / 'compile.rsp'}", f"@{built / 'kernels.rsp'}", "-w", "-O1"]
    if not succeeds(bind, folder) or not succeeds([*compiler, "-c", "bound.cpp"], folder):
        return None
    link = [CLANG, "bound.o", f"@{built / 'link.rsp'}", "-o", "mutant"]
    if not succeeds(link, folder):
        raise RuntimeError(f"{mutant} is not linked by: {' '.join(link)}")
    filters = ":".join(f"Order/{suite}.*" for suite in suites)
    return succeeds(["./mutant", f"--gtest_filter={filters}", "--gtest_fail_fast"], folder)
