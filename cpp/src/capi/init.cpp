// Loading and freeing: contexts and states.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "capi/handles.h"
#include "capi/loader.h"
#include "model/byte_source.h"
#include "session/backend_choice.h"
#include "whisper_ext.h"

namespace {

using speech::Code;
using speech::Result;
using speech::Status;
using speech::capi::guarded;
using speech::capi::null_argument;
using speech::capi::report;

Result<std::unique_ptr<whisper_state>> make_state(const std::shared_ptr<const speech::Context>& model) {
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<speech::State> state, model->new_state());
  auto handle = std::make_unique<whisper_state>();
  handle->model = model;
  handle->state = std::move(state);
  return handle;
}

// Presets have the numbers of the header.
static_assert(static_cast<int>(speech::AlignmentPreset::kNone) == WHISPER_AHEADS_NONE);
static_assert(static_cast<int>(speech::AlignmentPreset::kTinyEn) == WHISPER_AHEADS_TINY_EN);
static_assert(static_cast<int>(speech::AlignmentPreset::kLargeV3Turbo) == WHISPER_AHEADS_LARGE_V3_TURBO);

// What the parameters ask for, copied; nothing if token times by alignment are off. The model decides what is valid.
std::optional<speech::AlignmentRequest> alignment_request(const whisper_context_params& params) {
  if (!params.dtw_token_timestamps) {
    return {};
  }
  speech::AlignmentRequest request;
  request.preset = static_cast<speech::AlignmentPreset>(speech::capi::number_of(params.dtw_aheads_preset));
  request.n_top = params.dtw_n_top;
  // No model has more heads; a wrong count must not make us read on.
  constexpr std::size_t kMost = std::size_t{speech::kMaxLayers} * speech::kMaxWidth;
  if (request.preset == speech::AlignmentPreset::kCustom && params.dtw_aheads.heads != nullptr) {
    for (std::size_t i = 0; i < std::min(params.dtw_aheads.n_heads, kMost); ++i) {
      const whisper_ahead& head = params.dtw_aheads.heads[i];
      request.custom.push_back({head.n_text_layer, head.n_head});
    }
  }
  return request;
}

// How a context is to be made, whichever function asks.
struct Request {
  whisper_context_params params;
  whisper_ext_context_options options;
};

Request request_of(const whisper_context_params& params, bool with_state) {
  Request request = {params, whisper_ext_default_context_options()};
  request.options.no_state = !with_state;
  return request;
}

Request request_of(const whisper_context_params& params, const whisper_ext_context_options* options) {
  Request request = {params, whisper_ext_default_context_options()};
  if (options != nullptr) {
    std::memcpy(&request.options, options, std::min(options->size, sizeof(request.options)));
  }
  return request;
}

Result<std::string_view> name_of(const whisper_ext_backend& backend) {
  constexpr std::array<std::string_view, 5> kNames = {"auto", "cpu", "metal", "coreml", "openvino"};
  static_assert(WHISPER_EXT_BACKEND_OPENVINO + 1 == kNames.size());
  const auto number = static_cast<std::size_t>(speech::capi::number_of(backend));
  if (number >= kNames.size()) {
    return Status(Code::kInvalidArgument, "back-end " + std::to_string(speech::capi::number_of(backend)) +
                                              ", expected 0 to " + std::to_string(kNames.size() - 1));
  }
  return kNames[number];
}

const char* or_empty(const char* text) { return text != nullptr ? text : ""; }

// Opens the model's bytes from their beginning; more than once, unless they come through callbacks.
using Opener = std::function<Result<std::unique_ptr<speech::ByteSource>>()>;

Result<std::unique_ptr<whisper_context>> load_on(const Opener& open, const Request& request,
                                                 const speech::BackendChoice& choice) {
  const auto& [params, options] = request;
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<speech::ByteSource> source, open());
  SPEECH_ASSIGN_OR_RETURN(
      std::unique_ptr<speech::Context> model,
      speech::Context::load(std::move(source), choice.factory, alignment_request(params), choice.encoder));
  auto context = std::make_unique<whisper_context>();
  context->model = std::move(model);
  context->model_path = choice.encoder.model_path;
  context->backend_reason = std::string(context->model->backend_name()) + ": " + choice.why;
  if (!options.no_state) {
    SPEECH_ASSIGN_OR_RETURN(context->state, make_state(context->model));
  }
  return context;
}

// model_path: of a model that comes from a file.
Result<std::unique_ptr<whisper_context>> load(const Opener& open, bool opens_again, const Request& request,
                                              const char* model_path = "") {
  const auto& [params, options] = request;
  SPEECH_ASSIGN_OR_RETURN(const std::string_view backend, name_of(options.backend));
  SPEECH_ASSIGN_OR_RETURN(speech::BackendChoice choice,
                          speech::choose_backend(backend, params.use_gpu, params.gpu_device));
  choice.encoder.model_path = model_path;
  choice.encoder.file = {or_empty(options.encoder_path), or_empty(options.cache_path), {}};
  Result<std::unique_ptr<whisper_context>> context = load_on(open, request, choice);
  const Code code = context.status().code();
  const bool is_the_gpus = choice.is_gpu && (code == Code::kUnsupported || code == Code::kOutOfMemory);
  if (context || !is_the_gpus || !opens_again) {
    return context;
  }
  SPEECH_ASSIGN_OR_RETURN(speech::BackendChoice by_cpu, speech::choose_backend("cpu", false, 0));
  by_cpu.encoder = choice.encoder;
  by_cpu.why = "the GPU did not take the model: " + context.status().message();
  return load_on(open, request, by_cpu);
}

