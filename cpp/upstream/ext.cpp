// whisper_ext.h over whisper.cpp: what that can do is done, the rest answers "unsupported" by name. Stands where capi
// stands for our own core; sees the public headers and the thread's record of errors, nothing of our core.
#include "whisper_ext.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/guard.h"
#include "base/last_error.h"
#include "base/status.h"

namespace {

using speech::Code;
using speech::Status;

constexpr const char* kNotThere = " is not supported by whisper.cpp; use our own core for it";
constexpr int kOptionsError = -1;
constexpr int kSamplesError = -2;
constexpr int kAudioContextError = -5;  // whisper_full's, for an audio_ctx beyond the model's

/// `answer`, with the thread's last error set: the name of the function and `message`.
template <typename R>
R fail(const char* function, R answer, Code code, const char* message) noexcept {
  return speech::guarded(
      answer,
      [&] {
        speech::set_last_error(Status(code, std::string(function) + ": " + message));
        return answer;
      },
      speech::set_last_error);
}

template <typename R>
R unsupported(const char* function, R answer, const char* what) noexcept {
  return speech::guarded(
      answer, [&] { return fail(function, answer, Code::kUnsupported, (std::string(what) + kNotThere).c_str()); },
      speech::set_last_error);
}

/// The first of the further options that is not at its default, null if none is. All of them are our core's own.
const char* option_beyond(const whisper_ext_options* options) {
  whisper_ext_options asked = whisper_ext_default_options();
  if (options != nullptr) {
    std::memcpy(&asked, options, std::min(options->size, sizeof asked));
  }
  if (asked.compression_ratio_thold != 0) {
    return "the option compression_ratio_thold";
  }
  if (asked.n_language_candidates != 0) {
    return "the option language_candidates";
  }
  if (asked.seed != 0) {
    return "the option seed";
  }
  return asked.n_parts != 1 ? "the option n_parts" : nullptr;
}

bool is_to_be_detected(const whisper_full_params& params) {
  return params.language == nullptr || params.language[0] == '\0' || std::strcmp(params.language, "auto") == 0;
}

int full(const char* function, whisper_context* ctx, whisper_state* state, whisper_full_params params,
         const whisper_ext_options* options, const float* samples, int n_samples) {
  if (ctx == nullptr) {
    return fail(function, kOptionsError, Code::kInvalidArgument, "ctx is null");
  }
  if (const char* beyond = option_beyond(options); beyond != nullptr) {
    return unsupported(function, kOptionsError, beyond);
  }
  // Upstream reads what it is given.
  if (n_samples < 0 || (samples == nullptr && n_samples > 0)) {
    return fail(function, kSamplesError, Code::kInvalidArgument, "there are no samples");
  }
  // Upstream would run the encoder once more and name any language.
  if (is_to_be_detected(params) && whisper_is_multilingual(ctx) == 0) {
    params.language = "en";
  }
  const int code = state != nullptr ? whisper_full_with_state(ctx, state, params, samples, n_samples)
                                    : whisper_full(ctx, params, samples, n_samples);
  if (code == kAudioContextError) {
    return fail(function, code, Code::kInvalidArgument, "audio_ctx is larger than the model's");
  }
  return code;
}

constexpr const char* kNoStop = "stopping what is no transcription";
/// What the options of a context mean to upstream, which chooses by use_gpu alone and takes any encoder that it finds.
class Loading {
 public:
  Loading(const char* function, const whisper_context_params& params, const whisper_ext_context_options* options)
      : params_(params), options_(whisper_ext_default_context_options()) {
    if (options != nullptr) {
      std::memcpy(&options_, options, std::min(options->size, sizeof options_));
    }
    int backend = 0;  // which may be none that the enumeration names
    static_assert(sizeof backend == sizeof options_.backend);
    std::memcpy(&backend, &options_.backend, sizeof backend);
    if (backend < WHISPER_EXT_BACKEND_AUTO || backend > WHISPER_EXT_BACKEND_OPENVINO) {
      may_ = fail(function, false, Code::kInvalidArgument, "the number of the back-end is none that is known");
    } else if (backend > WHISPER_EXT_BACKEND_CPU) {
      may_ = unsupported(function, false, "the choice of a back-end but the CPU");
    } else if (options_.encoder_path != nullptr || options_.cache_path != nullptr) {
      may_ = unsupported(function, false, "an encoder elsewhere than beside the model");
    }
    params_.use_gpu = params_.use_gpu && backend != WHISPER_EXT_BACKEND_CPU;
  }

