// Splits text into the words within which byte-pair encoding merges, by GPT-2's pattern. Knows characters, no
// vocabulary.
#pragma once

#include <cstddef>
#include <string_view>

namespace speech {

/// Bytes of the word that begins at `at`, which must lie inside the text; at least 1. The first alternative that
/// matches, as in
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// Ill-formed UTF-8 is neither letter, number nor space. Source: openai/gpt-2 encoder.py.
std::size_t word_bytes(std::string_view text, std::size_t at);

}  // namespace speech
