// Characters, and the tokens that they begin in.
#include "decode/token_text.h"

#include "text/utf8.h"

namespace speech {

std::vector<std::string> token_texts(std::span<const TokenData> tokens, const Vocabulary& vocabulary,
                                     bool keep_special) {
  std::string all;  // the segment's bytes
  std::vector<std::size_t> begins;
  for (const TokenData& token : tokens) {
    begins.push_back(all.size());
    if (keep_special || vocabulary.is_text(token.id)) {
      all += vocabulary.bytes(token.id);
    }
  }
  begins.push_back(all.size());

  const std::vector<bool> cuts = utf8_cuts(all);
  const auto next_cut = [&cuts](std::size_t at) {
    while (!cuts[at]) {
      ++at;
    }
    return at;
  };
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!keep_special && !vocabulary.is_text(tokens[i].id)) {
      texts.emplace_back(vocabulary.bytes(tokens[i].id));
      continue;
    }
    const std::size_t begin = next_cut(begins[i]);
    texts.push_back(sanitize_utf8(std::string_view(all).substr(begin, next_cut(begins[i + 1]) - begin)));
  }
  return texts;
}

}  // namespace speech
