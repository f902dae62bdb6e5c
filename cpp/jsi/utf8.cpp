// Implements utf8.h. Source: RFC 3629, section 4, the table of well-formed sequences.
#include "utf8.h"

namespace speech::js {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
}

bool is_between(unsigned value, unsigned low, unsigned high) { return low <= value && value <= high; }

bool is_tail(std::string_view text, std::size_t i) { return is_between(byte_at(text, i), 0x80, 0xBF); }

}  // namespace

std::size_t character_length(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const unsigned second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (is_between(first, 0xC2, 0xDF)) return is_tail(text, 1) ? 2 : 0;
  if (is_between(first, 0xE0, 0xEF)) {
    // No overlong forms, no surrogates.
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return is_between(second, low, high) && is_tail(text, 2) ? 3 : 0;
  }
  if (is_between(first, 0xF0, 0xF4)) {
    // No overlong forms, nothing above U+10FFFF.
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return is_between(second, low, high) && is_tail(text, 2) && is_tail(text, 3) ? 4 : 0;
  }
  return 0;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace speech::js
