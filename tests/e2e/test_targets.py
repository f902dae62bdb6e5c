"""What `wsp build` makes for other processors and for WebAssembly runs: a program linked with it
transcribes real speech, emulated or in node, with the kernels that the processor has.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests import zig

from wspkit.targets.exports import public_functions

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("transcribe.c")
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
TEXT = SAMPLE.with_suffix(".txt").read_text(encoding="utf-8").strip()
# An emulated processor is some thirty times slower.
TIMEOUT_S = 3600

#: Processors of QEMU, and the kernels that each has.
AARCH64 = {
    "cortex-a53": "neon",
    "cortex-a76": "neon_dotprod",
    "max,sve=off": "neon_i8mm",
    "max": "neon_i8mm",
}


def run(*command: str | Path, environment: dict[str, str] | None = None) -> tuple[str, str]:
    """What a program writes to both streams; it must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


@dataclass(frozen=True)
class Made:
    """A library and the program that is linked with it."""

    library: dict[str, Any]
    """As `wsp build --json` describes it."""
    program: Path


@cache
def made(target: str) -> Made:
    """Builds a target in the place where `wsp build` has it, and the program."""
    folder = ROOT / "build" / "targets" / target
    said, _ = run(
        *(sys.executable, "-m", "wspkit.cli.app", "build", "--target", target, "--json"),
        *("--config", ROOT / "wsp.toml"),
        environment=zig.environment() if target == "wasm" else {},
    )
    (library,) = json.loads(said)["libraries"]
    flags: tuple[str, ...] = ("-static", "-pthread")
    if target == "wasm":
        c, cxx, flags = folder / "bin" / "cc", folder / "bin" / "c++", ("-msimd128",)
    else:
        prefix = {"linux-aarch64": "aarch64-linux-gnu-", "linux-armhf": "arm-linux-gnueabihf-"}
        c, cxx = Path(f"{prefix[target]}gcc"), Path(f"{prefix[target]}g++")
    environment = zig.environment() if target == "wasm" else {}
    compiled, program = folder / "transcribe.o", folder / "transcribe"
    headers = library["headers"]
    run(c, "-O2", "-c", PROGRAM, "-I", headers, "-o", compiled, environment=environment)
    run(cxx, *flags, compiled, library["static"], "-o", program, environment=environment)
    return Made(library, program)


def heard(streams: tuple[str, str]) -> tuple[str, str]:
    """The text, and the kernels that were used."""
    text, info = streams
    kernels = re.search(r"cpu kernels: (\w+)", info)
    assert kernels is not None, info
    return text.strip(), kernels[1]


@pytest.mark.long("arm")
@pytest.mark.parametrize("processor", AARCH64)
def test_64_bit_arm_transcribes_with_the_kernels_of_each_processor(
    processor: str, tiny_en_f16: Path
) -> None:
    program = made("linux-aarch64").program
    streams = run("qemu-aarch64", "-cpu", processor, program, tiny_en_f16, SAMPLE)
    assert heard(streams) == (TEXT, AARCH64[processor])


@pytest.mark.long("arm")
def test_32_bit_arm_transcribes(tiny_en_f16: Path) -> None:
    program = made("linux-armhf").program
    streams = run("qemu-arm", "-cpu", "max", program, tiny_en_f16, SAMPLE)
    assert heard(streams) == (TEXT, "neon")


@pytest.mark.long("arm")
@pytest.mark.parametrize("target", ["linux-aarch64", "linux-armhf"])
def test_a_shared_library_shows_the_public_names_alone(target: str) -> None:
    listing, _ = run("nm", "-D", "--defined-only", made(target).library["shared"])
    assert {line.split()[-1] for line in listing.splitlines()} == set(
        public_functions(ROOT / "cpp")
    )


@pytest.mark.long("wasm")
def test_webassembly_transcribes_in_node(tiny_en_f16: Path, tmp_path: Path) -> None:
    program = made("wasm").program
    for file in (tiny_en_f16, SAMPLE):
        shutil.copy(file, tmp_path)
    streams = run(
        # Node 20's short way into its WASI damages its own memory once a program's has grown.
        *("node", "--no-turbo-fast-api-calls", "--no-warnings"),
        *(Path(__file__).with_name("run_wasm.mjs"), tmp_path, program),
        *(f"/{tiny_en_f16.name}", f"/{SAMPLE.name}"),
    )
    assert heard(streams) == (TEXT, "scalar")


@pytest.mark.long("wasm")
def test_webassembly_is_compiled_with_vectors(disassembled: Callable[[Path], str]) -> None:
    # An opcode of the vector extension begins with 0xfd; names of instructions say so plainly.
    assert disassembled(made("wasm").program).count("f32x4.mul") > 100


@pytest.fixture
def disassembled() -> Callable[[Path], str]:
    """Instructions of a program of WebAssembly as text."""
    return lambda path: run("llvm-objdump-19", "-d", "--mattr=+simd128", path)[0]
