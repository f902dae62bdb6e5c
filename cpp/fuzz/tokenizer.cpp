// libFuzzer entry over the tokenizer: any bytes come back from their tokens, and whatever is cut out of them is valid
// UTF-8 once sanitised. The same bytes are a pattern for tokens, run over themselves.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/pattern.h"
#include "model/synthetic_model.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

namespace speech {
namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

/// Made-up words, made once.
const Vocabulary& vocabulary() {
  static const Vocabulary words = Vocabulary::build(testing::synthetic_words(51864, 1), 51864).value();
  return words;
}

void check_utf8(std::string_view bytes) {
  const std::string clean = sanitize_utf8(bytes);
  require(is_valid_utf8(clean));
  require(sanitize_utf8(clean) == clean);
  require((clean == bytes) == is_valid_utf8(bytes));
  require(incomplete_tail(bytes) <= 3);
  require(incomplete_tail(clean) == 0);
}

void check_pattern(std::string_view bytes) {
  const Result<Pattern> pattern = Pattern::compile(bytes);
  if (!pattern) {
    require(!pattern.status().message().empty());
    return;
  }
  std::u32string text;
  for (const char c : bytes) {
    text.push_back(static_cast<unsigned char>(c));
  }
  PatternMatcher matcher(*pattern, 100000);
  matcher.matches(text);
  matcher.matches(U"");
}

/// The number of tokens.
std::size_t check_tokens(std::string_view text) {
  const Vocabulary& words = vocabulary();
  const std::vector<Token> tokens = words.encode(text);
  require(tokens.size() <= text.size());
  require(words.decode(tokens) == text);
  std::string joined;
  for (const Token token : tokens) {
    require(words.is_text(token));
    require(!words.bytes(token).empty());
    joined += words.bytes(token);
    check_utf8(words.bytes(token));
  }
  require(joined == text);
  const std::span<const Token> all = tokens;
  check_utf8(words.decode(all.first(all.size() / 2)));
  check_utf8(words.decode(all.subspan(all.size() / 3)));
  check_utf8(text);
  return tokens.size();
}

}  // namespace
}  // namespace speech

// Declared here because libFuzzer has no header for it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  speech::check_tokens(input);
  speech::check_pattern(input);
  return 0;
}
