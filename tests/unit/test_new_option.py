"""One more option: an entry in api.toml, `wsp generate`, and one line in the core, on a copy of the
tree. Python, the command line, C++, TypeScript and the references have it then, and it acts.

What it does is to end a transcription with its own words, so that every language can show it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.jsi.host_build import COMPILERS, FAST
from tests.jsi.test_native_module import SAMPLE, TEXT
from tests.node_tools import tool
from tests.npm_packages import REACT_NATIVE_0_76, unpacked

ROOT = Path(__file__).resolve().parents[2]
SPEC = "codegen/wspkit/spec/api.toml"
# A field of whisper.h that was left to whisper.cpp's own developers.
LEFT_OUT = r'\ndebug_mode = "[^\n]*"'
ENTRY = '''
[option.debug_mode]
section = "decoding"
type = "bool"
default = false
summary = "Ends the transcription before it begins."
doc = """
It is there for a test."""
c_field = "debug_mode"
flag = "--debug-mode"
since = "0.1.0"
'''
MESSAGE = "option debug_mode is on"
LINE = f'  if (params.debug_mode) return Status(Code::kInvalidArgument, "{MESSAGE}");\n'
BEFORE = "  options.n_threads = params.n_threads;\n"
KEPT = ("cpp", "codegen", "js", "docs", "ios", "android", ".github", "CHANGELOG.md")


def run(*command: str | Path, cwd: Path, code: int = 0, **environment: str) -> str:
    """Runs a program; what it prints, with its errors where it is to fail."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == code, f"{command}: {done.returncode}\n{printed}"
    return printed if code else done.stdout


def python(tree: Path, *arguments: str | Path, code: int = 0) -> str:
    """Runs the tree's own package: without what a development install would find first."""
    path = os.pathsep.join((str(tree / "codegen"), sysconfig.get_path("purelib")))
    return run(sys.executable, "-S", *arguments, cwd=tree, code=code, PYTHONPATH=path)


def changed(path: Path, pattern: str, replacement: str) -> None:
    """Replaces the one place in a file that fits."""
    text, n = re.subn(pattern, lambda _: replacement, path.read_text(encoding="utf-8"))
    assert n == 1, (path, pattern, n)
    path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with one more option."""
    folder = tmp_path_factory.mktemp("tree")
    unwanted = shutil.ignore_patterns("node_modules", "__pycache__", "*.so")
    for name in KEPT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
        else:
            shutil.copy(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    changed(folder / SPEC, LEFT_OUT, "")
    changed(folder / SPEC, r"\n\[option\.length_penalty\]\n", f"{ENTRY}\n[option.length_penalty]\n")
    changed(folder / "cpp" / "src" / "capi" / "params.cpp", BEFORE, f"{LINE}{BEFORE}")
    python(folder, "-m", "wspkit.bridge")
    return folder


def test_python_and_the_command_line_have_a_new_option(tree: Path) -> None:
    program = "from wspkit.core.generated.options import TranscribeOptions as T; "
    assert python(tree, "-c", f"{program}print(T().debug_mode, T(debug_mode=True).debug_mode)") == (
        "False True\n"
    )
    wrong = python(tree, "-c", f"{program}T(debug_mode=1)", code=1)
    assert "option debug_mode is 1; expected True or False" in wrong
    assert "--debug-mode" in python(tree, "-m", "wspkit.cli.app", "transcribe", "--help")


@pytest.mark.long("jsi")
def test_c_plus_plus_has_a_new_option(tree: Path, tmp_path: Path) -> None:
    use = tmp_path / "use.cpp"
    use.write_text(
        '#include "generated/params.h"\n'
        "bool carried(whisper_full_params& params, whisper_ext_options& more) {\n"
        "  speech::js::TranscribeOptions options;\n"
        "  options.debug_mode = true;\n"
        "  speech::js::TranscribeOptionsStorage storage;\n"
        "  speech::js::apply(options, params, more, storage);\n"
        "  return params.debug_mode;\n"
        "}\n"
    )
    strict = ("-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror")
    ours = (f"-I{tree / 'cpp' / 'jsi'}", f"-I{tree / 'cpp' / 'include'}")
    run("g++", *strict, *ours, use, cwd=tree)
    converters = tree / "cpp" / "jsi" / "generated" / "converters.cpp"
    assert 'in.boolean("debugMode", out.debug_mode);' in converters.read_text(encoding="utf-8")


@pytest.mark.long("jsi")
def test_typescript_has_a_new_option(tree: Path) -> None:
    js = tree / "js"
    use = js / "src" / "use.ts"
    use.write_text(
        "import type { TranscribeOptions } from './generated/types.js';\n"
        "export const right: TranscribeOptions = { debugMode: true };\n"
        "// @ts-expect-error: it is no text.\n"
        "export const wrong: TranscribeOptions = { debugMode: 'yes' };\n"
    )
    assert run(tool("tsc"), "-p", js, "--noEmit", cwd=js) == ""
    use.unlink()


def test_the_references_have_a_new_option(tree: Path) -> None:
    options = (tree / "docs" / "api" / "options.md").read_text(encoding="utf-8")
    javascript = (tree / "docs" / "api" / "javascript.md").read_text(encoding="utf-8")
    for text, words in ((options, ("`debug_mode`", "--debug-mode")), (javascript, ("debugMode",))):
        assert [word for word in words if word not in text] == []
        assert "Ends the transcription before it begins." in text


# ---- it acts ----


def build_targets(tree: Path, build: Path, *targets: str, options: list[str]) -> None:
    """Builds targets of the C++ tree, quickly rather than fast; from ccache whatever the folder."""
    if shutil.which("ccache"):
        options = options + [f"-DCMAKE_{one}_COMPILER_LAUNCHER=ccache" for one in ("C", "CXX")]
    words = ("--build", str(build), "-j", str(os.cpu_count() or 1), "--target", *targets)
    run("cmake", "-S", "cpp", "-B", build, *options, FAST, cwd=tree)
    run("cmake", *words, cwd=tree, CCACHE_BASEDIR=str(tree), CCACHE_NOHASHDIR="1")


@pytest.fixture(scope="module")
def built(tree: Path) -> Path:
    """The same tree with its core and its Python module."""
    build = tree / "build"
    build_targets(tree, build, "speech", "speech_python_core", options=["-DSPEECH_BUILD_PYTHON=ON"])
    (module,) = (build / "python").glob("_core.*")
    shutil.copy(module, tree / "codegen" / "wspkit" / "core")
    return tree


@pytest.mark.long("jsi")
def test_a_new_option_acts_in_python_and_on_the_command_line(
    built: Path, tiny_en_f16: Path
) -> None:
    program = f"""
