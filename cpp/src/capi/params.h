// From whisper.h's parameter structs to the options of the session layer.
#pragma once

#include "base/status.h"
#include "session/options.h"
#include "whisper_ext.h"

namespace speech::capi {

/// The same options in C++ terms, callbacks bound to ctx and state. invalid_argument for what cannot be said in them:
/// an unknown strategy, no beams, a grammar that is none; ranges are the session's to check.
Result<Options> to_options(const whisper_full_params& params, whisper_context* ctx, whisper_state* state);

/// The same of voice activity detection, not checked yet.
VadOptions to_vad_options(const whisper_vad_params& params);

/// Sets what whisper_ext_options has beside; null is the defaults. Returns its n_parts, which a session does not know.
Result<int> add_options(const whisper_ext_options* more, Options& options);

/// A token as whisper.h shows it.
whisper_token_data to_token_data(const TokenData& token);

}  // namespace speech::capi
