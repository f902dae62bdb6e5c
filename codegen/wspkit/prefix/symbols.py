"""What object files define for the outside: names, how strongly, and who owns each; read with nm.

It knows the C++ ABI's spelling of names (Itanium C++ ABI, chapter 5.1) as far as it takes to find
the outermost one, and no prefix.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wspkit.errors import BadFormatError, UnsupportedError
from wspkit.process import Command, Runner, raise_for_failure

_WEAK = frozenset("WVwvu")
_DEFINED = frozenset("TDBRGSCAiWVu")
_SPECIAL = re.compile(
    r"T[VTIS]|T[WH]|G[VR]|GTt|Th(?:n?\d+)_|Tv(?:n?\d+)_(?:n?\d+)_|Tc(?:h|v)(?:n?\d+)_(?:n?\d+_)?"
    r"|TC"
)
_WORD = re.compile(r"(?<![\w:$~.])[A-Za-z_$][\w$]*(?:::~?[A-Za-z_$][\w$]*)*")
_IMPLEMENTATION = frozenset(
    {"std", "__gnu_cxx", "__cxxabiv1", "__gnu_debug", "__gnu_internal", "abi"}
)
# Words in demangled names that are none.
_AROUND_NAMES = (
    "vtable typeinfo name for guard variable construction in non virtual thunk to VTT TLS init "
    "wrapper function reference temporary lambda unnamed type clone cold part constprop isra "
    "anonymous namespace covariant return ABI gnu cxx11 default arg parm"
)
_OF_THE_LANGUAGE = (
    "operator new delete const volatile restrict unsigned signed bool char short int long float "
    "double void wchar_t char8_t char16_t char32_t auto decltype nullptr true false enum struct "
    "class union typename template sizeof alignof noexcept throw requires constraint"
)
_NO_NAMES = frozenset([*_AROUND_NAMES.split(), *_OF_THE_LANGUAGE.split()])
# Types of the C library and of kernels that instances of templates may be of.
_C_LIBRARY = frozenset(
    {
        "timespec",
        "timeval",
        "tm",
        "dirent",
        "stat",
        "tms",
        "lconv",
        "sigaction",
        "pollfd",
        "sockaddr",
    }
)


@dataclass(frozen=True)
class Symbol:
    """A name that an object defines for the outside."""

    name: str
    """As the linker compares it."""
    readable: str
    """Demangled."""
    weak: bool
    """Of vague linkage: where two objects define it, the linker takes one of them."""
    place: str
    """The object: "libx.a[part.o]"."""

    @cached_property
    def owner(self) -> str | None:
        """The outermost name: of a member of a class in a namespace, the namespace.

        None for what the implementation owns: std, operator new, references of compilers.
        """
        return _owner(self.name)

    @cached_property
    def involved(self) -> frozenset[str]:
        """The outermost names of everything in it that the implementation does not own: of an
        instance of a template also the types it was made for.
        """
        if self.name == self.readable:
            owner = self.owner
            return frozenset() if owner is None else frozenset({owner})
        roots = {word.partition("::")[0] for word in _WORD.findall(self.readable)}
        roots -= set(_in_expressions(self.name))
        return frozenset(root for root in roots if not _implementation_owns(root))


def _in_expressions(name: str) -> Iterator[str]:
    # What a template's own text names, as it names it: `is_convertible<...>::value`, without std.
    # What it is an instance of is not among them (5.1.6, unresolved names).
    for found in re.finditer(r"sr(\d+)", name):
        yield name[found.end() : found.end() + int(found[1])]


def _implementation_owns(root: str) -> bool:
    return (
        root in _IMPLEMENTATION
        or root in _NO_NAMES
        or root in _C_LIBRARY
        or root.startswith("__")
        # Traits in expressions are shown without their std.
        or (root.startswith("is_") and root.endswith("_v"))
        or (root.startswith("_") and root[1:2].isupper())
    )


def _owner(name: str) -> str | None:
    # A pointer to a name, of which each object that throws has one.
    name = name.removeprefix("DW.ref.")
    if not name.startswith("_Z"):
        owned = name.startswith(("__", "GCC_except_table"))
        return None if owned else name
    rest = name[2:]
    while rest:
        if special := _SPECIAL.match(rest):
            rest = rest[special.end() :]
        elif rest[0].isdigit():
            length = re.match(r"\d+", rest)
            assert length is not None
            end = length.end() + int(length[0])
            word = rest[length.end() : end]
            return None if _implementation_owns(word) else word
        elif rest.startswith("St") or re.match(r"S[absiod]", rest):
            return None
        elif rest[0] in "NZLrVKROP":  # nested, local, internal, qualified, pointer
            rest = rest[1:]
        else:  # an operator outside classes, a built-in type
            return None
    return None


def read_symbols(files: Sequence[Path], runner: Runner, *, nm: str = "nm") -> list[Symbol]:
    """The symbols that objects, static and shared libraries define for the outside.

    Errors: BadFormatError for a file that is no object; NotFoundError without nm; CommandError.
    """
    shared = [path for path in files if is_shared(path)]
    others = [path for path in files if not is_shared(path)]
    return [*_read(others, runner, (nm,)), *_read(shared, runner, (nm, "-D"))]


def _read(files: Sequence[Path], runner: Runner, nm: tuple[str, ...]) -> list[Symbol]:
    if not files:
        return []
    plain, readable = _lines(files, runner, nm), _lines(files, runner, (*nm, "-C"))
    if len(plain) != len(readable):
        raise UnsupportedError(
            f"{nm[0]} lists {len(plain)} names, and {len(readable)} when it demangles",
            expected="the nm of binutils or LLVM",
        )
    symbols = []
    for line, shown in zip(plain, readable, strict=True):
        # "lib.a[part.o]: name T 12 34"; the name has spaces only when it is demangled.
        place, _, described = line.partition(": ")
        name, _, value = described.partition(" ")
        kind = value[:1]
        if kind in _DEFINED:
            whole = shown.removeprefix(f"{place}: ").removesuffix(f" {value}")
            symbols.append(Symbol(name, whole, kind in _WEAK, place))
    return symbols


def _lines(files: Sequence[Path], runner: Runner, nm: tuple[str, ...]) -> list[str]:
    words = (*nm, "-A", "-p", "-g", "--defined-only", "-f", "posix")
    done = runner.run(Command((*words, *map(str, files))), check=False)
    if "not recognized" in done.stderr or "not a valid object" in done.stderr:
        raise BadFormatError(
            done.stderr.strip().splitlines()[0], expected="object files and libraries"
        )
    raise_for_failure(done)
    return [line.rstrip() for line in done.stdout.splitlines() if ": " in line]


def is_shared(path: Path) -> bool:
    """Whether a file is a shared library, by its name."""
    return path.suffix in {".so", ".dylib"} or ".so." in path.name


def words_of(symbols: Iterable[Symbol]) -> frozenset[str]:
    """Everything that looks like a name in the symbols; for looks at their spelling."""
    return frozenset(
        word for symbol in symbols for word in re.findall(r"[A-Za-z_]\w*", symbol.readable)
    )
