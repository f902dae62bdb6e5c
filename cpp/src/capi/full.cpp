// whisper_full in its forms, and the log.
#include <algorithm>
#include <string>

#include "capi/full.h"
#include "capi/handles.h"
#include "capi/params.h"
#include "session/parallel.h"

namespace {

using speech::Code;
using speech::Samples;
using speech::Stage;
using speech::Status;
using speech::capi::guarded;
using speech::capi::report;

constexpr int kOptionsError = -1;
constexpr int kSamplesError = -2;
constexpr int kBusyError = -9;
constexpr int kMostParts = 64;

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

speech::capi::Intake memory(const float* samples, int n_samples) {
  return [samples, n_samples]() -> speech::Result<Samples> {
    if (n_samples < 0) {
      return Status(Code::kInvalidArgument, "n_samples is " + std::to_string(n_samples) + ", expected 0 or more");
    }
    if (samples == nullptr && n_samples > 0) {
      return speech::capi::null_argument("samples");
    }
    return Samples(std::span(samples, static_cast<std::size_t>(n_samples)));
  };
}

}  // namespace

int speech::capi::full(const char* function, whisper_context* ctx, whisper_state* state,
                       const whisper_full_params& params, const whisper_ext_options* more, int n_parts,
                       const Intake& intake) {
  return guarded(function, kOptionsError, [&] {
    if (ctx == nullptr || state == nullptr) {
      return fail(function, kOptionsError, speech::capi::null_argument(ctx == nullptr ? "ctx" : "state"));
    }
    const speech::capi::Call call(*ctx, *state);
    if (!call.has_state()) {
      return fail(function, kBusyError, speech::capi::busy());
    }
    state->state->clear_results();  // whatever comes, those of the call before are gone
    const speech::Result<Samples> recording = intake();
    if (!recording) {
      return fail(function, kSamplesError, recording.status());
    }
    auto options = speech::capi::to_options(params, ctx, state);
    if (!options) {
      return fail(function, kOptionsError, options.status());
    }
    const speech::Result<int> wanted =
        more != nullptr ? speech::capi::add_options(more, *options) : speech::Result<int>(n_parts);
    if (!wanted) {
      return fail(function, kOptionsError, wanted.status());
    }
    const int parts = *wanted;
    if (parts < 1) {
      const char* name = more != nullptr ? "option n_parts is " : "n_processors is ";
      return fail(function, kOptionsError,
                  Status(Code::kInvalidArgument, name + std::to_string(parts) + ", expected 1 to 64"));
    }
    options->callbacks.gates = {ctx->gate, state->state->gate};
    Stage stage = Stage::kOptions;
    const Status status = speech::transcribe_parallel(*state->model, *state->state, *options, *recording,
                                                      std::min(parts, kMostParts), stage);
    return status.is_ok() ? 0 : fail(function, return_code(stage), status);
  });
}

int whisper_full(whisper_context* ctx, whisper_full_params params, const float* samples, int n_samples) {
  return speech::capi::full(__func__, ctx, speech::capi::own_state(ctx), params, nullptr, 1,
                            memory(samples, n_samples));
}

int whisper_full_with_state(whisper_context* ctx, whisper_state* state, whisper_full_params params,
                            const float* samples, int n_samples) {
  return speech::capi::full(__func__, ctx, state, params, nullptr, 1, memory(samples, n_samples));
}

int whisper_full_parallel(whisper_context* ctx, whisper_full_params params, const float* samples, int n_samples,
                          int n_processors) {
  return speech::capi::full(__func__, ctx, speech::capi::own_state(ctx), params, nullptr, n_processors,
                            memory(samples, n_samples));
}

int whisper_ext_full(whisper_context* ctx, whisper_state* state, whisper_full_params params,
                     const whisper_ext_options* options, const float* samples, int n_samples) {
  return speech::capi::full(__func__, ctx, state != nullptr ? state : speech::capi::own_state(ctx), params, options, 1,
                            memory(samples, n_samples));
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
