// Generated from templates/ts/types.ts.j2 by `wsp generate`; do not edit.
//
// Types of all that crosses the border between JavaScript and the native part: options, results, callbacks, and the
// native objects as they are. Times in results are seconds.

/**
 * Which of the waiting jobs of a context comes next; jobs of the same priority run in the order of
 * their calls.
 *
 * 'low': After all others, such as work in the background.
 *
 * 'normal': The usual.
 *
 * 'high': Before all others; a job that runs is not interrupted.
 */
export type Priority = 'low' | 'normal' | 'high';

/**
 * What the bytes of audio are.
 *
 * 'float32': 32-bit floats of this machine's byte order, -1 to 1, channels interleaved.
 *
 * 'int16': 16-bit signed integers of this machine's byte order, channels interleaved.
 *
 * 'wav': A whole WAV file with its header, which says rate and channels.
 */
export type AudioFormat = 'float32' | 'int16' | 'wav';

/**
 * What an event tells.
 *
 * 'segments': Segments were added at the end of the text.
 *
 * 'progress': The work went on by a percent or more.
 */
export type EventType = 'segments' | 'progress';

/**
 * Which lines of the log are delivered: those of the level and of all above it.
 *
 * 'off': None.
 *
 * 'error': What failed.
 *
 * 'warn': What looks wrong, but went on.
 *
 * 'info': What was loaded, and which back-end computes.
 *
 * 'debug': Everything.
 */
export type LogLevel = 'off' | 'error' | 'warn' | 'info' | 'debug';

/**
 * Published models whose alignment heads are known; a name that is not the loaded model's fails the
 * load.
 *
 * 'none': No alignment.
 *
 * 'tiny.en': The English tiny.
 *
 * 'tiny': The multilingual tiny.
 *
 * 'base.en': The English base.
 *
 * 'base': The multilingual base.
 *
 * 'small.en': The English small.
 *
 * 'small': The multilingual small.
 *
 * 'medium.en': The English medium.
 *
 * 'medium': The multilingual medium.
 *
 * 'large-v1': The first large.
 *
 * 'large-v2': The second large.
 *
 * 'large-v3': The third large.
 *
 * 'large-v3-turbo': The third large with four decoder layers.
 */
export type AlignmentModel = 'none' | 'tiny.en' | 'tiny' | 'base.en' | 'base' | 'small.en' | 'small' | 'medium.en' | 'medium' | 'large-v1' | 'large-v2' | 'large-v3' | 'large-v3-turbo';

/**
 * What computes; what is not built in, not on this machine or of another model leaves the CPU and the
 * core's own encoder.
 *
 * 'auto': The GPU if useGpu is set, and an encoder of Core ML that lies beside the model.
 *
 * 'cpu': The CPU alone.
 *
 * 'metal': Metal, encoder included.
 *
 * 'coreml': The encoder of Core ML; the rest as for auto.
 *
 * 'openvino': The encoder of OpenVINO, in builds for desktops; the rest as for auto.
 */
export type Backend = 'auto' | 'cpu' | 'metal' | 'coreml' | 'openvino';

/**
 * Called for each event of a job, in order, before its promise is settled. An error that it throws
 * cancels the job, whose promise rejects with that error.
 */
export type OnEvent = (event: TranscribeEvent) => void;

/**
 * Called for each line of the log, some time after it was written.
 */
export type OnLog = (level: LogLevel, text: string) => void;

/**
 * Where somebody speaks in a recording, and what counts as speech.
 */
export interface VadOptions {
  /**
   * Take a window of 32 ms for speech from this probability on. Speech that began goes on until the
   * probability falls below the threshold less 0.15 (at least 0.01), so that it does not flicker around
   * one value. Lower it for quiet or distant voices, raise it for noise.
   *
   * Unit: probability. Range: 0 to 1. Default: 0.5.
   */
  readonly threshold?: number | undefined;
  /**
   * Leave out speech that is not longer than this. Coughs and clicks are shorter than words. The part of
   * a long stretch before a cut is kept whatever its length.
   *
   * Unit: ms. Range: 0 to 3600000. Default: 250.
   */
  readonly minSpeechDurationMs?: number | undefined;
  /**
   * End speech at a silence of this length. Gaps of under 200 ms are closed in any case, as whisper.cpp
   * does it, so that a stretch is not torn at a stop consonant. Raise it to some seconds for one stretch
   * per turn of a conversation.
   *
   * Unit: ms. Range: 0 to 3600000. Default: 100.
   */
  readonly minSilenceDurationMs?: number | undefined;
  /**
   * Cut speech that is longer than this. The cut is at the longest silence of more than 98 ms inside the
   * stretch; without one it is right at the limit. Padding counts.
   *
   * Unit: s. Range: above 0. Special: 0: no limit. Default: 0.0.
   */
  readonly maxSpeechDurationS?: number | undefined;
  /**
   * Add this much to both sides of each stretch of speech. The model answers for windows of 32 ms, so a
   * soft first or last sound may lie just outside. Neighbours share a gap that is too small for both,
   * and nothing reaches beyond the recording.
   *
   * Unit: ms. Range: 0 to 3600000. Default: 30.
   */
  readonly speechPadMs?: number | undefined;
  /**
   * Transcribe this much more behind each stretch of speech. Only for a transcription that leaves
   * silence out: there each stretch but the last takes this much of the audio behind it, at most up to
   * the next stretch. Stretches themselves do not change. The name is whisper.cpp's; the unit is
   * seconds.
   *
   * Unit: s. Range: 0 to 3600. Default: 0.1.
   */
  readonly samplesOverlap?: number | undefined;
}

