# Generated from templates/python/options.py.j2 by `wsp generate`; do not edit.
"""Options of the speech core: frozen dataclasses that check their values, and tables of them.

They know no binding; `wspkit.core` re-exports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wspkit.spec.option import OptionInfo, check_options

TRANSCRIBE_OPTIONS: Final[tuple[OptionInfo, ...]] = (
    OptionInfo(
        name="language",
        section="Task",
        type="string",
        default="auto",
        special=(("auto", "detect the language, then transcribe in it"),),
        c_field="language",
        c_default="en",
        flag="--language",
        since="0.1.0",
    ),
    OptionInfo(
        name="translate",
        section="Task",
        type="bool",
        default=False,
        c_field="translate",
        flag="--translate",
        since="0.1.0",
    ),
    OptionInfo(
        name="offset_ms",
        section="Part of the recording",
        type="int",
        unit="ms",
        default=0,
        minimum=0,
        c_field="offset_ms",
        flag="--offset-ms",
        since="0.1.0",
    ),
    OptionInfo(
        name="duration_ms",
        section="Part of the recording",
        type="int",
        unit="ms",
        default=0,
        minimum=0,
        special=((0, "to the end of the recording"),),
        c_field="duration_ms",
        flag="--duration-ms",
        since="0.1.0",
    ),
    OptionInfo(
        name="no_context",
        section="Text before",
        type="bool",
        default=True,
        c_field="no_context",
        flag="--no-context",
        since="0.1.0",
    ),
    OptionInfo(
        name="n_max_text_ctx",
        section="Text before",
        type="int",
        unit="tokens",
        default=16384,
        minimum=0,
        special=((0, "no text before, and no prompt"),),
        c_field="n_max_text_ctx",
        flag="--max-context",
        since="0.1.0",
    ),
    OptionInfo(
        name="initial_prompt",
        section="Text before",
        type="string",
        default="",
        special=(("", "none"),),
        excludes=("prompt_tokens",),
        c_field="initial_prompt",
        flag="--prompt",
        since="0.1.0",
    ),
    OptionInfo(
        name="prompt_tokens",
        section="Text before",
        type="tokens",
        unit="tokens",
        default=(),
        minimum=0,
        special=(((), "none"),),
        excludes=("initial_prompt",),
        c_field="prompt_tokens",
        since="0.1.0",
    ),
    OptionInfo(
        name="no_timestamps",
        section="Segments and times",
        type="bool",
        default=False,
        c_field="no_timestamps",
        flag="--no-timestamps",
        since="0.1.0",
    ),
    OptionInfo(
        name="single_segment",
        section="Segments and times",
        type="bool",
        default=False,
        c_field="single_segment",
        flag="--single-segment",
        since="0.1.0",
    ),
    OptionInfo(
        name="max_initial_ts",
        section="Segments and times",
        type="float",
        unit="s",
        default=1.0,
        minimum=0.0,
        maximum=30.0,
        special=((0.0, "no limit"),),
        c_field="max_initial_ts",
        flag="--max-initial-timestamp",
        since="0.1.0",
    ),
    OptionInfo(
        name="temperature",
        section="Choice of tokens",
        type="float",
        default=0.0,
        minimum=0.0,
        maximum=1.0,
        special=((0.0, "take the most probable token"),),
        c_field="temperature",
        flag="--temperature",
        since="0.1.0",
    ),
    OptionInfo(
        name="best_of",
        section="Choice of tokens",
        type="int",
        unit="draws",
        default=5,
        minimum=1,
        maximum=8,
        c_field="greedy.best_of",
        flag="--best-of",
        since="0.1.0",
    ),
    OptionInfo(
        name="length_penalty",
        section="Choice of tokens",
        type="float",
        default=-1.0,
        minimum=0.0,
        maximum=1.0,
        minimum_exclusive=True,
        special=((-1.0, "divide by the number of tokens"),),
        c_field="length_penalty",
        flag="--length-penalty",
        since="0.1.0",
    ),
    OptionInfo(
        name="max_tokens",
        section="Choice of tokens",
        type="int",
        unit="tokens",
        default=0,
        minimum=0,
        special=((0, "no limit but the model's own"),),
        c_field="max_tokens",
        flag="--max-tokens",
        since="0.1.0",
    ),
    OptionInfo(
        name="suppress_blank",
        section="Choice of tokens",
        type="bool",
        default=True,
        c_field="suppress_blank",
        flag="--suppress-blank",
        since="0.1.0",
    ),
    OptionInfo(
        name="suppress_nst",
        section="Choice of tokens",
        type="bool",
        default=True,
        c_field="suppress_nst",
        c_default="false",
        flag="--suppress-non-speech",
        since="0.1.0",
    ),
    OptionInfo(
        name="temperature_inc",
        section="Fallback",
        type="float",
        default=0.2,
        minimum=0.0,
        maximum=1.0,
        special=((0.0, "no fallback: the first text stays"),),
        c_field="temperature_inc",
        flag="--temperature-inc",
        since="0.1.0",
    ),
    OptionInfo(
        name="entropy_thold",
        section="Fallback",
        type="float",
        unit="nats",
        default=2.4,
        minimum=0.0,
        special=((0.0, "never"),),
        c_field="entropy_thold",
        flag="--entropy-threshold",
        since="0.1.0",
    ),
    OptionInfo(
        name="logprob_thold",
        section="Fallback",
        type="float",
        unit="nats",
        default=-1.0,
        maximum=0.0,
        c_field="logprob_thold",
        flag="--logprob-threshold",
        since="0.1.0",
    ),
    OptionInfo(
        name="no_speech_thold",
        section="Fallback",
        type="float",
        unit="probability",
        default=0.6,
        minimum=0.0,
        maximum=1.0,
        special=((1.0, "never"),),
        c_field="no_speech_thold",
        flag="--no-speech-threshold",
        since="0.1.0",
    ),
    OptionInfo(
        name="n_threads",
        section="Computation",
        type="int",
        unit="threads",
        default=0,
        minimum=0,
        maximum=64,
        special=((0, "the smaller of 4 and the machine's hardware threads"),),
        c_field="n_threads",
        c_default="min(4, hardware threads)",
        flag="--threads",
        since="0.1.0",
    ),
    OptionInfo(
        name="audio_ctx",
        section="Computation",
        type="int",
        unit="frames",
        default=0,
        minimum=0,
        maximum=1500,
        special=((0, "all that the model has"),),
        c_field="audio_ctx",
        flag="--audio-context",
        since="0.1.0",
    ),
)
"""What each field of TranscribeOptions is and takes, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscribeOptions:
    """How a recording becomes text.

    Values are checked when the object is made: UsageError names the option, the value and what is
    allowed.
    """

    language: str = "auto"
    """Language of the speech, by code or English name, such as de or german.

    With "auto" the model's own guess from the first window is used for the whole recording, and the
    result names it. Name the language when you know it: a wrong guess is likely on short or noisy
    recordings, and it makes the model translate or invent. Upper case and regional forms are
    understood ("en-US" is "en"); an unknown name is an error. An English-only model knows one
    language: for it "auto" means "en", and another language is an error. The C default is "en", as
    in whisper.cpp; here it is "auto", because who transcribes Polish without naming it expects
    Polish text.

    Special: auto: detect the language, then transcribe in it. C: language, default en.

    Source: Radford et al. 2022, section 2.3: the language token is predicted before the text.
    """

    translate: bool = False
    """Translate into English instead of transcribing.

    English is the only target that the models were trained for. An English-only model has no such
    task and transcribes.

    C: translate.

    Source: Radford et al. 2022, section 2.3.
    """

    offset_ms: int = 0
    """Start this far into the recording.

    An offset at or past the end gives no segments. Steps are 10 ms, the distance of two mel frames.

    Unit: ms. Range: at least 0. C: offset_ms.
    """

    duration_ms: int = 0
    """Transcribe only this much, from the offset on.

    A duration that reaches past the end is cut there. Steps are 10 ms, the distance of two mel
    frames.

    Unit: ms. Range: at least 0. Special: 0: to the end of the recording. C: duration_ms.
    """

    no_context: bool = True
    """Forget the text of earlier calls on the same state.

    Inside one call each window still sees the text of the windows before it; set n_max_text_ctx to
    0 to stop that too. False continues where the last call ended, which suits a recording that
    arrives in pieces. It is true by default, since two recordings seldom belong together, and text
    that leaks from one into the next is hard to find out about.

    C: no_context.
    """

    n_max_text_ctx: int = 16384
    """Show the decoder at most this much earlier text.

    The token that opens the earlier text counts too. Half of the text context is the most that fits
    (224 tokens in all published models), whatever stands here; the default is just more than any
    model takes. Earlier text keeps names and style steady over windows, but it also carries a
    repetition on: try 0 if a long recording falls into a loop. Without being asked, the decoder
    forgets it for the last 5 s of a recording and at temperatures of 0.5 and more, where it does
    more harm than good.

    Unit: tokens. Range: at least 0. Special: 0: no text before, and no prompt. C: n_max_text_ctx.

    Source: Radford et al. 2022, section 4.5, previous text conditioning.
    """

    initial_prompt: str = ""
    """Text that is taken as said just before the recording.

    It steers spelling, names and punctuation; it is no instruction, and the model may ignore it.
    Only its last part that fits is used (223 tokens: half of the text context, less the token that
    opens it). Later windows see their own earlier text, so the prompt fades out as the recording
    goes on.

    Special: empty: none. C: initial_prompt.
    """

    prompt_tokens: Sequence[int] = ()
    """The initial prompt as token ids.

    For callers that have tokens already, such as the end of an earlier transcript. Each id must be
    below the vocabulary size of the model; the last ones that fit are used. It excludes
    initial_prompt, since the core could only ignore one of the two.

    Unit: tokens. Range: at least 0. Special: empty: none. C: prompt_tokens.
    """

    no_timestamps: bool = False
    """Decode without timestamp tokens.

    Each window of 30 s then gives one segment, and segment times are those of the window. It saves
    a few steps per window; but timestamps also tell where speech was cut at the window's end, so
    text on that edge may suffer.

    C: no_timestamps.

    Source: Radford et al. 2022, section 2.3.
    """

    single_segment: bool = False
    """Give one segment per window.

    The window always advances by its full 30 s, and timestamps inside it cut no segment. Meant for
    clips shorter than a window, such as commands; in longer recordings a word on a window's edge is
    lost.

    C: single_segment.
    """

    max_initial_ts: float = 1.0
    """The first timestamp of a window is at most this late.

    It keeps the model from skipping the start of a window by a late first timestamp. Speech that
    starts later is still found: only the time of its first segment is early. 30 s is a whole
    window.

    Unit: s. Range: 0 to 30. Special: 0: no limit. C: max_initial_ts.

    Source: Radford et al. 2022, section 4.5, initial timestamp constraint.
    """

    temperature: float = 0.0
    """Temperature of the first attempt.

    Logits are divided by it before a token is drawn, so more of it makes unlikely tokens likelier.
    At 0 nothing is drawn and the result depends on the audio alone. Draws have a fixed seed, so
    they repeat from run to run.

    Range: 0 to 1. Special: 0: take the most probable token. C: temperature.

    Source: Radford et al. 2022, section 4.5, temperature fallback.
    """

    best_of: int = 5
    """Draw this many texts at temperatures above 0 and keep the best.

    The best has the highest log-probability per length (length_penalty). All draws advance in one
    batch; 8 is what the key-value cache is laid out for. At temperature 0 there is one text, since
    every draw would be the same.

    Unit: draws. Range: 1 to 8. C: greedy.best_of.

    Source: Radford et al. 2022, section 4.5.
    """

    length_penalty: float = -1.0
    """Exponent of the length by which texts are compared.

    The summed log-probability is divided by ((5 + length) / 6) to this power; larger values favour
    longer texts. It decides between draws only, so it does nothing at temperature 0.

    Range: above 0, at most 1. Special: -1: divide by the number of tokens. C: length_penalty.

    Source: Wu et al. 2016 (Google's NMT system), section 7.
    """

    max_tokens: int = 0
    """End a segment after this many tokens.

    Only a timestamp or the end may follow then, and the next window starts where the segment ends,
    so no speech is dropped. With no_timestamps or single_segment there is no such place: the rest
    of the window is left out. The model's own limit is half of its text context less 4 (220 tokens
    in all published models).

    Unit: tokens. Range: at least 0. Special: 0: no limit but the model's own. C: max_tokens.
    """

    suppress_blank: bool = True
    """Never start a window's text with a blank or with its end.

    Without it some windows with speech come out empty.

    C: suppress_blank.

    Source: OpenAI Whisper, SuppressBlank.
    """

    suppress_nst: bool = True
    """Never choose non-speech tokens, such as brackets, notes and speaker marks.

    It removes remarks like "[music]" and "♪", and with them brackets and some quotation marks that
    were really meant. The C default is off, as in whisper.cpp; here it is on, as in OpenAI's own
    program: invented remarks and quotation marks cost more words than real ones are lost.

    C: suppress_nst, default false.

    Source: OpenAI Whisper, non_speech_tokens.
    """

    temperature_inc: float = 0.2
    """Raise the temperature by this much for each further attempt.

    Attempts end at temperature 1.0, so the default allows six; the last one is taken as it is.
    Fallback rescues windows in which greedy decoding loops; each attempt costs a decoding of the
    window.

    Range: 0 to 1. Special: 0: no fallback: the first text stays. C: temperature_inc.

    Source: Radford et al. 2022, section 4.5, temperature fallback.
    """

    entropy_thold: float = 2.4
    """Fall back if the last 32 tokens have less entropy than this.

    Few distinct tokens mean that the text repeats itself. 32 different tokens have ln 32 = 3.47
    nats, so a value above that rejects every text of more than 32 tokens. It stands in for the
    compression ratio of OpenAI's decoder, whose threshold has the same number by chance.

    Unit: nats. Range: at least 0. Special: 0: never. C: entropy_thold.

    Source: Radford et al. 2022, section 4.5, for the idea; whisper.cpp for the measure.
    """

    logprob_thold: float = -1.0
    """Fall back if the mean log-probability per token is below this.

    -1.0 nats is a mean probability of 37 % per token. A very low value, such as -100, switches the
    rule off; 0 makes every window fall back to the end.

    Unit: nats. Range: at most 0. C: logprob_thold.

    Source: Radford et al. 2022, section 4.5.
    """

    no_speech_thold: float = 0.6
    """Take a window for silence if its no-speech probability is above this.

    The window is skipped only if its text is also doubtful by logprob_thold, because the no-speech
    token alone is no reliable voice detector.

    Unit: probability. Range: 0 to 1. Special: 1: never. C: no_speech_thold.

    Source: Radford et al. 2022, section 4.5.
    """

    n_threads: int = 0
    """Compute with this many threads.

    The text does not depend on it. Beyond 4 threads memory bandwidth limits the small models, and
    the cores are often needed elsewhere, hence the rule for 0; more threads than cores only cost
    time. 64 is where the core's thread pool ends: the C API takes a larger number for 64.

    Unit: threads. Range: 0 to 64. Special: 0: the smaller of 4 and the machine's hardware threads.
    C: n_threads, default min(4, hardware threads).
    """

    audio_ctx: int = 0
    """Let the encoder see only this many frames of 20 ms.

    1500 frames are the 30 s window. A smaller context makes short clips much cheaper (the encoder's
    cost grows with it, its attention with the square) at the price of accuracy, as the models were
    trained on whole windows. It must cover the clip: what lies beyond it in a window is not heard.
    More than the model has is an error.

    Unit: frames. Range: 0 to 1500. Special: 0: all that the model has. C: audio_ctx.
    """

    def __post_init__(self) -> None:
        check_options(self, TRANSCRIBE_OPTIONS)


