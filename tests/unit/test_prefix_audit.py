"""The audit finds every name that two copies could share, in real objects of a real compiler."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from wspkit.cli.app import main
from wspkit.errors import BadFormatError
from wspkit.prefix.audit import Audit, against_exports, audit, shared
from wspkit.prefix.profile import Profile, load_profile
from wspkit.prefix.symbols import Symbol, read_symbols
from wspkit.process import SubprocessRunner

Compile = Callable[..., Path]


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles a text of C++, or of C by the file's name, with nothing put into its callers."""

    def run(text: str, name: str = "a.cpp", *options: str) -> Path:
        source = tmp_path / name
        source.write_text(text)
        suffix = ".so" if "-shared" in options else ".o"
        target = source.with_suffix(suffix)
        compiler = "cc" if name.endswith(".c") else "c++"
        words = [*options] if "-shared" in options else ["-c", *options]
        subprocess.run(
            [compiler, "-fPIC", "-O1", "-fno-inline", *words, str(source), "-o", str(target)],
            check=True,
        )
        return target

    return run


def symbols(*objects: Path) -> Sequence[Symbol]:
    return read_symbols(objects, SubprocessRunner())


def looked(*objects: Path, profile: str = "strict") -> Audit:
    return audit(symbols(*objects), "wsp_", load_profile(profile))


def found(result: Audit) -> set[tuple[str, str]]:
    return {(finding.kind, finding.readable) for finding in result.findings}


# Names as g++ and clang++ write them, and who owns each.
@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("ggml_init", "ggml_init"),
        ("_Z8dl_errorv", "dl_error"),
        ("_ZN4ggml3cpu13tensor_traitsD2Ev", "ggml"),
        ("_ZNK4ggml3cpu13tensor_traits9work_sizeEi", "ggml"),
        ("_ZTVN4ggml3cpu13tensor_traitsE", "ggml"),
        ("_ZTI16gguf_writer_base", "gguf_writer_base"),
        ("_ZTS16gguf_writer_base", "gguf_writer_base"),
        ("_ZTIP9cpuid_x86", "cpuid_x86"),
        ("_ZGVZN4ggml3fooEvE1x", "ggml"),
        ("_ZZN4ggml3fooEvE1x", "ggml"),
        ("_ZZ17ggml_backend_initvENKUlvE_clEv", "ggml_backend_init"),
        ("_ZThn16_N3abc3defD0Ev", "abc"),
        ("_ZTv0_n24_N3abc3defD1Ev", "abc"),
        ("_ZTCN3abc3defE0_NS_3ghiE", "abc"),
        ("_ZThn8_N3abc3defD1Ev", "abc"),
        ("_ZTW3abc", "abc"),
        ("DW.ref._ZTI5error", "error"),
        ("_ZL5quiet", "quiet"),
        ("_ZNSt6vectorI11ggml_tensorSaIS0_EE9push_backERKS0_", None),
        ("_ZSt4moveIR11ggml_tensorEONSt16remove_referenceIT_E4typeEOS3_", None),
        ("_ZNSsC1Ev", None),
        ("_ZN9__gnu_cxx13new_allocatorI3abcEC2Ev", None),
        ("_ZTISt9exception", None),
        ("_ZnwmPv", None),
        ("DW.ref.__gxx_personality_v0", None),
        ("__x86.get_pc_thunk.bx", None),
    ],
)
def test_the_owner_is_the_outermost_name(name: str, owner: str | None) -> None:
    assert Symbol(name, name, False, "a.o").owner == owner


def test_a_strong_name_without_the_prefix_is_found_in_c_and_in_cpp(compiled: Compile) -> None:
    result = looked(
        compiled("int wsp_fine(void) { return 1; }\nint quantize_row(void) { return 1; }\n", "a.c"),
        compiled("int dl_error() { return 1; }\nint WSP_TABLE[3];\nint TABLE[3];\n", "b.cpp"),
    )
    assert found(result) == {
        ("strong", "quantize_row"),
        ("strong", "dl_error()"),
        ("strong", "TABLE"),
    }
    assert (result.strong, result.weak) == (5, 0)
    (place,) = next(f for f in result.findings if f.name == "TABLE").places
    assert place.endswith("b.o")


CLASS = """
namespace NAME { struct traits { virtual ~traits(); virtual int size() { return 1; } }; }
struct OTHER { int n; OTHER(int n) : n(n) {} };
inline int doubled(int a) { return 2 * a; }
int wsp_use(NAME::traits * t, int a) { return t->size() + OTHER(a).n + doubled(a); }
NAME::traits * wsp_make() { return new NAME::traits(); }
"""