/**
 * How a recording becomes text.
 */
export interface TranscribeOptions {
  /**
   * Language of the speech, by code or English name, such as de or german. With "auto" the model's own
   * guess from the first window is used for the whole recording, and the result names it. Name the
   * language when you know it: a wrong guess is likely on short or noisy recordings, and it makes the
   * model translate or invent. Upper case and regional forms are understood ("en-US" is "en"); an
   * unknown name is an error. An English-only model knows one language: for it "auto" means "en", and
   * another language is an error. The C default is "en", as in whisper.cpp; here it is "auto", because
   * who transcribes Polish without naming it expects Polish text.
   *
   * Special: auto: detect the language, then transcribe in it. Default: "auto". Not together with
   * languageCandidates.
   */
  readonly language?: string | undefined;
  /**
   * Languages among which the detection chooses, by codes or English names. For recordings of which a
   * few languages can be expected: a wrong guess beside them is ruled out, and the probability that the
   * result names is that among them. It excludes language, which leaves nothing to detect.
   *
   * Special: empty: all that the model knows. Default: []. Not together with language.
   */
  readonly languageCandidates?: readonly string[] | undefined;
  /**
   * Translate into English instead of transcribing. English is the only target that the models were
   * trained for. An English-only model has no such task and transcribes.
   *
   * Default: false.
   */
  readonly translate?: boolean | undefined;
  /**
   * Start this far into the recording. An offset at or past the end gives no segments. Steps are 10 ms,
   * the distance of two mel frames.
   *
   * Unit: ms. Range: at least 0. Default: 0.
   */
  readonly offsetMs?: number | undefined;
  /**
   * Transcribe only this much, from the offset on. A duration that reaches past the end is cut there.
   * Steps are 10 ms, the distance of two mel frames.
   *
   * Unit: ms. Range: at least 0. Special: 0: to the end of the recording. Default: 0.
   */
  readonly durationMs?: number | undefined;
  /**
   * Forget the text of earlier calls on the same state. Inside one call each window still sees the text
   * of the windows before it; set nMaxTextCtx to 0 to stop that too. False continues where the last call
   * ended, which suits a recording that arrives in pieces. It is true by default, since two recordings
   * seldom belong together, and text that leaks from one into the next is hard to find out about.
   *
   * Default: true.
   */
  readonly noContext?: boolean | undefined;
  /**
   * Show the decoder at most this much earlier text. The token that opens the earlier text counts too.
   * Half of the text context is the most that fits (224 tokens in all published models), whatever stands
   * here; the default is just more than any model takes. Earlier text keeps names and style steady over
   * windows, but it also carries a repetition on: try 0 if a long recording falls into a loop. Without
   * being asked, the decoder forgets it for the last 5 s of a recording and at temperatures of 0.5 and
   * more, where it does more harm than good.
   *
   * Unit: tokens. Range: at least 0. Special: 0: no text before, and no prompt. Default: 16384.
   */
  readonly nMaxTextCtx?: number | undefined;
  /**
   * Text that is taken as said just before the recording. It steers spelling, names and punctuation; it
   * is no instruction, and the model may ignore it. Only its last part that fits is used (223 tokens:
   * half of the text context, less the token that opens it). Later windows see their own earlier text,
   * so the prompt fades out as the recording goes on.
   *
   * Special: empty: none. Default: "". Not together with promptTokens.
   */
  readonly initialPrompt?: string | undefined;
  /**
   * Show the prompt to every window, not only to the first. The prompt then stands before the earlier
   * text of each window and takes its room from it: names stay spelled as you wrote them over a long
   * recording. Off by default, since a prompt that no longer fits the speech does harm there.
   *
   * Default: false.
   */
  readonly carryInitialPrompt?: boolean | undefined;
  /**
   * The initial prompt as token ids. For callers that have tokens already, such as the end of an earlier
   * transcript. Each id must be below the vocabulary size of the model; the last ones that fit are used.
   * It excludes initialPrompt, since the core could only ignore one of the two.
   *
   * Unit: tokens. Range: at least 0. Special: empty: none. Default: []. Not together with initialPrompt.
   */
  readonly promptTokens?: readonly number[] | undefined;
  /**
   * Decode without timestamp tokens. Each window of 30 s then gives one segment, and segment times are
   * those of the window. It saves a few steps per window; but timestamps also tell where speech was cut
   * at the window's end, so text on that edge may suffer.
   *
   * Default: false.
   */
  readonly noTimestamps?: boolean | undefined;
  /**
   * Give one segment per window. The window always advances by its full 30 s, and timestamps inside it
   * cut no segment. Meant for clips shorter than a window, such as commands; in longer recordings a word
   * on a window's edge is lost.
   *
   * Default: false.
   */
  readonly singleSegment?: boolean | undefined;
  /**
   * The first timestamp of a window is at most this late. It keeps the model from skipping the start of
   * a window by a late first timestamp. Speech that starts later is still found: only the time of its
   * first segment is early. 30 s is a whole window.
   *
   * Unit: s. Range: 0 to 30. Special: 0: no limit. Default: 1.0.
   */
  readonly maxInitialTs?: number | undefined;
  /**
   * Cut segments that are longer than this. Counted in code points, and never cut inside one; the pieces
   * get their times from token times, which are worked out for it. A word longer than this stays whole
   * with splitOnWord, a token always does. 42 suits a line of subtitles.
   *
   * Unit: characters. Range: at least 0. Special: 0: no limit. Default: 0.
   */
  readonly maxLen?: number | undefined;
  /**
   * Cut long segments only before words. For maxLen; without it a cut may come before any token, which
   * is often inside a word. In languages without spaces it has no place to cut at, so leave it off
   * there.
   *
   * Default: false.
   */
  readonly splitOnWord?: boolean | undefined;
  /**
   * Mark where the speaker changes, with a tinydiarize model. A segment then says whether another
   * speaker follows it. Only models that were trained for it choose the mark (small.en-tdrz); others
   * behave as if it were off.
   *
   * Default: false.
   */
  readonly tdrzEnable?: boolean | undefined;
  /**
   * Give each token, and so each word, a start and an end. Tokens lie inside their segment, in order. It
   * is a heuristic and costs nearly nothing; off by default, as words are only put together where times
   * are asked for.
   *
   * Default: false.
   */
  readonly tokenTimestamps?: boolean | undefined;
  /**
   * Trust a timestamp that has more than this share of all timestamps' probability. The decoder weighs a
   * timestamp at every token, and one that it trusts pins the token's time. Both this and tholdPtsum
   * must be exceeded; raise them if words jump.
   *
   * Unit: probability. Range: 0 to 1. Default: 0.01.
   */
  readonly tholdPt?: number | undefined;
  /**
   * Trust a timestamp only where all timestamps together have more than this. The other half of the rule
   * of tholdPt: where a timestamp is hardly thought of at all, none is trusted.
   *
   * Unit: probability. Range: 0 to 1. Default: 0.01.
   */
  readonly tholdPtsum?: number | undefined;
  /**
   * Temperature of the first attempt. Logits are divided by it before a token is drawn, so more of it
   * makes unlikely tokens likelier. At 0 nothing is drawn and the result depends on the audio alone.
   * Draws have a fixed seed, so they repeat from run to run.
   *
   * Range: 0 to 1. Special: 0: take the most probable token. Default: 0.0.
   */
  readonly temperature?: number | undefined;
  /**
   * Follow this many texts at a time and keep the most probable. Beam search at temperature 0; at higher
   * temperatures of the fallback, bestOf texts are drawn as ever. Candidates are the true most probable
   * tokens, so the text is the same on every machine; whisper.cpp draws them. 5 is usual and makes
   * decoding some three times as slow. More than 1 sets the C field strategy to beam search; 8 is what
   * the key-value cache is laid out for.
   *
   * Unit: beams. Range: 1 to 8. Special: 1: no search: the most probable token at each step. Default: 1.
   */
  readonly beamSize?: number | undefined;
  /**
   * End the beam search when this many times beamSize texts are complete. More patience lets slower
   * beams finish, for more time; below 1 the search ends sooner. It does nothing without beams.
   *
   * Range: above 0, at most 100. Special: -1: the same as 1. Default: -1.0.
   */
  readonly patience?: number | undefined;
  /**
   * Draw this many texts at temperatures above 0 and keep the best. The best has the highest
   * log-probability per length (lengthPenalty). All draws advance in one batch; 8 is what the key-value
   * cache is laid out for. At temperature 0 there is one text, since every draw would be the same.
   *
   * Unit: draws. Range: 1 to 8. Default: 5.
   */
  readonly bestOf?: number | undefined;
  /**
   * Seed of the draws at temperatures above 0. The same seed gives the same text, on every platform and
   * in every thread. Another one draws other texts where a window falls back, or at a temperature of
   * your own.
   *
   * Range: 0 to 9007199254740991. Default: 0.
   */
  readonly seed?: number | undefined;
  /**
   * Exponent of the length by which texts are compared. The summed log-probability is divided by ((5 +
   * length) / 6) to this power; larger values favour longer texts. It decides between draws only, so it
   * does nothing at temperature 0.
   *
   * Range: above 0, at most 1. Special: -1: divide by the number of tokens. Default: -1.0.
   */
  readonly lengthPenalty?: number | undefined;
  /**
   * End a segment after this many tokens. Only a timestamp or the end may follow then, and the next
   * window starts where the segment ends, so no speech is dropped. With noTimestamps or singleSegment
   * there is no such place: the rest of the window is left out. The model's own limit is half of its
   * text context less 4 (220 tokens in all published models).
   *
   * Unit: tokens. Range: at least 0. Special: 0: no limit but the model's own. Default: 0.
   */
  readonly maxTokens?: number | undefined;
  /**
   * Never start a window's text with a blank or with its end. Without it some windows with speech come
   * out empty.
   *
   * Default: true.
   */
  readonly suppressBlank?: boolean | undefined;
  /**
   * Never choose non-speech tokens, such as brackets, notes and speaker marks. It removes remarks like
   * "[music]" and "♪", and with them brackets and some quotation marks that were really meant. The C
   * default is off, as in whisper.cpp; here it is on, as in OpenAI's own program: invented remarks and
   * quotation marks cost more words than real ones are lost.
   *
   * Default: true.
   */
  readonly suppressNst?: boolean | undefined;
  /**
   * Never choose tokens whose text this regular expression finds. ECMAScript syntax, on the text of one
   * token with its leading space: "[0-9]" makes numbers be written out. One that is not valid is an
   * error.
   *
   * Special: empty: none. Default: "".
   */
  readonly suppressRegex?: string | undefined;
  /**
   * Rules in GBNF that the text has to follow. Tokens that no rule allows lose grammarPenalty from their
   * logits, so that speech which fits no rule still comes out. A grammar that is not valid is an error
   * that names line and column. Write the leading space of the first word in it: `root ::= " " ("yes" |
   * "no")`. On the command line the flag takes a file.
   *
   * Special: empty: none. Default: "".
   */
  readonly grammar?: string | undefined;
  /**
   * The rule of the grammar that stands for the whole text. It must be defined, and does nothing without
   * a grammar.
   *
   * Default: "root".
   */
  readonly grammarStart?: string | undefined;
  /**
   * Take this much from the logit of each token that the grammar forbids. 100 forbids them in effect.
   * Some 5 to 20 let speech through that clearly says something else.
   *
   * Range: at least 0. Default: 100.0.
   */
  readonly grammarPenalty?: number | undefined;
  /**
   * Raise the temperature by this much for each further attempt. Attempts end at temperature 1.0, so the
   * default allows six; the last one is taken as it is. Fallback rescues windows in which greedy
   * decoding loops; each attempt costs a decoding of the window.
   *
   * Range: 0 to 1. Special: 0: no fallback: the first text stays. Default: 0.2.
   */
  readonly temperatureInc?: number | undefined;
  /**
   * Fall back if the last 32 tokens have less entropy than this. Few distinct tokens mean that the text
   * repeats itself. 32 different tokens have ln 32 = 3.47 nats, so a value above that rejects every text
   * of more than 32 tokens. It stands in for the compression ratio of OpenAI's decoder, whose threshold
   * has the same number by chance.
   *
   * Unit: nats. Range: at least 0. Special: 0: never. Default: 2.4.
   */
  readonly entropyThold?: number | undefined;
  /**
   * Fall back if the mean log-probability per token is below this. -1.0 nats is a mean probability of 37
   * % per token. A very low value, such as -100, switches the rule off; 0 makes every window fall back
   * to the end.
   *
   * Unit: nats. Range: at most 0. Default: -1.0.
   */
  readonly logprobThold?: number | undefined;
  /**
   * Fall back if the text can be compressed by more than this factor. OpenAI's measure of repetition:
   * bytes of the text by bytes after compression, 2.4 there. Off by default, since entropyThold does the
   * same work in whisper.cpp; turn it on to decode as OpenAI's program does, and set entropyThold to 0.
   *
   * Range: at least 0. Special: 0: never. Default: 0.0.
   */
  readonly compressionRatioThold?: number | undefined;
  /**
   * Take a window for silence if its no-speech probability is above this. The window is skipped only if
   * its text is also doubtful by logprobThold, because the no-speech token alone is no reliable voice
   * detector.
   *
   * Unit: probability. Range: 0 to 1. Special: 1: never. Default: 0.6.
   */
  readonly noSpeechThold?: number | undefined;
  /**
   * Transcribe only where somebody speaks. It needs vadModelPath, which the command line finds by
   * itself. Stretches of speech are put together, so a window may hold several, and times are mapped
   * back to the recording. Off by default: quiet speech that the model misses is lost.
   *
   * Default: false.
   */
  readonly vad?: boolean | undefined;
  /**
   * File of the voice activity model. A Silero model in ggml .bin form. It is loaded at the first use of
   * a state and kept. The command line has --vad-model instead, which takes names as well.
   *
   * Special: empty: none. Default: "".
   */
  readonly vadModelPath?: string | undefined;
  /**
   * What counts as speech. The options of the group Voice activity detection; on the command line each
   * has its flag, with vad in front.
   */
  readonly vadOptions?: VadOptions | undefined;
  /**
   * Compute with this many threads. The text does not depend on it. Beyond 4 threads memory bandwidth
   * limits the small models, and the cores are often needed elsewhere, hence the rule for 0; more
   * threads than cores only cost time. 64 is where the core's thread pool ends: the C API takes a larger
   * number for 64.
   *
   * Unit: threads. Range: 0 to 64. Special: 0: the smaller of 4 and the machine's hardware threads.
   * Default: 0.
   */
  readonly nThreads?: number | undefined;
  /**
   * Cut the recording into this many parts and transcribe them at the same time. Each part has caches
   * and nThreads threads of its own, and at least 1 s of audio; fewer are made of a short recording.
   * Words at a cut may suffer, and no part sees the text of another. It pays where there are more cores
   * than nThreads can use. Progress may then come on other threads than the caller's.
   *
   * Unit: parts. Range: 1 to 64. Special: 1: the whole. Default: 1.
   */
  readonly nParts?: number | undefined;
  /**
   * Let the encoder see only this many frames of 20 ms. 1500 frames are the 30 s window. A smaller
   * context makes short clips much cheaper (the encoder's cost grows with it, its attention with the
   * square) at the price of accuracy, as the models were trained on whole windows. It must cover the
   * clip: what lies beyond it in a window is not heard. More than the model has is an error.
   *
   * Unit: frames. Range: 0 to 1500. Special: 0: all that the model has. Default: 0.
   */
  readonly audioCtx?: number | undefined;
}

