"""Which names are found and change, in which files, and which stay."""

from __future__ import annotations

import pytest
from tests.unit.prefixed_text import after, prefixed

from wspkit.errors import BadFormatError

# ---- kinds of names ----

TWO_HEADS = (
    "#if A\nint f1(int x) {\n#else\nint f2(int x) {\n#endif\n return x; }\nint f3() { return 0; }"
)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        # names, enumerators and macros by their beginning
        ("int ggml_init(gguf_type t);", "int wsp_ggml_init(wsp_gguf_type t);"),
        ("x = GGML_TYPE_F32 | GGUF_MAGIC;", "x = WSP_GGML_TYPE_F32 | WSP_GGUF_MAGIC;"),
        ("#define GGML_F16_STEP 32\n", "#define WSP_GGML_F16_STEP 32\n"),
        # macro bodies and operands of #if
        (
            "#define GGML_TENSOR_LOCALS(p) ggml_get(p, GGML_MAX)\n",
            "#define WSP_GGML_TENSOR_LOCALS(p) wsp_ggml_get(p, WSP_GGML_MAX)\n",
        ),
        (
            "#if defined(GGML_USE_OMP) && !GGML_X\n#elif GGML_Y\n#endif\n#ifdef GGML_Z\n#endif\n",
            (
                "#if defined(WSP_GGML_USE_OMP) && !WSP_GGML_X\n#elif WSP_GGML_Y\n#endif\n"
                "#ifdef WSP_GGML_Z\n#endif\n"
            ),
        ),
        # includes: no file is renamed
        ('#include "ggml-impl.h"\n#include <ggml.h>\n',) * 2,
        # a name in the middle of another one
        ("int whisper_bench_ggml_mul_mat(int n);",) * 2,
        ("static int UseGgmlGemm1, MTLGPUFamilyMetal3_GGML;",) * 2,
        # overlapping rules hit once
        (
            "void dequantize_row_q4_0(int); void ggml_quantize_chunk(int);",
            "void wsp_dequantize_row_q4_0(int); void wsp_ggml_quantize_chunk(int);",
        ),
        (
            "void iq2xs_init_impl(int); void iq3xs_free_impl(int);",
            "void wsp_iq2xs_init_impl(int); void wsp_iq3xs_free_impl(int);",
        ),
        # both sides of a fallback
        (
            "#define quantize_row_q8_0_generic quantize_row_q8_0\n",
            "#define wsp_quantize_row_q8_0_generic wsp_quantize_row_q8_0\n",
        ),
        # comments; addresses stay
        ("// ggml_init, see GGML_MAX\n", "// wsp_ggml_init, see WSP_GGML_MAX\n"),
        ("// https://github.com/ggml-org/ggml_x/GGML_Y\n",) * 2,
        # text: assertions, logs, environment variables, magic
        ('puts("forgot to call ggml_quantize_init()?"), getenv("GGML_SCHED_DEBUG");',) * 2,
        ('#define GGUF_MAGIC "GGUF"\n', '#define WSP_GGUF_MAGIC "GGUF"\n'),
        # the public interface
        ("int whisper_full(whisper_context * c) { return WHISPER_SAMPLE_RATE; }",) * 2,
        # line splices inside a name
        ("int gg\\\nml_init(int);", "int wsp_gg\\\nml_init(int);"),
        # enumerators as template arguments
        ("gemm<block, 8, GGML_TYPE_Q8_0>(x);", "gemm<block, 8, WSP_GGML_TYPE_Q8_0>(x);"),
    ],
)
def test_names_of_ggml_change_as_whole_identifiers(before: str, expected: str) -> None:
    assert after(before) == expected