def test_vague_linkage_without_the_prefix_is_found_with_tables_and_inline_functions(
    compiled: Compile,
) -> None:
    text = CLASS.replace("NAME", "ggml").replace("OTHER", "cpuid_x86")
    names = {name for kind, name in found(looked(compiled(text))) if kind == "weak"}
    assert names == {
        "ggml::traits::traits()",
        "cpuid_x86::cpuid_x86(int)",
        "doubled(int)",
    }
    # Who defines the destructor defines the table of the class, and what is only called through it.
    text = text.replace("virtual ~traits();", "virtual ~traits() {}")
    names = {name for kind, name in found(looked(compiled(text))) if kind == "weak"}
    assert names >= {
        "vtable for ggml::traits",
        "typeinfo for ggml::traits",
        "typeinfo name for ggml::traits",
        "ggml::traits::~traits()",
        "ggml::traits::size()",
    }


def test_the_same_classes_under_the_prefix_are_fine(compiled: Compile) -> None:
    text = CLASS.replace("NAME", "wsp_ggml").replace("OTHER", "wsp_cpuid_x86")
    assert found(looked(compiled(text.replace("doubled", "wsp_doubled")))) == set()


INSTANCE = """
#include <algorithm>
#include <vector>
struct TYPE { float value; };
struct ORDER {
  bool operator()(const TYPE & a, const TYPE & b) const { return a.value < b.value; }
};
void wsp_sort(std::vector<TYPE> & all) {
  all.push_back(TYPE{});
  std::sort(all.begin(), all.end(), ORDER());
}
"""


def test_an_instance_of_a_standard_template_for_an_own_type_is_found(compiled: Compile) -> None:
    bare = looked(compiled(INSTANCE.replace("TYPE", "block").replace("ORDER", "less_block")))
    kinds = {kind for kind, _ in found(bare)}
    assert kinds == {"instance", "weak"}  # weak: less_block::operator()
    assert any("std::vector<block, std::allocator<block> >::push_back" in n for _, n in found(bare))
    text = INSTANCE.replace("TYPE", "wsp_block").replace("ORDER", "wsp_less")
    assert found(looked(compiled(text))) == set()


def test_instances_for_types_of_the_library_alone_are_nobodys(compiled: Compile) -> None:
    text = """
    #include <algorithm>
    #include <cstddef>
    #include <functional>
    #include <iterator>
    #include <map>
    #include <memory>
    #include <regex>
    #include <string>
    #include <vector>
    int wsp_all(std::map<std::string, std::vector<double>> & m, const std::string & s) {
      std::function<int(int)> wsp_f = [](int a) { return a + 1; };
      m[s].push_back(std::regex_search(s, std::regex("a+")) ? 1.0 : 0.0);
      // Shown with {parm#1}.base() in its return type.
      auto wsp_first = std::make_move_iterator(m[s].data());
      std::copy(wsp_first, wsp_first, m[s].begin());
      // Shown with is_convertible<...>::value, without std, in a return type.
      std::unique_ptr<std::byte[]> wsp_bytes(new std::byte[m.size()]);
      return wsp_f(static_cast<int>(m.size())) + *std::make_shared<int>(3);
    }
    """
    result = looked(compiled(text, "a.cpp", "-std=c++17"))
    assert found(result) == set()
    assert result.foreign > 100


def test_a_name_with_the_prefix_twice_is_found(compiled: Compile) -> None:
    text = "namespace wsp_a { int wsp_wsp_b() { return 1; } }\nint WSP_WSP_C;\nint wsp_swsp_d;\n"
    assert found(looked(compiled(text))) == {
        ("doubled", "wsp_a::wsp_wsp_b()"),
        ("doubled", "WSP_WSP_C"),
    }


def test_what_the_profile_keeps_is_counted_and_no_finding(compiled: Compile) -> None:
    text = 'extern "C" int whisper_full() { return 1; }\nint whisper_bench_ggml_mul_mat;\n'
    result = looked(compiled(text), profile="compat")
    assert (found(result), result.kept) == (set(), ("whisper_bench_ggml_mul_mat", "whisper_full"))
    assert {kind for kind, _ in found(looked(compiled(text)))} == {"strong"}


def test_names_that_two_trees_share_are_found_and_the_librarys_are_not(compiled: Compile) -> None:
    one = symbols(compiled(INSTANCE.replace("TYPE", "block").replace("ORDER", "a_less"), "a.cpp"))
    two = symbols(compiled(INSTANCE.replace("TYPE", "block").replace("ORDER", "b_less"), "b.cpp"))
    names = {finding.readable for finding in shared([one, two])}
    assert "wsp_sort(std::vector<block, std::allocator<block> >&)" in names
    assert any(name.startswith("void std::vector<block,") for name in names)
    assert not any("less" in name for name in names)
    other = symbols(compiled("#include <string>\nstd::string x_f() { return {}; }\n", "c.cpp"))
    assert shared([one, other]) == ()


