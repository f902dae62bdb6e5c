// Generated from templates/jsi/values.h.j2 by `wsp generate`; do not edit.
//
// What crosses the border, as plain values that own all they hold: they may be moved to any thread. They know neither
// JavaScript nor the core.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"

namespace speech::js {

/// Which of the waiting jobs of a context comes next; jobs of the same priority run in the order of their calls.
enum class Priority {
  kLow,
  kNormal,
  kHigh,
};

/// The texts of Priority, in the order of its values.
inline constexpr std::array<std::string_view, 3> kPriorityNames = {"low", "normal", "high"};

/// What the bytes of audio are.
enum class AudioFormat {
  kFloat32,
  kInt16,
  kWav,
};

/// The texts of AudioFormat, in the order of its values.
inline constexpr std::array<std::string_view, 3> kAudioFormatNames = {"float32", "int16", "wav"};

/// What an event tells.
enum class EventType {
  kSegments,
  kProgress,
};

/// The texts of EventType, in the order of its values.
inline constexpr std::array<std::string_view, 2> kEventTypeNames = {"segments", "progress"};

/// Which lines of the log are delivered: those of the level and of all above it.
enum class LogLevel {
  kOff,
  kError,
  kWarn,
  kInfo,
  kDebug,
};

/// The texts of LogLevel, in the order of its values.
inline constexpr std::array<std::string_view, 5> kLogLevelNames = {"off", "error", "warn", "info", "debug"};

/// Published models whose alignment heads are known; a name that is not the loaded model's fails the load.
enum class AlignmentModel {
  kNone,
  kTinyEn,
  kTiny,
  kBaseEn,
  kBase,
  kSmallEn,
  kSmall,
  kMediumEn,
  kMedium,
  kLargeV1,
  kLargeV2,
  kLargeV3,
  kLargeV3Turbo,
};

/// The texts of AlignmentModel, in the order of its values.
inline constexpr std::array<std::string_view, 13> kAlignmentModelNames = {"none", "tiny.en", "tiny", "base.en", "base", "small.en", "small", "medium.en", "medium", "large-v1", "large-v2", "large-v3", "large-v3-turbo"};

/// What computes; what is not built in, not on this machine or of another model leaves the CPU and the core's own encoder.
enum class Backend {
  kAuto,
  kCpu,
  kMetal,
  kCoreml,
  kOpenvino,
};

/// The texts of Backend, in the order of its values.
inline constexpr std::array<std::string_view, 5> kBackendNames = {"auto", "cpu", "metal", "coreml", "openvino"};

/// Where somebody speaks in a recording, and what counts as speech.
struct VadOptions {
  /// Take a window of 32 ms for speech from this probability on.
  float threshold = 0.5F;
  /// Leave out speech that is not longer than this.
  int min_speech_duration_ms = 250;
  /// End speech at a silence of this length.
  int min_silence_duration_ms = 100;
  /// Cut speech that is longer than this.
  float max_speech_duration_s = 0.0F;
  /// Add this much to both sides of each stretch of speech.
  int speech_pad_ms = 30;
  /// Transcribe this much more behind each stretch of speech.
  float samples_overlap = 0.1F;
};

/// How a recording becomes text.
struct TranscribeOptions {
  /// Language of the speech, by code or English name, such as de or german.
  std::string language = "auto";
  /// Languages among which the detection chooses, by codes or English names.
  std::vector<std::string> language_candidates;
  /// Translate into English instead of transcribing.
  bool translate = false;
  /// Start this far into the recording.
  int offset_ms = 0;
  /// Transcribe only this much, from the offset on.
  int duration_ms = 0;
  /// Forget the text of earlier calls on the same state.
  bool no_context = true;
  /// Show the decoder at most this much earlier text.
  int n_max_text_ctx = 16384;
  /// Text that is taken as said just before the recording.
  std::string initial_prompt;
  /// Show the prompt to every window, not only to the first.
  bool carry_initial_prompt = false;
  /// The initial prompt as token ids.
  std::vector<int> prompt_tokens;
  /// Decode without timestamp tokens.
  bool no_timestamps = false;
  /// Give one segment per window.
  bool single_segment = false;
  /// The first timestamp of a window is at most this late.
  float max_initial_ts = 1.0F;
  /// Cut segments that are longer than this.
  int max_len = 0;
  /// Cut long segments only before words.
  bool split_on_word = false;
  /// Mark where the speaker changes, with a tinydiarize model.
  bool tdrz_enable = false;
  /// Give each token, and so each word, a start and an end.
  bool token_timestamps = false;
  /// Trust a timestamp that has more than this share of all timestamps' probability.
  float thold_pt = 0.01F;
  /// Trust a timestamp only where all timestamps together have more than this.
  float thold_ptsum = 0.01F;
  /// Temperature of the first attempt.
  float temperature = 0.0F;
  /// Follow this many texts at a time and keep the most probable.
  int beam_size = 1;
  /// End the beam search when this many times beam_size texts are complete.
  float patience = -1.0F;
  /// Draw this many texts at temperatures above 0 and keep the best.
  int best_of = 5;
  /// Seed of the draws at temperatures above 0.
  std::uint64_t seed = 0;
  /// Exponent of the length by which texts are compared.
  float length_penalty = -1.0F;
  /// End a segment after this many tokens.
  int max_tokens = 0;
  /// Never start a window's text with a blank or with its end.
  bool suppress_blank = true;
  /// Never choose non-speech tokens, such as brackets, notes and speaker marks.
  bool suppress_nst = true;
  /// Never choose tokens whose text this regular expression finds.
  std::string suppress_regex;
  /// Rules in GBNF that the text has to follow.
  std::string grammar;
  /// The rule of the grammar that stands for the whole text.
  std::string grammar_start = "root";
  /// Take this much from the logit of each token that the grammar forbids.
  float grammar_penalty = 100.0F;
  /// Raise the temperature by this much for each further attempt.
  float temperature_inc = 0.2F;
  /// Fall back if the last 32 tokens have less entropy than this.
  float entropy_thold = 2.4F;
  /// Fall back if the mean log-probability per token is below this.
  float logprob_thold = -1.0F;
  /// Fall back if the text can be compressed by more than this factor.
  float compression_ratio_thold = 0.0F;
  /// Take a window for silence if its no-speech probability is above this.
  float no_speech_thold = 0.6F;
  /// Transcribe only where somebody speaks.
  bool vad = false;
  /// File of the voice activity model.
  std::string vad_model_path;
  /// What counts as speech.
  VadOptions vad_options;
  /// Compute with this many threads.
  int n_threads = 0;
  /// Cut the recording into this many parts and transcribe them at the same time.
  int n_parts = 1;
  /// Let the encoder see only this many frames of 20 ms.
  int audio_ctx = 0;
};

/// Where a model comes from: one of its fields.
struct Source {
  /// Path of a file of this device, plain: no file://, no web address.
  std::optional<std::string> path;
  /// The bytes of a model file; they are copied before the call returns, and freed when the model is loaded.
  std::optional<Bytes> data;
};

/// How a model is loaded.
struct ContextOptions {
  /// Compute on a GPU where a back-end for one is built in and works; otherwise on the CPU, and backend_reason says why.
  bool use_gpu = true;
  /// Which GPU, where there are several.
  int gpu_device = 0;
  /// What computes; info.backend_reason and info.encoder_reason say what came of it.
  Backend backend = Backend::kAuto;
  /// Path of the encoder of Core ML, a .mlmodelc or .mlpackage; one that was made of another model is not used.
  std::string encoder_path;
  /// Give each token the time at which it is said, by the alignment heads of the published model of this name.
  AlignmentModel dtw = AlignmentModel::kNone;
  /// The same with all heads of this many last layers, for models whose heads are not known; 0 is off.
  int dtw_n_top = 0;
};

/// A recording: one of data, path and base64. It is read, mixed to one channel and resampled to 16 kHz on the worker.
struct Audio {
  /// An ArrayBuffer or a view of one; only what the view shows is taken.
  std::optional<Bytes> data;
  /// Path of a WAV file of this device, plain: no file://, no web address.
  std::optional<std::string> path;
  /// The bytes as base64, with or without padding; blanks and line ends are skipped.
  std::optional<std::string> base64;
  /// What the bytes are.
  std::optional<AudioFormat> format;
  /// Samples per second and channel; a WAV file says it itself.
  int sample_rate_hz = 16000;
  /// Interleaved channels, which are averaged; a WAV file says it itself.
  int channels = 1;
};

/// The options of transcription, and what belongs to one call.
struct TranscribeCall {
  TranscribeOptions options;
  /// Its place among the waiting jobs of the context.
  Priority priority = Priority::kNormal;
  /// Deliver the tokens of each segment.
  bool tokens = false;
  /// Deliver the words of each segment with their times; it sets token_timestamps.
  bool words = false;
};

/// How the language is detected.
struct LanguageCall {
  /// Its place among the waiting jobs of the context.
  Priority priority = Priority::kNormal;
  /// Listen from here on, to 30 s of the recording.
  int offset_ms = 0;
  /// Compute with this many threads; 0 is the smaller of 4 and the hardware threads.
  int n_threads = 0;
};

/// The options of voice activity detection, and what belongs to one call.
struct VadCall {
  VadOptions options;
  /// Its place among the waiting jobs of the context.
  Priority priority = Priority::kNormal;
  /// Deliver the probability of each window.
  bool probabilities = false;
};

/// What is measured.
struct BenchCall {
  /// Compute with this many threads; 0 is the smaller of 4 and the hardware threads.
  int n_threads = 0;
};

/// The contract of the native part.
struct Contract {
  /// Another one is refused.
  int major = 0;
  /// Larger by one with each addition.
  int minor = 0;
};

/// A language that the models know.
struct Language {
  /// Such as de.
  std::string code;
  /// In English and lower case, such as german.
  std::string name;
};

/// What this build is and can do.
struct SystemInfo {
  /// Version of the API of whisper.cpp that the core follows, such as 1.9.1.
  std::string version;
  /// Back-ends built in and the features of this processor, on one line.
  std::string description;
  /// The table of CPU kernels in use, such as neon.
  std::string kernels;
  /// A Metal back-end is built in.
  bool has_metal = false;
  /// A Core ML encoder is built in.
  bool has_coreml = false;
};

/// What loading a model would take, exact for this build.
struct MemoryEstimate {
  /// Of the weights, which all states share.
  std::int64_t weights_bytes = 0;
  /// Caches and buffers of one state, with the default number of decoders.
  std::int64_t state_bytes = 0;
};

/// A loaded model, and what computes it.
struct ModelInfo {
  /// Such as tiny or large.
  std::string type;
  /// It knows other languages than English, detects them and translates.
  bool is_multilingual = false;
  /// Size of its vocabulary.
  int n_vocab = 0;
  /// Frames of 20 ms that its encoder sees at a time.
  int n_audio_ctx = 0;
  /// Width of its encoder.
  int n_audio_state = 0;
  /// Attention heads of an encoder layer.
  int n_audio_head = 0;
  /// Encoder layers.
  int n_audio_layer = 0;
  /// Tokens that its decoder sees at a time.
  int n_text_ctx = 0;
  /// Width of its decoder.
  int n_text_state = 0;
  /// Attention heads of a decoder layer.
  int n_text_head = 0;
  /// Decoder layers.
  int n_text_layer = 0;
  /// Mel bins of its features.
  int n_mels = 0;
  /// Type of its weights, by the number in the file.
  int ftype = 0;
  /// Memory of the weights.
  std::int64_t weights_bytes = 0;
  /// Memory of the caches and buffers.
  std::int64_t state_bytes = 0;
  /// The back-end that computes, such as cpu.
  std::string backend;
  /// Why it is that one, on one line.
  std::string backend_reason;
  /// What encodes: own, coreml or openvino.
  std::string encoder;
  /// Why it is that one, with how long it took to load, on one line.
  std::string encoder_reason;
  /// The back-end is none of the CPU.
  bool uses_gpu = false;
};

/// One step of the decoder.
struct Token {
  /// Its number in the vocabulary.
  int id = 0;
  /// Its text; U+FFFD stands where it holds only a part of a character.
  std::string text;
  /// Of this token at its step.
  double probability = 0;
  /// Natural logarithm of it.
  double log_probability = 0;
  /// A timestamp or another mark, not text.
  bool is_special = false;
  /// From the start of the recording; only where token times were asked for.
  std::optional<double> start_s;
  /// Likewise.
  std::optional<double> end_s;
  /// When it is said, by alignment; only where the model was loaded with dtw.
  std::optional<double> dtw_s;
};

/// A word with its punctuation, or a character where a language has no spaces.
struct Word {
  /// As in the segment, with its leading space.
  std::string text;
  /// From the start of the recording, in steps of 0.01.
  double start_s = 0;
  /// Likewise.
  double end_s = 0;
  /// The mean of its tokens.
  double probability = 0;
};

/// A stretch of speech between two times.
struct Segment {
  /// From the start of the recording, in steps of 0.01.
  double start_s = 0;
  /// Likewise.
  double end_s = 0;
  /// As decoded: usually with a space in front.
  std::string text;
  /// That the window of the segment holds no speech.
  double no_speech_probability = 0;
  /// Another speaker follows; only with tdrz_enable and a model that was trained for it.
  bool speaker_turn_next = false;
  /// Only where tokens were asked for.
  std::optional<std::vector<Token>> tokens;
  /// Only where words were asked for; together they have the text of the segment.
  std::optional<std::vector<Word>> words;
};

/// A stretch of speech, found by voice activity detection.
struct SpeechSegment {
  /// From the start of the recording.
  double start_s = 0;
  /// Likewise.
  double end_s = 0;
};

/// What a transcription cost.
struct Stats {
  /// Length of the recording.
  double audio_s = 0;
  /// From the call to the start of the work.
  double queued_ms = 0;
  /// From the start of the work to its end, by the clock on the wall.
  double total_ms = 0;
  /// Features.
  double mel_ms = 0;
  /// Convolution, encoder, keys and values of cross-attention.
  double encode_ms = 0;
  /// Decoder steps of 16 tokens and more.
  double prompt_ms = 0;
  /// Decoder steps of one token.
  double decode_ms = 0;
  /// Decoder steps of 2 to 15 tokens.
  double batched_ms = 0;
  /// Choosing tokens.
  double sample_ms = 0;
  /// Windows of up to 30 s that were encoded.
  int n_windows = 0;
  /// Tokens that were chosen.
  int n_tokens = 0;
  /// Further attempts at a higher temperature.
  int n_fallbacks = 0;
  /// Threads that computed.
  int n_threads = 0;
};

/// The text of a recording, or of its part up to where it was cancelled.
struct Transcription {
  /// The texts of all segments in a row.
  std::string text;
  /// In the order of their times.
  std::vector<Segment> segments;
  /// Code of the language that was decoded; only where something was.
  std::optional<std::string> language;
  /// 1 where the language was named; only where something was decoded.
  std::optional<double> language_probability;
  /// Length of the recording; 0 if it was cancelled before it was read.
  double duration_s = 0;
  /// It was cancelled, and this is what there is.
  bool is_cancelled = false;
  /// What was transcribed, where vad was asked for; otherwise empty.
  std::vector<SpeechSegment> speech;
  /// What it cost.
  Stats stats;
};

/// How probable a language is.
struct LanguageProbability {
  /// Such as de.
  std::string code;
  /// Among all that the model knows.
  double probability = 0;
};

/// Which language a recording seems to be in.
struct LanguageDetection {
  /// Code of the most probable language; only if it was not cancelled.
  std::optional<std::string> language;
  /// Of that language.
  std::optional<double> probability;
  /// Of all languages, the most probable first.
  std::vector<LanguageProbability> probabilities;
  /// It was cancelled before it ended.
  bool is_cancelled = false;
};

/// Where somebody speaks in a recording.
struct SpeechDetection {
  /// In the order of their times.
  std::vector<SpeechSegment> segments;
  /// Of each window of 32 ms; only where they were asked for.
  std::optional<std::vector<double>> probabilities;
  /// Length of the recording; 0 if it was cancelled before it was read.
  double duration_s = 0;
  /// It was cancelled before it ended.
  bool is_cancelled = false;
};

/// Speed of a model on this device.
struct BenchResult {
  /// Threads that computed.
  int n_threads = 0;
  /// One window of 30 s.
  double encode_ms = 0;
  /// A step of one token, the mean of 256.
  double decode_ms = 0;
  /// A token in steps of 5, the mean of 320.
  double batched_ms = 0;
  /// A token in steps of 256, the mean of 4096.
  double prompt_ms = 0;
  /// It was cancelled, and the other figures are 0.
  bool is_cancelled = false;
};

/// What a running transcription tells; type says which of the other fields are there.
struct TranscribeEvent {
  /// What it tells.
  EventType type = EventType{};
  /// Those that were added.
  std::optional<std::vector<Segment>> segments;
  /// Number of the first of them, from 0.
  std::optional<int> first_index;
  /// From 0 to 100, never smaller than before; the last is 100 unless it fails or is cancelled.
  std::optional<int> progress_percent;
};

}  // namespace speech::js
