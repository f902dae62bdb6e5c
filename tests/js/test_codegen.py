"""The spec of the native module, as the codegen of React Native reads it: the oldest and the newest
that the package is for, and one between.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.node_tools import SOURCE, node_modules, run

from wspkit.bridge.surface import arguments
from wspkit.bridge.text import camel
from wspkit.spec.load import load
from wspkit.spec.surface import Method

SPEC = SOURCE / "src" / "generated" / "NativeWsp.ts"
TOOLS = Path(__file__).parent / "react_native"
codegens = pytest.mark.parametrize(
    "version",
    [
        "0.83",
        pytest.param("0.76", marks=pytest.mark.long("jsi")),
        pytest.param("0.88", marks=pytest.mark.long("jsi")),
    ],
)


def codegen(version: str) -> Path:
    """The folder of a codegen. That of 0.83 comes with the tools for bundles."""
    if version == "0.83":
        return node_modules() / "@react-native" / "codegen"
    return node_modules(TOOLS) / f"codegen-{version}"


def described(method: Method) -> tuple[str, list[tuple[str, bool]]]:
    """What the description of the API says of a method: what it returns, its arguments."""
    kind = method.returned[0] if method.returned else "nothing"
    returned = {"nothing": "Void", "list": "Array"}.get(kind, "GenericObject")
    given = [(one.js_name, one.optional) for one in arguments(method.argument)]
    return "Promise" if method.promise else returned, given


@codegens
def test_the_codegen_of_react_native_reads_what_is_described(version: str, tmp_path: Path) -> None:
    command = ("node", str(TOOLS / "codegen.js"), str(codegen(version)))
    printed = run(*command, str(SPEC), str(tmp_path), cwd=tmp_path)
    (module,) = json.loads(printed).values()
    api = load()
    assert module["moduleName"] == api.contract.module
    methods = {
        one["name"]: (
            one["typeAnnotation"]["returnTypeAnnotation"]["type"].removesuffix("TypeAnnotation"),
            [(given["name"], given["optional"]) for given in one["typeAnnotation"]["params"]],
        )
        for one in module["spec"]["methods"]
    }
    ours = api.classes["module"].method
    assert methods == {camel(name): described(method) for name, method in ours.items()}
    # Each language has each method.
    for file in ("Cxx/SpecJSI.h", "IOS/Spec/Spec.h", "Android/java/spec/NativeWspSpec.java"):
        text = (tmp_path / f"modules{file}").read_text(encoding="utf-8")
        assert [name for name in methods if not re.search(rf"\b{name}\b", text)] == [], file


@codegens
def test_the_codegen_of_react_native_refuses_what_it_cannot_carry(
    version: str, tmp_path: Path
) -> None:
    text = SPEC.read_text(encoding="utf-8")
    wrong = text.replace("source: Object", "source: Source", 1)
    assert wrong != text
    (tmp_path / SPEC.name).write_text(wrong, encoding="utf-8")
    command = ("node", str(TOOLS / "codegen.js"), str(codegen(version)))
    printed = run(*command, str(tmp_path / SPEC.name), str(tmp_path), cwd=tmp_path, code=1)
    assert "Unrecognized generic type 'Source'" in printed