@pytest.mark.parametrize(
    ("text", "name", "new"),
    [
        ("bool dl_load_library(int p) { return p; }", "dl_load_library", "wsp_dl_load_library"),
        ("namespace ggml::cpu { class traits {}; }", "ggml", "wsp_ggml"),
        ("struct cpuid_x86 { int f; };", "cpuid_x86", "wsp_cpuid_x86"),
        ("struct dl_handle_deleter { int a; };", "dl_handle_deleter", "wsp_dl_handle_deleter"),
        ("struct cmp_top_k { const float * d; };", "cmp_top_k", "wsp_cmp_top_k"),
        ("int replace_all(int a) { return a; }", "replace_all", "wsp_replace_all"),
        ("int counter; struct S { int x; } shared;", "shared", "wsp_shared"),
        ("enum class Color { red };", "Color", "WSPColor"),
        ("template <typename T> T twice(T a) { return a + a; }", "twice", "wsp_twice"),
        ("typedef struct { int q; } block_q4_0;", "block_q4_0", "wsp_block_q4_0"),
        ('extern "C" { int plain(void) { return 1; } }', "plain", "wsp_plain"),
        ('namespace a { extern "C" int bare(void) { return 1; } }', "bare", "wsp_bare"),
        ("int (*callback)(int) = 0;", "callback", "wsp_callback"),
        ("int (*choose(int a))(int) { return 0; }", "choose", "wsp_choose"),
        ("const char * names[] = {0};", "names", "wsp_names"),
        ("A::A() : x{1}, y(2) {} int next;", "next", "wsp_next"),
        ("class alignas(64) big final : public Base<int, 3> { int a; };", "big", "wsp_big"),
        ("std::map<int, std::vector<int>> deep;", "deep", "wsp_deep"),
        ("auto trail() -> int { return 1; }", "trail", "wsp_trail"),
        ("int f() try { return 1; } catch (...) { return 2; } int next;", "next", "wsp_next"),
        ("bool a = b < c; int next;", "next", "wsp_next"),
        (TWO_HEADS, "f1", "wsp_f1"),
        (TWO_HEADS, "f2", "wsp_f2"),
        (TWO_HEADS, "f3", "wsp_f3"),
        ("ATTRIBUTE(1, 2) static_t *make(int n) { return 0; }", "make", "wsp_make"),
    ],
)
def test_a_global_name_of_any_spelling_is_found_by_its_definition(
    text: str, name: str, new: str
) -> None:
    tree = prefixed(text)
    assert tree.names[name] == new
    assert new in tree.files["a.cpp"].decode()


@pytest.mark.parametrize(
    "text",
    [
        "static int helper(int a) { return a; }",
        "namespace { int helper(int a) { return a; } struct T { int b; }; }",
        "static int table[2] = {1, 2};",
        "const int limit = 3; constexpr double pi = 3.14;",
        "int main(int argc, char ** argv) { int local = argc; return local; }",
        "namespace { template <class T> struct hash { int operator()(int) const; }; }",
        "struct S; enum E : int;",
        "TEST(Suite, Name) { int a = 0; }",
        "template class std::vector<int>;",
        "#include <vector>\nusing namespace std; using std::vector;",
        'extern "C" void * dlopen(const char * name, int flags);',
    ],
)
def test_what_no_other_file_can_meet_keeps_its_name(text: str) -> None:
    tree = prefixed(text)
    own = {name for name in tree.names if name not in {"S", "E"}}
    assert own == set()
    assert tree.files["a.cpp"].decode() == text


def test_a_mark_in_front_of_a_file_hides_nothing() -> None:
    text = "\ufeff#ifdef X\n#define LIMIT 1\n#endif\r\nint node(void) { return LIMIT; }\r\n"
    tree = prefixed({"a.h": text}, profile="strict")
    assert set(tree.names) == {"LIMIT", "node"}
    assert tree.files["a.h"].decode().startswith("\ufeff#ifdef X\n#define WSP_LIMIT 1\n")


def test_c_of_before_1989_defines_functions_too() -> None:
    assert "old" in prefixed({"a.c": "int old(a, b) int a; char * b; { return a; }\n"}).names


def test_names_inside_a_namespace_are_told_apart_by_it() -> None:
    text = "namespace speech { int size(); struct Audio {}; int size() { return 1; } }\n"
    tree = prefixed(text, profile="strict")
    assert dict(tree.names) == {"speech": "wsp_speech"}
    assert tree.files["a.cpp"].decode() == text.replace("speech", "wsp_speech")


def test_a_file_that_is_included_inside_a_namespace_belongs_to_it() -> None:
    files = {
        "a.cpp": 'namespace speech { namespace {\n#include "rows.h"\n} }\n',
        "rows.h": "inline int add(int a) { return a; }\n",
    }
    assert set(prefixed(files, profile="strict").names) == {"speech"}


def test_objective_c_classes_and_protocols_change_and_others_do_not() -> None:
    text = (
        "@class NSData;\n@protocol NSCopying;\n"
        "@protocol Listener <NSObject>\n- (void)hear;\n@end\n"
        "@interface GGMLMetalClass : NSObject <Listener> { int a; }\n- (void)run:(int)n;\n@end\n"
        "@implementation GGMLMetalClass\n- (void)run:(int)n { [self run:n]; }\n@end\n"
        "@interface NSString (Extra)\n@end\n"
        "void after_class(void) { }\n"
    )
    tree = prefixed({"a.m": text})
    assert dict(tree.names) == {
        "GGMLMetalClass": "WSPGGMLMetalClass",
        "Listener": "WSPListener",
        "after_class": "wsp_after_class",
    }


