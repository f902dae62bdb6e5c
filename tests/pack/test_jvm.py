"""The package's Kotlin, compiled against Android and React Native by Maven, and run in this
machine's Java with the library that an app gets, compiled for Linux: real speech out of assets.
"""

from __future__ import annotations

import os
import re
import subprocess
import wave
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.pack.test_android import APP, options

from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.whole_folder import holds, replace_folder
from wspkit.package.stage import Staged

pytestmark = pytest.mark.long("android")

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "jvm"
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
ANDROID = ROOT / "android"
MAVEN = ("mvn", "--batch-mode", "--quiet", "--no-transfer-progress")
JOBS = str(os.cpu_count() or 1)
TIMEOUT_S = 3600
# Releases of React Native whose library for Android is published for Maven: of the oldest that the
# package is for, and of the newest.
REACT_NATIVE = ("0.76.5", "0.87.1")
# Robolectric needs it, and Maven does not know its packaging.
MONITOR = "androidx.test:monitor:1.7.2:aar"


def run(*words: str | Path, cwd: Path | None = None) -> None:
    """Runs a command; it must succeed."""
    command = [str(word) for word in words]
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-8000:]}{done.stderr[-3000:]}"


def classes_of(artifact: str) -> Path:
    """The classes of an Android library, which Maven fetches and checks; kept in the cache."""
    folder = cache_root() / "tests" / "maven" / artifact.replace(":", "-")
    classes = folder / "classes.jar"
    with exclusive(folder, waiting=lambda: None):
        if not classes.is_file():
            fetched = folder / "fetched"
            run(*MAVEN, "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={fetched}")
            (library,) = fetched.glob("*.aar")
            with zipfile.ZipFile(library) as archive:
                whole = folder / "classes.jar.part"
                whole.write_bytes(archive.read("classes.jar"))
            library.unlink()
            whole.rename(classes)
    return classes


@pytest.fixture(scope="module")
def library(staged: Staged) -> Path:
    """The folder of libwsprn_core.so, made of the packed sources as an app's build makes it."""
    kit, build = BUILD / "package", BUILD / "app"
    if not holds(kit, staged.files):
        replace_folder(kit, staged.files)
    run("cmake", "-S", APP, "-B", build, *options(kit))
    run("cmake", "--build", build, "-j", JOBS, "--target", "wsprn_core")
    (made,) = build.rglob("libwsprn_core.so")
    return made.parent


@pytest.fixture
def minutes(tmp_path: Path) -> Path:
    """The sample again and again, long enough to be cancelled."""
    with wave.open(str(SAMPLE)) as once, wave.open(str(tmp_path / "long.wav"), "wb") as often:
        often.setparams(once.getparams())
        frames = once.readframes(once.getnframes())
        for _ in range(30):
            often.writeframes(frames)
    return tmp_path / "long.wav"


def properties(react_native: str, out: Path) -> list[str]:
    jars = {
        "react.native.jar": classes_of(
            f"com.facebook.react:react-android:{react_native}:aar:release"
        ),
        "monitor.jar": classes_of(MONITOR),
        "android": ANDROID,
        "out": out,
    }
    return [f"-D{name}={value}" for name, value in jars.items()]


def test_speech_out_of_assets_is_transcribed_cancelled_and_released(
    library: Path, tiny_en_f16: Path, minutes: Path, tmp_path: Path
) -> None:
    run(
        *MAVEN,
        "--file",
        ROOT / "tests" / "pack" / "jvm" / "pom.xml",
        "test",
        *properties(REACT_NATIVE[0], tmp_path / "out"),
        f"-Dlibraries={library}",
        f"-Dmodel={tiny_en_f16}",
        f"-Dsample={SAMPLE}",
        f"-Dlong={minutes}",
    )
    found = {
        case.get("classname", "").rpartition(".")[2] + "." + case.get("name", "")
        for report in (tmp_path / "out" / "surefire-reports").glob("*.xml")
        for case in ET.parse(report).iter("testcase")
        if case.find("skipped") is None
    }
    written = {
        f"{file.stem}.{name}"
        for file in (ANDROID / "src" / "test").rglob("*Test.kt")
        for name in re.findall(r"@Test\s+fun `([^`]+)`", file.read_text(encoding="utf-8"))
    }
    assert len(written) > 20
    assert found == written


def test_the_newest_react_native_takes_the_kotlin_too(tmp_path: Path) -> None:
    pom = ROOT / "tests" / "pack" / "jvm" / "pom.xml"
    run(*MAVEN, "--file", pom, "compile", *properties(REACT_NATIVE[1], tmp_path / "out"))
    assert [*(tmp_path / "out" / "classes").rglob("WspPackage.class")]
