"""The plugin that counts instructions, on a program whose instructions are known. Needs a compiler
for aarch64 and the dynamic build of QEMU's user emulation, as `wsp bench arm` does.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from wspkit.bench import arm, builds
from wspkit.process import Command, SubprocessRunner

ROUNDS = 100_000
#: Marks as bench_subject makes them, around a loop of three instructions in assembler.
PROGRAM = f"""
#include <unistd.h>
static void mark(int number) {{ if (write(-1, "", (size_t)number) == 0) _exit(1); }}
int main(void) {{
  mark(1);
  long left = {ROUNDS};
  __asm__ volatile("1: nop\\n subs %0, %0, #1\\n b.ne 1b" : "+r"(left) : : "cc");
  mark(2);
  mark(3);
  mark(4);
  return 0;
}}
"""


@pytest.mark.long("kernels")
@pytest.mark.parametrize("processor", arm.PROCESSORS)
def test_the_instructions_between_two_marks_are_counted(processor: str, tmp_path: Path) -> None:
    runner = SubprocessRunner()
    source, program = tmp_path / "program.c", tmp_path / "program"
    plugin, counts = tmp_path / "count.so", tmp_path / "counts"
    source.write_text(PROGRAM, encoding="ascii")
    runner.run(Command.of("aarch64-linux-gnu-gcc", "-O2", "-static", source, "-o", program))
    version = runner.run(Command.of(arm.QEMU, "--version")).stdout
    runner.run(arm.plugin_command(builds.repository_root(), plugin, version))

    unused = tmp_path
    runner.run(
        arm.count_command(
            program, unused, unused, processor=processor, plugin=plugin, counts=counts
        )
    )

    counted = arm.spans(counts.read_text(encoding="ascii"))
    # A mark itself is some tens of instructions of the C library.
    assert 0 < counted["decoder step"] < 100
    assert counted["encoder"] - 3 * ROUNDS == pytest.approx(counted["decoder step"], abs=10)
