"""What stands between the text of Metal kernels and this machine's compiler: wrong attributes,
templates without instances and mixed address spaces are refused.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIND = ROOT / "cpp" / "tests" / "metal" / "shim" / "bind.py"
KERNEL = """
#include <metal_stdlib>
using namespace metal;
using namespace speech;

template <typename T>
kernel void twice(device const T* in [[buffer(0)]], device T* out [[buffer(1)]],
                  constant AddParams& params [[buffer(2)]],
                  threadgroup float* memory [[threadgroup(0)]],
                  uint index [[thread_position_in_grid]]) {
  threadgroup float* own = memory + index;
  own[0] = float(in[index]) * 2.0f;
  out[index < params.count ? index : 0] = T(own[0]);
}
typedef decltype(twice<float>) Twice;
template [[host_name("twice_f32_metal")]] kernel Twice twice<float>;
"""


def bound(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """bind.py on one file; what it makes is bound.cpp."""
    (folder / "twice.metal").write_text(text)
    command = (sys.executable, str(BIND), "bound.cpp", "twice.metal")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def compiled(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """clang, holding address spaces apart, on what bind.py makes of a file."""
    assert bound(folder, text).returncode == 0
    folders = (f"-I{ROOT / 'cpp' / 'src'}", f"-I{ROOT / 'cpp' / 'tests'}")
    flags = ("-std=c++20", "-Wall", "-Wextra", "-Werror", "-DSPEECH_ADDRESS_SPACES")
    command = ("clang++-19", *flags, *folders, "-fsyntax-only", "bound.cpp")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "thread_position_in_grid",
            "thread_place_in_grid",
            "[[thread_place_in_grid]] does not fit uint",
        ),
        ("uint index [[", "uint4 index [[", "[[thread_position_in_grid]] does not fit uint4"),
        ("constant AddParams& params", "constant AddParams* params", "[[buffer]] does not fit"),
        ("device T* out [[buffer(1)]]", "device T* out", "no argument with one attribute"),
        ("threadgroup float* memory", "device float* memory", "[[threadgroup]] does not fit"),
        ("kernel Twice twice<float>", "kernel Twice thrice<float>", "but instances of {'thrice'}"),
        ('template [[host_name("twice_f32_metal")]]', "template", "but instances of set()"),
        (
            "kernel Twice twice<float>",
            "Twice twice<float>",
            "a host_name stands where none is read",
        ),
    ],
)
def test_attributes_and_instances_are_read_strictly(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert bound(tmp_path, KERNEL).returncode == 0
    assert old in KERNEL
    result = bound(tmp_path, KERNEL.replace(old, new))
    assert result.returncode != 0
    assert message in result.stderr


def test_address_spaces_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    result = compiled(tmp_path, KERNEL)
    assert result.returncode == 0, result.stderr
    for wrong in ("float* own", "device float* own", "device const float* own"):
        result = compiled(tmp_path, KERNEL.replace("threadgroup float* own", wrong))
        assert "cannot initialize a variable of type" in result.stderr
