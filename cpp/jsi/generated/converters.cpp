// Generated from templates/jsi/converters.cpp.j2 by `wsp generate`; do not edit.
#include "generated/converters.h"

#include "object_reader.h"
#include "object_writer.h"

namespace speech::js {

namespace jsi = facebook::jsi;

namespace {

constexpr std::string_view kVadOptionsKeys[] = {"threshold", "minSpeechDurationMs", "minSilenceDurationMs", "maxSpeechDurationS", "speechPadMs", "samplesOverlap"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] VadOptions& out) {
  in.number("threshold", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.threshold);
  in.number("minSpeechDurationMs", {.minimum = 0.0, .maximum = 3600000.0, .words = "0 to 3600000"}, out.min_speech_duration_ms);
  in.number("minSilenceDurationMs", {.minimum = 0.0, .maximum = 3600000.0, .words = "0 to 3600000"}, out.min_silence_duration_ms);
  in.number("maxSpeechDurationS", {.minimum = 0.0, .maximum = 3.4028234663852886e+38, .minimum_exclusive = true, .special = 0.0, .words = "above 0"}, out.max_speech_duration_s);
  in.number("speechPadMs", {.minimum = 0.0, .maximum = 3600000.0, .words = "0 to 3600000"}, out.speech_pad_ms);
  in.number("samplesOverlap", {.minimum = 0.0, .maximum = 3600.0, .words = "0 to 3600"}, out.samples_overlap);
}

constexpr std::string_view kTranscribeOptionsKeys[] = {"language", "languageCandidates", "translate", "offsetMs", "durationMs", "noContext", "nMaxTextCtx", "initialPrompt", "carryInitialPrompt", "promptTokens", "noTimestamps", "singleSegment", "maxInitialTs", "maxLen", "splitOnWord", "tdrzEnable", "tokenTimestamps", "tholdPt", "tholdPtsum", "temperature", "beamSize", "patience", "bestOf", "seed", "lengthPenalty", "maxTokens", "suppressBlank", "suppressNst", "suppressRegex", "grammar", "grammarStart", "grammarPenalty", "temperatureInc", "entropyThold", "logprobThold", "compressionRatioThold", "noSpeechThold", "vad", "vadModelPath", "vadOptions", "nThreads", "nParts", "audioCtx"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] TranscribeOptions& out) {
  in.text("language", out.language);
  in.names("languageCandidates", out.language_candidates);
  in.boolean("translate", out.translate);
  in.number("offsetMs", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.offset_ms);
  in.number("durationMs", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.duration_ms);
  in.boolean("noContext", out.no_context);
  in.number("nMaxTextCtx", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.n_max_text_ctx);
  in.text("initialPrompt", out.initial_prompt);
  in.boolean("carryInitialPrompt", out.carry_initial_prompt);
  in.tokens("promptTokens", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.prompt_tokens);
  in.boolean("noTimestamps", out.no_timestamps);
  in.boolean("singleSegment", out.single_segment);
  in.number("maxInitialTs", {.minimum = 0.0, .maximum = 30.0, .words = "0 to 30"}, out.max_initial_ts);
  in.number("maxLen", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.max_len);
  in.boolean("splitOnWord", out.split_on_word);
  in.boolean("tdrzEnable", out.tdrz_enable);
  in.boolean("tokenTimestamps", out.token_timestamps);
  in.number("tholdPt", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.thold_pt);
  in.number("tholdPtsum", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.thold_ptsum);
  in.number("temperature", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.temperature);
  in.number("beamSize", {.minimum = 1.0, .maximum = 8.0, .words = "1 to 8"}, out.beam_size);
  in.number("patience", {.minimum = 0.0, .maximum = 100.0, .minimum_exclusive = true, .special = -1.0, .words = "above 0, at most 100"}, out.patience);
  in.number("bestOf", {.minimum = 1.0, .maximum = 8.0, .words = "1 to 8"}, out.best_of);
  in.number("seed", {.minimum = 0.0, .maximum = 9007199254740991.0, .words = "0 to 9007199254740991"}, out.seed);
  in.number("lengthPenalty", {.minimum = 0.0, .maximum = 1.0, .minimum_exclusive = true, .special = -1.0, .words = "above 0, at most 1"}, out.length_penalty);
  in.number("maxTokens", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.max_tokens);
  in.boolean("suppressBlank", out.suppress_blank);
  in.boolean("suppressNst", out.suppress_nst);
  in.text("suppressRegex", out.suppress_regex);
  in.text("grammar", out.grammar);
  in.text("grammarStart", out.grammar_start);
  in.number("grammarPenalty", {.minimum = 0.0, .maximum = 3.4028234663852886e+38, .words = "at least 0"}, out.grammar_penalty);
  in.number("temperatureInc", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.temperature_inc);
  in.number("entropyThold", {.minimum = 0.0, .maximum = 3.4028234663852886e+38, .words = "at least 0"}, out.entropy_thold);
  in.number("logprobThold", {.minimum = -3.4028234663852886e+38, .maximum = 0.0, .words = "at most 0"}, out.logprob_thold);
  in.number("compressionRatioThold", {.minimum = 0.0, .maximum = 3.4028234663852886e+38, .words = "at least 0"}, out.compression_ratio_thold);
  in.number("noSpeechThold", {.minimum = 0.0, .maximum = 1.0, .words = "0 to 1"}, out.no_speech_thold);
  in.boolean("vad", out.vad);
  in.path("vadModelPath", out.vad_model_path);
  if (const auto inner = in.inner("vadOptions", kVadOptionsKeys)) read_fields(*inner, out.vad_options);
  in.number("nThreads", {.minimum = 0.0, .maximum = 64.0, .words = "0 to 64"}, out.n_threads);
  in.number("nParts", {.minimum = 1.0, .maximum = 64.0, .words = "1 to 64"}, out.n_parts);
  in.number("audioCtx", {.minimum = 0.0, .maximum = 1500.0, .words = "0 to 1500"}, out.audio_ctx);
  const TranscribeOptions defaults;
  if (out.language != defaults.language && out.language_candidates != defaults.language_candidates) {
    in.refuse_both("language", "languageCandidates");
  }
  if (out.initial_prompt != defaults.initial_prompt && out.prompt_tokens != defaults.prompt_tokens) {
    in.refuse_both("initialPrompt", "promptTokens");
  }
}

