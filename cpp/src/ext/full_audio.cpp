// Transcription of a recording's handle.
#include "capi/full.h"
#include "capi/handles.h"
#include "ext/audio_handle.h"

int whisper_ext_full_audio(whisper_context* ctx, whisper_state* state, whisper_full_params params,
                           const whisper_ext_options* options, const whisper_ext_audio* audio) {
  const speech::capi::Intake intake = [audio]() -> speech::Result<speech::Samples> {
    if (audio == nullptr) {
      return speech::capi::null_argument("audio");
    }
    return audio->recording();
  };
  return speech::capi::full(__func__, ctx, state != nullptr ? state : speech::capi::own_state(ctx), params, options, 1,
                            intake);
}