def test_private_names_change_in_their_file_and_leave_members_of_others_alone() -> None:
    files = {
        "a.cpp": "#include <mutex>\nint lock;\nstd::mutex m;\nvoid f() { m.lock(); lock = 1; }\n",
        "b.cpp": "#include <mutex>\nstatic std::mutex n;\nvoid g() { n.lock(); int lock = 2; }\n",
    }
    tree = prefixed(files)
    assert "m.lock(); wsp_lock = 1;" in tree.files["a.cpp"].decode().replace("wsp_m", "m")
    assert "n.lock(); int lock = 2;" in tree.files["b.cpp"].decode()


def test_members_that_share_a_name_with_a_global_stay_consistent() -> None:
    files = {
        "a.h": "struct Box { int reg; };\nint reg(void);\n",
        "a.cpp": '#include "a.h"\nint reg(void) { Box b; b.reg = 1; return b.reg; }\n',
    }
    text = after(files)
    assert "b.wsp_reg = 1; return b.wsp_reg;" in text.replace("WSPBox", "Box")


def test_the_standard_library_keeps_its_names() -> None:
    files = {
        "a.h": "int replace(int a);\n",
        "a.cpp": '#include "a.h"\nint replace(int a) { std::string s; s.replace(0, 1, ""); '
        "std::replace(s.begin(), s.end(), 'a', 'b'); return a; }\n",
    }
    text = after(files)
    assert "wsp_replace(int a)" in text
    assert "s.replace(0" in text
    assert "std::replace(" in text


def test_plain_words_in_comments_are_prose_unless_they_are_called() -> None:
    text = (
        "// replace it; see replace() and ggml::cpu, not ggml\nint replace(int a) { return a; }\n"
    )
    assert after(text).startswith("// replace it; see wsp_replace() and ")


def test_a_type_behind_an_arrow_is_what_a_function_returns() -> None:
    text = "namespace speech { struct R {}; }\nauto f() -> speech::R { return {}; }\n"
    assert "auto wsp_f() -> wsp_speech::R" in after(text, profile="strict")


# ---- names that several files share ----


@pytest.mark.parametrize(
    "files",
    [
        # a type that a header only mentions
        {"a.h": "int use(struct node * n);\n", "a.cpp": "struct node { int a; };\n"},
        {"a.h": "struct node;\n", "a.cpp": "struct node { int a; };\n"},
        # a function that only a macro of a header calls
        {"a.h": "#define CALL node()\n", "a.cpp": "int node() { return 1; }\n"},
        # another source that declares it, also inside a function
        {"a.c": "int node(void) { return 1; }\n", "b.c": "int node(void);\n"},
        {"a.c": "int node = 1;\n", "b.c": "static int f(void) { extern int node; return node; }\n"},
        # a source that is put together from several
        {"a.c": '#include "b.c"\nstatic int f(void) { return node; }\n', "b.c": "int node = 1;\n"},
        {"a.c": 'int node = 1;\n#include "b.inc"\n', "b.inc": "static int f() { return node; }\n"},
    ],
)
def test_every_file_that_means_a_name_changes_it(files: dict[str, str]) -> None:
    tree = prefixed(files)
    assert tree.names["node"] == "wsp_node"
    for path, text in files.items():
        assert tree.files[path].decode().count("wsp_node") == text.count("node")


def test_a_name_of_another_file_is_another_name() -> None:
    files = {"a.cpp": "int node = 1;\n", "b.cpp": "static int f() { int node = 2; return node; }\n"}
    tree = prefixed(files)
    assert tree.files["b.cpp"].decode() == files["b.cpp"]


# ---- what has no name of its own ----


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("\nbool operator==(std::string a, int b) { return a.size() == b; }\n", 2),
        ("namespace std {\ntemplate <> struct hash<int> { int a; };\n}\n", 2),
        ("template <> struct std::hash<std::vector<int>> { int a; };\n", 1),
    ],
)
def test_operators_and_specialisations_of_foreign_types_are_errors(text: str, line: int) -> None:
    with pytest.raises(BadFormatError, match=rf"^a\.cpp:{line}: this \w+ has none of the tree's"):
        prefixed(text)


@pytest.mark.parametrize(
    "text",
    [
        "struct Own { int a; };\nbool operator==(Own a, Own b) { return a.a == b.a; }\n",
        "struct Own { int a; };\nnamespace std { template <> struct hash<Own> { int a; }; }\n",
        "struct Own { int a; };\ntemplate <> struct std::hash<Own> { int a; };\n",
        "bool operator==(whisper_pair a, whisper_pair b) { return true; }\n",
        "void * operator new(size_t n) { return malloc(n); }\n",
        "static bool operator==(std::string a, int b) { return true; }\n",
        "namespace speech { bool operator==(std::string a, int b) { return true; } }\n",
    ],
)
def test_operators_and_specialisations_of_the_tree_s_types_follow_them(text: str) -> None:
    assert after(text) == text.replace("Own", "WSPOwn").replace("speech", "wsp_speech")
