"""The npm package from outside: packed, installed, found by TypeScript in each way, bundled,
compiled for Hermes and run there.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest
from tests.js.bundling import bundled
from tests.node_tools import SOURCE, node_modules, run, tool

HERMES = "hermes-engine-cli/linux64-bin"


def test_packing_the_source_folder_is_refused_with_what_to_run_instead() -> None:
    printed = run("npm", "pack", "--dry-run", cwd=SOURCE, code=1)
    assert "run wsp pack" in printed


def test_the_archive_holds_code_and_types_and_nothing_of_the_workshop(tarball: Path) -> None:
    with tarfile.open(tarball) as files:
        names = {member.name.removeprefix("package/") for member in files}
        manifest = files.extractfile("package/package.json")
        assert manifest is not None
        published = json.load(manifest)
    assert {"package.json", "README.md", "LICENSE", "lib/esm/src/index.js"} <= names
    assert [name for name in names if name.startswith(("test/", "src/", "types/"))] == []
    # React Native's tools read what lies beside it.
    code = {name for name in names if name.startswith("lib/") and name.endswith(".js")}
    assert {"react-native.config.js", "spec/NativeWsp.ts"} <= names
    assert {name.removesuffix(".js") + ".d.ts" for name in code} <= names
    assert not {"scripts", "devDependencies", "dependencies"} & published.keys()
    assert list(published["peerDependencies"]) == ["react-native"]


def test_both_builds_have_the_same_modules(laid: Path) -> None:
    builds = [laid / "lib" / kind for kind in ("esm", "cjs")]
    esm, cjs = ({path.relative_to(build) for path in build.rglob("*.js")} for build in builds)
    assert esm == cjs
    assert esm


def test_source_maps_carry_the_sources_and_not_the_place_of_the_build(laid: Path) -> None:
    maps = [json.loads(path.read_text(encoding="utf-8")) for path in laid.rglob("*.map")]
    assert maps
    for one in maps:
        (source,) = one["sources"]
        (text,) = one["sourcesContent"]
        assert source.startswith(("wsp.rn/src/", "wsp.rn/mock/"))
        assert text == (SOURCE / source.removeprefix("wsp.rn/")).read_text(encoding="utf-8")


RESOLUTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "bundler": ("app.ts", {"module": "ESNext", "moduleResolution": "Bundler"}),
    # As React Native's own configuration.
    "bundler of React Native": (
        "app.ts",
        {
            "module": "ESNext",
            "moduleResolution": "Bundler",
            "customConditions": ["react-native"],
            "lib": ["ES2019", "DOM"],
        },
    ),
    "node16, ESM": ("app.mts", {"module": "Node16", "moduleResolution": "Node16"}),
    "node16, CommonJS": ("app.cts", {"module": "Node16", "moduleResolution": "Node16"}),
    "node10": ("app.ts", {"module": "CommonJS", "moduleResolution": "Node10"}),
}


# The way of apps, of ESM in Node, and the oldest always; the rest differs from them by little.
LATER = {"bundler", "node16, CommonJS"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.long("jsi") if name in LATER else ())
        for name in RESOLUTIONS
    ],
)
def test_strict_typescript_takes_an_app_that_uses_every_kind_of_type(
    name: str, project: Path
) -> None:
    file, options = RESOLUTIONS[name]
    folder = project / "consumers" / name.replace(" ", "_")
    folder.mkdir(parents=True)
    (folder / file).write_bytes((SOURCE / "test" / "consumer" / "app.ts").read_bytes())
    strict = {"strict": True, "exactOptionalPropertyTypes": True, "skipLibCheck": False}
    rest = {"target": "ES2020", "noEmit": True, "types": []}
    config = {"compilerOptions": {**strict, **rest, **options}, "files": [file]}
    (folder / "tsconfig.json").write_text(json.dumps(config), encoding="utf-8")
    assert run(tool("tsc"), "-p", str(folder), cwd=folder) == ""


def test_publint_has_nothing_to_say(laid: Path) -> None:
    printed = run(tool("publint"), "--strict", ".", cwd=laid)
    assert "All good!" in printed


def test_every_subpath_has_right_types_in_every_resolution(tarball: Path) -> None:
    # The package.json subpath is data.
    printed = run(
        tool("attw"),
        str(tarball),
        "--format",
        "json",
        "--exclude-entrypoints",
        "./package.json",
        cwd=tarball.parent,
    )
    report = json.loads(printed)
    assert report["analysis"]["problems"] == []
    manifest = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    assert set(report["analysis"]["entrypoints"]) == set(manifest["exports"]) - {"./package.json"}


@pytest.fixture(scope="module")
def bundle(project: Path) -> Path:
    """A program from whisper.rn's README and one on our API, with the mock, as metro puts them."""
    return bundled(project)


def test_a_bundle_holds_the_package_once(bundle: Path) -> None:
    # Two copies, of both kinds of modules, would not know each other's classes and contexts.
    assert bundle.read_text(encoding="utf-8").count("is no file of this device") == 1


@pytest.mark.parametrize("compiler", ["hermes-compiler/hermesc/linux64-bin", HERMES])
def test_hermesc_compiles_the_bundle(compiler: str, bundle: Path, tmp_path: Path) -> None:
    output = tmp_path / "bundle.hbc"
    hermesc = node_modules() / compiler / "hermesc"
    run(str(hermesc), "-O", "-emit-binary", "-out", str(output), str(bundle), cwd=tmp_path)
    assert output.stat().st_size > 0


@pytest.mark.parametrize("reads_exports", [True, False], ids=["exports", "folders"])
def test_both_programs_run_in_hermes(
    reads_exports: bool, bundle: Path, project: Path, tmp_path: Path
) -> None:
    # Without exports, as before React Native 0.79, the subpaths are found by their folders.
    program = bundle if reads_exports else bundled(project, reads_exports=False)
    hermes = node_modules() / HERMES / "hermes"
    answer = json.loads(run(str(hermes), str(program), cwd=tmp_path))
    assert answer["readme"] == {
        "result": " Test",
        "segments": [{"text": " Test", "t0": 0, "t1": 33}],
        "isAborted": False,
        "progress": [100],
        "stopped": True,
        "speech": [{"t0": 50, "t1": 230}, {"t0": 310, "t1": 580}, {"t0": 720, "t1": 940}],
    }
    assert answer["ours"] == {
        "texts": [" Test"],
        "words": [" Test"],
        "srt": "1\n00:00:00,000 --> 00:00:00,330\nTest\n\n",
        "aborted": [True, "AbortError", 0],
        "released": [True, True, "released"],
    }
