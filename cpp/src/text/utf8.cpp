// Walks UTF-8 by table 3-7 of the Unicode standard. Allocates nothing but results.
#include "text/utf8.h"

#include <algorithm>

namespace speech {
namespace {

/// What may follow a lead byte.
struct Lead {
  std::size_t bytes = 0;       // of the whole character; 0 if no character begins so
  unsigned payload = 0;        // the lead byte's own bits of the character
  unsigned second_low = 0x80;  // range of the second byte; the others are 80..BF
  unsigned second_high = 0xBF;
};

/// Narrow ranges of the second byte shut out overlong forms (E0, F0), surrogates (ED) and what is above U+10FFFF (F4).
constexpr Lead classify(unsigned byte) {
  if (byte <= 0x7F) return {1, byte};
  if (byte < 0xC2) return {};
  if (byte <= 0xDF) return {2, byte & 0x1FU};
  if (byte == 0xE0) return {3, byte & 0x0FU, 0xA0, 0xBF};
  if (byte == 0xED) return {3, byte & 0x0FU, 0x80, 0x9F};
  if (byte <= 0xEF) return {3, byte & 0x0FU};
  if (byte == 0xF0) return {4, byte & 0x07U, 0x90, 0xBF};
  if (byte <= 0xF3) return {4, byte & 0x07U};
  if (byte == 0xF4) return {4, byte & 0x07U, 0x80, 0x8F};
  return {};
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

Utf8Step next_utf8(std::string_view text, std::size_t at) {
  const auto byte_at = [text](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(text[i])); };
  const Lead lead = classify(byte_at(at));
  if (lead.bytes == 0) {
    return {0, 1, false, false};
  }
  char32_t character = lead.payload;
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    if (at + i == text.size()) {
      return {0, i, false, true};
    }
    const unsigned byte = byte_at(at + i);
    const bool continues = i == 1 ? byte >= lead.second_low && byte <= lead.second_high : (byte & 0xC0U) == 0x80;
    if (!continues) {
      return {0, i, false, false};
    }
    character = (character << 6U) | (byte & 0x3FU);
  }
  return {character, lead.bytes, true, false};
}

std::vector<bool> utf8_cuts(std::string_view text) {
  std::vector<bool> cuts(text.size() + 1);
  cuts[text.size()] = true;
  for (std::size_t at = 0; at < text.size(); at += next_utf8(text, at).bytes) {
    cuts[at] = true;
  }
  return cuts;
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = next_utf8(text, at);
    if (!step.well_formed) {
      return false;
    }
    at += step.bytes;
  }
  return true;
}

std::size_t incomplete_tail(std::string_view text) {
  const std::size_t longest = std::min<std::size_t>(3, text.size());
  for (std::size_t tail = 1; tail <= longest; ++tail) {
    const Utf8Step step = next_utf8(text, text.size() - tail);
    if (step.cut && step.bytes == tail) {
      return tail;
    }
  }
  return 0;
}

std::string sanitize_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = next_utf8(text, at);
    out += step.well_formed ? text.substr(at, step.bytes) : kReplacement;
    at += step.bytes;
  }
  return out;
}

}  // namespace speech
