// One pass of a pattern over the text tokens.
#include "decode/token_pattern.h"

#include <cstddef>
#include <string>

#include "decode/pattern.h"
#include "text/utf8.h"

namespace speech {
namespace {

// Of all tokens together: a second or two at worst. Ordinary patterns take a hundredth.
constexpr std::size_t kMaxSteps = std::size_t{1} << 27U;

void append_characters(std::string_view bytes, std::u32string& out) {
  constexpr char32_t kReplacement = 0xFFFD;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Step step = next_utf8(bytes, at);
    out.push_back(step.well_formed ? step.character : kReplacement);
    at += step.bytes;
  }
}

}  // namespace

Result<std::vector<Token>> tokens_matching(const Vocabulary& vocabulary, std::string_view pattern) {
  SPEECH_ASSIGN_OR_RETURN(const Pattern compiled, Pattern::compile(pattern));
  PatternMatcher matcher(compiled, kMaxSteps);
  std::vector<Token> tokens;
  std::u32string text;
  for (Token token = 0; token < vocabulary.special().eot; ++token) {
    text.clear();
    append_characters(vocabulary.bytes(token), text);
    if (matcher.matches(text)) {
      tokens.push_back(token);
    }
    if (matcher.is_exhausted()) {
      return Status(Code::kInvalidArgument, "the pattern takes more than " + std::to_string(kMaxSteps) +
                                                " steps over the vocabulary; expected a simpler one");
    }
  }
  return tokens;
}

}  // namespace speech
