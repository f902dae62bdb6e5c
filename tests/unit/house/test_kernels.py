"""Kernel files compile as they are wherever the core is built, and keep their instructions apart.

No build file gives a kernel file flags of its own: what it needs is set inside it. So any compiler
takes every file with plain options, and code for newer processors is nowhere but in the file of
that instruction set.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ROOT = Path(__file__).resolve().parents[3]
KERNELS = ROOT / "cpp" / "src" / "kernels"
FILES = sorted(path.name for path in KERNELS.glob("*.cpp") if path.name != "select.cpp")
OPTIONS = (
    "-std=c++20",
    "-ffreestanding",
    "-fno-exceptions",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wno-sign-conversion",
)

CLANG = ("clang++-19",)
COMPILERS = {
    "x86_64 by g++": ("g++",),
    "x86_64 by clang": CLANG,
    "aarch64 by g++": ("aarch64-linux-gnu-g++",),
    "aarch64 by clang": (*CLANG, "--target=aarch64-linux-gnu"),
    "Android, arm64": (*CLANG, "--target=aarch64-linux-android24"),
    "Android, armv7": (*CLANG, "--target=armv7-linux-androideabi24", "-mfpu=neon"),
    "Android, x86_64": (*CLANG, "--target=x86_64-linux-android24"),
    "iOS, arm64": (*CLANG, "--target=arm64-apple-ios15.0"),
}


def compiled(run: Run, compiler: tuple[str, ...], file: str, level: str, out: Path) -> Path:
    """The object of one kernel file; a warning is an error."""
    command = (*compiler, *OPTIONS, "-Werror", level, "-I", "cpp/src", "-c")
    result = run(*command, str(KERNELS / file), "-o", str(out))
    assert result.returncode == 0, f"{' '.join(command)} {file}\n{result.stderr}"
    return out


def mnemonics_of_newer_processors(run: Run, path: Path) -> list[str]:
    """What every x86-64 lacks: instructions of AVX and later have names with a v, or masks."""
    listing = run("objdump", "-d", "--no-show-raw-insn", str(path))
    assert listing.returncode == 0, listing.stderr
    instructions = re.findall(r"^\s+[0-9a-f]+:\t(.+)$", listing.stdout, re.MULTILINE)
    assert instructions
    newer = re.compile(r"^(v\w+|k(mov|and|or|xor|not)\w+)\b|%[yz]mm")
    verify = re.compile(r"^ver[rw]\b")
    return [text for text in instructions if newer.search(text) and not verify.search(text)]


@pytest.fixture(scope="module")
def objects(run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every kernel file compiled once, with no option of its own and no C library."""
    folder = tmp_path_factory.mktemp("kernels")
    gxx = COMPILERS["x86_64 by g++"]
    return {file: compiled(run, gxx, file, "-O0", folder / f"{file}.o") for file in FILES}


def test_the_baseline_holds_no_instruction_that_some_processor_lacks(
    run: Run, tmp_path: Path
) -> None:
    for file in ("scalar.cpp", "select.cpp"):
        out = tmp_path / f"{file}.o"
        command = ("g++", "-std=c++20", "-O2", "-I", "cpp/src", "-c", str(KERNELS / file))
        assert run(*command, "-o", str(out)).returncode == 0
        assert mnemonics_of_newer_processors(run, out) == [], file


def test_a_file_of_newer_instructions_is_found_out(run: Run, objects: dict[str, Path]) -> None:
    assert mnemonics_of_newer_processors(run, objects["avx2.cpp"]) != []


def test_a_table_of_an_instruction_set_shows_nothing_but_its_getter(
    run: Run, objects: dict[str, Path]
) -> None:
    for file, path in objects.items():
        names = run("nm", "--defined-only", "--extern-only", "-C", str(path)).stdout.splitlines()
        shown = [line.split(maxsplit=2)[2] for line in names]
        assert shown == [f"speech::{file.removesuffix('.cpp')}_kernels()"], file


