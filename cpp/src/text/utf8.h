// UTF-8 at the borders of the core: what leaves it is always valid. Knows the encoding, not what characters mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace speech {

/// One step through text: a character, or a maximal ill-formed part (Unicode chapter 3, D93b).
struct Utf8Step {
  char32_t character = 0;  ///< meaningful if well_formed
  std::size_t bytes = 0;   ///< at least 1
  bool well_formed = false;
  bool cut = false;  ///< ill-formed only because the text ends
};

/// The step that begins at `at`, which must lie inside the text. Overlong forms, surrogates and values above U+10FFFF
/// are ill-formed.
Utf8Step next_utf8(std::string_view text, std::size_t at);

/// For every offset of the text, and its end, whether a step begins there: where it may be cut so that its parts,
/// sanitized one by one, are together the sanitized whole. text.size() + 1 entries.
std::vector<bool> utf8_cuts(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// Bytes at the end of `text` that begin a character but do not end it (0..3).
std::size_t incomplete_tail(std::string_view text);

/// The text with every ill-formed sequence replaced by U+FFFD, one for each maximal ill-formed part.
std::string sanitize_utf8(std::string_view text);

}  // namespace speech