VAD_OPTIONS: Final[tuple[OptionInfo, ...]] = (
    OptionInfo(
        name="threshold",
        section="Speech",
        type="float",
        unit="probability",
        default=0.5,
        minimum=0.0,
        maximum=1.0,
        c_field="threshold",
        flag="--threshold",
        since="0.1.0",
    ),
    OptionInfo(
        name="min_speech_duration_ms",
        section="Speech",
        type="int",
        unit="ms",
        default=250,
        minimum=0,
        maximum=3600000,
        c_field="min_speech_duration_ms",
        flag="--min-speech-ms",
        since="0.1.0",
    ),
    OptionInfo(
        name="min_silence_duration_ms",
        section="Speech",
        type="int",
        unit="ms",
        default=100,
        minimum=0,
        maximum=3600000,
        c_field="min_silence_duration_ms",
        flag="--min-silence-ms",
        since="0.1.0",
    ),
    OptionInfo(
        name="max_speech_duration_s",
        section="Speech",
        type="float",
        unit="s",
        default=0.0,
        minimum=0.0,
        minimum_exclusive=True,
        special=((0.0, "no limit"),),
        c_field="max_speech_duration_s",
        c_default="FLT_MAX",
        flag="--max-speech-s",
        since="0.1.0",
    ),
    OptionInfo(
        name="speech_pad_ms",
        section="Speech",
        type="int",
        unit="ms",
        default=30,
        minimum=0,
        maximum=3600000,
        c_field="speech_pad_ms",
        flag="--pad-ms",
        since="0.1.0",
    ),
    OptionInfo(
        name="samples_overlap",
        section="Speech",
        type="float",
        unit="s",
        default=0.1,
        minimum=0.0,
        maximum=3600.0,
        c_field="samples_overlap",
        since="0.1.0",
    ),
)
"""What each field of VadOptions is and takes, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VadOptions:
    """Where somebody speaks in a recording, and what counts as speech.

    Values are checked when the object is made: UsageError names the option, the value and what is
    allowed.
    """

    threshold: float = 0.5
    """Take a window of 32 ms for speech from this probability on.

    Speech that began goes on until the probability falls below the threshold less 0.15 (at least
    0.01), so that it does not flicker around one value. Lower it for quiet or distant voices, raise
    it for noise.

    Unit: probability. Range: 0 to 1. C: threshold.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    min_speech_duration_ms: int = 250
    """Leave out speech that is not longer than this.

    Coughs and clicks are shorter than words. The part of a long stretch before a cut is kept
    whatever its length.

    Unit: ms. Range: 0 to 3.6e+06. C: min_speech_duration_ms.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    min_silence_duration_ms: int = 100
    """End speech at a silence of this length.

    Gaps of under 200 ms are closed in any case, as whisper.cpp does it, so that a stretch is not
    torn at a stop consonant. Raise it to some seconds for one stretch per turn of a conversation.

    Unit: ms. Range: 0 to 3.6e+06. C: min_silence_duration_ms.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    max_speech_duration_s: float = 0.0
    """Cut speech that is longer than this.

    The cut is at the longest silence of more than 98 ms inside the stretch; without one it is right
    at the limit. Padding counts.

    Unit: s. Range: above 0. Special: 0: no limit. C: max_speech_duration_s, default FLT_MAX.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    speech_pad_ms: int = 30
    """Add this much to both sides of each stretch of speech.

    The model answers for windows of 32 ms, so a soft first or last sound may lie just outside.
    Neighbours share a gap that is too small for both, and nothing reaches beyond the recording.

    Unit: ms. Range: 0 to 3.6e+06. C: speech_pad_ms.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    samples_overlap: float = 0.1
    """Transcribe this much more behind each stretch of speech.

    Only for a transcription that leaves silence out: there each stretch but the last takes this
    much of the audio behind it, at most up to the next stretch. Stretches themselves do not change.
    The name is whisper.cpp's; the unit is seconds.

    Unit: s. Range: 0 to 3600. C: samples_overlap.

    Source: whisper.cpp.
    """

    def __post_init__(self) -> None:
        check_options(self, VAD_OPTIONS)


OPTIONS: Final[tuple[OptionInfo, ...]] = (*TRANSCRIBE_OPTIONS, *VAD_OPTIONS)
"""All options of all groups."""
