// The functions of whisper_ext.h that look inside a context; those that need only whisper.h are in ext/.
#include "whisper_ext.h"

#include "backend/registry.h"
#include "backend/system_info.h"
#include "base/threads.h"
#include "capi/handles.h"
#include "encoders/registry.h"
#include "session/backend_choice.h"

whisper_ext_stats whisper_ext_get_stats_from_state(whisper_context* ctx, whisper_state* state) {
  whisper_ext_stats stats = {};
  if (ctx == nullptr) {
    return stats;
  }
  stats.load_ms = static_cast<float>(ctx->model->load_ms());
  stats.weights_bytes = static_cast<int64_t>(ctx->model->weights().total_bytes);
  if (state == nullptr) {
    return stats;
  }
  const speech::Timings& t = state->state->timings;
  stats.mel_ms = static_cast<float>(t.mel_ms);
  stats.sample_ms = static_cast<float>(t.sample_ms);
  stats.encode_ms = static_cast<float>(t.encode_ms);
  stats.decode_ms = static_cast<float>(t.decode_ms);
  stats.batchd_ms = static_cast<float>(t.batch_ms);
  stats.prompt_ms = static_cast<float>(t.prompt_ms);
  stats.n_encode = t.n_encode;
  stats.n_decode = t.n_decode;
  stats.n_batchd = t.n_batch;
  stats.n_prompt = t.n_prompt;
  stats.n_sample = t.n_sample;
  stats.n_fail_p = t.n_fail_probability;
  stats.n_fail_h = t.n_fail_entropy;
  stats.state_bytes = static_cast<int64_t>(state->state->engine->bytes());
  return stats;
}

whisper_ext_stats whisper_ext_get_stats(whisper_context* ctx) {
  return whisper_ext_get_stats_from_state(ctx, speech::capi::own_state(ctx));
}

const char* whisper_ext_backend_name(whisper_context* ctx) {
  return ctx != nullptr ? ctx->model->backend_name().data() : "none";
}

const char* whisper_ext_kernel_table(void) { return speech::kernel_table_name().data(); }

bool whisper_ext_can(whisper_ext_capability capability) {
  switch (speech::capi::number_of(capability)) {
    case WHISPER_EXT_CAN_BEAM_TOP_K:
    case WHISPER_EXT_CAN_DTW:
    case WHISPER_EXT_CAN_EXTRA_OPTIONS:
    case WHISPER_EXT_CAN_MEMORY_ESTIMATE:
    case WHISPER_EXT_CAN_FULL_AUDIO:
    case WHISPER_EXT_CAN_STATS: return true;
    case WHISPER_EXT_CAN_COREML: return speech::encoder_kind("coreml")->is_built;
    case WHISPER_EXT_CAN_OPENVINO: return speech::encoder_kind("openvino")->is_built;
    case WHISPER_EXT_CAN_METAL: return speech::has_gpu_backend();
    default: return false;
  }
}

const char* whisper_ext_backend_reason(whisper_context* ctx) {
  if (ctx == nullptr) {
    return "none: no context";
  }
  return speech::capi::guarded<const char*>(__func__, ctx->backend_reason.c_str(), [&] {
    const std::string remark = ctx->model->backend_remark();
    if (remark.empty()) {
      return ctx->backend_reason.c_str();
    }
    // Of this thread, so that others may ask, too.
    auto& now = speech::of_this_thread<std::string>();
    now = ctx->backend_reason + "; " + remark;
    return now.c_str();
  });
}

bool whisper_ext_set_abort(whisper_context* ctx, whisper_state* state, ggml_abort_callback abort_callback,
                           void* user_data) {
  return speech::capi::guarded(__func__, false, [&] {
    constexpr const char* kFunction = "whisper_ext_set_abort";
    whisper_state* target = state != nullptr ? state : speech::capi::own_state(ctx);
    if (ctx == nullptr || target == nullptr) {
      speech::capi::report(kFunction, speech::capi::null_argument(ctx == nullptr ? "ctx" : "state"));
      return false;
    }
    const speech::capi::Call call(*ctx, *target);
    if (!call.has_state()) {
      speech::capi::report(kFunction, speech::capi::busy());
      return false;
    }
    target->abort = abort_callback;
    target->abort_user_data = user_data;
    return true;
  });
}

bool whisper_ext_estimate_memory(const char* path_model, whisper_ext_memory* memory) {
  return speech::capi::guarded(__func__, false, [&] {
    if (path_model == nullptr || memory == nullptr) {
      speech::capi::report("whisper_ext_estimate_memory",
                           speech::capi::null_argument(path_model == nullptr ? "path_model" : "memory"));
      return false;
    }
    const auto estimate = [&]() -> speech::Result<speech::MemoryEstimate> {
      SPEECH_ASSIGN_OR_RETURN(const speech::BackendChoice choice, speech::choose_backend("auto", true, 0));
      SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<speech::ByteSource> source, speech::open_file_source(path_model));
      return speech::Context::estimate_memory(std::move(source), choice.factory);
    }();
    if (!estimate) {
      speech::capi::report("whisper_ext_estimate_memory", estimate.status());
      return false;
    }
    *memory = {static_cast<int64_t>(estimate->weights_bytes), static_cast<int64_t>(estimate->state_bytes)};
    return true;
  });
}
