// Implements Session's loading and its smaller calls; transcription is in session_transcribe.cpp.
#include "session.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "audio_input.h"
#include "errors.h"
#include "generated/params.h"
#include "model_source.h"

namespace speech::js {
namespace {

ModelInfo describe(whisper_context* model, whisper_state* state) {
  const whisper_ext_stats stats = whisper_ext_get_stats_from_state(model, state);
  ModelInfo info;
  info.type = whisper_model_type_readable(model);
  info.is_multilingual = whisper_is_multilingual(model) != 0;
  info.n_vocab = whisper_model_n_vocab(model);
  info.n_audio_ctx = whisper_model_n_audio_ctx(model);
  info.n_audio_state = whisper_model_n_audio_state(model);
  info.n_audio_head = whisper_model_n_audio_head(model);
  info.n_audio_layer = whisper_model_n_audio_layer(model);
  info.n_text_ctx = whisper_model_n_text_ctx(model);
  info.n_text_state = whisper_model_n_text_state(model);
  info.n_text_head = whisper_model_n_text_head(model);
  info.n_text_layer = whisper_model_n_text_layer(model);
  info.n_mels = whisper_model_n_mels(model);
  info.ftype = whisper_model_ftype(model);
  info.weights_bytes = stats.weights_bytes;
  info.state_bytes = stats.state_bytes;
  info.backend = whisper_ext_backend_name(model);
  info.backend_reason = whisper_ext_backend_reason(model);
  info.encoder = whisper_ext_encoder_name(model);
  info.encoder_reason = whisper_ext_encoder_reason(model);
  info.uses_gpu = info.backend != "cpu";
  return info;
}

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Lets the calls of the core that take no callback stop within their work, for its life. A core that cannot is only
/// asked between its calls.
class StopScope {
 public:
  StopScope(whisper_context* model, whisper_state* state, const std::atomic<bool>& cancelled)
      : StopScope([=](auto ask, void* self) { whisper_ext_set_abort(model, state, ask, self); }, cancelled) {}
  StopScope(whisper_vad_context* vad, const std::atomic<bool>& cancelled)
      : StopScope([=](auto ask, void* self) { whisper_ext_vad_set_abort(vad, ask, self); }, cancelled) {}
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  ~StopScope() { set_(nullptr, nullptr); }

 private:
  using Set = std::function<void(ggml_abort_callback, void*)>;

  StopScope(Set set, const std::atomic<bool>& cancelled) : set_(std::move(set)), cancelled_(cancelled) {
    set_([](void* self) { return static_cast<StopScope*>(self)->cancelled_.load(); }, this);
  }

