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

from wspkit.cli.values import names_of, text_of_file
from wspkit.core.generated.options import TranscribeOptions, VadOptions

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
        "language_candidates",
        inspect.Parameter.KEYWORD_ONLY,
        default="",
        annotation=Annotated[
            str,
            typer.Option(
                "--languages",
                help=(
                    "Languages among which the detection chooses, by codes or English names "
                    "(empty: all that the model knows)."
                ),
                metavar="NAME,NAME",
                rich_help_panel="Task",
                show_default=False,
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
        "carry_initial_prompt",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--carry-prompt",
                help="Show the prompt to every window, not only to the first.",
                rich_help_panel="Text before",
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
        "max_len",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--max-length",
                help="Cut segments that are longer than this (at least 0; 0: no limit).",
                metavar="CHARACTERS",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "split_on_word",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--split-on-word",
                help="Cut long segments only before words.",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "tdrz_enable",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--speaker-turns",
                help="Mark where the speaker changes, with a tinydiarize model.",
                rich_help_panel="Segments and times",
            ),
        ],
    ),
    inspect.Parameter(
        "token_timestamps",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--token-timestamps",
                help="Give each token, and so each word, a start and an end.",
                rich_help_panel="Token times",
            ),
        ],
    ),
    inspect.Parameter(
        "thold_pt",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.01,
        annotation=Annotated[
            float,
            typer.Option(
                "--timestamp-threshold",
                help=(
                    "Trust a timestamp that has more than this share of all timestamps' "
                    "probability (0 to 1)."
                ),
                metavar="NUMBER",
                rich_help_panel="Token times",
            ),
        ],
    ),
    inspect.Parameter(
        "thold_ptsum",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.01,
        annotation=Annotated[
            float,
            typer.Option(
                "--timestamp-sum-threshold",
                help=(
                    "Trust a timestamp only where all timestamps together have more than this (0 "
                    "to 1)."
                ),
                metavar="NUMBER",
                rich_help_panel="Token times",
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
        "beam_size",
        inspect.Parameter.KEYWORD_ONLY,
        default=1,
        annotation=Annotated[
            int,
            typer.Option(
                "--beam-size",
                help=(
                    "Follow this many texts at a time and keep the most probable (1 to 8; 1: no "
                    "search: the most probable token at each step)."
                ),
                metavar="BEAMS",
                rich_help_panel="Choice of tokens",
            ),
        ],
    ),
    inspect.Parameter(
        "patience",
        inspect.Parameter.KEYWORD_ONLY,
        default=-1.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--patience",
                help=(
                    "End the beam search when this many times beam_size texts are complete (above "
                    "0, at most 100; -1: the same as 1)."
                ),
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
        "seed",
        inspect.Parameter.KEYWORD_ONLY,
        default=0,
        annotation=Annotated[
            int,
            typer.Option(
                "--seed",
                help="Seed of the draws at temperatures above 0.",
                metavar="NUMBER",
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
        "suppress_regex",
        inspect.Parameter.KEYWORD_ONLY,
        default="",
        annotation=Annotated[
            str,
            typer.Option(
                "--suppress-regex",
                help="Never choose tokens whose text this regular expression finds (empty: none).",
                metavar="TEXT",
                rich_help_panel="Choice of tokens",
                show_default=False,
            ),
        ],
    ),
    inspect.Parameter(
        "grammar",
        inspect.Parameter.KEYWORD_ONLY,
        default="",
        annotation=Annotated[
            str,
            typer.Option(
                "--grammar",
                help="Rules in GBNF that the text has to follow (empty: none).",
                metavar="FILE",
                rich_help_panel="Grammar",
                show_default=False,
            ),
        ],
    ),
    inspect.Parameter(
        "grammar_start",
        inspect.Parameter.KEYWORD_ONLY,
        default="root",
        annotation=Annotated[
            str,
            typer.Option(
                "--grammar-start",
                help="The rule of the grammar that stands for the whole text.",
                metavar="TEXT",
                rich_help_panel="Grammar",
            ),
        ],
    ),
    inspect.Parameter(
        "grammar_penalty",
        inspect.Parameter.KEYWORD_ONLY,
        default=100.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--grammar-penalty",
                help=(
                    "Take this much from the logit of each token that the grammar forbids (at "
                    "least 0)."
                ),
                metavar="NUMBER",
                rich_help_panel="Grammar",
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
        "compression_ratio_thold",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--compression-threshold",
                help=(
                    "Fall back if the text can be compressed by more than this factor (at least 0; "
                    "0: never)."
                ),
                metavar="NUMBER",
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
        "vad",
        inspect.Parameter.KEYWORD_ONLY,
        default=False,
        annotation=Annotated[
            bool,
            typer.Option(
                "--vad",
                help="Transcribe only where somebody speaks.",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_threshold",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.5,
        annotation=Annotated[
            float,
            typer.Option(
                "--vad-threshold",
                help="Take a window of 32 ms for speech from this probability on (0 to 1).",
                metavar="NUMBER",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_min_speech_duration_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=250,
        annotation=Annotated[
            int,
            typer.Option(
                "--vad-min-speech-ms",
                help="Leave out speech that is not longer than this (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_min_silence_duration_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=100,
        annotation=Annotated[
            int,
            typer.Option(
                "--vad-min-silence-ms",
                help="End speech at a silence of this length (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_max_speech_duration_s",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.0,
        annotation=Annotated[
            float,
            typer.Option(
                "--vad-max-speech-s",
                help="Cut speech that is longer than this (above 0; 0: no limit).",
                metavar="S",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_speech_pad_ms",
        inspect.Parameter.KEYWORD_ONLY,
        default=30,
        annotation=Annotated[
            int,
            typer.Option(
                "--vad-pad-ms",
                help="Add this much to both sides of each stretch of speech (0 to 3600000).",
                metavar="MS",
                rich_help_panel="Silence left out",
            ),
        ],
    ),
    inspect.Parameter(
        "vad_samples_overlap",
        inspect.Parameter.KEYWORD_ONLY,
        default=0.1,
        annotation=Annotated[
            float,
            typer.Option(
                "--vad-overlap-s",
                help="Transcribe this much more behind each stretch of speech (0 to 3600).",
                metavar="S",
                rich_help_panel="Silence left out",
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
        "n_parts",
        inspect.Parameter.KEYWORD_ONLY,
        default=1,
        annotation=Annotated[
            int,
            typer.Option(
                "--parallel",
                help=(
                    "Cut the recording into this many parts and transcribe them at the same time "
                    "(1 to 64; 1: the whole)."
                ),
                metavar="PARTS",
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
        chosen["language_candidates"] = names_of(chosen["language_candidates"], "--languages")
        chosen["grammar"] = text_of_file(chosen["grammar"], "--grammar")
        chosen["vad_options"] = VadOptions(
            threshold=chosen.pop("vad_threshold"),
            min_speech_duration_ms=chosen.pop("vad_min_speech_duration_ms"),
            min_silence_duration_ms=chosen.pop("vad_min_silence_duration_ms"),
            max_speech_duration_s=chosen.pop("vad_max_speech_duration_s"),
            speech_pad_ms=chosen.pop("vad_speech_pad_ms"),
            samples_overlap=chosen.pop("vad_samples_overlap"),
        )
        return command(*args, **kwargs, options=TranscribeOptions(**chosen))

    parameters = [*own, *PARAMETERS]
    # typer reads both: the signature for order and defaults, the annotations for the types.
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