/**
 * Where a model comes from: one of its fields.
 */
export interface Source {
  /**
   * Path of a file of this device, plain: no file://, no web address.
   */
  readonly path?: string | undefined;
  /**
   * The bytes of a model file; they are copied before the call returns, and freed when the model is
   * loaded.
   */
  readonly data?: ArrayBuffer | ArrayBufferView | undefined;
}

/**
 * How a model is loaded.
 */
export interface ContextOptions {
  /**
   * Compute on a GPU where a back-end for one is built in and works; otherwise on the CPU, and
   * backendReason says why.
   *
   * Default: true. On ios: No GPU back-end yet. On android: No GPU back-end yet.
   */
  readonly useGpu?: boolean | undefined;
  /**
   * Which GPU, where there are several.
   *
   * Range: at least 0. Default: 0.
   */
  readonly gpuDevice?: number | undefined;
  /**
   * What computes; info.backendReason and info.encoderReason say what came of it.
   *
   * Default: "auto".
   */
  readonly backend?: Backend | undefined;
  /**
   * Path of the encoder of Core ML, a .mlmodelc or .mlpackage; one that was made of another model is not
   * used.
   *
   * Default: "".
   */
  readonly encoderPath?: string | undefined;
  /**
   * Give each token the time at which it is said, by the alignment heads of the published model of this
   * name.
   *
   * Default: "none". Not together with dtwNTop.
   */
  readonly dtw?: AlignmentModel | undefined;
  /**
   * The same with all heads of this many last layers, for models whose heads are not known; 0 is off.
   *
   * Unit: layers. Range: 0 to 128. Default: 0. Not together with dtw.
   */
  readonly dtwNTop?: number | undefined;
}

