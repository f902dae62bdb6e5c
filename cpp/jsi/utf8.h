// Text at the border: JavaScript engines take valid UTF-8 only, and tokens may end inside a character.
#pragma once

#include <string>
#include <string_view>

namespace speech::js {

/// Length in bytes of the character at the start of text, or 0 if that is no valid UTF-8. text is not empty.
std::size_t character_length(std::string_view text);

/// text with U+FFFD for each byte that belongs to no valid character.
std::string valid_utf8(std::string_view text);

/// True if text is valid UTF-8 throughout.
bool is_valid_utf8(std::string_view text);

}  // namespace speech::js
