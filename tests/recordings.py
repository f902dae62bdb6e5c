"""Real speech for tests, with what is said in it: fetched when asked for, checked, kept in wsp's
cache.

A clip that cannot be had is an error that says what to do, never a skip. Knows packages and audio
containers; decodes with PyAV, so that the core's own decoder and resampler are not their own
judges.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import wave
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict

from wspkit.fetching.atomic_file import atomic_writer
from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.packages import Transfer, bring
from wspkit.fetching.release import Extract, Package

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SAMPLE_RATE_HZ = 16_000
_LIST = Path(__file__).with_name("recordings.toml")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Transcript(_Entry):
    """Where the words of a clip stand; `pattern`'s first group is the text."""

    debian: str
    member: str
    sha256: str
    pattern: str


class Clip(_Entry):
    """One entry of recordings.toml; a clip has a text or a transcript, and an index or a Debian
    package.
    """

    name: str
    language: str
    licence: str
    format: str
    sha256: str
    size_bytes: int
    member: str
    text: str | None = None
    transcript: Transcript | None = None
    index: Package | None = None
    debian: str | None = None


@dataclass(frozen=True)
class Recording:
    """A clip on this machine."""

    name: str
    language: str
    path: Path
    """WAV, 16 kHz, mono, 16-bit."""
    text: str
    """What is said, as its source writes it."""

    def samples(self) -> npt.NDArray[np.float32]:
        """(n,) float32 in [-1, 1), 16 kHz mono."""
        with wave.open(str(self.path), "rb") as file:
            pcm = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        samples: npt.NDArray[np.float32] = pcm.astype(np.float32) / np.float32(32768)
        return samples

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        with wave.open(str(self.path), "rb") as file:
            return file.getnframes() / file.getframerate()


@lru_cache(maxsize=1)
def clips() -> dict[str, Clip]:
    """All clips by name."""
    listed = tomllib.loads(_LIST.read_text(encoding="utf-8"))["clip"]
    return {entry["name"]: Clip.model_validate(entry) for entry in listed}


@cache
def recording(name: str) -> Recording:
    """The clip of that name, fetched first if need be. Raises whatever keeps it from being
    fetched.
    """
    clip = clips()[name]
    directory = cache_root() / "recordings"
    # The key changes with the clip, so that an edit of the list is never served by an older file.
    wav = directory / f"{name}-{clip.sha256[:12]}.wav"
    words = wav.with_suffix(".txt")
    with exclusive(directory / name, waiting=lambda: None):
        if not words.exists():
            with atomic_writer(words) as out:
                out.write(_text(clip, directory).encode())
        if not wav.exists():
            pcm = _decoded(_checked(_content(clip, directory), clip.sha256, clip.member), clip)
            with atomic_writer(wav) as out:
                _write_wav(out, pcm)
    return Recording(name, clip.language, wav, words.read_text(encoding="utf-8"))


def _text(clip: Clip, directory: Path) -> str:
    if clip.transcript is None:
        assert clip.text is not None, f"{clip.name} has neither text nor transcript"
        return clip.text
    where = clip.transcript
    raw = _checked(
        _debian_member(where.debian, where.member, directory), where.sha256, where.member
    )
    document = gzip.decompress(raw) if where.member.endswith(".gz") else raw
    match = re.search(where.pattern, document.decode("utf-8"), re.MULTILINE)
    assert match is not None, f"{where.member} has no line like {where.pattern}"
    return match[1].strip()


def _content(clip: Clip, directory: Path) -> bytes:
    if clip.index is not None:
        wanted = Extract(
            name=clip.name,
            members=(clip.member,),
            size_bytes=clip.size_bytes,
            sha256=clip.sha256,
        )
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            (path,) = bring([clip.index], [wanted], Path(scratch), transfer=Transfer())
            return path.read_bytes()
    assert clip.debian is not None, f"{clip.name} has no source"
    return _debian_member(clip.debian, clip.member, directory)


def _checked(content: bytes, sha256: str, what: str) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    assert found == sha256, f"{what}: found sha256 {found}, expected {sha256}"
    return content


def _debian_member(package: str, member: str, directory: Path) -> bytes:
    """A file out of a Debian package, which is downloaded once and kept as long as this process
    runs.
    """
    with tarfile.open(fileobj=io.BytesIO(_debian_files(package, directory))) as files:
        found = files.extractfile(f"./{member}")
        assert found is not None, f"{package}: {member} is not a file"
        return found.read()


@lru_cache(maxsize=2)
def _debian_files(package: str, directory: Path) -> bytes:
    """The tar archive of all files of a package."""
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        _apt_download(package, Path(scratch))
        (archive,) = Path(scratch).glob("*.deb")
        unpacked = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE, check=True
        )
        return unpacked.stdout


def _apt_download(package: str, directory: Path) -> None:
    first = _apt(["apt-get", "--quiet", "download", package], directory)
    if first.returncode == 0:
        return
    # A fresh container has no package lists. Renewing them changes the machine, so it is done only
    # where nobody is asked anyway.
    if os.environ.get("CI") == "true" and os.geteuid() == 0:
        _apt(["apt-get", "--quiet", "update"], directory)
        if _apt(["apt-get", "--quiet", "download", package], directory).returncode == 0:
            return
    raise RuntimeError(
        f"apt-get download {package} failed:\n{first.stderr.strip()}\n"
        "Speech for tests comes from packages of Debian or Ubuntu: `sudo apt-get update` may help."
    )


def _apt(command: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, cwd=directory, capture_output=True, text=True, check=False, timeout=300
        )
    except FileNotFoundError:
        raise RuntimeError(
            f"{command[0]} is not there, which fetches speech for tests: use Debian or Ubuntu"
        ) from None


def _decoded(content: bytes, clip: Clip) -> npt.NDArray[np.int16]:
    """16 kHz mono 16-bit samples."""
    if clip.format == "s16le":
        return np.frombuffer(content, dtype="<i2").astype(np.int16)
    import av

    container_format = "g722" if clip.format == "g722" else None
    with av.open(io.BytesIO(content), format=container_format) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=SAMPLE_RATE_HZ)
        pieces = [
            piece.to_ndarray().reshape(-1)
            for frame in (*container.decode(audio=0), None)
            for piece in resampler.resample(frame)
        ]
    return np.concatenate(pieces).astype(np.int16)


def _write_wav(out: io.BufferedIOBase | object, pcm: npt.NDArray[np.int16]) -> None:
    with wave.open(out, "wb") as file:  # type: ignore[call-overload]
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(pcm.astype("<i2").tobytes())