/**
 * A recording: one of data, path and base64. It is read, mixed to one channel and resampled to 16 kHz
 * on the worker.
 */
export interface Audio {
  /**
   * An ArrayBuffer or a view of one; only what the view shows is taken. It is copied before the call
   * returns, so that it can be changed or dropped at once.
   */
  readonly data?: ArrayBuffer | ArrayBufferView | undefined;
  /**
   * Path of a WAV file of this device, plain: no file://, no web address. Its samples are read as they
   * are needed.
   */
  readonly path?: string | undefined;
  /**
   * The bytes as base64, with or without padding; blanks and line ends are skipped.
   */
  readonly base64?: string | undefined;
  /**
   * What the bytes are. Left out, a Float32Array is float32, an Int16Array is int16, and base64 is wav;
   * other buffers need it.
   */
  readonly format?: AudioFormat | undefined;
  /**
   * Samples per second and channel; a WAV file says it itself.
   *
   * Unit: hz. Range: 1 to 1000000. Default: 16000.
   */
  readonly sampleRateHz?: number | undefined;
  /**
   * Interleaved channels, which are averaged; a WAV file says it itself.
   *
   * Unit: channels. Range: 1 to 64. Default: 1.
   */
  readonly channels?: number | undefined;
}

/**
 * The options of transcription, and what belongs to one call.
 */
