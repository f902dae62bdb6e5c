"""What commands take: recordings and models, as the command line names them. It must not know what
is done with them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wspkit import log
from wspkit.errors import InputOutputError, NotFoundError, OutOfMemoryError, WspError

if TYPE_CHECKING:
    from wspkit.core import Audio, AudioFile

STDIN: Final = "-"
"""Stands for standard input in place of a file."""
_WAV_MAGICS: Final = (b"RIFF", b"RIFX", b"RF64", b"BW64")
_BEGINNING_BYTES: Final = 4096


def model_file(name: str, *, fetch: bool) -> Path:
    """The file of a model by path or name; one of the catalogue is fetched first if `fetch`.

    Raises NotFoundError, and what fetching raises.
    """
    from wspkit.fetching.cache import megabytes  # noqa: PLC0415
    from wspkit.models import catalogue  # noqa: PLC0415 - not for --help
    from wspkit.models.fetch import Options, resolve  # noqa: PLC0415

    try:
        return resolve(name)
    except NotFoundError:
        known = catalogue.load().find(name)
        if known is None or not fetch:
            raise
    log.status(f"Fetching the model {known.name} ({megabytes(known.size_bytes)}), once.")
    return resolve(name, fetch_missing=True, options=Options(progress=log.progress))


def error_document(source: str, error: WspError) -> dict[str, Any]:
    """What stands in the JSON of a command for a file that failed, as on stderr."""
    return {
        "file": source,
        "error": {
            "kind": type(error).__name__,
            "exit_code": error.exit_code,
            "message": error.message,
            "hint": error.hint,
        },
    }


def print_documents(documents: Sequence[dict[str, Any]], *, several: bool) -> None:
    """Prints JSON: one document for one file, a list for several; nothing if there is none."""
    if documents:
        log.result_json([*documents] if several else documents[0])


def load_recording(source: str) -> Audio:
    """The recording that a command line names; `STDIN` is standard input.

    Raises what `load_audio` raises, and InputOutputError if standard input cannot be read.
    """
    from wspkit.core import load_audio  # noqa: PLC0415 - the native module, not for --help

    return load_audio(_standard_input() if source == STDIN else source)


def open_recording(source: str) -> Audio | AudioFile:
    """The same, left in its file where there is one and the core can read it as it goes."""
    from wspkit.core import AudioFile, can  # noqa: PLC0415 - as above

    stays = source != STDIN and can("full_audio")
    return AudioFile(source) if stays else load_recording(source)


def _standard_input() -> bytes:
    """All of it if it begins as a WAV file does; else its beginning, enough to say what it is."""
    if sys.stdin is None:
        raise InputOutputError("standard input is closed", expected="a WAV file on it")
    try:
        start = sys.stdin.buffer.read(_BEGINNING_BYTES)
        if not start.startswith(_WAV_MAGICS):
            return start  # an endless stream must not fill the memory
        return start + sys.stdin.buffer.read()
    except OSError as error:
        raise InputOutputError(f"standard input: {error.strerror or error}") from error
    except MemoryError:
        raise OutOfMemoryError("memory ran out while standard input was read") from None