whisper_context* release(const char* function, Result<std::unique_ptr<whisper_context>> context) {
  if (!context) {
    report(function, context.status());
    return nullptr;
  }
  return std::move(context).value().release();
}

whisper_context* load_file(const char* function, const char* path, const Request& request) {
  return guarded<whisper_context*>(function, nullptr, [&] {
    if (path == nullptr) {
      return release(function, null_argument("path_model"));
    }
    return release(function, load([path] { return speech::open_file_source(path); }, true, request, path));
  });
}

whisper_context* load_buffer(const char* function, const void* buffer, std::size_t size, const Request& request) {
  return guarded<whisper_context*>(function, nullptr, [&] {
    if (buffer == nullptr) {
      return release(function, null_argument("buffer"));
    }
    const std::span bytes(static_cast<const std::byte*>(buffer), size);
    return release(function, load([bytes] { return speech::memory_source(bytes); }, true, request));
  });
}

whisper_context* load_callbacks(const char* function, whisper_model_loader* loader, const Request& request) {
  return guarded<whisper_context*>(function, nullptr, [&] {
    if (loader == nullptr || loader->read == nullptr) {
      return release(function, null_argument(loader == nullptr ? "loader" : "loader->read"));
    }
    const speech::capi::CloseAtEnd close(*loader);
    return release(function, load([loader] { return speech::capi::loader_source(loader); }, false, request));
  });
}

// Waits for the calls that are inside.
bool may_free(const char* function, speech::CallGate& gate) {
  return guarded(function, false, [&] {
    const bool may = gate.close();
    if (!may) {
      report(function, {Code::kBusy, "called from a callback of a call that still uses the object; nothing is freed"});
    }
    return may;
  });
}

}  // namespace

const char* whisper_version(void) { return "1.9.1"; }

whisper_context* whisper_init_from_file_with_params(const char* path_model, whisper_context_params params) {
  return load_file(__func__, path_model, request_of(params, true));
}

whisper_context* whisper_init_from_file(const char* path_model) {
  return load_file(__func__, path_model, request_of(whisper_context_default_params(), true));
}

whisper_context* whisper_init_from_buffer(void* buffer, size_t buffer_size) {
  return load_buffer(__func__, buffer, buffer_size, request_of(whisper_context_default_params(), true));
}

whisper_context* whisper_init(whisper_model_loader* loader) {
  return load_callbacks(__func__, loader, request_of(whisper_context_default_params(), true));
}

whisper_context* whisper_init_from_file_no_state(const char* path_model) {
  return load_file(__func__, path_model, request_of(whisper_context_default_params(), false));
}

whisper_context* whisper_init_from_buffer_no_state(void* buffer, size_t buffer_size) {
  return load_buffer(__func__, buffer, buffer_size, request_of(whisper_context_default_params(), false));
}

whisper_context* whisper_init_no_state(whisper_model_loader* loader) {
  return load_callbacks(__func__, loader, request_of(whisper_context_default_params(), false));
}

whisper_context* whisper_init_from_file_with_params_no_state(const char* path_model, whisper_context_params params) {
  return load_file(__func__, path_model, request_of(params, false));
}

whisper_context* whisper_init_from_buffer_with_params(void* buffer, size_t buffer_size, whisper_context_params params) {
  return load_buffer(__func__, buffer, buffer_size, request_of(params, true));
}

whisper_context* whisper_init_from_buffer_with_params_no_state(void* buffer, size_t buffer_size,
                                                               whisper_context_params params) {
  return load_buffer(__func__, buffer, buffer_size, request_of(params, false));
}

whisper_context* whisper_init_with_params(whisper_model_loader* loader, whisper_context_params params) {
  return load_callbacks(__func__, loader, request_of(params, true));
}

whisper_context* whisper_init_with_params_no_state(whisper_model_loader* loader, whisper_context_params params) {
  return load_callbacks(__func__, loader, request_of(params, false));
}

whisper_ext_context_options whisper_ext_default_context_options(void) {
  whisper_ext_context_options options = {};
  options.size = sizeof(options);
  options.backend = WHISPER_EXT_BACKEND_AUTO;
  return options;
}

whisper_context* whisper_ext_init_from_file(const char* path_model, whisper_context_params params,
                                            const whisper_ext_context_options* options) {
  return load_file(__func__, path_model, request_of(params, options));
}

whisper_context* whisper_ext_init_from_buffer(void* buffer, size_t buffer_size, whisper_context_params params,
                                              const whisper_ext_context_options* options) {
  return load_buffer(__func__, buffer, buffer_size, request_of(params, options));
}

whisper_context* whisper_ext_init(whisper_model_loader* loader, whisper_context_params params,
                                  const whisper_ext_context_options* options) {
  return load_callbacks(__func__, loader, request_of(params, options));
}

whisper_state* whisper_init_state(whisper_context* ctx) {
  return guarded<whisper_state*>(__func__, nullptr, [&]() -> whisper_state* {
    if (ctx == nullptr) {
      report("whisper_init_state", null_argument("ctx"));
      return nullptr;
    }
    const speech::GateEntry call(ctx->gate);
    auto state = call.is_inside() ? make_state(ctx->model) : speech::capi::busy();
    if (!state) {
      report("whisper_init_state", state.status());
      return nullptr;
    }
    return std::move(state).value().release();
  });
}

void whisper_free(whisper_context* ctx) {
  if (ctx != nullptr && may_free(__func__, *ctx->gate)) {
    delete ctx;
  }
}

void whisper_free_state(whisper_state* state) {
  if (state != nullptr && may_free(__func__, *state->state->gate)) {
    delete state;
  }
}

void whisper_free_params(whisper_full_params* params) { std::free(params); }
void whisper_free_context_params(whisper_context_params* params) { std::free(params); }
