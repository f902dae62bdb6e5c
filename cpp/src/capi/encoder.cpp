// What encodes: told, and OpenVINO's encoder taken on request, as whisper.h has it.
#include <string>

#include "capi/handles.h"
#include "encoders/registry.h"
#include "session/encoder_choice.h"
#include "whisper_ext.h"

namespace {

using speech::Code;
using speech::Status;

// Of the context's own state, which may have been given another; of all others where there is none.
const speech::SharedEncoder& encoder_of(const whisper_context& ctx) {
  return ctx.state ? *ctx.state->state->engine->encoder() : ctx.model->encoder();
}

Status take_openvino(const whisper_context& ctx, const whisper_state& state, const speech::EncoderFile& file) {
  const speech::capi::Call call(ctx, state);
  if (!call.has_state()) {
    return speech::capi::busy();
  }
  speech::EncoderRequest request;
  request.kind = "openvino";
  request.model_path = ctx.model_path;
  request.file = file;
  std::shared_ptr<speech::SharedEncoder> encoder = speech::choose_encoder(request, ctx.model->weights());
  if (encoder->name() != request.kind) {
    return {Code::kUnsupported, encoder->reason()};
  }
  state.state->engine->set_encoder(std::move(encoder));
  state.state->forget_audio();
  return Status::ok();
}

int init_openvino(const char* function, whisper_context* ctx, whisper_state* state, const char* path,
                  const char* device, const char* cache) {
  return speech::capi::guarded(function, 1, [&] {
    const auto text = [](const char* given) { return std::string(given != nullptr ? given : ""); };
    const Status status = ctx == nullptr || state == nullptr
                              ? speech::capi::null_argument(ctx == nullptr ? "ctx" : "state")
                              : take_openvino(*ctx, *state, {text(path), text(cache), text(device)});
    if (!status) {
      speech::capi::report(function, status);
    }
    return status ? 0 : 1;
  });
}

}  // namespace

int whisper_ctx_init_openvino_encoder_with_state(whisper_context* ctx, whisper_state* state, const char* model_path,
                                                 const char* device, const char* cache_dir) {
  return init_openvino(__func__, ctx, state, model_path, device, cache_dir);
}

int whisper_ctx_init_openvino_encoder(whisper_context* ctx, const char* model_path, const char* device,
                                      const char* cache_dir) {
  return init_openvino(__func__, ctx, speech::capi::own_state(ctx), model_path, device, cache_dir);
}

const char* whisper_ext_encoder_name(whisper_context* ctx) {
  return ctx != nullptr ? encoder_of(*ctx).name().data() : "none";
}

const char* whisper_ext_encoder_reason(whisper_context* ctx) {
  return ctx != nullptr ? encoder_of(*ctx).reason() : "none: no context";
}
