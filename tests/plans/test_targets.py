"""What each target writes and runs, command by command, without any of its tools: goldens hold all
of it, and what must never change by accident is said here.

Remake the goldens with `WSPKIT_REMAKE_GOLDENS=1 pytest tests/plans`, and read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.plans.projects import TOOLS, make_ndk, make_project, request_for, searching

from wspkit.config.model import Abi, Slice, TargetName
from wspkit.process import RecordingRunner
from wspkit.targets.core import Request, Tools
from wspkit.targets.every import NAMES, plan_target
from wspkit.targets.execute import Progress, execute, n_steps
from wspkit.targets.plan import File, Plan, Step

GOLDENS = Path(__file__).parents[1] / "goldens" / "plans"
SLICES: tuple[Slice, ...] = ("device", "simulator", "macos", "catalyst", "visionos")


def planned(
    root: Path,
    name: TargetName,
    *,
    settings: str = "",
    abis: tuple[Abi, ...] = (),
    slices: tuple[Slice, ...] = (),
) -> Plan:
    """The plan of a target in a made-up project, with made-up tools."""
    make_project(root, settings)
    ndk = make_ndk(root / "ndk")
    system = "Darwin" if name == "ios" else "Linux"
    search = searching({"ANDROID_NDK_HOME": str(ndk)}, system=system)
    return plan_target(name, request_for(root, abis, slices), search)


def written(plan: Plan, root: Path) -> str:
    """A plan as text; the project's folder is @."""

    def files(some: tuple[File, ...]) -> list[str]:
        return [
            f"--- {file.path}{' (executable)' if file.executable else ''}\n{file.text.rstrip()}"
            for file in some
        ]

    def steps(some: tuple[Step, ...]) -> list[str]:
        return [
            f"--- {step.title}"
            + (f", writes {step.output}" if step.output else "")
            + f"\n{step.command}"
            for step in some
        ]

    parts = []
    for lane in plan.lanes:
        parts += [f"=== {lane.name}", *files(lane.files), *steps(lane.steps)]
        parts += [f"--- results\n{lane.static}\n{lane.shared}\n{lane.headers}\n{lane.exports}"]
    parts += ["=== together", *files(plan.files), *steps(plan.steps)]
    parts += ["--- results", *map(str, plan.results)]
    return "\n".join(parts).replace(str(root), "@") + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_file_and_command_of_a_target_is_as_in_its_golden(
    name: TargetName, tmp_path: Path
) -> None:
    text = written(planned(tmp_path, name, slices=SLICES), tmp_path)
    golden = GOLDENS / f"{name}.golden"
    if os.environ.get("WSPKIT_REMAKE_GOLDENS"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_run_is_what_is_planned_lane_by_lane(name: TargetName, tmp_path: Path) -> None:
    plan = planned(tmp_path, name)
    runner = RecordingRunner()
    steps: list[int] = []
    execute(
        [plan],
        runner,
        logs=tmp_path / "logs",
        side_by_side=1,
        progress=Progress(advanced=steps.append),
    )
    assert runner.commands == list(plan.commands)
    assert steps == list(range(1, n_steps([plan]) + 1))
    for lane in plan.lanes:
        for file in lane.files:
            assert file.path.read_text(encoding="utf-8") == file.text
            assert os.access(file.path, os.X_OK) is file.executable


def test_a_lane_configures_with_the_toolchain_that_conan_writes(tmp_path: Path) -> None:
    lane = planned(tmp_path, "linux-aarch64").lanes[0]
    titles = [step.title for step in lane.steps]
    assert titles == [
        "writing the toolchain",
        "configuring",
        "compiling",
        "clearing",
        "installing",
        "linking",
        "stripping",
        "stripping",
    ]
    conan, cmake, building = (step.command for step in lane.steps[:3])
    folder = conan.arguments[conan.arguments.index("--output-folder") + 1]
    # Conan's layout for CMake, as cpp/conanfile.py asks for.
    toolchain = f"{folder}/build/MinSizeRel/generators/conan_toolchain.cmake"
    assert f"-DCMAKE_TOOLCHAIN_FILE={toolchain}" in cmake.arguments
    assert conan.environment == {"CONAN_HOME": f"{folder}/conan"}
    assert "--no-remote" in conan.arguments
    assert building.arguments[-2:] == ("--parallel", "2")


def test_android_links_16_kb_pages_hidden_names_and_no_second_cxx_library(tmp_path: Path) -> None:
    plan = planned(tmp_path, "android")
    assert [lane.name for lane in plan.lanes] == [
        "android/arm64-v8a",
        "android/armeabi-v7a",
        "android/x86_64",
    ]
    for lane in plan.lanes:
        link = next(step.command for step in lane.steps if step.title == "linking")
        assert "-Wl,-z,max-page-size=16384" in link.arguments
        assert f"-Wl,--version-script={lane.exports}" in link.arguments
        assert "-static-libstdc++" in link.arguments


def test_settings_of_android_reach_its_compiler(tmp_path: Path) -> None:
    settings = '[target.android]\nmin_sdk = 26\nabis = ["x86_64"]\npage_size_bytes = 4096\n'
    plan = planned(tmp_path, "android", settings=settings)
    assert [lane.name for lane in plan.lanes] == ["android/x86_64"]
    text = written(plan, tmp_path)
    assert "os.api_level=26" in text
    assert "--target=x86_64-linux-android26" in text
    assert "max-page-size=4096" in text


def test_named_abis_come_before_those_of_the_settings(tmp_path: Path) -> None:
    plan = planned(tmp_path, "android", abis=("arm64-v8a", "arm64-v8a"))
    assert [lane.name for lane in plan.lanes] == ["android/arm64-v8a"]


@pytest.mark.parametrize(
    ("slice_", "triples"),
    [
        ("device", {"arm64-apple-ios14.0"}),
        ("simulator", {"arm64-apple-ios14.0-simulator", "x86_64-apple-ios14.0-simulator"}),
        ("macos", {"arm64-apple-macos13.0", "x86_64-apple-macos13.0"}),
        ("catalyst", {"arm64-apple-ios14.0-macabi", "x86_64-apple-ios14.0-macabi"}),
        ("visionos", {"arm64-apple-xros2.0"}),
    ],
)
def test_each_slice_is_linked_for_its_processors_and_its_system(
    slice_: Slice, triples: set[str], tmp_path: Path
) -> None:
    settings = (
        '[target.ios]\ndeployment_target = "14.0"\nmacos_deployment_target = "13.0"\n'
        'visionos_deployment_target = "2.0"\n'
    )
    plan = planned(tmp_path, "ios", settings=settings, slices=(slice_,))
    assert set(re.findall(r"-target (\S+)", written(plan, tmp_path))) == triples


def test_an_xcframework_has_one_library_for_each_slice(tmp_path: Path) -> None:
    plan = planned(tmp_path, "ios", slices=SLICES)
    static, dynamic = (
        step.command.arguments for step in plan.steps if step.command.arguments[0] == "xcodebuild"
    )
    assert [static.count(word) for word in ("-library", "-headers")] == [5, 5]
    assert dynamic.count("-framework") == 5
    assert [static[-1], dynamic[-1]] == [str(path) for path in plan.results]
    # Never twice the same processor of one system: lipo joined them.
    libraries = [static[i + 1] for i, word in enumerate(static) if word == "-library"]
    assert len(set(libraries)) == 5


def test_the_frameworks_that_the_sources_link_are_linked(tmp_path: Path) -> None:
    layer = make_project(tmp_path) / "src" / "encoders"
    layer.mkdir(parents=True)
    (layer / "CMakeLists.txt").write_text(
        'target_link_libraries(speech PUBLIC "-framework Foundation" "-framework CoreML")\n'
    )
    plan = plan_target("ios", request_for(tmp_path), searching(system="Darwin"))
    for lane in plan.lanes:
        link = next(step.command for step in lane.steps if step.title == "linking")
        assert "-framework CoreML -framework Foundation" in str(link)


def test_frameworks_of_macos_have_versions_and_those_of_ios_have_none(tmp_path: Path) -> None:
    plan = planned(tmp_path, "ios", slices=("device", "macos"))
    folder = tmp_path / "build" / "targets" / "ios"
    infos = {file.path: file.text for file in plan.files if file.path.name == "Info.plist"}
    flat = folder / "device" / "WspSpeech.framework" / "Info.plist"
    deep = folder / "macos" / "WspSpeech.framework" / "Versions" / "A" / "Resources" / "Info.plist"
    assert set(infos) == {flat, deep}
    assert "MinimumOSVersion" in infos[flat]
    assert "LSMinimumSystemVersion" in infos[deep]
    assert "<string>1.2.3</string>" in infos[flat]


def test_the_names_that_a_library_shows_are_those_of_its_headers(tmp_path: Path) -> None:
    elf = planned(tmp_path / "a", "linux-x86_64").lanes[0]
    mach_o = planned(tmp_path / "b", "ios").lanes[0]
    texts = [
        file.text for lane in (elf, mach_o) for file in lane.files if file.path == lane.exports
    ]
    assert texts == [
        "{\n  global:\n    whisper_free;\n    whisper_version;\n  local:\n    *;\n};\n",
        "_whisper_free\n_whisper_version\n",
    ]


def test_a_launcher_goes_in_front_of_the_compiler(tmp_path: Path) -> None:
    make_project(tmp_path)
    plain = request_for(tmp_path)
    tools = Tools("cmake", "conan", "ninja", "sccache", "Linux", "x86_64")
    request = Request(plain.project, plain.source, plain.directory, tools)
    text = written(plan_target("linux-x86_64", request, searching()), tmp_path)
    assert '"CMAKE_CXX_COMPILER_LAUNCHER": "sccache"' in text
    assert TOOLS.launcher is None


def test_a_launcher_is_found_where_there_is_one() -> None:
    assert searching().launcher() is None
    assert searching(said={"sccache": ""}).launcher() == "sccache"
    assert searching(said={"sccache": "", "ccache": ""}).launcher() == "ccache"


def test_the_machine_that_builds_may_be_a_mac(tmp_path: Path) -> None:
    make_project(tmp_path)
    plain = request_for(tmp_path)
    tools = Tools("cmake", "conan", "ninja", None, "Darwin", "arm64")
    request = Request(plain.project, plain.source, plain.directory, tools)
    text = written(plan_target("ios", request, searching(system="Darwin")), tmp_path)
    assert "os=Macos\narch=armv8\n" in text
