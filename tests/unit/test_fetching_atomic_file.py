"""Files that are written whole: what they replace, and what they must leave as it is."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from wspkit.fetching.atomic_file import atomic_writer

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes and modes of POSIX")


def write(destination: Path) -> None:
    with atomic_writer(destination) as file:
        file.write(b"new")


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    destination = tmp_path / "made" / "a.txt"

    def fail_half_way() -> None:
        with atomic_writer(destination) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert [*destination.parent.iterdir()] == []
    write(destination)
    assert [*destination.parent.iterdir()] == [destination]
    assert destination.read_bytes() == b"new"


@posix
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write(pipe)
    reader.join(10)
    assert read == [b"new"]
    assert pipe.is_fifo()


@posix
def test_a_link_stays_and_the_file_behind_it_keeps_its_permissions(tmp_path: Path) -> None:
    file, link = tmp_path / "private.txt", tmp_path / "link.txt"
    file.write_bytes(b"old")
    file.chmod(0o600)
    link.symlink_to(file.name)
    write(link)
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_file_that_may_not_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kept.txt"
    file.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # what root would never hear
    with pytest.raises(PermissionError):
        write(file)
    assert file.read_bytes() == b"old"


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path: Path) -> None:
    file = tmp_path / ("a" * 251 + ".txt")
    write(file)
    assert file.read_bytes() == b"new"