constexpr std::string_view kSourceKeys[] = {"path", "data"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] Source& out) {
  in.path("path", out.path);
  in.bytes("data", out.data);
  in.require_one_of({"path", "data"});
}

constexpr std::string_view kContextOptionsKeys[] = {"useGpu", "gpuDevice", "backend", "encoderPath", "dtw", "dtwNTop"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] ContextOptions& out) {
  in.boolean("useGpu", out.use_gpu);
  in.number("gpuDevice", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.gpu_device);
  in.choice("backend", kBackendNames, out.backend);
  in.text("encoderPath", out.encoder_path);
  in.choice("dtw", kAlignmentModelNames, out.dtw);
  in.number("dtwNTop", {.minimum = 0.0, .maximum = 128.0, .words = "0 to 128"}, out.dtw_n_top);
  const ContextOptions defaults;
  if (out.dtw != defaults.dtw && out.dtw_n_top != defaults.dtw_n_top) {
    in.refuse_both("dtw", "dtwNTop");
  }
}

constexpr std::string_view kAudioKeys[] = {"data", "path", "base64", "format", "sampleRateHz", "channels"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] Audio& out) {
  in.bytes("data", out.data);
  in.path("path", out.path);
  in.text("base64", out.base64);
  in.choice("format", kAudioFormatNames, out.format);
  in.number("sampleRateHz", {.minimum = 1.0, .maximum = 1000000.0, .words = "1 to 1000000"}, out.sample_rate_hz);
  in.number("channels", {.minimum = 1.0, .maximum = 64.0, .words = "1 to 64"}, out.channels);
  in.require_one_of({"data", "path", "base64"});
}

constexpr std::string_view kTranscribeCallKeys[] = {"language", "languageCandidates", "translate", "offsetMs", "durationMs", "noContext", "nMaxTextCtx", "initialPrompt", "carryInitialPrompt", "promptTokens", "noTimestamps", "singleSegment", "maxInitialTs", "maxLen", "splitOnWord", "tdrzEnable", "tokenTimestamps", "tholdPt", "tholdPtsum", "temperature", "beamSize", "patience", "bestOf", "seed", "lengthPenalty", "maxTokens", "suppressBlank", "suppressNst", "suppressRegex", "grammar", "grammarStart", "grammarPenalty", "temperatureInc", "entropyThold", "logprobThold", "compressionRatioThold", "noSpeechThold", "vad", "vadModelPath", "vadOptions", "nThreads", "nParts", "audioCtx", "priority", "tokens", "words"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] TranscribeCall& out) {
  read_fields(in, out.options);
  in.choice("priority", kPriorityNames, out.priority);
  in.boolean("tokens", out.tokens);
  in.boolean("words", out.words);
}

constexpr std::string_view kLanguageCallKeys[] = {"priority", "offsetMs", "nThreads"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] LanguageCall& out) {
  in.choice("priority", kPriorityNames, out.priority);
  in.number("offsetMs", {.minimum = 0.0, .maximum = 2147483647.0, .words = "at least 0"}, out.offset_ms);
  in.number("nThreads", {.minimum = 0.0, .maximum = 64.0, .words = "0 to 64"}, out.n_threads);
}