# Calls the table where there is no C library: sums of products of small integers, which are exact,
# and GELU.
WASM_PROGRAM = """
#include "kernels/kernel_table.h"
namespace {
float weights[128];
float x[128];
float out[16];
}
extern "C" __attribute__((export_name("dot"))) float dot(int n) {
  for (int i = 0; i < n; ++i) {
    weights[i] = static_cast<float>(i % 7 - 3);
    x[i] = static_cast<float>(i % 5 - 2);
  }
  const speech::KernelTable* table = speech::scalar_kernels();
  table->dots[speech::kFormatF32](weights, 0, 1, static_cast<size_t>(n), x, 0, 1, out, 1);
  return out[0];
}
extern "C" __attribute__((export_name("gelu"))) float gelu(float value) {
  speech::scalar_kernels()->finish(&value, nullptr, true, nullptr, 1, out);
  return out[0];
}
"""
WASM_RUN = """
const bytes = require('fs').readFileSync(process.argv[1])
WebAssembly.instantiate(bytes).then(({ instance }) => {
  const { dot, gelu } = instance.exports
  const range = (n, f) => Array.from({ length: n }, (_, i) => f(i))
  console.log(JSON.stringify([range(100, dot), range(81, (i) => gelu((i - 40) / 8))]))
})
"""


def test_the_scalar_table_computes_in_webassembly_with_its_vectors(
    run: Run, tmp_path: Path
) -> None:
    source, program = tmp_path / "program.cpp", tmp_path / "program.wasm"
    source.write_text(WASM_PROGRAM)
    built = run(
        *("clang++-19", "--target=wasm32", "-msimd128", "-std=c++20", "-O2", "-ffreestanding"),
        # Copies are instructions, as there is no C library.
        *("-mbulk-memory", "-fno-exceptions", "-nostdlib", "-Wl,--no-entry", "-I", "cpp/src"),
        *(str(source), str(KERNELS / "scalar.cpp"), "-o", str(program)),
    )
    assert built.returncode == 0, built.stderr
    computed = run("node", "-e", WASM_RUN, str(program))
    assert computed.returncode == 0, computed.stderr
    dots, gelus = json.loads(computed.stdout)
    assert dots == [sum((i % 7 - 3) * (i % 5 - 2) for i in range(n)) for n in range(100)]
    for i, value in enumerate(gelus):
        x = (i - 40) / 8
        # The bound that kernel_table.h states.
        bound = 4e-7 * max(1, abs(x))
        assert value == pytest.approx(x / 2 * (1 + math.erf(x / math.sqrt(2))), abs=bound), x


@pytest.mark.long("kernels")
@pytest.mark.parametrize("where", COMPILERS)
@pytest.mark.parametrize("file", FILES)
def test_a_kernel_file_compiles_for_every_system(
    file: str, where: str, run: Run, tmp_path: Path
) -> None:
    compiled(run, COMPILERS[where], file, "-O2", tmp_path / "kernel.o")


@pytest.mark.long("kernels")
def test_the_tables_of_arm_follow_their_rules_on_each_of_its_processors(
    run: Run, tmp_path: Path
) -> None:
    googletest = Path("/usr/src/googletest/googletest")
    program = tmp_path / "test_kernels"
    sources = [
        *(ROOT / "cpp/src/kernels").glob("*.cpp"),
        *(ROOT / "cpp/tests/kernels").glob("*.cpp"),
        ROOT / "cpp/src/base/log.cpp",
        ROOT / "cpp/src/tensor/dtype.cpp",
        googletest / "src/gtest-all.cc",
        googletest / "src/gtest_main.cc",
    ]
    folders = ("cpp/src", "cpp/tests", str(googletest), str(googletest / "include"))
    includes = [option for folder in folders for option in ("-I", folder)]
    built = run(
        "aarch64-linux-gnu-g++",
        *("-std=c++20", "-O2", "-static", "-w", *includes, *map(str, sources)),
        *("-lpthread", "-o", str(program)),
    )
    assert built.returncode == 0, built.stderr
    baseline = {"scalar", "neon"}
    newer = {*baseline, "neon_dotprod", "neon_i8mm"}
    for processor, tables in {
        "cortex-a53": baseline,
        "cortex-a76": {*baseline, "neon_dotprod"},
        "max,sve=off": newer,
        "max": newer,
    }.items():
        result = run("qemu-aarch64-static", "-cpu", processor, str(program))
        assert result.returncode == 0, f"{processor}\n{result.stdout[-4000:]}"
        assert set(re.findall(r"Tables/Blocks\.\w+/(\w+)", result.stdout)) == tables, processor
