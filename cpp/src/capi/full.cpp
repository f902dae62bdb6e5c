// whisper_full and its log.
#include "session/transcribe.h"

#include "capi/handles.h"
#include "capi/params.h"

namespace {

using speech::Code;
using speech::Stage;
using speech::Status;
using speech::capi::guarded;
using speech::capi::report;

constexpr int kOptionsError = -1;
constexpr int kSamplesError = -2;
constexpr int kBusyError = -9;

int return_code(Stage stage) {
  switch (stage) {
    case Stage::kOptions: return kOptionsError;
    case Stage::kFeatures: return kSamplesError;
    case Stage::kLanguage: return -3;
    case Stage::kDecoders: return -4;
    case Stage::kAudioContext: return -5;
    case Stage::kEncode: return -6;
    case Stage::kDecode: return -8;
  }
  return kOptionsError;
}

int fail(const char* function, int code, const Status& status) {
  report(function, status);
  return code;
}

int full(const char* function, whisper_context* ctx, whisper_state* state, const whisper_full_params& params,
         const float* samples, int n_samples) {
  return guarded(function, kOptionsError, [&] {
    if (ctx == nullptr || state == nullptr) {
      return fail(function, kOptionsError, speech::capi::null_argument(ctx == nullptr ? "ctx" : "state"));
    }
    const speech::StateClaim claim(*state->state);
    if (!claim.is_held()) {
      return fail(function, kBusyError, speech::capi::busy());
    }
    if (n_samples < 0 || (samples == nullptr && n_samples > 0)) {
      return fail(function, kSamplesError,
                  n_samples < 0 ? Status(Code::kInvalidArgument,
                                         "n_samples is " + std::to_string(n_samples) + ", expected 0 or more")
                                : speech::capi::null_argument("samples"));
    }
    const auto options = speech::capi::to_options(params, ctx, state);
    if (!options) {
      return fail(function, kOptionsError, options.status());
    }
    Stage stage = Stage::kOptions;
    const Status status = speech::transcribe(*state->model, *state->state, *options,
                                             {samples, static_cast<std::size_t>(n_samples)}, stage);
    return status.is_ok() ? 0 : fail(function, return_code(stage), status);
  });
}

}  // namespace

int whisper_full(whisper_context* ctx, whisper_full_params params, const float* samples, int n_samples) {
  return full(__func__, ctx, speech::capi::own_state(ctx), params, samples, n_samples);
}

int whisper_full_with_state(whisper_context* ctx, whisper_state* state, whisper_full_params params,
                            const float* samples, int n_samples) {
  return full(__func__, ctx, state, params, samples, n_samples);
}

void whisper_log_set(ggml_log_callback log_callback, void* user_data) {
  if (log_callback == nullptr) {
    speech::set_log_callback({});
    return;
  }
  speech::set_log_callback([=](speech::LogLevel level, const char* text) {
    log_callback(static_cast<ggml_log_level>(level), text, user_data);
  });
}
