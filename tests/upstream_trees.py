"""A made-up tree that looks like whisper.cpp to `wsp sync`, small enough to compile in a second,
and the archives that packages carry it in. It must not know what is done with it.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping

# As much of the interface as a program needs that transcribes; what is heard is the version.
HEADER = b"""#pragma once
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif
struct whisper_context;
struct whisper_context_params { bool use_gpu; };
struct whisper_full_params { int n_threads; bool print_progress; bool print_timestamps; };
enum whisper_sampling_strategy { WHISPER_SAMPLING_GREEDY };
const char * whisper_version(void);
struct whisper_context_params whisper_context_default_params(void);
struct whisper_context * whisper_init_from_file_with_params(
    const char * path, struct whisper_context_params params);
struct whisper_full_params whisper_full_default_params(enum whisper_sampling_strategy strategy);
int whisper_full(
    struct whisper_context * ctx, struct whisper_full_params params, const float * s, int n);
int whisper_full_n_segments(struct whisper_context * ctx);
const char * whisper_full_get_segment_text(struct whisper_context * ctx, int i);
void whisper_free(struct whisper_context * ctx);
#ifdef __cplusplus
}
#endif
"""
SOURCE = b"""#include "whisper.h"
#include "ggml.h"
struct whisper_context { int n_samples; };
const char * whisper_version(void) { return ggml_length() > 0 ? WHISPER_VERSION : GGML_VERSION; }
whisper_context_params whisper_context_default_params(void) { return {}; }
whisper_context * whisper_init_from_file_with_params(const char *, whisper_context_params) {
  return new whisper_context{0};
}
whisper_full_params whisper_full_default_params(whisper_sampling_strategy) { return {}; }
int whisper_full(whisper_context * ctx, whisper_full_params, const float *, int n) {
  ctx->n_samples = n;
  return 0;
}
int whisper_full_n_segments(whisper_context * ctx) { return ctx->n_samples > 0 ? 1 : 0; }
const char * whisper_full_get_segment_text(whisper_context *, int) { return whisper_version(); }
void whisper_free(whisper_context * ctx) { delete ctx; }
"""

#: Files of a tree, by path. What they define is called by names of every kind that upstream has.
FILES: Mapping[str, bytes] = {
    "CMakeLists.txt": b'project("whisper.cpp" C CXX)\nproject("whisper.cpp" VERSION 9.8.7)\n',
    "LICENSE": b"A made-up licence.\n",
    "README.md": b"# Made up\n",
    "include/whisper.h": HEADER,
    "src/whisper.cpp": SOURCE,
    "ggml/CMakeLists.txt": b"set(GGML_VERSION_MAJOR 3)\n"
    b"set(GGML_VERSION_MINOR 2)\nset(GGML_VERSION_PATCH 1)\n",
    "ggml/include/ggml.h": b'#pragma once\n#ifdef __cplusplus\nextern "C" {\n#endif\n'
    b"struct ggml_tensor { int n; };\nint ggml_length(void);\n"
    b"#ifdef __cplusplus\n}\n#endif\n",
    "ggml/src/ggml.c": b'#include "ggml.h"\nint ggml_length(void) { return 1; }\n',
    "ggml/src/ggml-metal/ggml-metal.metal": b'#include "ggml-metal-impl.h"\n'
    b"#include <metal_stdlib>\nkernel void kernel_add(constant ggml_metal_kargs & args) {}\n",
    "ggml/src/ggml-metal/ggml-metal-impl.h": b"#pragma once\nstruct ggml_metal_kargs { int n; };\n",
    "ggml/src/ggml-cuda/add.cu": b"// CUDA\n",
    "examples/main.cpp": b"int main() { return 0; }\n",
}


def tar_gz(files: Mapping[str, bytes], *, folder: str = "") -> bytes:
    """The files as a .tar.gz, below a folder, the same bytes each time."""
    out = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{folder}{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()
