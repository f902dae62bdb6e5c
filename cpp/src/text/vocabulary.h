// Token ids and their bytes, the special tokens, and byte-pair encoding. Knows no model.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace speech {

using Token = std::int32_t;

/// Ids of the special tokens of one vocabulary. Text tokens are below eot, timestamps at beg and above.
struct SpecialTokens {
  Token eot = 0;            ///< end of text
  Token sot = 0;            ///< start of transcript
  Token first_language = 0; ///< language i is first_language + i
  Token translate = 0;
  Token transcribe = 0;
  Token solm = 0;  ///< start of language model; marks a speaker turn in tinydiarize models
  Token prev = 0;  ///< start of the previous text
  Token nosp = 0;  ///< no speech
  Token not_ = 0;  ///< no timestamps
  Token beg = 0;   ///< timestamp 0.00; token beg + i is i * 20 ms
};

/// The vocabulary of a model: 51864 English-only, 51865 multilingual, 51866 large-v3; other sizes follow the same rules.
class Vocabulary {
 public:
  /// words: bytes of the tokens in the file, in rank order (50256 or 50257: the ones beyond are specials and are
  /// synthesised as "[_EOT_]", "[_SOT_]", "[_LANG_de]", "[_TT_50]" ...). n_vocab: the model's size.
  /// bad_format unless the text tokens are exactly those that n_vocab implies and all 256 single bytes are among them.
  static Result<Vocabulary> build(std::vector<std::string> words, int n_vocab);

  int size() const { return n_vocab_; }
  bool is_multilingual() const { return multilingual_; }
  int n_languages() const { return n_languages_; }
  const SpecialTokens& special() const { return special_; }
  bool is_text(Token token) const { return token >= 0 && token < special_.eot; }
  bool is_timestamp(Token token) const { return token >= special_.beg && token < n_vocab_; }

  /// Bytes of a token, zero-terminated; a piece of a character for some. Empty if token is outside 0..size()-1.
  std::string_view bytes(Token token) const;

  /// Byte-pair encoding of UTF-8 text by GPT-2's rules (its pattern splits the text, ranks are ids): the ids that tiktoken gives.
  /// Any bytes are accepted: what is not UTF-8 is taken byte by byte. Never gives special tokens. Linear-ish in the length.
  std::vector<Token> encode(std::string_view text) const;

  /// The joined bytes of the text tokens among `tokens`.
  std::string decode(std::span<const Token> tokens) const;

 private:
  Vocabulary() = default;
  struct Ranks;
  std::shared_ptr<const Ranks> ranks_;
  int n_vocab_ = 0;
  int n_languages_ = 0;
  bool multilingual_ = false;
  SpecialTokens special_;
  std::vector<std::string> words_;
};

}  // namespace speech