constexpr std::string_view kVadCallKeys[] = {"threshold", "minSpeechDurationMs", "minSilenceDurationMs", "maxSpeechDurationS", "speechPadMs", "samplesOverlap", "priority", "probabilities"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] VadCall& out) {
  read_fields(in, out.options);
  in.choice("priority", kPriorityNames, out.priority);
  in.boolean("probabilities", out.probabilities);
}

constexpr std::string_view kBenchCallKeys[] = {"nThreads"};

void read_fields([[maybe_unused]] const ObjectReader& in, [[maybe_unused]] BenchCall& out) {
  in.number("nThreads", {.minimum = 0.0, .maximum = 64.0, .words = "0 to 64"}, out.n_threads);
}

}  // namespace

VadOptions read_vad_options(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kVadOptionsKeys);
  VadOptions out;
  read_fields(in, out);
  return out;
}

TranscribeOptions read_transcribe_options(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kTranscribeOptionsKeys);
  TranscribeOptions out;
  read_fields(in, out);
  return out;
}

Source read_source(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kSourceKeys);
  Source out;
  read_fields(in, out);
  return out;
}

ContextOptions read_context_options(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kContextOptionsKeys);
  ContextOptions out;
  read_fields(in, out);
  return out;
}

Audio read_audio(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kAudioKeys);
  Audio out;
  read_fields(in, out);
  return out;
}

TranscribeCall read_transcribe_call(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kTranscribeCallKeys);
  TranscribeCall out;
  read_fields(in, out);
  return out;
}

LanguageCall read_language_call(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kLanguageCallKeys);
  LanguageCall out;
  read_fields(in, out);
  return out;
}

VadCall read_vad_call(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kVadCallKeys);
  VadCall out;
  read_fields(in, out);
  return out;
}

BenchCall read_bench_call(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  const ObjectReader in(rt, value, path, kBenchCallKeys);
  BenchCall out;
  read_fields(in, out);
  return out;
}

Priority read_enum_Priority(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<Priority>(index_of(rt, value, path, kPriorityNames));
}

AudioFormat read_enum_AudioFormat(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<AudioFormat>(index_of(rt, value, path, kAudioFormatNames));
}

EventType read_enum_EventType(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<EventType>(index_of(rt, value, path, kEventTypeNames));
}

LogLevel read_enum_LogLevel(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<LogLevel>(index_of(rt, value, path, kLogLevelNames));
}

AlignmentModel read_enum_AlignmentModel(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<AlignmentModel>(index_of(rt, value, path, kAlignmentModelNames));
}

