// The fuzzer's check over damaged texts, the same ones in every run.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "text/mutated_text.h"

// The check itself, which aborts.
#include "../../fuzz/tokenizer.cpp"

namespace speech {
namespace {

TEST(TokenizerMutation, AnyBytesComeBackFromTheirTokens) {
  const std::vector<std::string> texts = {
      "And so, my fellow Americans, ask not what your country can do for you.",
      "  twelve 12's don't\n\t\xC3\xB1"
      "and\xC3\xBA, \xE4\xBD\xA0\xE5\xA5\xBD \xF0\x9F\x98\x80 \xC2\xA0x",
      "(?!.*(yes|no))[^\\d\\s]+?(a|b){2,3}$",
      "[[:alpha:]\\u00e9-]*\\bx.",
  };
  const std::vector<std::string_view> telling = {
      "\xF0\x9F", "\xE2\x80\xA8", "\xC0", "  ", "'ll", "(?=", ")*", "[", "]", "{30}", "\\", std::string_view("\0", 1)};
  std::mt19937 random(20262);  // its sequence is fixed by the standard
  int n_valid = 0;
  std::size_t n_tokens = 0;
  constexpr int kRounds = 6000;
  for (int i = 0; i < kRounds; ++i) {
    std::string text = texts[static_cast<std::size_t>(i) % texts.size()];
    testing::mutate_text(text, telling, random);
    text.shrink_to_fit();
    n_tokens += check_tokens(text);
    check_pattern(text);
    n_valid += is_valid_utf8(text) ? 1 : 0;
  }
  EXPECT_GT(n_tokens, static_cast<std::size_t>(kRounds));
  EXPECT_GT(n_valid, kRounds / 10);
  EXPECT_LT(n_valid, kRounds * 9 / 10);
}

}  // namespace
}  // namespace speech
