"""The JavaScript package as an app has it: laid out, packed by npm, installed from the archive."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.node_tools import SOURCE, node_modules, run


@pytest.fixture(scope="session")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is published."""
    folder = tmp_path_factory.mktemp("laid")
    run("node", "lay.mjs", str(folder), str(node_modules()), cwd=SOURCE)
    return folder


@pytest.fixture(scope="session")
def tarball(laid: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What npm makes of that folder."""
    folder = tmp_path_factory.mktemp("packed")
    run("npm", "pack", "--silent", "--pack-destination", str(folder), cwd=laid)
    (archive,) = folder.glob("*.tgz")
    return archive


@pytest.fixture(scope="session")
def project(tarball: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the package installed, and what tests use of React Native beside it."""
    folder = tmp_path_factory.mktemp("project").resolve()
    manifest = {"name": "app", "version": "1.0.0", "private": True}
    (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    quiet = ("--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error")
    run("npm", "install", *quiet, str(tarball), cwd=folder)
    shutil.copytree(SOURCE / "test" / "react_native", folder / "node_modules" / "react-native")
    shutil.copytree(SOURCE / "test", folder / "test")
    return folder
