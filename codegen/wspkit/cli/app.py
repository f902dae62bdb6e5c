"""The entry point of `wsp`: finds the command, turns what goes wrong into message and exit code.

A command's module is imported when it is called, so that `wsp --help` is quick and works without
the native module. What the commands do is their own business.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

import wspkit
from wspkit import log
from wspkit.cli.words import asks_for_json, hoist_verbosity, options_with_value
from wspkit.errors import (
    EXIT_INTERRUPTED,
    EXIT_OK,
    InputOutputError,
    InternalError,
    OutOfMemoryError,
    UsageError,
    WspError,
)

EXIT_OUTPUT_CLOSED: Final = 141
"""What a shell shows for a program that a closed pipe ended: 128 + SIGPIPE."""


@dataclass(frozen=True)
class _Entry:
    """A command that is not imported yet."""

    module: str
    attribute: str
    """A function, or a `typer.Typer` with commands of its own."""
    summary: str
    """Its line in `wsp --help`."""

    def load(self, name: str) -> Any:  # noqa: ANN401 - typer's class of commands has no public name
        """The real command. What importing it raises comes through."""
        found = getattr(importlib.import_module(self.module), self.attribute)
        if not isinstance(found, typer.Typer):
            command, found = found, typer.Typer(add_completion=False)
            found.command(name)(command)
        loaded = typer.main.get_command(found)
        loaded.name = name
        _unwrap_help(loaded)
        return loaded


def _unwrap_help(command: Any) -> None:  # noqa: ANN401 - see _Entry.load
    """Joins the lines of each paragraph of a docstring: they were broken for the source's width."""
    if command.help:
        command.help = unwrapped(command.help)
    for child in getattr(command, "commands", {}).values():
        _unwrap_help(child)


def unwrapped(text: str) -> str:
    """Text with one line per paragraph; paragraphs are parted by an empty line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


_COMMANDS: Final = {
    "transcribe": _Entry(
        "wspkit.cli.transcribe", "transcribe", "Turn recordings into text, subtitles or JSON."
    ),
    "vad": _Entry("wspkit.cli.vad", "vad", "Show where somebody speaks in recordings."),
    "detect-language": _Entry(
        "wspkit.cli.detect_language",
        "detect_language",
        "Tell which languages recordings seem to be in.",
    ),
    "model": _Entry("wspkit.cli.model", "app", "List, fetch, inspect and convert models."),
    "doctor": _Entry(
        "wspkit.cli.doctor", "doctor", "Check this machine and installation, with hints."
    ),
    "bench": _Entry(
        "wspkit.cli.bench", "app", "Measure the core beside its peers and the machine's limits."
    ),
    "build": _Entry(
        "wspkit.cli.build", "build", "Build the core for Android, iOS, Linux and WebAssembly."
    ),
    "stage": _Entry("wspkit.cli.stage", "stage", "Lay the folder of the npm package."),
    "pack": _Entry(
        "wspkit.cli.pack", "pack", "Pack that folder for npm, and prove what is said of it."
    ),
    "prefix": _Entry(
        "wspkit.cli.prefix", "prefix", "Put a prefix in front of a source tree's global names."
    ),
    "sync": _Entry(
        "wspkit.cli.sync", "sync", "Bring sources of a core from elsewhere, under a prefix."
    ),
    "audit": _Entry(
        "wspkit.cli.audit", "audit_trees", "Prove that compiled sources collide with no other copy."
    ),
    "build-core": _Entry(
        "wspkit.cli.build_core", "build_core", "Build whisper.cpp as another core behind this API."
    ),
    "parity": _Entry(
        "wspkit.cli.parity",
        "parity",
        "Hold our core against whisper.cpp: text, tokens, times, speed.",
    ),
    "generate": _Entry(
        "wspkit.cli.generate",
        "generate",
        "Make bindings and option tables again from the description of the API.",
    ),
}


class _LazyGroup(TyperGroup):
    """Shows every command, and imports the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer's own types
        """Replaces the stand-in by the real command before anybody asks it for options."""
        name = args[0] if args else ""
        if name in _COMMANDS:
            self.commands[name] = _COMMANDS[name].load(name)
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_LazyGroup,
    # Typer's own tracebacks would bypass the messages of main().
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=unwrapped("""
Examples:

$ wsp transcribe speech.wav

$ wsp transcribe -m base -l de --format srt -o subtitles/ a.wav b.wav

$ wsp transcribe --words --vad --beam-size 5 meeting.wav

$ wsp vad meeting.wav

$ wsp detect-language --candidates de,fr call.wav

$ wsp model list

$ wsp doctor

Exit codes: 0 success, 1 a bug of wsp, 2 wrong use, 3 not found, 4 bad format, 5 unsupported,
6 out of memory, 7 input or output, 8 cancelled, 9 stale, 10 busy, 11 a program failed,
12 network, 13 unhealthy, 14 colliding names, 15 different texts, 16 too large, 130 Ctrl-C,
143 SIGTERM.
"""),
)


