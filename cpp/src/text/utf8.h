// UTF-8 at the borders of the core: what leaves it is always valid.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace speech {

bool is_valid_utf8(std::string_view text);

/// Bytes at the end of `text` that begin a character but do not end it (0..3).
std::size_t incomplete_tail(std::string_view text);

/// The text with every ill-formed sequence replaced by U+FFFD, one for each maximal ill-formed part (Unicode chapter 3, D93b).
std::string sanitize_utf8(std::string_view text);

}  // namespace speech
