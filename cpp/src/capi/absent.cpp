// What upstream's interface named once and this library does not have: the phase vocoder.
#include "capi/handles.h"
#include "whisper_ext.h"

namespace {

int refuse(const char* function, const void* ctx, const void* state, int code, const char* why) {
  return speech::capi::guarded(function, code, [&] {
    const bool is_null = ctx == nullptr || state == nullptr;
    speech::capi::report(function, is_null ? speech::capi::null_argument(ctx == nullptr ? "ctx" : "state")
                                           : speech::Status(speech::Code::kUnsupported, why));
    return code;
  });
}

constexpr const char* kNoVocoder = "audio is not sped up any more; give the samples as they are";

}  // namespace

int whisper_pcm_to_mel_phase_vocoder_with_state(whisper_context* ctx, whisper_state* state, const float*, int, int) {
  return refuse(__func__, ctx, state, -1, kNoVocoder);
}

int whisper_pcm_to_mel_phase_vocoder(whisper_context* ctx, const float*, int, int) {
  return refuse(__func__, ctx, speech::capi::own_state(ctx), -1, kNoVocoder);
}