export interface TranscribeCall extends TranscribeOptions {
  /**
   * Its place among the waiting jobs of the context.
   *
   * Default: "normal".
   */
  readonly priority?: Priority | undefined;
  /**
   * Deliver the tokens of each segment.
   *
   * Default: false.
   */
  readonly tokens?: boolean | undefined;
  /**
   * Deliver the words of each segment with their times; it sets tokenTimestamps.
   *
   * Default: false.
   */
  readonly words?: boolean | undefined;
}

/**
 * How the language is detected.
 */
export interface LanguageCall {
  /**
   * Its place among the waiting jobs of the context.
   *
   * Default: "normal".
   */
  readonly priority?: Priority | undefined;
  /**
   * Listen from here on, to 30 s of the recording.
   *
   * Unit: ms. Range: at least 0. Default: 0.
   */
  readonly offsetMs?: number | undefined;
  /**
   * Compute with this many threads; 0 is the smaller of 4 and the hardware threads.
   *
   * Unit: threads. Range: 0 to 64. Default: 0.
   */
  readonly nThreads?: number | undefined;
}

/**
 * The options of voice activity detection, and what belongs to one call.
 */
export interface VadCall extends VadOptions {
  /**
   * Its place among the waiting jobs of the context.
   *
   * Default: "normal".
   */
  readonly priority?: Priority | undefined;
  /**
   * Deliver the probability of each window.
   *
   * Default: false.
   */
  readonly probabilities?: boolean | undefined;
}

/**
 * What is measured.
 */
export interface BenchCall {
  /**
   * Compute with this many threads; 0 is the smaller of 4 and the hardware threads.
   *
   * Unit: threads. Range: 0 to 64. Default: 0.
   */
  readonly nThreads?: number | undefined;
}