def _stand_in() -> None:
    """Never called: the group replaces it first."""


for _name, _entry in _COMMANDS.items():
    app.command(_name, help=_entry.summary)(_stand_in)


def _show_version(wanted: bool) -> None:
    if wanted:
        log.result(f"wsp {wspkit.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", help="Say more: log lines of the core, commands, tracebacks."
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but errors and results.")
    ] = False,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Speech to text with Whisper models, and the kit that builds it into React Native apps.

    --verbose and --quiet may stand before or after the command.
    """
    if verbose and quiet:
        raise UsageError("--verbose and --quiet are both given", expected="one of them")
    log.configure(
        verbosity=log.Verbosity.VERBOSE
        if verbose
        else log.Verbosity.QUIET
        if quiet
        else log.Verbosity.NORMAL,
        json_mode=log.settings().json_mode,
    )


# Typer brings its own copy of click in some versions and needs click in others; by either
# name this is the class of errors in the use of the command line.
_CommandLineError: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs `wsp` with the process's arguments, or the given ones, and returns its exit code.

    Nothing is raised: errors of wspkit become their message and code, Ctrl-C becomes 130, and what
    nobody expected becomes 1 with the way to its traceback.
    """
    log.configure()
    words = [*(sys.argv[1:] if arguments is None else arguments)] or ["--help"]
    code = EXIT_OK
    try:
        code = _run(words)
        # Help is printed by others: a pipe that was closed early shows here, not at the last flush.
        log.finish()
    except log.OutputClosedError:
        # Who reads only the first lines of a help has got what he wanted.
        return EXIT_OK if _shows_help(words) else EXIT_OUTPUT_CLOSED
    except InputOutputError as error:
        # Has the command failed already, then most likely by the same full disk, and it said so.
        return code or _fail(error)
    return code


def _run(words: list[str]) -> int:
    try:
        with_value = _options_with_value(words)
        log.configure(json_mode=asks_for_json(words, with_value))
        words = hoist_verbosity(words, with_value)
        result = typer.main.get_command(app).main(words, prog_name="wsp", standalone_mode=False)
    except WspError as error:
        return _fail(error)
    except _CommandLineError as error:
        return _fail_usage(error)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except SystemExit as error:
        # Whoever prints the help raises it where the reader has gone.
        return error.code if isinstance(error.code, int) and not _shows_help(words) else EXIT_OK
    except MemoryError:
        return _fail(OutOfMemoryError("memory ran out"))
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        return _fail(InputOutputError(f"{name}{error.strerror or error}"))
    except Exception as error:  # noqa: BLE001 - the last stop before the user
        return _fail(
            InternalError(
                f"{type(error).__name__}: {error}",
                hint="This is a bug of wsp; --verbose shows where it happened.",
            )
        )
    if result == EXIT_INTERRUPTED:
        return _interrupted()
    return result if isinstance(result, int) else EXIT_OK


def _shows_help(words: Sequence[str]) -> bool:
    return not {"-h", "--help"}.isdisjoint(words)


def _options_with_value(words: Sequence[str]) -> frozenset[str]:
    """Names of the options with a value that the command named in these words has."""
    name = next((word for word in words if not word.startswith("-")), "")
    return options_with_value(_COMMANDS[name].load(name)) if name in _COMMANDS else frozenset()


def _fail(error: WspError) -> int:
    log.failure(error)
    log.detail(traceback.format_exc().rstrip())
    return error.exit_code


def _fail_usage(error: Any) -> int:  # noqa: ANN401 - see _CommandLineError
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return UsageError.exit_code
    path = context.command_path if context is not None else "wsp"
    problem = UsageError(error.format_message().rstrip("."), hint=f"See `{path} --help`.")
    log.failure(problem)
    return UsageError.exit_code


def _interrupted() -> int:
    log.status("Interrupted.")
    return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
