"""Asks CMake itself which files it would compile; builds nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path


def sources(source: Path, build: Path, target: str, *options: str) -> set[Path]:
    """The files of a target, absolute, without headers; build: a new folder."""
    query = build / ".cmake" / "api" / "v1" / "query" / "codemodel-v2"
    query.parent.mkdir(parents=True)
    query.touch()
    command = ["cmake", "-S", str(source), "-B", str(build), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    reply = build / ".cmake" / "api" / "v1" / "reply"
    (answer,) = reply.glob(f"target-{target}-*.json")
    found = json.loads(answer.read_text(encoding="utf-8"))["sources"]
    return {(source / one["path"]).resolve() for one in found if not one["path"].endswith(".h")}
