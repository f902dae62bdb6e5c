"""Running other programs: a command is data, one place runs it, and tests record instead.

The only file that imports `subprocess`. It knows nothing of what the programs are for.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from wspkit import log
from wspkit.errors import CommandError, InputOutputError, NotFoundError

# How much of a failed program's streams an error message repeats: the last lines say why it failed.
_SHOWN_LINES = 40


def _no_environment() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Command:
    """A program with its arguments, as data: building one runs nothing."""

    arguments: tuple[str, ...]
    """Program and arguments; never passed through a shell."""

    cwd: Path | None = None
    """Directory to run in; None is the current one."""

    environment: Mapping[str, str] = field(default_factory=_no_environment)
    """Variables set on top of the caller's environment."""

    timeout_s: float | None = None
    """Seconds after which the program is killed and the command fails; None waits for ever."""

    def __post_init__(self) -> None:
        if not self.arguments:
            raise ValueError("a command needs at least the name of a program")
        # A frozen command must stay what it was, whatever its maker does with the mapping later.
        object.__setattr__(self, "environment", MappingProxyType(dict(self.environment)))

    @classmethod
    def of(cls, *arguments: str | Path, cwd: Path | None = None, **environment: str) -> Command:
        """A command from its words; paths become text, keywords become environment variables."""
        return cls(tuple(str(word) for word in arguments), cwd=cwd, environment=environment)

    def __hash__(self) -> int:
        return hash(
            (self.arguments, self.cwd, tuple(sorted(self.environment.items())), self.timeout_s)
        )

    def __str__(self) -> str:
        """The line that a person would type to repeat it."""
        assignments = [
            f"{name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())
        ]
        line = " ".join([*assignments, shlex.join(self.arguments)])
        return f"(cd {shlex.quote(str(self.cwd))} && {line})" if self.cwd else line


@dataclass(frozen=True)
class CommandResult:
    """What a program left behind."""

    command: Command
    exit_code: int
    """As the shell shows it; minus the signal's number if a signal ended the program."""
    stdout: str = ""
    stderr: str = ""

    @property
    def ok(self) -> bool:
        """Whether the program reported success."""
        return self.exit_code == 0


class Runner(Protocol):
    """Runs commands, or pretends to."""

    def run(self, command: Command, *, check: bool = True) -> CommandResult:
        """Runs `command` to its end and returns its streams.

        Raises NotFoundError if there is no such program or directory, InputOutputError if it cannot
        be started, CommandError if it fails or takes longer than its timeout. With `check` false a
        failing program's result is returned instead.
        """
        ...


class SubprocessRunner:
    """The real runner. Streams are captured as UTF-8; other bytes are shown escaped."""

    def run(self, command: Command, *, check: bool = True) -> CommandResult:
        """See `Runner.run`."""
        log.detail(f"$ {command}")
        try:
            done = subprocess.run(
                command.arguments,
                cwd=command.cwd,
                env={**os.environ, **command.environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="backslashreplace",
                timeout=command.timeout_s,
                check=False,
            )
        except FileNotFoundError as error:
            if command.cwd is not None and not command.cwd.is_dir():
                raise NotFoundError(
                    f"no directory {str(command.cwd)!r} to run {command.arguments[0]!r} in"
                ) from error
            raise NotFoundError(
                f"no program {command.arguments[0]!r}",
                expected="it on the PATH",
                hint="Install it, or give its full path.",
            ) from error
        except subprocess.TimeoutExpired as error:
            streams = _tail(_text(error.stdout), _text(error.stderr))
            raise CommandError(
                f"no end after {command.timeout_s:g} s: {command}{streams}"
            ) from error
        except OSError as error:
            raise InputOutputError(
                f"cannot start {command.arguments[0]!r}: {error.strerror or error}"
            ) from error
        result = CommandResult(command, done.returncode, done.stdout, done.stderr)
        if check:
            raise_for_failure(result)
        return result


Script = Callable[[Command], CommandResult | None]


@dataclass
class RecordingRunner:
    """Runs nothing and remembers everything, so that tests can assert on commands one by one.

    script: gives the result of a command, or None for an empty success.
    """

    script: Script | None = None
    commands: list[Command] = field(default_factory=list)

    def run(self, command: Command, *, check: bool = True) -> CommandResult:
        """Records `command`; fails as `Runner.run` does if the script says so."""
        self.commands.append(command)
        result = (self.script(command) if self.script else None) or CommandResult(command, 0)
        if check:
            raise_for_failure(result)
        return result

    @property
    def lines(self) -> list[str]:
        """The recorded commands as a person would type them."""
        return [str(command) for command in self.commands]


def raise_for_failure(result: CommandResult) -> None:
    """Raises CommandError with command line and streams if the command failed."""
    if result.ok:
        return
    code = result.exit_code
    ending = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
    raise CommandError(f"{ending}: {result.command}{_tail(result.stdout, result.stderr)}")


def run_all(runner: Runner, commands: Iterable[Command]) -> list[CommandResult]:
    """Runs commands in order and stops at the first that fails."""
    return [runner.run(command) for command in commands]


def tool(name: str) -> str:
    """The program of this Python's environment, else the one on the PATH."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else name


def _text(stream: str | bytes | None) -> str:
    # A timeout hands over whatever had arrived, as bytes even in text mode.
    return stream.decode("utf-8", "backslashreplace") if isinstance(stream, bytes) else stream or ""


def _tail(stdout: str, stderr: str) -> str:
    parts = []
    for name, stream in (("stdout", stdout), ("stderr", stderr)):
        lines = stream.rstrip().splitlines()
        if not lines:
            continue
        cut = len(lines) - _SHOWN_LINES
        shown = lines if cut <= 0 else [f"[{cut} lines before]", *lines[-_SHOWN_LINES:]]
        parts.append(f"\n--- {name} ---\n" + "\n".join(shown))
    return "".join(parts)
