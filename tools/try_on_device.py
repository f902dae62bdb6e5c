"""Transcribes the sample on an Android emulator or an iOS simulator, with libraries that `wsp
build` made of the staged package: what no other machine can show.

Usage: python tools/try_on_device.py android|ios-simulator --libraries DIR [--image NAME]

Needs the Android SDK with NDK and emulator, or Xcode. Commands go to a runner: tests see them.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from pathlib import Path

from wspkit.errors import NotFoundError
from wspkit.models.fetch import resolve
from wspkit.process import Command, Runner, SubprocessRunner

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests" / "e2e" / "transcribe.c"
SAMPLE = ROOT / "tests" / "sample" / "sample.wav"
EXPECTED = SAMPLE.with_suffix(".txt")
PREFIX = "wsp_"
AVD = "wsp"
DEVICE_FOLDER = "/data/local/tmp/wsp"
API = 24
_BOOT_S = 600.0
_RUN_S = 900.0


def prefixed(program: str, prefix: str = PREFIX) -> str:
    """The program by the names that the package's headers have."""
    text = re.sub(r"\bwhisper(?=_)", f"{prefix}whisper", program)
    text = re.sub(r"\bWHISPER(?=_)", f"{prefix.upper()}WHISPER", text)
    return text.replace('#include "whisper.h"', f'#include "{prefix}whisper.h"')


def android_commands(libraries: Path, image: str, model: Path, work: Path) -> list[Command]:
    """From source to text on a new emulator; the last one prints the text."""
    sdk = Path(os.environ.get("ANDROID_HOME", "/opt/android-sdk"))
    ndks = sorted((sdk / "ndk").glob("*")) or [sdk / "ndk" / "28.2.13676358"]
    clang = ndks[-1] / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin" / "clang++"
    out = libraries / "android" / "x86_64" / "out"
    adb, tools = str(sdk / "platform-tools" / "adb"), sdk / "cmdline-tools" / "latest" / "bin"
    target = f"--target=x86_64-linux-android{API}"
    started = f"{sdk}/emulator/emulator -avd {AVD} -no-window -no-audio -no-snapshot -no-boot-anim"
    booted = 'while [ "$(getprop sys.boot_completed)" != 1 ]; do sleep 2; done'
    files = (work / "transcribe", model, SAMPLE)
    run = f"cd {DEVICE_FOLDER} && chmod 755 transcribe && ./transcribe {model.name} {SAMPLE.name}"
    return [
        Command.of(
            *(clang, target, "-static-libstdc++", "-Wl,-z,max-page-size=16384", "-x", "c"),
            *(work / "transcribe.c", "-x", "none", f"-I{out / 'include'}"),
            out / "lib" / "libspeech.a",
            *("-llog", "-o", work / "transcribe"),
        ),
        Command.of(tools / "avdmanager", "create", "avd", "--force", "-n", AVD, "-k", image),
        Command.of("sh", "-c", f"{started} > {work}/emulator.log 2>&1 &"),
        Command((adb, "wait-for-device", "shell", booted), timeout_s=_BOOT_S),
        Command.of(adb, "shell", f"mkdir -p {DEVICE_FOLDER}"),
        *(Command.of(adb, "push", file, DEVICE_FOLDER) for file in files),
        Command((adb, "shell", run), timeout_s=_RUN_S),
    ]


def simulator_commands(libraries: Path, model: Path, work: Path) -> list[Command]:
    """From source to text on the newest iPhone's simulator; the last one prints the text."""
    slice_ = libraries / "ios" / "simulator-arm64" / "out"
    clang = ("xcrun", "--sdk", "iphonesimulator", "clang++")
    frameworks = [word for name in ("CoreML", "Foundation") for word in ("-framework", name)]
    return [
        Command.of(
            *(*clang, "-target", "arm64-apple-ios15.1-simulator", "-x", "c"),
            *(work / "transcribe.c", "-x", "none", f"-I{slice_ / 'include'}"),
            slice_ / "lib" / "libspeech.a",
            *frameworks,
            *("-o", work / "transcribe"),
        ),
        Command.of("xcrun", "simctl", "create", AVD, "iPhone 16"),
        Command(("xcrun", "simctl", "bootstatus", AVD, "-b"), timeout_s=_BOOT_S),
        Command(
            (
                *("xcrun", "simctl", "spawn", AVD, str(work / "transcribe")),
                *(str(model), str(SAMPLE)),
            ),
            timeout_s=_RUN_S,
        ),
    ]


def transcribed(commands: list[Command], work: Path, runner: Runner) -> str:
    """What the last of the commands printed."""
    (work / "transcribe.c").write_text(prefixed(PROGRAM.read_text(encoding="utf-8")))
    *before, last = commands
    for command in before:
        runner.run(command)
    return runner.run(last).stdout.strip()


def main(arguments: list[str] | None = None, runner: Runner | None = None) -> int:
    """0 if the device heard what is spoken in the sample, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device", choices=["android", "ios-simulator"])
    parser.add_argument("--libraries", type=Path, required=True)
    parser.add_argument("--image", default="system-images;android-35;google_apis;x86_64")
    words = parser.parse_args(arguments)
    libraries: Path = words.libraries.absolute()
    if not libraries.is_dir():
        raise NotFoundError(f"there is no folder {libraries}", expected="what `wsp build` made")
    model = resolve("tiny.en", fetch_missing=True)
    with tempfile.TemporaryDirectory(prefix="wsp-device-") as folder:
        work = Path(folder)
        commands = (
            android_commands(libraries, words.image, model, work)
            if words.device == "android"
            else simulator_commands(libraries, model, work)
        )
        heard = transcribed(commands, work, runner or SubprocessRunner())
    expected = EXPECTED.read_text(encoding="utf-8").strip()
    print(f"heard:    {heard}\nexpected: {expected}")
    return int(heard != expected)


if __name__ == "__main__":
    sys.exit(main())