Backend read_enum_Backend(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  return static_cast<Backend>(index_of(rt, value, path, kBackendNames));
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Contract& value) {
  jsi::Object out(rt);
  put(rt, out, "major", value.major);
  put(rt, out, "minor", value.minor);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Language& value) {
  jsi::Object out(rt);
  put(rt, out, "code", value.code);
  put(rt, out, "name", value.name);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const SystemInfo& value) {
  jsi::Object out(rt);
  put(rt, out, "version", value.version);
  put(rt, out, "description", value.description);
  put(rt, out, "kernels", value.kernels);
  put(rt, out, "hasMetal", value.has_metal);
  put(rt, out, "hasCoreml", value.has_coreml);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const MemoryEstimate& value) {
  jsi::Object out(rt);
  put(rt, out, "weightsBytes", value.weights_bytes);
  put(rt, out, "stateBytes", value.state_bytes);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const ModelInfo& value) {
  jsi::Object out(rt);
  put(rt, out, "type", value.type);
  put(rt, out, "isMultilingual", value.is_multilingual);
  put(rt, out, "nVocab", value.n_vocab);
  put(rt, out, "nAudioCtx", value.n_audio_ctx);
  put(rt, out, "nAudioState", value.n_audio_state);
  put(rt, out, "nAudioHead", value.n_audio_head);
  put(rt, out, "nAudioLayer", value.n_audio_layer);
  put(rt, out, "nTextCtx", value.n_text_ctx);
  put(rt, out, "nTextState", value.n_text_state);
  put(rt, out, "nTextHead", value.n_text_head);
  put(rt, out, "nTextLayer", value.n_text_layer);
  put(rt, out, "nMels", value.n_mels);
  put(rt, out, "ftype", value.ftype);
  put(rt, out, "weightsBytes", value.weights_bytes);
  put(rt, out, "stateBytes", value.state_bytes);
  put(rt, out, "backend", value.backend);
  put(rt, out, "backendReason", value.backend_reason);
  put(rt, out, "encoder", value.encoder);
  put(rt, out, "encoderReason", value.encoder_reason);
  put(rt, out, "usesGpu", value.uses_gpu);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Token& value) {
  jsi::Object out(rt);
  put(rt, out, "id", value.id);
  put(rt, out, "text", value.text);
  put(rt, out, "probability", value.probability);
  put(rt, out, "logProbability", value.log_probability);
  put(rt, out, "isSpecial", value.is_special);
  if (value.start_s) put(rt, out, "startS", *value.start_s);
  if (value.end_s) put(rt, out, "endS", *value.end_s);
  if (value.dtw_s) put(rt, out, "dtwS", *value.dtw_s);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Word& value) {
  jsi::Object out(rt);
  put(rt, out, "text", value.text);
  put(rt, out, "startS", value.start_s);
  put(rt, out, "endS", value.end_s);
  put(rt, out, "probability", value.probability);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Segment& value) {
  jsi::Object out(rt);
  put(rt, out, "startS", value.start_s);
  put(rt, out, "endS", value.end_s);
  put(rt, out, "text", value.text);
  put(rt, out, "noSpeechProbability", value.no_speech_probability);
  put(rt, out, "speakerTurnNext", value.speaker_turn_next);
  if (value.tokens) put_list(rt, out, "tokens", *value.tokens, [&rt](const auto& one) { return to_js(rt, one); });
  if (value.words) put_list(rt, out, "words", *value.words, [&rt](const auto& one) { return to_js(rt, one); });
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const SpeechSegment& value) {
  jsi::Object out(rt);
  put(rt, out, "startS", value.start_s);
  put(rt, out, "endS", value.end_s);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Stats& value) {
  jsi::Object out(rt);
  put(rt, out, "audioS", value.audio_s);
  put(rt, out, "queuedMs", value.queued_ms);
  put(rt, out, "totalMs", value.total_ms);
  put(rt, out, "melMs", value.mel_ms);
  put(rt, out, "encodeMs", value.encode_ms);
  put(rt, out, "promptMs", value.prompt_ms);
  put(rt, out, "decodeMs", value.decode_ms);
  put(rt, out, "batchedMs", value.batched_ms);
  put(rt, out, "sampleMs", value.sample_ms);
  put(rt, out, "nWindows", value.n_windows);
  put(rt, out, "nTokens", value.n_tokens);
  put(rt, out, "nFallbacks", value.n_fallbacks);
  put(rt, out, "nThreads", value.n_threads);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const Transcription& value) {
  jsi::Object out(rt);
  put(rt, out, "text", value.text);
  put_list(rt, out, "segments", value.segments, [&rt](const auto& one) { return to_js(rt, one); });
  if (value.language) put(rt, out, "language", *value.language);
  if (value.language_probability) put(rt, out, "languageProbability", *value.language_probability);
  put(rt, out, "durationS", value.duration_s);
  put(rt, out, "isCancelled", value.is_cancelled);
  put_list(rt, out, "speech", value.speech, [&rt](const auto& one) { return to_js(rt, one); });
  out.setProperty(rt, "stats", to_js(rt, value.stats));
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const LanguageProbability& value) {
  jsi::Object out(rt);
  put(rt, out, "code", value.code);
  put(rt, out, "probability", value.probability);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const LanguageDetection& value) {
  jsi::Object out(rt);
  if (value.language) put(rt, out, "language", *value.language);
  if (value.probability) put(rt, out, "probability", *value.probability);
  put_list(rt, out, "probabilities", value.probabilities, [&rt](const auto& one) { return to_js(rt, one); });
  put(rt, out, "isCancelled", value.is_cancelled);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const SpeechDetection& value) {
  jsi::Object out(rt);
  put_list(rt, out, "segments", value.segments, [&rt](const auto& one) { return to_js(rt, one); });
  if (value.probabilities) put_list(rt, out, "probabilities", *value.probabilities, [&rt](const auto& one) { return to_js(rt, one); });
  put(rt, out, "durationS", value.duration_s);
  put(rt, out, "isCancelled", value.is_cancelled);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const BenchResult& value) {
  jsi::Object out(rt);
  put(rt, out, "nThreads", value.n_threads);
  put(rt, out, "encodeMs", value.encode_ms);
  put(rt, out, "decodeMs", value.decode_ms);
  put(rt, out, "batchedMs", value.batched_ms);
  put(rt, out, "promptMs", value.prompt_ms);
  put(rt, out, "isCancelled", value.is_cancelled);
  return out;
}

jsi::Value to_js(jsi::Runtime& rt, [[maybe_unused]] const TranscribeEvent& value) {
  jsi::Object out(rt);
  put(rt, out, "type", kEventTypeNames[static_cast<std::size_t>(value.type)]);
  if (value.segments) put_list(rt, out, "segments", *value.segments, [&rt](const auto& one) { return to_js(rt, one); });
  if (value.first_index) put(rt, out, "firstIndex", *value.first_index);
  if (value.progress_percent) put(rt, out, "progressPercent", *value.progress_percent);
  return out;
}

}  // namespace speech::js
