"""One file over HTTP: resumed, checked, never half under its name, whatever the server does."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import random
import shutil
import ssl
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest
from tests.local_server import LocalServer, Served, serve

from wspkit.errors import BadFormatError, InputOutputError, NetworkError
from wspkit.fetching import cache, transport
from wspkit.fetching.transport import RemoteFile, RetryPolicy

CONTENT = random.Random(7).randbytes(700_000)
PATIENT = RetryPolicy(attempts=3, first_pause_s=0.01)


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with serve() as running:
        yield running


def remote(server: LocalServer, content: bytes = CONTENT, path: str = "/file.bin") -> RemoteFile:
    return RemoteFile(server.url + path, len(content), hashlib.sha256(content).hexdigest())


@lru_cache(maxsize=1)
def trust() -> ssl.SSLContext:
    # To read all certificates of a machine takes longer than any test here.
    return transport.certificates()


def download(file: RemoteFile, target: Path) -> None:
    with transport.client(trust()) as http:
        transport.download(http, file, target, retry=PATIENT)


def leftovers(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_file_arrives_whole_and_leaves_nothing_beside_it(
    server: LocalServer, tmp_path: Path
) -> None:
    server.files["/file.bin"] = Served(CONTENT)
    seen: list[int] = []
    with transport.client(trust()) as http:
        transport.download(http, remote(server), tmp_path / "a.bin", progress=seen.append)
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert leftovers(tmp_path) == ["a.bin"]
    assert seen == sorted(seen)
    assert seen[-1] == len(CONTENT)


def test_a_cut_connection_is_resumed_where_it_broke(server: LocalServer, tmp_path: Path) -> None:
    server.files["/file.bin"] = Served(CONTENT, cut_after_bytes=[300_000, 100_000])
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    ranges = [asked for _, asked in server.requests]
    assert ranges == [None, "bytes=300000-", "bytes=400000-"]


def test_what_an_earlier_call_left_is_continued(server: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(CONTENT[:123_456])
    server.files["/file.bin"] = Served(CONTENT)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert server.requests == [("/file.bin", "bytes=123456-")]


def test_a_part_that_is_already_whole_needs_no_request(server: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(CONTENT)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert server.requests == []


def test_a_server_without_ranges_sends_the_whole_file_again(
    server: LocalServer, tmp_path: Path
) -> None:
    (tmp_path / "a.bin.part").write_bytes(b"x" * 5_000)
    server.files["/file.bin"] = Served(CONTENT, ranges=False)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_part_longer_than_the_file_is_thrown_away(server: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(CONTENT + b"more")
    server.files["/file.bin"] = Served(CONTENT)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_range_of_other_bytes_is_not_glued_on(server: LocalServer, tmp_path: Path) -> None:
    (tmp_path / "a.bin.part").write_bytes(CONTENT[:1_000])
    server.files["/file.bin"] = Served(CONTENT, wrong_range=True)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_foreign_part_costs_one_more_transfer_not_the_file(
    server: LocalServer, tmp_path: Path
) -> None:
    (tmp_path / "a.bin.part").write_bytes(b"?" * 1_000)
    server.files["/file.bin"] = Served(CONTENT)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT
    assert [asked for _, asked in server.requests] == ["bytes=1000-", None]


def test_a_wrong_checksum_leaves_no_file_under_the_final_name(
    server: LocalServer, tmp_path: Path
) -> None:
    damaged = bytes([CONTENT[0] ^ 1]) + CONTENT[1:]
    server.files["/file.bin"] = Served(damaged)
    with pytest.raises(BadFormatError, match="checksum") as caught:
        download(remote(server), tmp_path / "a.bin")
    assert hashlib.sha256(damaged).hexdigest() in caught.value.found
    assert caught.value.expected == hashlib.sha256(CONTENT).hexdigest()
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("served", "says"),
    [
        (Served(b"<html>log in</html>", content_type="text/html; charset=utf-8"), "an HTML page"),
        (Served(b"\n<!DOCTYPE html><p>log in"), r"a file of 25 bytes"),
        (Served(b"<!DOCTYPE html>".ljust(len(CONTENT))), "an HTML page"),
        (Served(CONTENT, status=403), "HTTP 403"),
        (Served(CONTENT, status=204), "HTTP 204"),
        (Served(CONTENT[:-1]), "a file of 699999 bytes"),
        (Served(CONTENT + b"!"), "a file of 700001 bytes"),
    ],
)
def test_an_answer_that_is_not_the_file_is_named_at_once(
    server: LocalServer, tmp_path: Path, served: Served, says: str
) -> None:
    server.files["/file.bin"] = served
    with pytest.raises(NetworkError, match=says) as caught:
        download(remote(server), tmp_path / "a.bin")
    assert server.url in caught.value.found
    assert len(server.requests) == 1
    assert not (tmp_path / "a.bin").exists()


def test_a_missing_file_is_not_asked_for_again(server: LocalServer, tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="HTTP 404"):
        download(remote(server), tmp_path / "a.bin")
    assert len(server.requests) == 1


def test_a_busy_server_is_asked_again(server: LocalServer, tmp_path: Path) -> None:
    server.files["/file.bin"] = Served(CONTENT, failing_statuses=[503, 429])
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_a_server_that_stays_busy_ends_the_transfer(server: LocalServer, tmp_path: Path) -> None:
    server.files["/file.bin"] = Served(CONTENT, failing_statuses=[503] * 10)
    with pytest.raises(NetworkError, match=r"HTTP 503 .*3 attempts"):
        download(remote(server), tmp_path / "a.bin")
    assert len(server.requests) == PATIENT.attempts


def test_connections_that_bring_nothing_end_the_transfer_and_keep_the_part(
    server: LocalServer, tmp_path: Path
) -> None:
    server.files["/file.bin"] = Served(CONTENT, cut_after_bytes=[200_000] + [0] * 10)
    with pytest.raises(NetworkError, match="attempts"):
        download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin.part").read_bytes() == CONTENT[:200_000]


def test_a_server_without_ranges_that_breaks_here_and_there_is_given_up(
    server: LocalServer, tmp_path: Path
) -> None:
    cuts = [300_000, 100_000] * 20
    server.files["/file.bin"] = Served(CONTENT, ranges=False, cut_after_bytes=cuts)
    with pytest.raises(NetworkError, match="3 attempts"):
        download(remote(server), tmp_path / "a.bin")
    assert len(server.requests) == 3


def test_being_offline_is_said_in_words(tmp_path: Path) -> None:
    with serve() as gone:
        file = remote(gone)
    with pytest.raises(NetworkError, match="no connection"):
        download(file, tmp_path / "a.bin")


def test_redirects_are_followed(server: LocalServer, tmp_path: Path) -> None:
    server.files["/file.bin"] = Served(b"", location=server.url + "/elsewhere")
    server.files["/elsewhere"] = Served(CONTENT)
    download(remote(server), tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == CONTENT


def test_pauses_between_attempts_double() -> None:
    policy = RetryPolicy(first_pause_s=0.5)
    assert [policy.pause_s(failures) for failures in (1, 2, 3)] == [0.5, 1.0, 2.0]


def test_passwords_in_addresses_are_not_shown(tmp_path: Path) -> None:
    with serve() as gone:
        address = gone.url.replace("http://", "http://user:secret@")
    file = RemoteFile(address + "/file.bin", 1, "0" * 64)
    with pytest.raises(NetworkError) as caught:
        download(file, tmp_path / "a.bin")
    assert "secret" not in str(caught.value)


def test_a_disk_without_room_is_told_before_the_transfer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    little = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: little)
    cache.require_space(tmp_path, 1_000_000)
    with pytest.raises(InputOutputError, match=r"1\.0 MB free; expected 2\.0 MB") as caught:
        cache.require_space(tmp_path, 2_000_000)
    assert cache.CACHE_VARIABLE in str(caught.value.hint)


@pytest.mark.parametrize(("code", "says"), [(errno.ENOSPC, "no space"), (errno.EACCES, "denied")])
def test_a_refusal_of_the_file_system_says_what_to_do(tmp_path: Path, code: int, says: str) -> None:
    def refuse() -> None:
        raise OSError(code, "No space" if code == errno.ENOSPC else "Permission denied")

    with pytest.raises(InputOutputError, match=says) as caught, cache.writing_to(tmp_path):
        refuse()
    assert cache.CACHE_VARIABLE in str(caught.value.hint)


def _hold(target: Path, entered: multiprocessing.synchronize.Event, log: Path) -> None:
    with cache.exclusive(target, waiting=entered.set):
        with log.open("a") as file:
            file.write("in\n")
        entered.set()
        with log.open("a") as file:
            file.write("out\n")


def test_two_processes_hold_one_lock_in_turn(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    target, log = tmp_path / "a.bin", tmp_path / "log"
    waits = spawn.Event()
    with cache.exclusive(target, waiting=lambda: None):
        other = spawn.Process(target=_hold, args=(target, waits, log))
        other.start()
        # The other process says that it waits, and has not entered.
        assert waits.wait(timeout=60)
        assert not log.exists()
    other.join(timeout=60)
    assert log.read_text() == "in\nout\n"
