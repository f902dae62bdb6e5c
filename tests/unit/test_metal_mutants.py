"""The tests of the Metal kernels see nearly every mutant of them: a barrier removed, an index off
by one, a bound loosened, a constant changed, a type narrowed.
"""

from __future__ import annotations

import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import pytest
from tests.unit.metal_mutants import KERNELS, OPERATORS, ROOT, Mutant, drawn, survives

TREE = ROOT / "build" / "core-metal"
SEED = 1
OF_EACH = 12  # sixty in all
SHARE = 0.95

# Of the drawn, those that no test can see, and why.
SURVIVORS = {
    "type narrowed: attend_weights.metal: float largest = kAttendStart; -> half largest ="
    " kAttendStart;": "any number near the largest score does: it is taken from all of them",
    "type narrowed: weight_formats.h: static float offset(device const uchar*, uint)"
    " { return 0.0f; } -> static half offset(device const uchar*, uint) { return 0.0f; }": (
        "zero is zero in either type"
    ),
}


def test_every_operator_changes_every_kind_of_kernel() -> None:
    every = drawn(SEED)
    assert len(every) == len(OPERATORS) == 5
    assert all(len(mutants) >= OF_EACH for mutants in every.values())
    changed = {mutant.file for mutants in every.values() for mutant in mutants}
    assert changed >= {path.name for path in KERNELS.glob("*.metal")}
    for mutants in every.values():
        for mutant in mutants:
            original = (KERNELS / mutant.file).read_text(encoding="utf-8")
            assert original.splitlines()[mutant.line - 1].strip() == mutant.before != mutant.after


@pytest.mark.long("metal")
def test_mutants_of_kernels_are_seen(tmp_path: Path) -> None:
    on = ("-DSPEECH_BUILD_TESTS=ON", "-DSPEECH_TEST_BACKENDS=ON")
    ccache = "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
    for command in (
        ("cmake", "-S", str(ROOT / "cpp"), "-B", str(TREE), *on, ccache),
        ("cmake", "--build", str(TREE), "-j", "2", "--target", "test_metal"),
    ):
        subprocess.run(command, check=True)

    def run(mutant: Mutant) -> bool | None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            return survives(mutant, TREE, Path(folder))

    survivors: set[str] = set()
    with ThreadPoolExecutor(2) as pool:
        for mutants in drawn(SEED).values():
            # What no compiler takes is no mutant: the next one is.
            missing, rest = OF_EACH, iter(mutants)
            while missing > 0:
                batch = list(islice(rest, missing))
                assert batch
                results = list(pool.map(run, batch))
                missing -= len(batch) - results.count(None)
                survivors |= {
                    str(mutant) for mutant, lives in zip(batch, results, strict=True) if lives
                }
    assert survivors == set(SURVIVORS)
    assert len(survivors) <= (1 - SHARE) * len(OPERATORS) * OF_EACH
