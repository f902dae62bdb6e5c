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

from wspkit.core.generated.options import TranscribeOptions

Result = TypeVar("Result")

PARAMETERS: Final[tuple[inspect.Parameter, ...]] = (
    inspect.Parameter(
        "language",
        inspect.Parameter.KEYWORD_ONLY,
        default="auto",
        annotation=Annotated[
            str,
            typer.Option(
                "--language",
                "-l",
                help=(
                    "Language of the speech, by code or English name, such as de or german (auto: "
                    "detect the language, then transcribe in it)."
                ),
                metavar="TEXT",
                rich_help_panel="Task",
            ),
        ],
    ),
    inspect.Parameter(
        "translate",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--translate",
                help="Translate into English instead of transcribing.",
                rich_help_panel="Task",
            ),
        ],
    ),
    inspect.Parameter(
        "offset_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--offset-ms",
                help="Start this far into the recording (at least 0).",
                metavar="MS",
                rich_help_panel="Part of the recording",
            ),
        ],
    ),
    inspect.Parameter(
        "duration_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--duration-ms",
                help=(
                    "Transcribe only this much, from the offset on (at least 0; 0: to the end of "
                    "the recording)."
                ),
                metavar="MS",
                rich_help_panel="Part of the recording",
            ),
        ],
    ),
    inspect.Parameter(
        "no_context",
        inspect.Parameter.KEYWORD_ONLY,
        default=True,
        annotation=Annotated[
            bool,
            typer.Option(
                "--no-context/--keep-context",
                help="Forget the text of earlier calls on the same state.",
                rich_help_panel="Text before",
            ),
        ],
    ),
    inspect.Parameter(
        "n_max_text_ctx",
        inspect.Parameter.KEYWORD_ONLY,
        default=16384,
        annotation=Annotated[
            int,
            typer.Option(
                "--max-context",
                help=(
                    "Show the decoder at most this much earlier text (at least 0; 0: no text "
                    "before, and no prompt)."
                ),
                metavar="TOKENS",
                rich_help_panel="Text before",
            ),
        ],
    ),
    inspect.Parameter(
        "initial_prompt",
        inspect.Parameter.KEYWORD_ONLY,
        default="",
        annotation=Annotated[
            str,
            typer.Option(
                "--prompt",
                help="Text that is taken as said just before the recording (empty: none).",
                metavar="TEXT",
                rich_help_panel="Text before",
                show_default=False,
            ),
        ],
    ),
    inspect.Parameter(
        "no_timestamps",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--no-timestamps",
                help="Decode without timestamp tokens.",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "single_segment",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--single-segment",
                help="Give one segment per window.",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "max_initial_ts",
        inspect.Parameter.KEYWORD_ONLY,
        default=1.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--max-initial-timestamp",
                help="The first timestamp of a window is at most this late (0 to 30; 0: no limit).",
                metavar="S",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "temperature",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--temperature",
                help="Temperature of the first attempt (0 to 1; 0: take the most probable token).",
                metavar="NUMBER",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "best_of",
        inspect.Parameter.KEYWORD_ONLY,
        default=5,
        annotation=Annotated[
            int,
            typer.Option(
                "--best-of",
                help="Draw this many texts at temperatures above 0 and keep the best (1 to 8).",
                metavar="DRAWS",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "length_penalty",
        inspect.Parameter.KEYWORD_ONLY,
        default=-1.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--length-penalty",
                help=(
                    "Exponent of the length by which texts are compared (above 0, at most 1; -1: "
                    "divide by the number of tokens)."
                ),
                metavar="NUMBER",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "max_tokens",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--max-tokens",
                help=(
                    "End a segment after this many tokens (at least 0; 0: no limit but the model's "
                    "own)."
                ),
                metavar="TOKENS",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "suppress_blank",
        inspect.Parameter.KEYWORD_ONLY,
        default=True,
        annotation=Annotated[
            bool,
            typer.Option(
                "--suppress-blank/--allow-blank",
                help="Never start a window's text with a blank or with its end.",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "suppress_nst",
        inspect.Parameter.KEYWORD_ONLY,
        default=True,
        annotation=Annotated[
            bool,
            typer.Option(
                "--suppress-non-speech/--allow-non-speech",
                help="Never choose non-speech tokens, such as brackets, notes and speaker marks.",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "temperature_inc",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.2,
        annotation=Annotated[
            float,
            typer.Option(
                "--temperature-inc",
                help=(
                    "Raise the temperature by this much for each further attempt (0 to 1; 0: no "
                    "fallback: the first text stays)."
                ),
                metavar="NUMBER",
                rich_help_panel="Fallback",
            ),
        ],
    ),
    inspect.Parameter(
        "entropy_thold",
        inspect.Parameter.KEYWORD_ONLY,
        default=2.4,
        annotation=Annotated[
            float,
            typer.Option(
                "--entropy-threshold",
                help=(
                    "Fall back if the last 32 tokens have less entropy than this (at least 0; 0: "
                    "never)."
                ),
                metavar="NATS",
                rich_help_panel="Fallback",
            ),
        ],
    ),
    inspect.Parameter(
        "logprob_thold",
        inspect.Parameter.KEYWORD_ONLY,
        default=-1.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--logprob-threshold",
                help="Fall back if the mean log-probability per token is below this (at most 0).",
                metavar="NATS",
                rich_help_panel="Fallback",
            ),
        ],
    ),
    inspect.Parameter(
        "no_speech_thold",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.6,
        annotation=Annotated[
            float,
            typer.Option(
                "--no-speech-threshold",
                help=(
                    "Take a window for silence if its no-speech probability is above this (0 to 1; "
                    "1: never)."
                ),
                metavar="NUMBER",
                rich_help_panel="Fallback",
            ),
        ],
    ),
    inspect.Parameter(
        "n_threads",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--threads",
                "-t",
                help=(
                    "Compute with this many threads (0 to 64; 0: the smaller of 4 and the "
                    "machine's hardware threads)."
                ),
                metavar="THREADS",
                rich_help_panel="Computation",
            ),
        ],
    ),
    inspect.Parameter(
        "audio_ctx",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--audio-context",
                help=(
                    "Let the encoder see only this many frames of 20 ms (0 to 1500; 0: all that "
                    "the model has)."
                ),
                metavar="FRAMES",
                rich_help_panel="Computation",
            ),
        ],
    ),
)
"""One parameter per option that has a flag, in the order of the help."""


def with_transcribe_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Gives a command the parameters of all options; the command takes them as one `options`.

    command: a function for typer with a keyword `options: TranscribeOptions`, which disappears
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
        return command(*args, **kwargs, options=TranscribeOptions(**chosen))

    parameters = [*own, *PARAMETERS]
    # typer reads both: the signature for order and defaults, the annotations for the types.
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