/**
 * The contract of the native part.
 */
export interface Contract {
  /**
   * Another one is refused.
   *
   * Range: at least 0.
   */
  readonly major: number;
  /**
   * Larger by one with each addition.
   *
   * Range: at least 0.
   */
  readonly minor: number;
}

/**
 * A language that the models know.
 */
export interface Language {
  /**
   * Such as de.
   */
  readonly code: string;
  /**
   * In English and lower case, such as german.
   */
  readonly name: string;
}

/**
 * What this build is and can do.
 */
export interface SystemInfo {
  /**
   * Version of the API of whisper.cpp that the core follows, such as 1.9.1.
   */
  readonly version: string;
  /**
   * Back-ends built in and the features of this processor, on one line.
   */
  readonly description: string;
  /**
   * The table of CPU kernels in use, such as neon.
   */
  readonly kernels: string;
  /**
   * A Metal back-end is built in.
   */
  readonly hasMetal: boolean;
  /**
   * A Core ML encoder is built in.
   */
  readonly hasCoreml: boolean;
}

/**
 * What loading a model would take, exact for this build.
 */
export interface MemoryEstimate {
  /**
   * Of the weights, which all states share.
   *
   * Unit: bytes. Range: at least 0.
   */
  readonly weightsBytes: number;
  /**
   * Caches and buffers of one state, with the default number of decoders.
   *
   * Unit: bytes. Range: at least 0.
   */
  readonly stateBytes: number;
}

/**
 * A loaded model, and what computes it.
 */
export interface ModelInfo {
  /**
   * Such as tiny or large.
   */
  readonly type: string;
  /**
   * It knows other languages than English, detects them and translates.
   */
  readonly isMultilingual: boolean;
  /**
   * Size of its vocabulary.
   *
   * Unit: tokens. Range: at least 0.
   */
  readonly nVocab: number;
  /**
   * Frames of 20 ms that its encoder sees at a time.
   *
   * Unit: frames. Range: at least 0.
   */
  readonly nAudioCtx: number;
  /**
   * Width of its encoder.
   *
   * Range: at least 0.
   */
  readonly nAudioState: number;
  /**
   * Attention heads of an encoder layer.
   *
   * Range: at least 0.
   */
  readonly nAudioHead: number;
  /**
   * Encoder layers.
   *
   * Unit: layers. Range: at least 0.
   */
  readonly nAudioLayer: number;
  /**
   * Tokens that its decoder sees at a time.
   *
   * Unit: tokens. Range: at least 0.
   */
  readonly nTextCtx: number;
  /**
   * Width of its decoder.
   *
   * Range: at least 0.
   */
  readonly nTextState: number;
  /**
   * Attention heads of a decoder layer.
   *
   * Range: at least 0.
   */
  readonly nTextHead: number;
  /**
   * Decoder layers.
   *
   * Unit: layers. Range: at least 0.
   */
  readonly nTextLayer: number;
  /**
   * Mel bins of its features.
   *
   * Range: at least 0.
   */
  readonly nMels: number;
  /**
   * Type of its weights, by the number in the file.
   *
   * Range: at least 0.
   */
  readonly ftype: number;
  /**
   * Memory of the weights.
   *
   * Unit: bytes. Range: at least 0.
   */
  readonly weightsBytes: number;
  /**
   * Memory of the caches and buffers.
   *
   * Unit: bytes. Range: at least 0.
   */
  readonly stateBytes: number;
  /**
   * The back-end that computes, such as cpu.
   */
  readonly backend: string;
  /**
   * Why it is that one, on one line.
   */
  readonly backendReason: string;
  /**
   * What encodes: own, coreml or openvino.
   */
  readonly encoder: string;
  /**
   * Why it is that one, with how long it took to load, on one line.
   */
  readonly encoderReason: string;
  /**
   * The back-end is none of the CPU.
   */
  readonly usesGpu: boolean;
}

/**
 * One step of the decoder.
 */
export interface Token {
  /**
   * Its number in the vocabulary.
   *
   * Range: at least 0.
   */
  readonly id: number;
  /**
   * Its text; U+FFFD stands where it holds only a part of a character.
   */
  readonly text: string;
  /**
   * Of this token at its step.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly probability: number;
  /**
   * Natural logarithm of it.
   *
   * Unit: nats. Range: at most 0.
   */
  readonly logProbability: number;
  /**
   * A timestamp or another mark, not text.
   */
  readonly isSpecial: boolean;
  /**
   * From the start of the recording; only where token times were asked for.
   *
   * Unit: s.
   */
  readonly startS?: number;
  /**
   * Likewise.
   *
   * Unit: s.
   */
  readonly endS?: number;
  /**
   * When it is said, by alignment; only where the model was loaded with dtw.
   *
   * Unit: s.
   */
  readonly dtwS?: number;
}

/**
 * A word with its punctuation, or a character where a language has no spaces.
 */
