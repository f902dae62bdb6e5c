"""Every error that wspkit raises on purpose, with its exit code at the command line.

One class is one exit code, so that a script can tell the kinds apart. A message says what was
found, what was expected and what to do. This file knows nothing else of the package; everything
else may import it.

| code | class               | meaning                                                            |
|------|---------------------|--------------------------------------------------------------------|
| 0    |                     | success                                                            |
| 1    | `InternalError`     | a bug of wspkit; also any exception that nobody expected           |
| 2    | `UsageError`        | an option or argument outside its documented range                 |
| 3    | `NotFoundError`     | a file, model name or program that does not exist                  |
| 4    | `BadFormatError`    | wrong, cut, foreign or damaged data; a wrong checksum              |
| 5    | `UnsupportedError`  | understood, but this build cannot do it                            |
| 6    | `OutOfMemoryError`  | memory ran out                                                     |
| 7    | `InputOutputError`  | the operating system failed to read or write                       |
| 8    | `CancelledError`    | stopped on request by a token or a callback                        |
| 9    | `StaleError`        | a generated file differs from what its source gives                |
| 10   | `BusyError`         | a context or state is in use by another call                       |
| 11   | `CommandError`      | a program that was run failed                                      |
| 12   | `NetworkError`      | no source of a download could be reached                           |
| 13   | `UnhealthyError`    | `wsp doctor` found something that keeps wsp from working           |
| 14   | `CollisionError`   | `wsp audit` found a name that another copy could define, too       |
| 15   | `DifferenceError`   | `wsp parity` found that two cores make different texts             |
| 16   | `BudgetError`       | something that was built is larger than wsp.toml allows            |
| 130  |                     | Ctrl-C at the command line (Python sees `KeyboardInterrupt`)       |
| 143  |                     | SIGTERM at the command line, which ends as tidily as Ctrl-C        |
"""

from __future__ import annotations

from typing import ClassVar

EXIT_OK = 0
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class WspError(Exception):
    """Base of all errors raised on purpose.

    found: what was found, naming the file, option or value; a sentence without its full stop.
    expected: what would have been right.
    hint: what the reader can do about it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, found: str, *, expected: str | None = None, hint: str | None = None) -> None:
        super().__init__(found)
        self.found = found
        self.expected = expected
        self.hint = hint

    @property
    def message(self) -> str:
        """What was found and what was expected, in one line; without the hint."""
        return f"{self.found}; expected {self.expected}" if self.expected else self.found

    def __str__(self) -> str:
        return f"{self.message}. {self.hint}" if self.hint else self.message

    def about(self, subject: str) -> WspError:
        """The same error with what it is about in front, unless its message names that already."""
        if subject in self.found:
            return self
        return type(self)(f"{subject}: {self.found}", expected=self.expected, hint=self.hint)

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders in test runners; keyword arguments need help there.
        return (_rebuild, (type(self), self.found, self.expected, self.hint))


def _rebuild(kind: type[WspError], found: str, expected: str | None, hint: str | None) -> WspError:
    return kind(found, expected=expected, hint=hint)


class InternalError(WspError):
    """A bug of wspkit or of the speech core."""

    exit_code = 1


class UsageError(WspError, ValueError):
    """An option or argument outside its documented range."""

    exit_code = 2


class NotFoundError(WspError):
    """A file, model name or program that does not exist."""

    exit_code = 3


class BadFormatError(WspError):
    """Wrong, cut, foreign or damaged data, or a checksum that does not match."""

    exit_code = 4


class UnsupportedError(WspError):
    """Understood, but this build cannot do it."""

    exit_code = 5


class OutOfMemoryError(WspError):
    """Memory ran out; the process is alive and nothing was half done."""

    exit_code = 6


class InputOutputError(WspError):
    """The operating system failed to read or write."""

    exit_code = 7


class CancelledError(WspError):
    """Stopped on request, by a cancellation token or a callback."""

    exit_code = 8


class StaleError(WspError):
    """A generated file differs from what its source gives."""

    exit_code = 9


class BusyError(WspError):
    """A context or state is in use by another call."""

    exit_code = 10


class CommandError(WspError):
    """A program that was run failed; the message shows its command line and streams."""

    exit_code = 11


class NetworkError(WspError):
    """No source of a download could be reached, or a transfer broke off."""

    exit_code = 12


class UnhealthyError(WspError):
    """`wsp doctor` found something that keeps wsp from working."""

    exit_code = 13


class CollisionError(WspError):
    """A compiled tree defines a name that another copy in the same program could define, too."""

    exit_code = 14


class DifferenceError(WspError):
    """Two cores made different texts of a recording."""

    exit_code = 15


class BudgetError(WspError):
    """Something that was built or packed is larger than wsp.toml allows."""

    exit_code = 16
