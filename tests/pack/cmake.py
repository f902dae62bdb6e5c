"""Asks CMake itself which files it would compile; builds nothing."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path


def sources(source: Path, build: Path, target: str, *options: str) -> dict[Path, str]:
    """The files of a target, absolute, without headers, with the flag of each that comes last of
    those that optimise; build: a new folder.
    """
    query = build / ".cmake" / "api" / "v1" / "query" / "codemodel-v2"
    query.parent.mkdir(parents=True)
    query.touch()
    command = ["cmake", "-S", str(source), "-B", str(build), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reply = build / ".cmake" / "api" / "v1" / "reply"
    (answer,) = reply.glob(f"target-{target}-*.json")
    found = json.loads(answer.read_text(encoding="utf-8"))
    groups = [
        " ".join(part["fragment"] for part in group.get("compileCommandFragments", []))
        for group in found["compileGroups"]
    ]
    optimised = [(re.findall(r"(?<!\S)-O\w", flags) or [""])[-1] for flags in groups]
    return {
        (source / one["path"]).resolve(): optimised[one["compileGroupIndex"]]
        for one in found["sources"]
        if "compileGroupIndex" in one
    }
