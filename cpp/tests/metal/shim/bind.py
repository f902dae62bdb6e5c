"""Makes C++ of .metal files: attributes become the table by which kernels are called.

Usage: python3 bind.py OUT FILE.metal...

Each file stands in a namespace of its own, as it is a library of its own on a GPU, with the
headers of its folder in it; kernel_params.h alone is the host's too. A kernel that is a template
has a name for each instance that the file asks for. An attribute that is not known here is an
error. Standard library only: it runs while the tests are built.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

SHARED = "kernel_params.h"
SPACES = "SPEECH_ADDRESS_SPACES"  # defined: compiled to hold address spaces apart, not to run
INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)
KERNEL = re.compile(
    r"(?P<template>template <[^>]*>\s*)?"
    r"kernel\s+void\s+(?P<name>\w+)\s*\((?P<arguments>(?:[^()]|\([^()]*\))*)\)\s*\{"
)
# template [[host_name("name")]] kernel Type function<Arguments>;
INSTANCE = re.compile(
    r'^template \[\[host_name\("(?P<name>\w+)"\)\]\] kernel \w+ '
    r"(?P<instance>(?P<function>\w+)<[^;]*>);$",
    re.MULTILINE,
)
ARGUMENT = re.compile(
    r"^(?P<type>.+?)\s*(?P<name>\w+)\s*\[\[(?P<word>\w+)(?:\((?P<index>\d+)\))?\]\]$"
)
OF_THREAD = {
    ("thread_position_in_grid", "uint"): "self.grid_x",
    ("thread_position_in_grid", "uint2"): "uint2{self.grid_x, self.grid_y}",
    ("thread_position_in_grid", "uint3"): "uint3{self.grid_x, self.grid_y, self.grid_z}",
    ("threadgroup_position_in_grid", "uint"): "self.group_x",
    ("threadgroup_position_in_grid", "uint2"): "uint2{self.group_x, self.group_y}",
    ("threadgroup_position_in_grid", "uint3"): "uint3{self.group_x, self.group_y, self.group_z}",
    ("thread_index_in_threadgroup", "uint"): "self.index",
    ("threads_per_threadgroup", "uint"): "self.count",
    ("thread_index_in_simdgroup", "uint"): "self.lane",
    ("simdgroup_index_in_threadgroup", "uint"): "self.simd",
}


def bound(kernel: str, text: str) -> tuple[str, str]:
    """What is passed for an argument, and its entry in the table (none for what a thread knows)."""
    match = ARGUMENT.match(" ".join(text.split()))
    if match is None:
        raise SystemExit(f"{kernel}: no argument with one attribute: {text.strip()}")
    kind, word, index = match["type"], match["word"], match["index"]
    plain = re.sub(r"\b(device|constant|threadgroup|const)\b", "", kind).strip()
    element = plain.rstrip("*& ")
    if (word, kind) in OF_THREAD:
        return OF_THREAD[word, kind], ""
    if word == "buffer" and kind.startswith("constant ") and plain.endswith("&"):
        place = f"*static_cast<const {element}*>(buffers[{index}])"
        return place, f"{{Argument::Kind::kConstant, {index}, sizeof({element})}}"
    if word == "buffer" and kind.startswith("device ") and plain.endswith("*"):
        place = f"static_cast<{element}*>(buffers[{index}])"
        return place, f"{{Argument::Kind::kBuffer, {index}, sizeof({element})}}"
    if word == "threadgroup" and kind.startswith("threadgroup ") and plain.endswith("*"):
        place = f"static_cast<{element}*>(threadgroups[{index}])"
        return place, f"{{Argument::Kind::kThreadgroup, {index}, sizeof({element})}}"
    raise SystemExit(f"{kernel}: [[{word}]] does not fit {kind}")


def whole(path: Path, seen: set[Path]) -> str:
    """The text of a file with that of the headers beside it in the place of their includes."""
    seen.add(path)

    def included(match: re.Match[str]) -> str:
        header = path.parent / match[1]
        if header.name == SHARED or header in seen:
            return ""
        line = path.read_text(encoding="utf-8").count("\n", 0, match.start()) + 2
        return f'{whole(header, seen)}\n#line {line} "{path.name}"'

    source = INCLUDE.sub(included, path.read_text(encoding="utf-8"))
    return f'#line 1 "{path.name}"\n{source}'


def entry_of(kernel: re.Match[str]) -> str:
    """A function that makes the table's entry of a kernel, or of an instance of a template."""
    name, template = kernel["name"], kernel["template"] or ""
    pairs = [bound(name, text) for text in kernel["arguments"].split(",")]
    call = ", ".join(expression for expression, _ in pairs)
    table = ", ".join(entry for _, entry in pairs if entry)
    parameters = ", ".join(re.findall(r"(\w+) *[,>]", template))
    instance = f"<{parameters}>" if template else ""
    return (
        f"{template}::speech::shim::Kernel entry_of_{name}(const char* name) {{\n"
        f"  using ::speech::shim::Argument;\n  return {{name, {{{table}}},\n"
        "    [](void* const* buffers, void* const* threadgroups,\n"
        "       const ::speech::shim::Thread& self) {\n"
        f"      (void)threadgroups, (void)self;\n      {name}{instance}({call});\n    }}}};\n}}\n"
    )


def bind(path: Path) -> str:
    """The file as C++ in its namespace, with a table of its kernels."""
    source = whole(path, set())
    found = {match["name"]: match for match in KERNEL.finditer(source)}
    instances = list(INSTANCE.finditer(source))
    if len(instances) != source.count("host_name"):
        raise SystemExit(f"{path.name}: a host_name stands where none is read")
    templates = {name for name, match in found.items() if match["template"]}
    asked_for = {match["function"] for match in instances}
    if templates != asked_for:
        raise SystemExit(f"{path.name}: templates {templates}, but instances of {asked_for}")
    calls = [f'entry_of_{name}("{name}")' for name in found if name not in templates]
    calls += [f'entry_of_{match["instance"]}("{match["name"]}")' for match in instances]
    plain = INSTANCE.sub("", source)
    plain = re.sub(r"\s*\[\[[^\]]*\]\]", lambda match: "\n" * match[0].count("\n"), plain)
    body = re.sub(r"^#(include.*|pragma once)$", "", plain, flags=re.MULTILINE)
    entries = "".join(entry_of(match) for match in found.values())
    compiled = [name for name in found if name not in templates]
    compiled += [match["instance"] for match in instances]
    addresses = "".join(f"auto* kernel_{i} = &{name};\n" for i, name in enumerate(compiled))
    return (
        f'namespace {path.stem}_file {{\n{body}\n#line 1 "entries of {path.name}"\n'
        f"#ifdef {SPACES}\n{addresses}#else\n{entries}"
        f"static const ::speech::shim::Kernel kEntries[] = {{{', '.join(calls)}}};\n#endif\n}}\n"
    )


def main() -> None:
    """Writes OUT from the files of the command line."""
    out, *files = (Path(argument) for argument in sys.argv[1:])
    out.write_text(
        f'#include "backend/metal/{SHARED}"\n#include "metal/shim/metal_stdlib"\n'
        + "".join(bind(path) for path in files)
        + f"#ifndef {SPACES}\n"
        + "const ::speech::shim::Kernel* ::speech::shim::find_kernel(const std::string& name) {\n"
        + "".join(
            f"  for (const Kernel& one : {path.stem}_file::kEntries) {{\n"
            "    if (name == one.name) {\n      return &one;\n    }\n  }\n"
            for path in files
        )
        + "  return nullptr;\n}\n#endif\n",
        encoding="utf-8",
    )


main()