  bool may() const { return may_; }
  bool has_state() const { return !options_.no_state; }
  const whisper_context_params& params() const { return params_; }

 private:
  whisper_context_params params_;
  whisper_ext_context_options options_;
  bool may_ = true;
};

constexpr const char* kNoStats = "telling statistics";
constexpr const char* kNoStreaming = "a recording that stays in its file";
constexpr const char* kNoVocoder = "speeding audio up";
constexpr const char* kNoSpeech = "telling where speech was found";
constexpr const char* kNoLanguageProbability = "telling how probable a language was";

}  // namespace

// ---- what this build can do ----

bool whisper_ext_can(whisper_ext_capability capability) {
  int number = 0;  // which may be none that the enumeration names
  static_assert(sizeof number == sizeof capability);
  std::memcpy(&number, &capability, sizeof number);
  switch (number) {
#ifdef __APPLE__
    case WHISPER_EXT_CAN_METAL:
    case WHISPER_EXT_CAN_COREML: return true;
#endif
    default: return false;
  }
}

const char* whisper_ext_backend_name(whisper_context* ctx) { return ctx != nullptr ? "ggml" : "none"; }

const char* whisper_ext_backend_reason(whisper_context* ctx) {
  return ctx != nullptr ? "ggml: whisper.cpp " SPEECH_UPSTREAM_VERSION " chooses where it computes"
                        : "none: no context";
}

whisper_ext_context_options whisper_ext_default_context_options(void) {
  whisper_ext_context_options options = {};
  options.size = sizeof(options);
  options.backend = WHISPER_EXT_BACKEND_AUTO;
  return options;
}

whisper_context* whisper_ext_init_from_file(const char* path_model, whisper_context_params params,
                                            const whisper_ext_context_options* options) {
  const Loading loading(__func__, params, options);
  if (!loading.may()) {
    return nullptr;
  }
  return loading.has_state() ? whisper_init_from_file_with_params(path_model, loading.params())
                             : whisper_init_from_file_with_params_no_state(path_model, loading.params());
}

whisper_context* whisper_ext_init_from_buffer(void* buffer, size_t buffer_size, whisper_context_params params,
                                              const whisper_ext_context_options* options) {
  const Loading loading(__func__, params, options);
  if (!loading.may()) {
    return nullptr;
  }
  return loading.has_state() ? whisper_init_from_buffer_with_params(buffer, buffer_size, loading.params())
                             : whisper_init_from_buffer_with_params_no_state(buffer, buffer_size, loading.params());
}

whisper_context* whisper_ext_init(whisper_model_loader* loader, whisper_context_params params,
                                  const whisper_ext_context_options* options) {
  const Loading loading(__func__, params, options);
  if (!loading.may()) {
    if (loader != nullptr && loader->close != nullptr) {
      loader->close(loader->context);  // as upstream does however loading ends
    }
    return nullptr;
  }
  return loading.has_state() ? whisper_init_with_params(loader, loading.params())
                             : whisper_init_with_params_no_state(loader, loading.params());
}

const char* whisper_ext_encoder_name(whisper_context* ctx) { return ctx != nullptr ? "ggml" : "none"; }

const char* whisper_ext_encoder_reason(whisper_context* ctx) {
  return ctx != nullptr ? "ggml: whisper.cpp " SPEECH_UPSTREAM_VERSION " chooses what encodes" : "none: no context";
}

