// Token ids and their bytes, the special tokens, and byte-pair encoding. Knows no model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "text/byte_pair.h"

namespace speech {

/// Ids of the special tokens of one vocabulary. Text tokens are below eot, timestamps at beg and above.
struct SpecialTokens {
  Token eot = 0;             ///< end of text
  Token sot = 0;             ///< start of transcript
  Token first_language = 0;  ///< language i is first_language + i
  int n_languages = 0;       ///< 99, or 100 for large-v3; the English-only vocabulary has the ids but no use for them
  Token translate = 0;
  Token transcribe = 0;
  Token solm = 0;  ///< start of language model; marks a speaker turn in tinydiarize models
  Token prev = 0;  ///< start of the previous text
  Token nosp = 0;  ///< no speech
  Token not_ = 0;  ///< no timestamps
  Token beg = 0;   ///< timestamp 0.00; token beg + i is i * 20 ms
};

/// Timestamp tokens: 0.00 s to 30.00 s in steps of 20 ms.
inline constexpr int kTimestampTokens = 1501;

/// The layout of a vocabulary of n_vocab tokens: 51864 English-only, 51865 multilingual, 51866 large-v3. bad_format for
/// any other size, for which the ids would lie outside the vocabulary. Source: openai/whisper tokenizer.py.
Result<SpecialTokens> special_tokens(std::int64_t n_vocab);

/// The vocabulary of a model. Copies share their words; read-only, so any number of threads may use it.
class Vocabulary {
 public:
  /// words: bytes of the tokens in the file, in rank order: the text tokens (50256 English-only, 50257 otherwise), of
  /// which one may be empty, and perhaps names of specials. Those that the file lacks are named "[_EOT_]", "[_SOT_]",
  /// "[_LANG_de]",
  /// "[_TT_50]" (1.00 s) ... n_vocab: the model's size.
  /// bad_format if n_vocab is not a Whisper vocabulary's, a text token is missing, there are more words than n_vocab,
  /// or one of the 256 single bytes is not among the text tokens.
  static Result<Vocabulary> build(std::vector<std::string> words, int n_vocab);

  int size() const { return n_vocab_; }
  bool is_multilingual() const { return multilingual_; }
  int n_languages() const { return special_.n_languages; }
  const SpecialTokens& special() const { return special_; }
  bool is_text(Token token) const { return token >= 0 && token < special_.eot; }
  bool is_timestamp(Token token) const { return token >= special_.beg && token < n_vocab_; }

  /// Bytes of a token, zero-terminated; a piece of a character for some. Empty if token is outside 0..size()-1.
  std::string_view bytes(Token token) const;

  /// Byte-pair encoding of UTF-8 text by GPT-2's rules (its pattern splits the text, ranks are ids): the ids that
  /// tiktoken gives. Any bytes are accepted: what is not UTF-8 is taken byte by byte. Never gives special tokens. O(n
  /// log n); words of more than a mebibyte are encoded in pieces of that size.
  std::vector<Token> encode(std::string_view text) const;

  /// The joined bytes of the text tokens among `tokens`; may begin or end inside a character.
  std::string decode(std::span<const Token> tokens) const;

 private:
  Vocabulary() = default;
  std::shared_ptr<const WordIndex> words_;  // all n_vocab_ of them
  int n_vocab_ = 0;
  bool multilingual_ = false;
  SpecialTokens special_;
};

}  // namespace speech
