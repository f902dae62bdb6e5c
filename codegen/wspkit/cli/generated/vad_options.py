# Generated from templates/cli/options.py.j2 by `wsp generate`; do not edit.
"""Command-line parameters of the options, so that no command declares one by hand.

They run nothing: a command takes what was given as one options object.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final, TypeVar

import typer

from wspkit.core.generated.options import VadOptions

Result = TypeVar("Result")

PARAMETERS: Final[tuple[inspect.Parameter, ...]] = (
    inspect.Parameter(
        "threshold",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.5,
        annotation=Annotated[
            float,
            typer.Option(
                "--threshold",
                help="Take a window of 32 ms for speech from this probability on (0 to 1).",
                metavar="NUMBER",
                rich_help_panel="Speech",
            ),
        ],
    ),
    inspect.Parameter(
        "min_speech_duration_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=250,
        annotation=Annotated[
            int,
            typer.Option(
                "--min-speech-ms",
                help="Leave out speech that is not longer than this (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Speech",
            ),
        ],
    ),
    inspect.Parameter(
        "min_silence_duration_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=100,
        annotation=Annotated[
            int,
            typer.Option(
                "--min-silence-ms",
                help="End speech at a silence of this length (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Speech",
            ),
        ],
    ),
    inspect.Parameter(
        "max_speech_duration_s",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--max-speech-s",
                help="Cut speech that is longer than this (above 0; 0: no limit).",
                metavar="S",
                rich_help_panel="Speech",
            ),
        ],
    ),
    inspect.Parameter(
        "speech_pad_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=30,
        annotation=Annotated[
            int,
            typer.Option(
                "--pad-ms",
                help="Add this much to both sides of each stretch of speech (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Speech",
            ),
        ],
    ),
)
"""One parameter per option that has a flag, in the order of the help."""


def with_vad_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Gives a command the parameters of all options; the command takes them as one `options`.

    command: a function for typer with a keyword `options: VadOptions`, which disappears
    from the command line. Parameters of its own stay, before these. A value outside its range
    raises UsageError when the command is called, before its body runs.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for name, parameter in signature.parameters.items() if name != "options"]

    @functools.wraps(command)
    def run(*args: object, **kwargs: object) -> Result:
        chosen: dict[str, Any] = {
            parameter.name: kwargs.pop(parameter.name) for parameter in PARAMETERS
        }
        return command(*args, **kwargs, options=VadOptions(**chosen))

    parameters = [*own, *PARAMETERS]
    # typer reads both: the signature for order and defaults, the annotations for the types.
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
