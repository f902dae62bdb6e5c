"""Makes C++ of .metal files: attributes become the table by which kernels are called.

Usage: python3 bind.py OUT FILE.metal...

Each file stands in a namespace of its own, as it is a library of its own on a GPU. An attribute
that is not known here is an error. Standard library only: it runs while the tests are built.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

KERNEL = re.compile(r"kernel\s+void\s+(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*\{")
ARGUMENT = re.compile(
    r"^(?P<type>.+?)\s*(?P<name>\w+)\s*\[\[(?P<word>\w+)(?:\((?P<index>\d+)\))?\]\]$"
)
OF_THREAD = {
    ("thread_position_in_grid", "uint"): "thread.grid_x",
    ("thread_position_in_grid", "uint2"): "uint2{thread.grid_x, thread.grid_y}",
    ("threadgroup_position_in_grid", "uint"): "thread.group",
    ("thread_index_in_threadgroup", "uint"): "thread.index",
    ("threads_per_threadgroup", "uint"): "thread.count",
    ("thread_index_in_simdgroup", "uint"): "thread.lane",
    ("simdgroup_index_in_threadgroup", "uint"): "thread.simd",
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


def bind(path: Path) -> tuple[str, list[str]]:
    """The file as C++ in its namespace, and the entries of its kernels."""
    source = path.read_text(encoding="utf-8")
    entries = []
    for kernel, arguments in KERNEL.findall(source):
        pairs = [bound(kernel, text) for text in arguments.split(",")]
        call = ", ".join(expression for expression, _ in pairs)
        table = ", ".join(entry for _, entry in pairs if entry)
        entries.append(
            f'{{"{kernel}", {{{table}}}, [](void* const* buffers, void* const* threadgroups, '
            "const Thread& thread) { (void)threadgroups; "
            f"{path.stem}_file::{kernel}({call}); }}}},"
        )
    plain = re.sub(r"\s*\[\[[^\]]*\]\]", lambda match: "\n" * match[0].count("\n"), source)
    body = re.sub(r"^#include.*$", "", plain, flags=re.MULTILINE)
    return f'namespace {path.stem}_file {{\n#line 1 "{path.name}"\n{body}\n}}\n', entries


def main() -> None:
    """Writes OUT from the files of the command line."""
    out, *files = (Path(argument) for argument in sys.argv[1:])
    made = [bind(path) for path in sorted(files)]
    out.write_text(
        '#include "backend/metal/kernel_params.h"\n#include "metal/shim/metal_stdlib"\n'
        + "".join(text for text, _ in made)
        + "namespace speech::shim {\nstatic const Kernel kKernels[] = {\n"
        + "\n".join(entry for _, entries in made for entry in entries)
        + "\n};\nconst Kernel* find_kernel(const std::string& name) {\n"
        "  for (const Kernel& one : kKernels) {\n"
        "    if (name == one.name) {\n      return &one;\n    }\n  }\n  return nullptr;\n}\n}\n",
        encoding="utf-8",
    )


main()