def test_exports_are_held_against_a_list(compiled: Compile) -> None:
    text = """
    extern "C" __attribute__((visibility("default"))) int wsp_a() { return 1; }
    extern "C" __attribute__((visibility("default"))) int wsp_b() { return 1; }
    extern "C" int wsp_hidden() { return 1; }
    """
    library = compiled(text, "a.cpp", "-shared", "-fvisibility=hidden")
    differences = against_exports(symbols(library), ["wsp_a", "wsp_c"])
    assert {(one.kind, one.name) for one in differences} == {
        ("exported", "wsp_b"),
        ("not exported", "wsp_c"),
    }


def test_a_library_is_read_part_by_part(compiled: Compile, tmp_path: Path) -> None:
    library = tmp_path / "lib x.a"
    objects = [compiled(f"int name_{n};\n", f"{n}.c") for n in "ab"]
    subprocess.run(["ar", "qc", library, *objects], check=True)
    assert {(one.name, Path(one.place).name) for one in symbols(library)} == {
        ("name_a", "lib x.a[a.o]"),
        ("name_b", "lib x.a[b.o]"),
    }


def test_what_is_no_object_is_bad_format(tmp_path: Path) -> None:
    (tmp_path / "a.o").write_text("no object")
    with pytest.raises(BadFormatError, match=r"a\.o"):
        symbols(tmp_path / "a.o")


# ---- the command ----


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    code = main(["audit", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_the_command_ends_with_14_and_names_what_it_found(
    compiled: Compile, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = compiled("int dl_error() { return 1; }\n")
    code, out, err = run(capsys, bad, "--prefix", "wsp_")
    assert code == 14
    assert "strong   dl_error()  a.o" in out
    assert "1 names could meet another copy's, dl_error() (strong) for one" in err
    good = compiled("int wsp_error() { return 1; }\n", "b.cpp")
    assert run(capsys, good, "--prefix", "wsp_")[0] == 0


def test_the_command_tells_everything_as_json(
    compiled: Compile, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = compiled("int dl_error() { return 1; }\n")
    code, out, _ = run(capsys, bad, "--prefix", "wsp_", "--json")
    (tree,) = json.loads(out)["trees"]
    assert code == 14
    assert tree["findings"] == [
        {"kind": "strong", "name": "_Z8dl_errorv", "readable": "dl_error()", "places": [str(bad)]}
    ]


def test_the_command_holds_shared_libraries_against_a_list(
    compiled: Compile, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = 'extern "C" __attribute__((visibility("default"))) int wsp_NAME() { return 1; }\n'
    text = text.replace("NAME", "a") + text.replace("NAME", "b")
    library = compiled(text, "a.cpp", "-shared", "-fvisibility=hidden")
    names = tmp_path / "names.txt"
    names.write_text("wsp_a\nwsp_b\n")
    assert run(capsys, library, "--prefix", "wsp_", "--exports", names)[0] == 0
    names.write_text("wsp_a\nwsp_c\n")
    code, out, _ = run(capsys, library, "--prefix", "wsp_", "--exports", names)
    assert code == 14
    assert "exported      wsp_b" in out
    assert "not exported  wsp_c" in out
    other = compiled("int wsp_d;\n", "b.cpp")
    code, _, err = run(capsys, other, "--prefix", "wsp_", "--exports", names)
    assert (code, "shared libraries" in err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["missing.o", "--prefix", "wsp_"], 3, "there is no missing.o"),
        (["a.o"], 2, "--prefix"),
        (["a.o", "--prefix", "9"], 2, "identifier"),
        (["a.o", "--prefix", "wsp_", "--coexist"], 2, "--audio"),
        (["empty"], 3, "CMakeLists.txt"),
    ],
)
def test_wrong_use_of_the_command_is_told(
    compiled: Compile,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    folder = compiled("int a;\n").parent
    (folder / "empty").mkdir()
    given = [folder / word if word in {"a.o", "empty"} else word for word in arguments]
    found_code, _, err = run(capsys, *given)
    assert found_code == code
    assert words in err


def test_profiles_are_what_they_say() -> None:
    compat: Profile = load_profile("compat")
    assert compat.keeps("whisper_full")
    assert not compat.keeps("ggml_init")
