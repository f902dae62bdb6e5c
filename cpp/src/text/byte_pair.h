// Words by id and id by word, and the merging of bytes into them. Knows nothing of special tokens or models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace speech {

using Token = std::int32_t;

/// The words of a vocabulary with an index over those that text is made of. Read-only once built.
class WordIndex {
 public:
  /// The first n_text words are text; n_text <= words.size().
  WordIndex(std::vector<std::string> words, std::size_t n_text);

  const std::vector<std::string>& words() const { return words_; }

  /// The lowest id among text words with these bytes. Logarithmic whatever the words are: a hash table could be
  /// attacked.
  std::optional<Token> find(std::string_view bytes) const;

  /// The token of a single byte, if there is one.
  std::optional<Token> find_byte(std::uint8_t byte) const { return byte_tokens_[byte]; }

  /// Bytes of the longest text word.
  std::size_t longest_bytes() const { return longest_bytes_; }

 private:
  struct Entry {
    std::uint64_t prefix;  // first 8 bytes, big-endian, zero-padded: settles nearly every comparison
    Token token;
  };
  std::vector<std::string> words_;
  std::vector<Entry> sorted_;
  std::array<std::optional<Token>, 256> byte_tokens_;
  std::size_t longest_bytes_ = 0;
};

/// Longest stretch that is merged as one; memory is about 40 times this. No text has such words: it bounds hostile
/// input.
inline constexpr std::size_t kMaxWordBytes = std::size_t{1} << 20U;

/// Appends the tokens of one word of at most kMaxWordBytes: starting from single bytes, the adjacent pair whose joined
/// bytes have the lowest id is merged, the leftmost first among equals, until no pair is a word. A word that is itself
/// in the index is that one token. All 256 bytes must be in the index. O(n log n). Source: Sennrich et al. 2016,
/// section 3.2.
void append_byte_pair_tokens(const WordIndex& index, std::string_view word, std::vector<Token>& out);

}  // namespace speech
