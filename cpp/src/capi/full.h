// A transcription as every form of it in the C interface does it: the arguments checked, the state taken, errors
// reported.
#pragma once

#include <functional>

#include "audio/samples.h"
#include "base/status.h"
#include "whisper_ext.h"

namespace speech::capi {

/// The samples, or what is wrong with those that were given; asked when the state is taken.
using Intake = std::function<Result<Samples>()>;

/// The return code of `function`. state: null is reported. more: null for forms without; n_parts is then theirs.
int full(const char* function, whisper_context* ctx, whisper_state* state, const whisper_full_params& params,
         const whisper_ext_options* more, int n_parts, const Intake& intake);

}  // namespace speech::capi
