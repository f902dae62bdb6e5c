// Which language a recording is transcribed in: named, or detected among some or all.
#pragma once

#include "session/context.h"
#include "session/options.h"
#include "session/state.h"

namespace speech {

/// Whether the language is to be found out, not named.
bool detects_language(const Options& options);

/// invalid_argument for a name, or a candidate, that is no language of the model's, unsupported for another language
/// than English with an English-only model.
Status check_languages(const Context& context, const Options& options);

/// Sets state.language and its probability (1 where it is named). Detection looks at the window at `seek` (frames).
/// Errors of check_languages().
Status choose_language(const Context& context, State& state, const Options& options, int seek, int n_threads);

}  // namespace speech