from wspkit.core import Context, TranscribeOptions, load_audio
from wspkit.errors import WspError
audio = load_audio({str(SAMPLE)!r})
with Context.load({str(tiny_en_f16)!r}) as context:
    print(context.transcribe(audio).text.strip())
    try:
        context.transcribe(audio, TranscribeOptions(debug_mode=True))
    except WspError as error:
        print(type(error).__name__, error)
"""
    assert python(built, "-c", program).splitlines() == [TEXT, f"UsageError {MESSAGE}"]
    words = ("-m", "wspkit.cli.app", "transcribe", SAMPLE, "--model", tiny_en_f16)
    assert python(built, *words).strip() == TEXT
    assert MESSAGE in python(built, *words, "--debug-mode", code=2)


@pytest.mark.long("jsi")
def test_a_new_option_acts_in_javascript(built: Path, tiny_en_f16: Path, tmp_path: Path) -> None:
    build = built / "build-jsi"
    react = f"-DSPEECH_REACT_NATIVE={unpacked(REACT_NATIVE_0_76) / 'ReactCommon'}"
    core = f"-DSPEECH_JSI_CORE={built / 'build' / 'libspeech.a'}"
    build_targets(
        built, build, "jsi_host", options=[*COMPILERS, "-DSPEECH_BUILD_JSI=ON", react, core]
    )
    case = tmp_path / "case.js"
    case.write_text(
        "run(async () => {\n"
        "  const context = await wsp.openContext({ path: MODEL });\n"
        "  const call = (options) => context.transcribe({ path: RECORDING }, options).promise;\n"
        "  const error = await failure(() => call({ debugMode: true }));\n"
        "  const { text } = await call({});\n"
        "  print(JSON.stringify([text.trim(), error.code, error.field, error.message]));\n"
        "});\n"
    )
    harness = ROOT / "tests" / "jsi" / "harness.js"
    printed = run(build / "jsi" / "jsi_host", harness, case, "--", tiny_en_f16, SAMPLE, cwd=built)
    text, code, field, message = json.loads(printed)
    assert (text, code, field) == (TEXT, "invalid_argument", "options.debugMode")
    assert MESSAGE in message
