// The text of each token of a segment, valid UTF-8 one by one. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/sampling.h"
#include "text/vocabulary.h"

namespace speech {

/// A character that is made of several tokens is the text of the one that begins it; the others have none of it.
/// Together the texts of those tokens that are part of the segment's text are that text. Special tokens that are not
/// have their names, such as "[_TT_50]".
std::vector<std::string> token_texts(std::span<const TokenData> tokens, const Vocabulary& vocabulary,
                                     bool keep_special);

}  // namespace speech
