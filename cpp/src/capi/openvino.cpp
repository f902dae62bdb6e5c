// OpenVINO's encoder, which this library does not have.
#include "capi/handles.h"

namespace {

int refuse(const char* function, const void* ctx, const void* state) {
  return speech::capi::guarded(function, 1, [&] {
    const bool is_null = ctx == nullptr || state == nullptr;
    speech::capi::report(function, is_null ? speech::capi::null_argument(ctx == nullptr ? "ctx" : "state")
                                           : speech::Status(speech::Code::kUnsupported,
                                                            "no OpenVINO encoder is built in; the own one is used"));
    return 1;
  });
}

}  // namespace

int whisper_ctx_init_openvino_encoder_with_state(whisper_context* ctx, whisper_state* state, const char*, const char*,
                                                 const char*) {
  return refuse(__func__, ctx, state);
}

int whisper_ctx_init_openvino_encoder(whisper_context* ctx, const char*, const char*, const char*) {
  return refuse(__func__, ctx, speech::capi::own_state(ctx));
}
