"""How values that no number or word can say are written on a command line: lists, and files whose
text is meant. It must not know the options.
"""

from __future__ import annotations

from pathlib import Path

from wspkit.errors import BadFormatError, InputOutputError, NotFoundError, UsageError

# Far above what a person writes; a recording that was named by mistake is no text to be read.
_LARGEST_BYTES = 1_000_000


def names_of(text: str, flag: str) -> tuple[str, ...]:
    """Names with commas between them: "de, fr" is two; none for an empty text.

    Raises UsageError, naming the flag, for an empty name.
    """
    if not text.strip():
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if "" in names:
        raise UsageError(f"{flag} is {text!r}", expected="names with a comma between them: de,fr")
    return names


def text_of_file(path: str, flag: str) -> str:
    """The text of a UTF-8 file; empty for an empty path.

    Raises NotFoundError, InputOutputError, BadFormatError or UsageError, naming the flag.
    """
    if not path:
        return ""
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST_BYTES + 1)
    except FileNotFoundError:
        raise NotFoundError(f"{flag}: there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise InputOutputError(f"{flag}: cannot read {path}: {error}") from error
    if len(data) > _LARGEST_BYTES:  # before it is decoded: the cut may lie inside a character
        raise UsageError(f"{flag}: {path} has more than {_LARGEST_BYTES} bytes", expected="a text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFormatError(f"{flag}: {path} is not UTF-8: {error.reason}") from None
    if not text.strip():
        raise BadFormatError(f"{flag}: {path} is empty")
    return text
