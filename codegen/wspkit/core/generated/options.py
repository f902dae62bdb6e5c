# Generated from templates/python/options.py.j2 by `wsp generate`; do not edit.
"""Options of the speech core: frozen dataclasses that check their values, and tables of them.

They know no binding; `wspkit.core` re-exports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Final

from wspkit.spec.option import OptionInfo, Options, check_options

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
class VadOptions(Options):
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

    Unit: ms. Range: 0 to 3600000. C: min_speech_duration_ms.

    Source: snakers4/silero-vad, get_speech_timestamps.
    """

    min_silence_duration_ms: int = 100
    """End speech at a silence of this length.

    Gaps of under 200 ms are closed in any case, as whisper.cpp does it, so that a stretch is not
    torn at a stop consonant. Raise it to some seconds for one stretch per turn of a conversation.

    Unit: ms. Range: 0 to 3600000. C: min_silence_duration_ms.

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

    Unit: ms. Range: 0 to 3600000. C: speech_pad_ms.

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


TRANSCRIBE_OPTIONS: Final[tuple[OptionInfo, ...]] = (
    OptionInfo(
        name="language",
        section="Task",
        type="string",
        default="auto",
        special=(("auto", "detect the language, then transcribe in it"),),
        excludes=("language_candidates",),
        c_field="language",
        c_default="en",
        flag="--language",
        since="0.1.0",
    ),
    OptionInfo(
        name="language_candidates",
        section="Task",
        type="names",
        default=(),
        special=(((), "all that the model knows"),),
        excludes=("language",),
        c_field="language_candidates",
        flag="--languages",
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
        name="carry_initial_prompt",
        section="Text before",
        type="bool",
        default=False,
        c_field="carry_initial_prompt",
        flag="--carry-prompt",
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
        name="max_len",
        section="Segments and times",
        type="int",
        unit="characters",
        default=0,
        minimum=0,
        special=((0, "no limit"),),
        c_field="max_len",
        flag="--max-length",
        since="0.1.0",
    ),
    OptionInfo(
        name="split_on_word",
        section="Segments and times",
        type="bool",
        default=False,
        c_field="split_on_word",
        flag="--split-on-word",
        since="0.1.0",
    ),
    OptionInfo(
        name="tdrz_enable",
        section="Segments and times",
        type="bool",
        default=False,
        c_field="tdrz_enable",
        flag="--speaker-turns",
        since="0.1.0",
    ),
    OptionInfo(
        name="token_timestamps",
        section="Token times",
        type="bool",
        default=False,
        c_field="token_timestamps",
        flag="--token-timestamps",
        since="0.1.0",
    ),
    OptionInfo(
        name="thold_pt",
        section="Token times",
        type="float",
        unit="probability",
        default=0.01,
        minimum=0.0,
        maximum=1.0,
        c_field="thold_pt",
        flag="--timestamp-threshold",
        since="0.1.0",
    ),
    OptionInfo(
        name="thold_ptsum",
        section="Token times",
        type="float",
        unit="probability",
        default=0.01,
        minimum=0.0,
        maximum=1.0,
        c_field="thold_ptsum",
        flag="--timestamp-sum-threshold",
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
        name="beam_size",
        section="Choice of tokens",
        type="int",
        unit="beams",
        default=1,
        minimum=1,
        maximum=8,
        special=((1, "no search: the most probable token at each step"),),
        c_field="beam_search.beam_size",
        c_default="-1",
        flag="--beam-size",
        since="0.1.0",
    ),
    OptionInfo(
        name="patience",
        section="Choice of tokens",
        type="float",
        default=-1.0,
        minimum=0.0,
        maximum=100.0,
        minimum_exclusive=True,
        special=((-1.0, "the same as 1"),),
        c_field="beam_search.patience",
        flag="--patience",
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
        name="seed",
        section="Choice of tokens",
        type="uint64",
        default=0,
        c_field="seed",
        flag="--seed",
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
        name="suppress_regex",
        section="Choice of tokens",
        type="string",
        default="",
        special=(("", "none"),),
        c_field="suppress_regex",
        flag="--suppress-regex",
        since="0.1.0",
    ),
    OptionInfo(
        name="grammar",
        section="Grammar",
        type="string",
        default="",
        special=(("", "none"),),
        c_field="grammar_rules",
        flag="--grammar",
        since="0.1.0",
    ),
    OptionInfo(
        name="grammar_start",
        section="Grammar",
        type="string",
        default="root",
        c_field="i_start_rule",
        flag="--grammar-start",
        since="0.1.0",
    ),
    OptionInfo(
        name="grammar_penalty",
        section="Grammar",
        type="float",
        default=100.0,
        minimum=0.0,
        c_field="grammar_penalty",
        flag="--grammar-penalty",
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
        name="compression_ratio_thold",
        section="Fallback",
        type="float",
        default=0.0,
        minimum=0.0,
        special=((0.0, "never"),),
        c_field="compression_ratio_thold",
        flag="--compression-threshold",
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
        name="vad",
        section="Silence left out",
        type="bool",
        default=False,
        c_field="vad",
        flag="--vad",
        since="0.1.0",
    ),
    OptionInfo(
        name="vad_model_path",
        section="Silence left out",
        type="path",
        default="",
        special=(("", "none"),),
        c_field="vad_model_path",
        since="0.1.0",
    ),
    OptionInfo(
        name="vad_options",
        section="Silence left out",
        type="options",
        default=VadOptions(),
        c_field="vad_params",
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
        name="n_parts",
        section="Computation",
        type="int",
        unit="parts",
        default=1,
        minimum=1,
        maximum=64,
        special=((1, "the whole"),),
        c_field="n_parts",
        flag="--parallel",
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
class TranscribeOptions(Options):
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

    language_candidates: Sequence[str] = ()
    """Languages among which the detection chooses, by codes or English names.

    For recordings of which a few languages can be expected: a wrong guess beside them is ruled out,
    and the probability that the result names is that among them. It excludes language, which leaves
    nothing to detect.

    Special: empty: all that the model knows. C: language_candidates.

    Source: wsp; the probabilities are those of Radford et al. 2022, section 2.3.
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

    carry_initial_prompt: bool = False
    """Show the prompt to every window, not only to the first.

    The prompt then stands before the earlier text of each window and takes its room from it: names
    stay spelled as you wrote them over a long recording. Off by default, since a prompt that no
    longer fits the speech does harm there.

    C: carry_initial_prompt.

    Source: OpenAI Whisper, carry_initial_prompt.
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

    max_len: int = 0
    """Cut segments that are longer than this.

    Counted in code points, and never cut inside one; the pieces get their times from token times,
    which are worked out for it. A word longer than this stays whole with split_on_word, a token
    always does. 42 suits a line of subtitles.

    Unit: characters. Range: at least 0. Special: 0: no limit. C: max_len.

    Source: whisper.cpp, max_len.
    """

    split_on_word: bool = False
    """Cut long segments only before words.

    For max_len; without it a cut may come before any token, which is often inside a word. In
    languages without spaces it has no place to cut at, so leave it off there.

    C: split_on_word.

    Source: whisper.cpp, split_on_word.
    """

    tdrz_enable: bool = False
    """Mark where the speaker changes, with a tinydiarize model.

    A segment then says whether another speaker follows it. Only models that were trained for it
    choose the mark (small.en-tdrz); others behave as if it were off.

    C: tdrz_enable.

    Source: akashmjn/tinydiarize.
    """

    token_timestamps: bool = False
    """Give each token, and so each word, a start and an end.

    Tokens lie inside their segment, in order. It is a heuristic and costs nearly nothing; off by
    default, as words are only put together where times are asked for.

    C: token_timestamps.

    Source: whisper.cpp, token_timestamps.
    """

    thold_pt: float = 0.01
    """Trust a timestamp that has more than this share of all timestamps' probability.

    The decoder weighs a timestamp at every token, and one that it trusts pins the token's time.
    Both this and thold_ptsum must be exceeded; raise them if words jump.

    Unit: probability. Range: 0 to 1. C: thold_pt.

    Source: whisper.cpp, thold_pt.
    """

    thold_ptsum: float = 0.01
    """Trust a timestamp only where all timestamps together have more than this.

    The other half of the rule of thold_pt: where a timestamp is hardly thought of at all, none is
    trusted.

    Unit: probability. Range: 0 to 1. C: thold_ptsum.

    Source: whisper.cpp, thold_ptsum.
    """

    temperature: float = 0.0
    """Temperature of the first attempt.

    Logits are divided by it before a token is drawn, so more of it makes unlikely tokens likelier.
    At 0 nothing is drawn and the result depends on the audio alone. Draws have a fixed seed, so
    they repeat from run to run.

    Range: 0 to 1. Special: 0: take the most probable token. C: temperature.

    Source: Radford et al. 2022, section 4.5, temperature fallback.
    """

    beam_size: int = 1
    """Follow this many texts at a time and keep the most probable.

    Beam search at temperature 0; at higher temperatures of the fallback, best_of texts are drawn as
    ever. Candidates are the true most probable tokens, so the text is the same on every machine;
    whisper.cpp draws them. 5 is usual and makes decoding some three times as slow. More than 1 sets
    the C field strategy to beam search; 8 is what the key-value cache is laid out for.

    Unit: beams. Range: 1 to 8. Special: 1: no search: the most probable token at each step. C:
    beam_search.beam_size, default -1.

    Source: Radford et al. 2022, section 4.5.
    """

    patience: float = -1.0
    """End the beam search when this many times beam_size texts are complete.

    More patience lets slower beams finish, for more time; below 1 the search ends sooner. It does
    nothing without beams.

    Range: above 0, at most 100. Special: -1: the same as 1. C: beam_search.patience.

    Source: Kasai et al. 2022, Beam decoding with controlled patience.
    """

    best_of: int = 5
    """Draw this many texts at temperatures above 0 and keep the best.

    The best has the highest log-probability per length (length_penalty). All draws advance in one
    batch; 8 is what the key-value cache is laid out for. At temperature 0 there is one text, since
    every draw would be the same.

    Unit: draws. Range: 1 to 8. C: greedy.best_of.

    Source: Radford et al. 2022, section 4.5.
    """

    seed: int = 0
    """Seed of the draws at temperatures above 0.

    The same seed gives the same text, on every platform and in every thread. Another one draws
    other texts where a window falls back, or at a temperature of your own.

    C: seed.

    Source: wsp.
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

    suppress_regex: str = ""
    """Never choose tokens whose text this regular expression finds.

    ECMAScript syntax, on the text of one token with its leading space: "[0-9]" makes numbers be
    written out. One that is not valid is an error.

    Special: empty: none. C: suppress_regex.

    Source: whisper.cpp, suppress_regex.
    """

    grammar: str = ""
    """Rules in GBNF that the text has to follow.

    Tokens that no rule allows lose grammar_penalty from their logits, so that speech which fits no
    rule still comes out. A grammar that is not valid is an error that names line and column. Write
    the leading space of the first word in it: `root ::= " " ("yes" | "no")`. On the command line
    the flag takes a file.

    Special: empty: none. C: grammar_rules.

    Source: whisper.cpp, grammars; the notation is llama.cpp's GBNF.
    """

    grammar_start: str = "root"
    """The rule of the grammar that stands for the whole text.

    It must be defined, and does nothing without a grammar.

    C: i_start_rule.

    Source: llama.cpp's GBNF.
    """

    grammar_penalty: float = 100.0
    """Take this much from the logit of each token that the grammar forbids.

    100 forbids them in effect. Some 5 to 20 let speech through that clearly says something else.

    Range: at least 0. C: grammar_penalty.

    Source: whisper.cpp, grammar_penalty.
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

    compression_ratio_thold: float = 0.0
    """Fall back if the text can be compressed by more than this factor.

    OpenAI's measure of repetition: bytes of the text by bytes after compression, 2.4 there. Off by
    default, since entropy_thold does the same work in whisper.cpp; turn it on to decode as OpenAI's
    program does, and set entropy_thold to 0.

    Range: at least 0. Special: 0: never. C: compression_ratio_thold.

    Source: Radford et al. 2022, section 4.5.
    """

    no_speech_thold: float = 0.6
    """Take a window for silence if its no-speech probability is above this.

    The window is skipped only if its text is also doubtful by logprob_thold, because the no-speech
    token alone is no reliable voice detector.

    Unit: probability. Range: 0 to 1. Special: 1: never. C: no_speech_thold.

    Source: Radford et al. 2022, section 4.5.
    """

    vad: bool = False
    """Transcribe only where somebody speaks.

    It needs vad_model_path, which the command line finds by itself. Stretches of speech are put
    together, so a window may hold several, and times are mapped back to the recording. Off by
    default: quiet speech that the model misses is lost.

    C: vad.

    Source: whisper.cpp, vad.
    """

    vad_model_path: str | PathLike[str] = ""
    """File of the voice activity model.

    A Silero model in ggml .bin form. It is loaded at the first use of a state and kept. The command
    line has --vad-model instead, which takes names as well.

    Special: empty: none. C: vad_model_path.
    """

    vad_options: VadOptions = VadOptions()
    """What counts as speech.

    The options of the group Voice activity detection; on the command line each has its flag, with
    vad in front.

    C: vad_params.
    """

    n_threads: int = 0
    """Compute with this many threads.

    The text does not depend on it. Beyond 4 threads memory bandwidth limits the small models, and
    the cores are often needed elsewhere, hence the rule for 0; more threads than cores only cost
    time. 64 is where the core's thread pool ends: the C API takes a larger number for 64.

    Unit: threads. Range: 0 to 64. Special: 0: the smaller of 4 and the machine's hardware threads.
    C: n_threads, default min(4, hardware threads).
    """

    n_parts: int = 1
    """Cut the recording into this many parts and transcribe them at the same time.

    Each part has caches and n_threads threads of its own, and at least 1 s of audio; fewer are made
    of a short recording. Words at a cut may suffer, and no part sees the text of another. It pays
    where there are more cores than n_threads can use. Progress may then come on other threads than
    the caller's.

    Unit: parts. Range: 1 to 64. Special: 1: the whole. C: n_parts.

    Source: whisper.cpp, whisper_full_parallel.
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


OPTIONS: Final[tuple[OptionInfo, ...]] = (*TRANSCRIBE_OPTIONS, *VAD_OPTIONS)
"""All options of all groups."""