const char* whisper_ext_kernel_table(void) { return "ggml"; }

bool whisper_ext_estimate_memory(const char*, whisper_ext_memory*) {
  return unsupported(__func__, false, "estimating memory");
}

whisper_ext_stats whisper_ext_get_stats(whisper_context*) {
  return unsupported(__func__, whisper_ext_stats{}, kNoStats);
}
whisper_ext_stats whisper_ext_get_stats_from_state(whisper_context*, whisper_state*) {
  return unsupported(__func__, whisper_ext_stats{}, kNoStats);
}

// ---- stopping ----

bool whisper_ext_set_abort(whisper_context*, whisper_state*, ggml_abort_callback, void*) {
  return unsupported(__func__, false, kNoStop);
}
bool whisper_ext_vad_set_abort(whisper_vad_context*, ggml_abort_callback, void*) {
  return unsupported(__func__, false, kNoStop);
}

// ---- transcription ----

whisper_ext_options whisper_ext_default_options(void) {
  whisper_ext_options options = {};
  options.size = sizeof(options);
  options.n_parts = 1;
  return options;
}

int whisper_ext_full(whisper_context* ctx, whisper_state* state, whisper_full_params params,
                     const whisper_ext_options* options, const float* samples, int n_samples) {
  return full(__func__, ctx, state, params, options, samples, n_samples);
}

int whisper_ext_full_audio(whisper_context*, whisper_state*, whisper_full_params, const whisper_ext_options*,
                           const whisper_ext_audio*) {
  return unsupported(__func__, kSamplesError, kNoStreaming);
}

float whisper_ext_full_lang_probability(whisper_context*) {
  return unsupported(__func__, -1.0F, kNoLanguageProbability);
}
float whisper_ext_full_lang_probability_from_state(whisper_state*) {
  return unsupported(__func__, -1.0F, kNoLanguageProbability);
}

// ---- functions of whisper.h that came after this release ----

int64_t whisper_full_get_token_t0(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_data(ctx, i_segment, i_token).t0;
}
int64_t whisper_full_get_token_t0_from_state(whisper_state* state, int i_segment, int i_token) {
  return whisper_full_get_token_data_from_state(state, i_segment, i_token).t0;
}
int64_t whisper_full_get_token_t1(whisper_context* ctx, int i_segment, int i_token) {
  return whisper_full_get_token_data(ctx, i_segment, i_token).t1;
}
int64_t whisper_full_get_token_t1_from_state(whisper_state* state, int i_segment, int i_token) {
  return whisper_full_get_token_data_from_state(state, i_segment, i_token).t1;
}

int whisper_full_n_vad_segments(whisper_context*) { return unsupported(__func__, 0, kNoSpeech); }
int whisper_full_n_vad_segments_from_state(whisper_state*) { return unsupported(__func__, 0, kNoSpeech); }
int64_t whisper_full_get_vad_segment_t0(whisper_context*, int) { return unsupported(__func__, int64_t{-1}, kNoSpeech); }
int64_t whisper_full_get_vad_segment_t0_from_state(whisper_state*, int) {
  return unsupported(__func__, int64_t{-1}, kNoSpeech);
}
int64_t whisper_full_get_vad_segment_t1(whisper_context*, int) { return unsupported(__func__, int64_t{-1}, kNoSpeech); }
int64_t whisper_full_get_vad_segment_t1_from_state(whisper_state*, int) {
  return unsupported(__func__, int64_t{-1}, kNoSpeech);
}

// ---- names of old ----

int whisper_pcm_to_mel_phase_vocoder(whisper_context*, const float*, int, int) {
  return unsupported(__func__, -1, kNoVocoder);
}
int whisper_pcm_to_mel_phase_vocoder_with_state(whisper_context*, whisper_state*, const float*, int, int) {
  return unsupported(__func__, -1, kNoVocoder);
}
