"""Our own core under `strict`: no name escapes, and two copies of it live in one program."""

from __future__ import annotations

import os
import re
import subprocess
import wave
from pathlib import Path

import numpy as np
import pytest

from wspkit.prefix.profile import load_profile
from wspkit.prefix.tree import PrefixedTree, prefix_tree

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
STANDARD = re.compile(
    r"decltype \(|(?:[\w:<>*& ]+ )?(?:std|__gnu_cxx|__gthread\w*)\b|operator |DW\.|\w+ for std::"
)
TEXT = ROOT / "tests" / "sample" / "sample.txt"


def core(folder: Path, prefix: str) -> PrefixedTree:
    return prefix_tree(ROOT / "cpp", folder, prefix=prefix, profile=load_profile("strict"))


def symbols(*files: Path) -> list[str]:
    said = subprocess.run(
        ["nm", "-g", "--defined-only", "--demangle", *map(str, files)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [line.split(maxsplit=2)[2] for line in said.splitlines() if len(line.split()) > 2]


def test_nothing_of_the_core_keeps_its_name(tmp_path: Path) -> None:
    tree = core(tmp_path / "out", "wsp_")
    assert tree.names["speech"] == "wsp_speech"
    assert tree.names["whisper_full"] == "wsp_whisper_full"
    assert tree.names["SPEECH_TEST_BACKENDS"] == "WSP_SPEECH_TEST_BACKENDS"
    assert set(tree.paths) == {
        f"include/{path.name}" for path in (ROOT / "cpp" / "include").glob("*.h")
    }
    assert not [path for path, data in tree.files.items() if b"wsp_wsp_" in data.lower()]


def test_objects_of_a_prefixed_layer_define_prefixed_names_only(tmp_path: Path) -> None:
    core(tmp_path / "out", "wsp_")
    sources = sorted((tmp_path / "out" / "src" / "base").glob("*.cpp"))
    header = tmp_path / "whole.c"
    header.write_text('#include "wsp_whisper.h"\n#include "wsp_whisper_ext.h"\nint use(void) {\n')
    with header.open("a") as file:
        file.write("return wsp_whisper_lang_max_id() + WSP_WHISPER_SAMPLE_RATE; }\n")
    include = [f"-I{tmp_path / 'out' / folder}" for folder in ("include", "src")]
    subprocess.run(["gcc", "-std=c11", "-fsyntax-only", *include, str(header)], check=True)
    subprocess.run(
        ["g++", "-std=c++20", "-O0", "-c", *include, *map(str, sources)], cwd=tmp_path, check=True
    )
    # The standard library's own names belong to no copy.
    found = [name for name in symbols(*sorted(tmp_path.glob("*.o"))) if not STANDARD.match(name)]
    assert len(found) > 20
    assert [name for name in found if "wsp_" not in name] == []
    assert [name for name in found if re.search(r"\b(?:speech|whisper_|ggml_)", name)] == []


PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include "one_whisper.h"
#include "two_whisper.h"

#define HEAR(P)                                                                     \
  do {                                                                              \
    struct P##whisper_context_params how = P##whisper_context_default_params();     \
    struct P##whisper_full_params asked =                                           \
        P##whisper_full_default_params(P##_GREEDY);                                 \
    asked.print_progress = asked.print_realtime = asked.print_timestamps = false;   \
    asked.n_threads = 2;                                                            \
    if (P##whisper_full(P##context, asked, samples, count) != 0) return 3;          \
    for (int i = 0; i < P##whisper_full_n_segments(P##context); ++i)                \
      fputs(P##whisper_full_get_segment_text(P##context, i), stdout);               \
    (void)how;                                                                      \
    puts("");                                                                       \
  } while (0)

#define one__GREEDY ONE_WHISPER_SAMPLING_GREEDY
#define two__GREEDY TWO_WHISPER_SAMPLING_GREEDY

int main(int argc, char** argv) {
  static float samples[16000 * 60];
  FILE* file = fopen(argv[2], "rb");
  if (argc != 3 || file == NULL) return 1;
  const int count = (int)fread(samples, sizeof(float), 16000 * 60, file);
  fclose(file);
  /* Both are loaded before the first is used. */
  struct one_whisper_context* one_context =
      one_whisper_init_from_file_with_params(argv[1], one_whisper_context_default_params());
  struct two_whisper_context* two_context =
      two_whisper_init_from_file_with_params(argv[1], two_whisper_context_default_params());
  if (one_context == NULL || two_context == NULL) return 2;
  HEAR(one_);
  HEAR(two_);
  one_whisper_free(one_context);
  two_whisper_free(two_context);
  return 0;
}
"""


@pytest.mark.long("prefix")
def test_two_copies_of_the_core_in_one_program_hear_the_same(
    tmp_path: Path, tiny_en_f16: Path
) -> None:
    samples = tmp_path / "samples.f32"
    with wave.open(str(SAMPLE)) as recording:
        assert recording.getparams()[:3] == (1, 2, 16000)
        pcm = np.frombuffer(recording.readframes(recording.getnframes()), "<i2")
    samples.write_bytes((pcm / 32768).astype(np.float32).tobytes())
    include, libraries = [], []
    for prefix in ("one_", "two_"):
        tree, build = tmp_path / prefix, tmp_path / f"build_{prefix}"
        core(tree, prefix)
        # As users build it: warnings are errors.
        configure = ["cmake", "-S", str(tree), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release"]
        subprocess.run(configure, check=True, capture_output=True)
        make = ["cmake", "--build", str(build), "-j", str(os.cpu_count())]
        done = subprocess.run(make, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:]
        include.append(f"-I{tree / 'include'}")
        libraries.append(str(build / "libspeech.a"))
    (tmp_path / "both.c").write_text(PROGRAM)
    objects = str(tmp_path / "both.o")
    subprocess.run(["gcc", "-c", str(tmp_path / "both.c"), *include, "-o", objects], check=True)
    program = str(tmp_path / "both")
    # Whole archives: every object of both copies meets every object of the other.
    whole = ["-Wl,--whole-archive", *libraries, "-Wl,--no-whole-archive"]
    subprocess.run(["g++", objects, *whole, "-lpthread", "-o", program], check=True)
    said = subprocess.run(
        [program, str(tiny_en_f16), str(samples)], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    one, two = (" ".join(line.split()) for line in said)
    assert one == two
    assert one == " ".join(TEXT.read_text().split())
    shared = set(symbols(Path(libraries[0]))) & set(symbols(Path(libraries[1])))
    assert [name for name in shared if not STANDARD.match(name)] == []
