"""Tokens put together are the text, whatever it is, and each is what compilers take it for."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from wspkit.errors import BadFormatError
from wspkit.prefix.lexer import (
    Language,
    check,
    is_comment,
    is_identifier,
    is_include,
    is_space,
    is_string,
    language_of,
    tokens_of,
)
from wspkit.prefix.source import read

ROOT = Path(__file__).parents[2]


def words(text: str, language: Language = Language.CPP) -> list[str]:
    """The tokens that are no blanks, after a look that all of them are the text."""
    tokens = tokens_of(text, language)
    assert "".join(tokens) == text
    return [token for token in tokens if not is_space(token)]


# ---- what a token is ----


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int a1=b_2;", ["int", "a1", "=", "b_2", ";"]),
        ("a/* b\n * c **/d", ["a", "/* b\n * c **/", "d"]),
        ("a // b\nc", ["a", "// b", "c"]),
        ("a // b \\\n c\nd", ["a", "// b \\\n c", "d"]),
        ("a // b \\x \\\r\n c\r\nd", ["a", "// b \\x \\\r\n c\r", "d"]),
        ("a /\\\n* b *\\\n/ c", ["a", "/\\\n* b *\\\n/", "c"]),
        ('"a\\"b" "c\\\nd" "//e"', ['"a\\"b"', '"c\\\nd"', '"//e"']),
        ('u8"a" L"b" U"c" u"d" @"e"', ['u8"a"', 'L"b"', 'U"c"', 'u"d"', '@"e"']),
        ("'\"' '\\'' L'x' u8'y'", ["'\"'", "'\\''", "L'x'", "u8'y'"]),
        ('R"(a"b)" x', ['R"(a"b)"', "x"]),
        ('u8R"d(a)" )d" x', ['u8R"d(a)" )d"', "x"]),
        ('R"x(/* " */)x"', ['R"x(/* " */)x"']),
        ("1'000'000 0x1p-3 1.5e+10f .5 1.0L", ["1'000'000", "0x1p-3", "1.5e+10f", ".5", "1.0L"]),
        ("x=1-2", ["x", "=", "1", "-", "2"]),
        ("gg\\\nml_init x", ["gg\\\nml_init", "x"]),
        ("a::b a##b #x", ["a", "::", "b", "a", "##", "b", "#", "x"]),
        ('#include "a.h"\n', ['#include "a.h"']),
        ("#  include /* c */ <sys/a//b.h>", ["#  include /* c */ <sys/a//b.h>"]),
        ("#import <A/B.h>", ["#import <A/B.h>"]),
        ("#if __has_include(<a.h>)", ["#", "if", "__has_include(<a.h>", ")"]),
        ("a < b > c", ["a", "<", "b", ">", "c"]),
        ("größe = 1;", ["größe", "=", "1", ";"]),
    ],
)
def test_code_is_cut_as_compilers_cut_it(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set(A_B ${C}) # d", ["set", "(", "A_B", "$", "{", "C", "}", ")", "# d"]),
        ("#[[a\nb]] c", ["#[[a\nb]]", "c"]),
        ('f([==[ ]] " ]==])', ["f", "(", '[==[ ]] " ]==]', ")"]),
        ('"a\\"b\nc"', ['"a\\"b\nc"']),
        ("-DA=1", ["-D", "A", "=", "1"]),
    ],
)
def test_cmake_is_cut_as_cmake_cuts_it(text: str, expected: list[str]) -> None:
    assert words(text, Language.CMAKE) == expected


def test_a_token_shows_what_it_is() -> None:
    text = 'ab /*c*/ // d\n"e" @"f" R"(g)" \'h\' 1.5 #include "i.h"\n\\\n x\\\ny'
    kinds = {
        "identifier": is_identifier,
        "comment": is_comment,
        "string": is_string,
        "include": is_include,
        "space": is_space,
    }
    found = {
        name: [token for token in tokens_of(text, Language.CPP) if is_kind(token)]
        for name, is_kind in kinds.items()
    }
    assert found["identifier"] == ["ab", "x\\\ny"]
    assert found["comment"] == ["/*c*/", "// d"]
    assert found["string"] == ['"e"', '@"f"', 'R"(g)"']
    assert found["include"] == ['#include "i.h"']
    assert all(not token.strip(" \n\\") for token in found["space"])


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.c", Language.C),
        ("b.h", Language.CPP),
        ("b.h.in", Language.CPP),
        ("b.mm", Language.OBJCPP),
        ("k.metal", Language.METAL),
        ("x/CMakeLists.txt", Language.CMAKE),
        ("x.cmake.in", Language.CMAKE),
        ("notes.txt", None),
        ("model.bin", None),
    ],
)
def test_a_file_s_name_tells_its_language(path: str, language: Language | None) -> None:
    assert language_of(path) is language


# ---- what does not end ----


@pytest.mark.parametrize(
    ("path", "text", "where"),
    [
        ("a.c", "int a;\n\n/* b\nc\n", "a.c:3: a comment"),
        ("a.c", 'int a;\nchar *b = "c;\nint d;\n', "a.c:2: a string"),
        ("a.c", "char a = 'b;\n", "a.c:1: a character literal"),
        ("a.cpp", 'int a;\nauto b = R"x(c)y";\n', "a.cpp:2: a raw string"),
        ("CMakeLists.txt", 'set(A\n "b)\n', "CMakeLists.txt:2: a string"),
    ],
)
def test_what_does_not_end_is_an_error_with_file_and_line(path: str, text: str, where: str) -> None:
    with pytest.raises(BadFormatError) as caught:
        read(path, text.encode())
    assert where in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "#error don't do this\nint a;\n",
        "#  warning it isn't\n",
        "#if 0\nthis isn't C\n#endif\nint a;\n",
        "#if 0\n#if X\n don't\n#endif\n\" \n#endif\n",
        "# define A(x) #x\n",
    ],
)
def test_quotes_where_no_compiler_reads_tokens_are_prose(text: str) -> None:
    assert read("a.c", text.encode()) is not None


def test_a_quote_below_else_of_if_0_is_code() -> None:
    with pytest.raises(BadFormatError):
        read("a.c", b"#if 0\n#else\nit isn't\n#endif\n")


def test_a_file_that_is_not_utf8_is_an_error_with_file_and_line() -> None:
    with pytest.raises(BadFormatError, match=r"^a/b\.h:2: byte 0xe9 is not UTF-8"):
        read("a/b.h", b"// ok\n// caf\xe9\n")


# ---- nothing is lost ----


def test_any_text_at_all_comes_back() -> None:
    source = random.Random(5)
    pieces = [
        "/*",
        "*/",
        "//",
        "\n",
        "\\\n",
        '"',
        "'",
        'R"(',
        ')"',
        "#",
        "include",
        "<",
        ">",
        "a_b",
    ]
    pieces += [
        "0x1p",
        "+",
        "\\",
        "\r\n",
        "[[",
        "]]",
        "[=[",
        "@",
        "u8",
        "é",
        "\x00",
        "-D",
        " ",
        "::",
    ]
    for _ in range(3000):
        text = "".join(source.choices(pieces, k=source.randint(0, 40)))
        for language in (Language.C, Language.CPP, Language.CMAKE):
            assert "".join(tokens_of(text, language)) == text


def compiler_headers() -> Iterator[Path]:
    """Every header below the folders that the machine's compilers search."""
    folders = set()
    for compiler in ("gcc", "g++", "clang", "clang++"):
        try:
            said = subprocess.run(
                [
                    compiler,
                    "-E",
                    "-v",
                    "-x",
                    "c++" if compiler.endswith("++") else "c",
                    "/dev/null",
                ],
                capture_output=True,
                text=True,
                check=True,
            ).stderr
        except FileNotFoundError:  # a machine has one compiler or both
            continue
        searched = said.partition("search starts here:")[2].partition("End of search")[0]
        folders |= {Path(line.strip()).resolve() for line in searched.splitlines()[1:] if line}
    assert folders
    for folder in sorted(folders):
        for path in sorted(folder.rglob("*")):
            # Headers of the C++ library have no suffix.
            if path.is_file() and path.suffix in {".h", ".hpp", ".hh", ".tcc", ".inc", ""}:
                yield path


def assert_comes_back(paths: Iterator[Path] | list[Path]) -> int:
    count = 0
    for path in paths:
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        tokens = tokens_of(text, Language.CPP)
        assert "".join(tokens) == text, path
        # These compile, so no comment or string in them is without an end.
        check(tokens, text, str(path), Language.CPP)
        count += 1
    return count


def test_headers_of_the_compilers_come_back() -> None:
    headers = [
        path for path in compiler_headers() if path.parent.name in {"bits", "sys", "include"}
    ]
    assert assert_comes_back(headers[::4]) > 100


@pytest.mark.long("prefix")
def test_all_headers_of_the_compilers_come_back() -> None:
    assert assert_comes_back(compiler_headers()) > 1000


def test_every_source_of_the_core_comes_back() -> None:
    count = 0
    for path in sorted((ROOT / "cpp").rglob("*")):
        language = language_of(path.name)
        if language is not None:
            text = path.read_bytes().decode()
            assert "".join(tokens_of(text, language)) == text
            count += 1
    assert count > 200
