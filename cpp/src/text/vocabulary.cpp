// The layout of Whisper's vocabularies and the way from text to ids and back.
#include "text/vocabulary.h"

#include <array>
#include <cstdio>
#include <utility>

#include "text/languages.h"
#include "text/word_split.h"

namespace speech {
namespace {

constexpr std::int64_t kEnglishVocabulary = 51864;
constexpr Token kEnglishTextTokens = 50256;

/// The name of a special token, in the form that whisper.h users know.
std::string special_name(const SpecialTokens& special, Token token) {
  const std::array named = {
      std::pair{special.eot, "[_EOT_]"},
      std::pair{special.sot, "[_SOT_]"},
      std::pair{special.translate, "[_TRANSLATE_]"},
      std::pair{special.solm, "[_SOLM_]"},
      std::pair{special.prev, "[_PREV_]"},
      std::pair{special.transcribe, "[_TRANSCRIBE_]"},
      std::pair{special.nosp, "[_NOSP_]"},
      std::pair{special.not_, "[_NOT_]"},
      std::pair{special.beg, "[_BEG_]"},
  };
  for (const auto& [id, name] : named) {
    if (token == id) {
      return name;
    }
  }
  if (token > special.beg) {
    return "[_TT_" + std::to_string(token - special.beg) + "]";
  }
  const Token language = token - special.first_language;
  if (language >= 0 && language < special.n_languages) {
    return "[_LANG_" + std::string(language_code(language)) + "]";
  }
  return "[_extra_token_" + std::to_string(token) + "]";
}

Status check_words(const std::vector<std::string>& words, const SpecialTokens& special, int n_vocab) {
  const auto n_text = static_cast<std::size_t>(special.eot);
  if (words.size() < n_text || words.size() > static_cast<std::size_t>(n_vocab)) {
    return {Code::kBadFormat, "the vocabulary has " + std::to_string(words.size()) + " words; a model with n_vocab " +
                                  std::to_string(n_vocab) + " has at least its " + std::to_string(n_text) +
                                  " text tokens and at most n_vocab"};
  }
  return Status::ok();
}

Status check_bytes(const WordIndex& index) {
  for (int byte = 0; byte < 256; ++byte) {
    if (!index.find_byte(static_cast<std::uint8_t>(byte))) {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "0x%02X", static_cast<unsigned>(byte));
      return {Code::kBadFormat, "the vocabulary has no token for the single byte " + std::string(hex.data()) +
                                    "; expected all 256, without which not every text can be encoded"};
    }
  }
  return Status::ok();
}

}  // namespace

Result<SpecialTokens> special_tokens(std::int64_t n_vocab) {
  if (n_vocab < kEnglishVocabulary || n_vocab > kEnglishVocabulary + 2) {
    return Status(Code::kBadFormat, "n_vocab is " + std::to_string(n_vocab) +
                                        "; expected 51864 (English-only), 51865 (multilingual) or 51866 (large-v3)");
  }
  // Ids lie one after the other: text, eot, sot, languages, six named ones, timestamps to the end of the vocabulary.
  SpecialTokens special;
  const bool multilingual = n_vocab > kEnglishVocabulary;
  special.eot = kEnglishTextTokens + (multilingual ? 1 : 0);
  special.sot = special.eot + 1;
  special.first_language = special.sot + 1;
  special.n_languages = n_vocab == kEnglishVocabulary + 2 ? kMaxLanguages : kMaxLanguages - 1;
  special.translate = special.first_language + special.n_languages;
  special.transcribe = special.translate + 1;
  special.solm = special.transcribe + 1;
  special.prev = special.solm + 1;
  special.nosp = special.prev + 1;
  special.not_ = special.nosp + 1;
  special.beg = special.not_ + 1;
  return special;
}

Result<Vocabulary> Vocabulary::build(std::vector<std::string> words, int n_vocab) {
  Vocabulary vocabulary;
  SPEECH_ASSIGN_OR_RETURN(vocabulary.special_, special_tokens(n_vocab));
  SPEECH_RETURN_IF_ERROR(check_words(words, vocabulary.special_, n_vocab));
  vocabulary.n_vocab_ = n_vocab;
  vocabulary.multilingual_ = n_vocab > kEnglishVocabulary;
  words.reserve(static_cast<std::size_t>(n_vocab));
  while (words.size() < static_cast<std::size_t>(n_vocab)) {
    words.push_back(special_name(vocabulary.special_, static_cast<Token>(words.size())));
  }
  vocabulary.words_ =
      std::make_shared<const WordIndex>(std::move(words), static_cast<std::size_t>(vocabulary.special_.eot));
  SPEECH_RETURN_IF_ERROR(check_bytes(*vocabulary.words_));
  return vocabulary;
}

std::string_view Vocabulary::bytes(Token token) const {
  if (token < 0 || token >= n_vocab_) {
    return "";
  }
  return words_->words()[static_cast<std::size_t>(token)];
}

std::vector<Token> Vocabulary::encode(std::string_view text) const {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = text.substr(at, word_bytes(text, at));
    for (std::size_t piece = 0; piece < word.size(); piece += kMaxWordBytes) {
      append_byte_pair_tokens(*words_, word.substr(piece, kMaxWordBytes), tokens);
    }
    at += word.size();
  }
  return tokens;
}

std::string Vocabulary::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) {
    if (is_text(token)) {
      text += bytes(token);
    }
  }
  return text;
}

}  // namespace speech
