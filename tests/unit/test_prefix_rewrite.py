"""What becomes of pasted names, strings, Metal, CMake and headers; symbols of what was renamed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.unit.prefixed_text import after, prefixed

from wspkit.errors import BadFormatError

# ---- names that ## builds ----


def test_a_name_that_pasting_builds_gets_the_prefix_by_its_first_piece() -> None:
    text = (
        "#define DEF(name) int my_##name(int a) { return a; }\n"
        "DEF(one)\nDEF(two)\nint three() { return my_one(1) + my_two(2); }\n"
    )
    tree = prefixed(text)
    assert tree.names["my_one"] == "wsp_my_one"
    assert "int wsp_my_##name(int a)" in tree.files["a.cpp"].decode()
    assert "wsp_my_one(1) + wsp_my_two(2)" in tree.files["a.cpp"].decode()


def test_a_pasted_name_whose_first_piece_is_the_use_s_needs_a_rule() -> None:
    text = "#define DEF(name) int name##_init(int a) { return a; }\nDEF(one)\n"
    with pytest.raises(BadFormatError, match=r"a\.cpp:2: ## builds one_init"):
        prefixed(text)
    ok = "#define DEF(name) int name##_init(int a) { return a; }\nDEF(ggml_one)\n"
    assert "DEF(wsp_ggml_one)" in after(ok)


def test_pasted_pieces_that_build_no_global_name_stay() -> None:
    text = "#define LOCAL(p) const int p##0 = 0;\nstatic int f() { LOCAL(ne) return ne0; }\n"
    assert after(text) == text


# ---- strings that are names ----


def test_symbols_that_are_looked_up_change_on_both_sides() -> None:
    files = {
        "reg.cpp": "static void * cpu_get_proc_address(void * r, const char * name) {\n"
        '  if (strcmp(name, "ggml_backend_set_n_threads") == 0) { return 0; }\n'
        "  return 0;\n}\n",
        "use.cpp": "static void f(void * reg) {\n"
        '  ggml_backend_reg_get_proc_address(reg, "ggml_backend_set_n_threads");\n'
        '  dl_get_sym(reg, "ggml_backend_init"); getenv("GGML_BACKEND_PATH");\n'
        '  const char * table[] = {"ggml_backend_init"};\n'
        '  puts("ggml_backend_text"); dlsym(reg, "cudaMalloc");\n}\n',
    }
    tree = prefixed(files)
    assert dict(tree.strings) == {
        '"ggml_backend_init"': '"wsp_ggml_backend_init"',
        '"ggml_backend_set_n_threads"': '"wsp_ggml_backend_set_n_threads"',
    }
    use = tree.files["use.cpp"].decode()
    assert use.count('"wsp_ggml_backend_init"') == 2
    for kept in ('"GGML_BACKEND_PATH"', '"ggml_backend_text"', '"cudaMalloc"'):
        assert kept in use


def test_kernels_of_metal_keep_their_names_and_shared_structures_change() -> None:
    files = {
        "impl.h": "#define N_SG 4\ntypedef struct { int n; } ggml_metal_kargs_add;\n",
        "k.metal": '#include "impl.h"\n#if defined(GGML_METAL_HAS_BF16)\n#endif\n'
        "kernel void kernel_add(constant ggml_metal_kargs_add & args) {}\n"
        'template [[host_name("kernel_mul")]] kernel t kernel_mul<float>;\n',
        "host.m": "static void f(id prep, id lib) {\n"
        '  get(lib, @"kernel_add"); snprintf(b, 9, "kernel_%s", "mul");\n'
        '  [prep setObject:@"1" forKey:@"GGML_METAL_HAS_BF16"];\n'
        '  [env objectForKey:@"GGML_METAL_PATH_RESOURCES"];\n}\n',
    }
    tree = prefixed(files)
    metal, host = tree.files["k.metal"].decode(), tree.files["host.m"].decode()
    assert "kernel void kernel_add(constant wsp_ggml_metal_kargs_add & args)" in metal
    assert 'host_name("kernel_mul")' in metal
    assert "defined(WSP_GGML_METAL_HAS_BF16)" in metal
    assert '@"kernel_add"' in host
    assert 'forKey:@"WSP_GGML_METAL_HAS_BF16"' in host
    assert '@"GGML_METAL_PATH_RESOURCES"' in host


def test_placeholders_of_embedded_headers_stay() -> None:
    text = "__embed_ggml-common.h__\nkernel void kernel_x() {}\n"
    assert after({"k.metal": text}, "k.metal") == text


def test_cmake_keeps_its_targets_and_changes_what_code_sees() -> None:
    text = (
        'add_library(ggml ggml.c)\nadd_subdirectory(ggml)\noption(GGML_METAL "GGML_METAL on" ON)\n'
        "target_compile_definitions(ggml PRIVATE GGML_USE_CPU -DGGML_X=${GGML_Y})\n"
        'set(WHISPER_X 1)\necho(".globl _ggml_metallib_start")\n'
    )
    files = {"CMakeLists.txt": text, "a.c": "extern const char ggml_metallib_start[];\n"}
    assert after(files, "CMakeLists.txt") == (
        "add_library(ggml ggml.c)\nadd_subdirectory(ggml)\n"
        'option(WSP_GGML_METAL "WSP_GGML_METAL on" ON)\n'
        "target_compile_definitions(ggml PRIVATE WSP_GGML_USE_CPU -DWSP_GGML_X=${WSP_GGML_Y})\n"
        'set(WHISPER_X 1)\necho(".globl _wsp_ggml_metallib_start")\n'
    )


# ---- strict ----


def test_strict_renames_public_headers_and_everything_in_them() -> None:
    files = {
        "include/whisper.h": "#ifndef WHISPER_H\n#define WHISPER_H\n#define WHISPER_RATE 16000\n"
        "enum whisper_kind { WHISPER_GREEDY };\nint whisper_full(void);\n#endif\n",
        "src/full.cpp": '#include "whisper.h"\n#include <whisper.h>\n#include "full.h"\n'
        "namespace speech {}\nint whisper_full(void) { return WHISPER_GREEDY; }\n"
        'static const char * path = getenv("WSPKIT_KERNELS");\n',
        "src/full.h": "#define SPEECH_X 1\n",
        "CMakeLists.txt": "install(FILES include/whisper.h)\noption(SPEECH_TESTS)\n",
    }
    tree = prefixed(files, profile="strict")
    assert dict(tree.paths) == {"include/whisper.h": "include/wsp_whisper.h"}
    source = tree.files["src/full.cpp"].decode()
    assert source.startswith(
        '#include "wsp_whisper.h"\n#include <wsp_whisper.h>\n#include "full.h"\n'
    )
    assert "int wsp_whisper_full(void) { return WSP_WHISPER_GREEDY; }" in source
    assert '"WSPKIT_KERNELS"' in source
    assert tree.files["CMakeLists.txt"] == (
        b"install(FILES include/wsp_whisper.h)\noption(WSP_SPEECH_TESTS)\n"
    )
    assert tree.names["WHISPER_H"] == "WSP_WHISPER_H"


def test_a_system_s_names_stay_even_where_a_tree_defines_them() -> None:
    text = "#define _GNU_SOURCE\n#define __restrict\n#define LIMIT 1\n"
    assert set(prefixed({"a.h": text}, profile="strict").names) == {"LIMIT"}


def test_objects_of_a_renamed_file_have_the_prefix(tmp_path: Path) -> None:
    text = (
        "struct Trait { virtual ~Trait(); virtual int go(); };\nTrait::~Trait() {}\n"
        "int Trait::go() { return 1; }\nint total = 1; extern const int bound = 2;\n"
        "namespace part { int f() { return total; } }\n"
        "template <class T> T twice(T a) { return a + a; }\ntemplate int twice<int>(int);\n"
        'extern "C" int plain() { return part::f() + twice(bound); }\n'
    )
    (tmp_path / "a.cpp").write_text(after(text))
    subprocess.run(["g++", "-c", "a.cpp", "-o", "a.o"], cwd=tmp_path, check=True)
    said = subprocess.run(
        ["nm", "-g", "--defined-only", "a.o"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = [line.split()[-1] for line in said.splitlines()]
    assert len(names) > 8
    assert [name for name in names if "wsp_" not in name and "WSPTrait" not in name] == []