export interface Word {
  /**
   * As in the segment, with its leading space.
   */
  readonly text: string;
  /**
   * From the start of the recording, in steps of 0.01.
   *
   * Unit: s.
   */
  readonly startS: number;
  /**
   * Likewise.
   *
   * Unit: s.
   */
  readonly endS: number;
  /**
   * The mean of its tokens.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly probability: number;
}

/**
 * A stretch of speech between two times.
 */
export interface Segment {
  /**
   * From the start of the recording, in steps of 0.01.
   *
   * Unit: s.
   */
  readonly startS: number;
  /**
   * Likewise.
   *
   * Unit: s.
   */
  readonly endS: number;
  /**
   * As decoded: usually with a space in front.
   */
  readonly text: string;
  /**
   * That the window of the segment holds no speech.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly noSpeechProbability: number;
  /**
   * Another speaker follows; only with tdrzEnable and a model that was trained for it.
   */
  readonly speakerTurnNext: boolean;
  /**
   * Only where tokens were asked for.
   */
  readonly tokens?: readonly Token[];
  /**
   * Only where words were asked for; together they have the text of the segment.
   */
  readonly words?: readonly Word[];
}

/**
 * A stretch of speech, found by voice activity detection.
 */
export interface SpeechSegment {
  /**
   * From the start of the recording.
   *
   * Unit: s.
   */
  readonly startS: number;
  /**
   * Likewise.
   *
   * Unit: s.
   */
  readonly endS: number;
}

/**
 * What a transcription cost.
 */
export interface Stats {
  /**
   * Length of the recording.
   *
   * Unit: s. Range: at least 0.
   */
  readonly audioS: number;
  /**
   * From the call to the start of the work.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly queuedMs: number;
  /**
   * From the start of the work to its end, by the clock on the wall.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly totalMs: number;
  /**
   * Features.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly melMs: number;
  /**
   * Convolution, encoder, keys and values of cross-attention.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly encodeMs: number;
  /**
   * Decoder steps of 16 tokens and more.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly promptMs: number;
  /**
   * Decoder steps of one token.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly decodeMs: number;
  /**
   * Decoder steps of 2 to 15 tokens.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly batchedMs: number;
  /**
   * Choosing tokens.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly sampleMs: number;
  /**
   * Windows of up to 30 s that were encoded.
   *
   * Range: at least 0.
   */
  readonly nWindows: number;
  /**
   * Tokens that were chosen.
   *
   * Unit: tokens. Range: at least 0.
   */
  readonly nTokens: number;
  /**
   * Further attempts at a higher temperature.
   *
   * Range: at least 0.
   */
  readonly nFallbacks: number;
  /**
   * Threads that computed.
   *
   * Unit: threads. Range: at least 0.
   */
  readonly nThreads: number;
}

/**
 * The text of a recording, or of its part up to where it was cancelled.
 */
export interface Transcription {
  /**
   * The texts of all segments in a row.
   */
  readonly text: string;
  /**
   * In the order of their times.
   */
  readonly segments: readonly Segment[];
  /**
   * Code of the language that was decoded; only where something was.
   */
  readonly language?: string;
  /**
   * 1 where the language was named; only where something was decoded.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly languageProbability?: number;
  /**
   * Length of the recording; 0 if it was cancelled before it was read.
   *
   * Unit: s. Range: at least 0.
   */
  readonly durationS: number;
  /**
   * It was cancelled, and this is what there is.
   */
  readonly isCancelled: boolean;
  /**
   * What was transcribed, where vad was asked for; otherwise empty.
   */
  readonly speech: readonly SpeechSegment[];
  /**
   * What it cost.
   */
  readonly stats: Stats;
}

/**
 * How probable a language is.
 */
export interface LanguageProbability {
  /**
   * Such as de.
   */
  readonly code: string;
  /**
   * Among all that the model knows.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly probability: number;
}

/**
 * Which language a recording seems to be in.
 */
export interface LanguageDetection {
  /**
   * Code of the most probable language; only if it was not cancelled.
   */
  readonly language?: string;
  /**
   * Of that language.
   *
   * Unit: probability. Range: 0 to 1.
   */
  readonly probability?: number;
  /**
   * Of all languages, the most probable first.
   */
  readonly probabilities: readonly LanguageProbability[];
  /**
   * It was cancelled before it ended.
   */
  readonly isCancelled: boolean;
}

/**
 * Where somebody speaks in a recording.
 */
export interface SpeechDetection {
  /**
   * In the order of their times.
   */
  readonly segments: readonly SpeechSegment[];
  /**
   * Of each window of 32 ms; only where they were asked for.
   *
   * Unit: probability.
   */
  readonly probabilities?: readonly number[];
  /**
   * Length of the recording; 0 if it was cancelled before it was read.
   *
   * Unit: s. Range: at least 0.
   */
  readonly durationS: number;
  /**
   * It was cancelled before it ended.
   */
  readonly isCancelled: boolean;
}

/**
 * Speed of a model on this device.
 */
export interface BenchResult {
  /**
   * Threads that computed.
   *
   * Unit: threads. Range: at least 0.
   */
  readonly nThreads: number;
  /**
   * One window of 30 s.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly encodeMs: number;
  /**
   * A step of one token, the mean of 256.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly decodeMs: number;
  /**
   * A token in steps of 5, the mean of 320.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly batchedMs: number;
  /**
   * A token in steps of 256, the mean of 4096.
   *
   * Unit: ms. Range: at least 0.
   */
  readonly promptMs: number;
  /**
   * It was cancelled, and the other figures are 0.
   */
  readonly isCancelled: boolean;
}

/**
 * What a running transcription tells; type says which of the other fields are there.
 */
export interface TranscribeEvent {
  /**
   * What it tells.
   */
  readonly type: EventType;
  /**
   * Those that were added.
   */
  readonly segments?: readonly Segment[];
  /**
   * Number of the first of them, from 0.
   *
   * Range: at least 0.
   */
  readonly firstIndex?: number;
  /**
   * From 0 to 100, never smaller than before; the last is 100 unless it fails or is cancelled.
   *
   * Unit: percent. Range: 0 to 100.
   */
  readonly progressPercent?: number;
}

/**
 * The native module.
 */
export interface NativeModule {
  /**
   * The contract of the native part; call it first, as all else is only meant for the same major.
   */
  contract(): Contract;
  /**
   * What this build is and can do.
   */
  systemInfo(): SystemInfo;
  /**
   * All languages that the models know.
   */
  languages(): readonly Language[];
  /**
   * What loading a model would take, from its header and tensor list, without loading it.
   *
   * path: Path of the file, plain.
   *
   * Errors: invalid_argument, not_found, io, bad_format, unsupported.
   */
  estimateMemory(path: string): Promise<MemoryEstimate>;
  /**
   * Loads a model. It runs on a thread of its own, which then works for the context.
   *
   * source: The model.
   *
   * options: How it is loaded.
   *
   * Errors: invalid_argument, unknown_option, not_found, io, bad_format, unsupported, out_of_memory.
   */
  openContext(source: Source, options?: ContextOptions): Promise<NativeContext>;
  /**
   * Loads a voice activity model.
   *
   * source: The model.
   *
   * Errors: invalid_argument, unknown_option, not_found, io, bad_format, unsupported, out_of_memory.
   */
  openVad(source: Source): Promise<NativeVad>;
  /**
   * Delivers the log of the core, of all contexts; a further call replaces the former.
   *
   * level: Which lines.
   *
   * onLog: Takes them; left out, they are dropped.
   *
   * Errors: invalid_argument.
   */
  setLog(level: LogLevel, onLog?: OnLog): void;
}

/**
 * A loaded model with a queue of jobs and a thread that works on them, one at a time.
 */
export interface NativeContext {
  /**
   * The model, and what computes it; it stays after the release.
   */
  readonly info: ModelInfo;
  /**
   * release was called.
   */
  readonly isReleased: boolean;
  /**
   * Jobs that wait or run.
   *
   * Range: at least 0.
   */
  readonly nJobs: number;
  /**
   * Queues a transcription.
   *
   * audio: The recording.
   *
   * options: How.
   *
   * onEvent: Hears of segments and progress.
   *
   * Errors: invalid_argument, unknown_option, released, not_found, io, bad_format, unsupported,
   * out_of_memory.
   */
  transcribe(audio: Audio, options?: TranscribeCall, onEvent?: OnEvent): NativeJob<Transcription>;
  /**
   * Queues a detection of the language. An English-only model has none to detect: unsupported.
   *
   * audio: The recording.
   *
   * options: How.
   *
   * Errors: invalid_argument, unknown_option, released, not_found, io, bad_format, unsupported,
   * out_of_memory.
   */
  detectLanguage(audio: Audio, options?: LanguageCall): NativeJob<LanguageDetection>;
  /**
   * Queues a measurement of the speed, without audio.
   *
   * options: What is measured.
   *
   * Errors: invalid_argument, unknown_option, released.
   */
  bench(options?: BenchCall): NativeJob<BenchResult>;
  /**
   * The tokens of a text, for promptTokens.
   *
   * text: Any text.
   *
   * Errors: invalid_argument, released.
   */
  tokenize(text: string): readonly number[];
  /**
   * Frees the model when the job that runs has ended; jobs that still wait are refused with released. A
   * second call gives the same promise.
   */
  release(): Promise<void>;
}

/**
 * A loaded voice activity model with its queue and thread.
 */
export interface NativeVad {
  /**
   * release was called.
   */
  readonly isReleased: boolean;
  /**
   * Jobs that wait or run.
   *
   * Range: at least 0.
   */
  readonly nJobs: number;
  /**
   * Queues a detection of speech.
   *
   * audio: The recording.
   *
   * options: What counts as speech.
   *
   * Errors: invalid_argument, unknown_option, released, not_found, io, bad_format, unsupported,
   * out_of_memory.
   */
  detect(audio: Audio, options?: VadCall): NativeJob<SpeechDetection>;
  /**
   * Frees the model when the job that runs has ended; jobs that still wait are refused with released. A
   * second call gives the same promise.
   */
  release(): Promise<void>;
}

/**
 * Work that waits, runs or has ended. promise resolves with the result, also when it was cancelled,
 * and rejects with an error of the call.
 */
export interface NativeJob<Result> {
  /** Settles when the work has ended, after all events. */
  readonly promise: Promise<Result>;
  /**
   * Number of the job, from 1; no two of a running app have the same.
   *
   * Range: at least 0.
   */
  readonly id: number;
  /**
   * Ends this job and no other; returns at once. One that waits resolves without having run, one that
   * runs stops within an operation of the core. After the end it does nothing.
   */
  cancel(): void;
}
