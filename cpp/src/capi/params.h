// From whisper.h's parameter structs to the options of the session layer.
#pragma once

#include "base/status.h"
#include "session/options.h"
#include "whisper.h"

namespace speech::capi {

/// The same options in C++ terms, callbacks bound to ctx and state. unsupported, naming the field, for what this
/// version cannot do.
Result<Options> to_options(const whisper_full_params& params, whisper_context* ctx, whisper_state* state);

/// A token as whisper.h shows it, without times.
whisper_token_data to_token_data(const TokenData& token);

}  // namespace speech::capi