  Set set_;
  const std::atomic<bool>& cancelled_;
};

}  // namespace

int threads_or_default(int n_threads) {
  if (n_threads > 0) return n_threads;
  const unsigned hardware = std::thread::hardware_concurrency();
  return static_cast<int>(std::clamp(hardware, 1U, 4U));
}

Session::Session(const Source& source, const ContextOptions& options) {
  whisper_context_params params = whisper_context_default_params();
  whisper_ext_context_options more = whisper_ext_default_context_options();
  apply(options, params, more);
  if (!options.encoder_path.empty()) more.encoder_path = options.encoder_path.c_str();
  more.no_state = true;
  params.dtw_token_timestamps = options.dtw != AlignmentModel::kNone || options.dtw_n_top > 0;
  if (options.dtw_n_top > 0) params.dtw_aheads_preset = WHISPER_AHEADS_N_TOP_MOST;
  whisper_ext_clear_error();
  whisper_context* model = nullptr;
  if (source.path) {
    model = whisper_ext_init_from_file(source.path->c_str(), params, &more);
  } else {
    BytesReader reader(*source.data);
    whisper_model_loader loader = reader.loader();
    model = whisper_ext_init(&loader, params, &more);
  }
  if (model == nullptr) throw last_failure("loading the model", source.path ? "source.path" : "source.data");
  model_ = std::shared_ptr<whisper_context>(model, [](whisper_context* pointer) { whisper_free(pointer); });
  state_.reset(whisper_init_state(model));
  if (!state_) throw last_failure("making a state");
  info_ = describe(model, state_.get());
}

std::shared_ptr<whisper_context> Session::model() const {
  const std::lock_guard lock(mutex_);
  if (!model_) throw Refusal(code::kReleased, "", "the context was released");
  return model_;
}

void Session::close() {
  state_.reset();
  const std::lock_guard lock(mutex_);
  model_.reset();
}

std::vector<int> Session::tokenize(const std::string& text) const {
  const std::shared_ptr<whisper_context> held = model();
  // A token stands for at least one byte.
  std::vector<int> tokens(text.size());
  whisper_ext_clear_error();
  const int n = whisper_tokenize(held.get(), text.c_str(), tokens.data(), static_cast<int>(tokens.size()));
  if (n < 0) throw last_failure("tokenizing", "text");
  tokens.resize(static_cast<std::size_t>(n));
  return tokens;
}

LanguageDetection Session::detect_language(const Audio& audio, const LanguageCall& call,
                                           const std::atomic<bool>& cancelled) {
  const std::shared_ptr<whisper_context> held = model();
  const Recording recording(audio, false);
  LanguageDetection result;
  result.is_cancelled = cancelled;
  if (result.is_cancelled) return result;
  const StopScope stop_scope(held.get(), state_.get(), cancelled);
  const int n_threads = threads_or_default(call.n_threads);
  std::vector<float> probabilities(static_cast<std::size_t>(whisper_lang_max_id()) + 1);
  whisper_ext_clear_error();
  const bool has_features = whisper_pcm_to_mel_with_state(held.get(), state_.get(), recording.samples(),
                                                          recording.n_samples(), n_threads) == 0;
  if (!has_features || whisper_lang_auto_detect_with_state(held.get(), state_.get(), call.offset_ms, n_threads,
                                                           probabilities.data()) < 0) {
    result.is_cancelled = cancelled;
    if (result.is_cancelled) return result;
    const bool begins_behind = call.offset_ms / 1000.0 >= recording.seconds();
    throw last_failure("detecting the language", !has_features ? "audio" : begins_behind ? "options.offsetMs" : "");
  }
  for (std::size_t id = 0; id < probabilities.size(); ++id) {
    result.probabilities.push_back({whisper_lang_str(static_cast<int>(id)), probabilities[id]});
  }
  std::sort(result.probabilities.begin(), result.probabilities.end(), [](const auto& one, const auto& other) {
    return one.probability != other.probability ? one.probability > other.probability : one.code < other.code;
  });
  result.language = result.probabilities.front().code;
  result.probability = result.probabilities.front().probability;
  return result;
}

BenchResult Session::bench(const BenchCall& call, const std::atomic<bool>& cancelled) {
  const std::shared_ptr<whisper_context> held = model();
  whisper_context* context = held.get();
  whisper_state* state = state_.get();
  BenchResult result;
  result.n_threads = threads_or_default(call.n_threads);
  const StopScope stop_scope(context, state, cancelled);
  whisper_ext_clear_error();
  if (whisper_set_mel_with_state(context, state, nullptr, 0, whisper_model_n_mels(context)) != 0) {
    throw last_failure("measuring");
  }
  const std::vector<whisper_token> tokens(256, 0);
  const auto encode = [&] {
    if (whisper_encode_with_state(context, state, 0, result.n_threads) != 0 && !cancelled) {
      throw last_failure("encoding");
    }
  };
  // Milliseconds per token of n_steps steps of n_tokens tokens each; 0 once it is cancelled.
  const auto decode = [&](int n_steps, int n_tokens, bool grows) {
    const auto start = Clock::now();
    for (int i = 0; i < n_steps && !cancelled; ++i) {
      const int n_past = grows ? i : 0;
      if (whisper_decode_with_state(context, state, tokens.data(), n_tokens, n_past, result.n_threads) != 0 &&
          !cancelled) {
        throw last_failure("decoding");
      }
    }
    return cancelled ? 0.0 : ms_since(start) / (n_steps * n_tokens);
  };
  if (!cancelled) encode();  // The first run fetches the weights from their file.
  const auto start = Clock::now();
  if (!cancelled) encode();
  result.encode_ms = ms_since(start);
  result.decode_ms = decode(256, 1, true);
  result.batched_ms = decode(64, 5, false);
  result.prompt_ms = decode(16, 256, false);
  result.is_cancelled = cancelled;
  if (result.is_cancelled) result.encode_ms = result.decode_ms = result.batched_ms = result.prompt_ms = 0.0;
  return result;
}

VadSession::VadSession(const Source& source) {
  const whisper_vad_context_params params = whisper_vad_default_context_params();
  whisper_ext_clear_error();
  if (source.path) {
    vad_.reset(whisper_vad_init_from_file_with_params(source.path->c_str(), params));
  } else {
    BytesReader reader(*source.data);
    whisper_model_loader loader = reader.loader();
    vad_.reset(whisper_vad_init_with_params(&loader, params));
  }
  if (!vad_) throw last_failure("loading the voice activity model", source.path ? "source.path" : "source.data");
}

SpeechDetection VadSession::detect(const Audio& audio, const VadCall& call, const std::atomic<bool>& cancelled) {
  const Recording recording(audio, false);
  SpeechDetection result;
  result.duration_s = recording.seconds();
  result.is_cancelled = cancelled;
  if (result.is_cancelled) return result;
  whisper_vad_params params = whisper_vad_default_params();
  apply(call.options, params);
  const StopScope stop_scope(vad_.get(), cancelled);
  whisper_ext_clear_error();
  if (!whisper_vad_detect_speech(vad_.get(), recording.samples(), recording.n_samples())) {
    result.is_cancelled = cancelled;
    if (result.is_cancelled) return result;
    throw last_failure("detecting speech", "audio");
  }
  struct FreeSegments {
    void operator()(whisper_vad_segments* segments) const { whisper_vad_free_segments(segments); }
  };
  const std::unique_ptr<whisper_vad_segments, FreeSegments> segments(
      whisper_vad_segments_from_probs(vad_.get(), params));
  if (!segments) throw last_failure("detecting speech");
  for (int i = 0; i < whisper_vad_segments_n_segments(segments.get()); ++i) {
    result.segments.push_back({.start_s = whisper_vad_segments_get_segment_t0(segments.get(), i) / 100.0,
                               .end_s = whisper_vad_segments_get_segment_t1(segments.get(), i) / 100.0});
  }
  if (call.probabilities) {
    const float* first = whisper_vad_probs(vad_.get());
    result.probabilities.emplace(first, first + whisper_vad_n_probs(vad_.get()));
  }
  result.is_cancelled = cancelled;
  return result;
}

MemoryEstimate estimate_memory(const std::string& path) {
  whisper_ext_memory memory = {};
  whisper_ext_clear_error();
  if (!whisper_ext_estimate_memory(path.c_str(), &memory)) throw last_failure("estimating the memory", "path");
  return {.weights_bytes = memory.weights_bytes, .state_bytes = memory.state_bytes};
}

SystemInfo system_info() {
  return {.version = whisper_version(),
          .description = whisper_print_system_info(),
          .kernels = whisper_ext_kernel_table(),
          .has_metal = whisper_ext_can(WHISPER_EXT_CAN_METAL),
          .has_coreml = whisper_ext_can(WHISPER_EXT_CAN_COREML)};
}

std::vector<Language> languages() {
  std::vector<Language> all;
  for (int id = 0; id <= whisper_lang_max_id(); ++id) all.push_back({whisper_lang_str(id), whisper_lang_str_full(id)});
  return all;
}

}  // namespace speech::js
