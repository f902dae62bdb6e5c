// Which tokens a regular expression describes. Knows a vocabulary, no model.
#pragma once

#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/vocabulary.h"

namespace speech {

/// The text tokens, ascending, whose whole text matches the pattern (pattern.h: the syntax and its limits). Special
/// tokens and timestamps are no text: no pattern can shut out the end. A token that is a piece of a character has
/// U+FFFD for each broken part. Some milliseconds: done once for a transcription. invalid_argument or unsupported, with
/// the place in the pattern, if it is malformed, too large, or takes too many steps.
Result<std::vector<Token>> tokens_matching(const Vocabulary& vocabulary, std::string_view pattern);

}  // namespace speech
