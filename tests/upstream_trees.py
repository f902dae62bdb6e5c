"""A made-up tree that looks like whisper.cpp to `wsp sync`, small enough to compile in a second,
and the archives that packages carry it in. It must not know what is done with it.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping

#: Files of a tree, by path. What they define is called by names of every kind that upstream has.
FILES: Mapping[str, bytes] = {
    "CMakeLists.txt": b'project("whisper.cpp" C CXX)\nproject("whisper.cpp" VERSION 9.8.7)\n',
    "LICENSE": b"A made-up licence.\n",
    "README.md": b"# Made up\n",
    "include/whisper.h": b"#pragma once\n"
    b'#ifdef __cplusplus\nextern "C" {\n#endif\n'
    b"const char * whisper_version(void);\n"
    b"#ifdef __cplusplus\n}\n#endif\n",
    "src/whisper.cpp": b'#include "whisper.h"\n#include "ggml.h"\n'
    b"const char * whisper_version(void) {\n"
    b"  return ggml_length() > 0 ? WHISPER_VERSION : GGML_VERSION;\n}\n",
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
