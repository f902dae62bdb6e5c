"""The npm package of this tree, in memory and unpacked, made once for all tests here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from wspkit.config.load import Project, load_project
from wspkit.package.places import PROVENANCE
from wspkit.package.provenance import provenance, read_provenance
from wspkit.package.revision import Revision
from wspkit.package.stage import Staged, assemble
from wspkit.package.tarball import tarball
from wspkit.process import SubprocessRunner

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def project() -> Project:
    """This tree with its settings."""
    return load_project(ROOT / "wsp.toml")


@pytest.fixture(scope="session")
def staged(project: Project) -> Staged:
    """What `wsp stage` lays."""
    return assemble(project, SubprocessRunner())


@pytest.fixture(scope="session")
def unpacked(staged: Staged, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package on disk."""
    folder = tmp_path_factory.mktemp("unpacked")
    for path, content in staged.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder.resolve()


@pytest.fixture
def archived(tmp_path: Path) -> Callable[[Mapping[str, bytes]], Path]:
    """Packs files."""

    def packed(files: Mapping[str, bytes]) -> Path:
        archive = tmp_path / "package.tgz"
        archive.write_bytes(tarball(files))
        return archive

    return packed


def signed_anew(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with a provenance that describes them, as if nothing had been changed since."""
    before = read_provenance(files[PROVENANCE])
    others = {path: content for path, content in files.items() if path != PROVENANCE}
    source = before["source"]
    after = provenance(
        others,
        package=before["package"],
        core=before["core"],
        prefix=before["prefix"],
        revision=Revision(source["commit"], 0, tuple(source["changed"])),
    )
    return {**others, PROVENANCE: after}
