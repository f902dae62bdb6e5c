// Which tokens are never chosen, beyond the cases of rules_test.cpp: words that only a fuller vocabulary has, and what
// options add or give back.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "decode/made_up.h"
#include "decode/rules.h"

namespace speech::testing {
namespace {

/// The made-up vocabulary with words of punctuation in place of its last ones.
const Vocabulary& with_punctuation(Token& first) {
  static const std::vector<std::string> kWords = {" -", " '", " (", "--", "♪", " ♪♪", "「"};
  static const Vocabulary vocabulary = [] {
    std::vector<std::string> words = synthetic_words(51864, 1);
    std::copy(kWords.begin(), kWords.end(), words.end() - static_cast<std::ptrdiff_t>(kWords.size()));
    return Vocabulary::build(std::move(words), 51864).value();
  }();
  first = vocabulary.special().eot - static_cast<Token>(kWords.size());
  return vocabulary;
}

std::vector<float> suppressed(const Vocabulary& vocabulary, const RuleOptions& options) {
  std::vector<float> logits = flat_logits();
  const std::vector<Token> some_text = {300};
  LogitRules(vocabulary, options).suppress(logits, {some_text, false, 0});
  return logits;
}

TEST(SuppressNonSpeech, MasksDashAndApostropheAtTheStartOfAWordAndSymbolsWithASpace) {
  Token first = 0;
  const Vocabulary& vocabulary = with_punctuation(first);
  RuleOptions options;
  options.suppress_non_speech = true;
  const std::vector<float> on = suppressed(vocabulary, options);
  const std::vector<float> off = suppressed(vocabulary, {});
  for (Token token = first; token < vocabulary.special().eot; ++token) {
    EXPECT_TRUE(is_masked(on, token)) << vocabulary.bytes(token);
    EXPECT_FALSE(is_masked(off, token)) << vocabulary.bytes(token);
  }
}

TEST(SpeakerTurns, TheMarkMayBeChosenOnlyWhenAskedFor) {
  EXPECT_TRUE(is_masked(suppressed(english(), {}), english().special().solm));
  RuleOptions options;
  options.allow_speaker_turn = true;
  EXPECT_FALSE(is_masked(suppressed(english(), options), english().special().solm));
}

TEST(SuppressRegex, ItsTokensAreMaskedAtEveryStep) {
  RuleOptions options;
  options.suppressed = {500, 501};
  const std::vector<float> logits = suppressed(english(), options);
  EXPECT_TRUE(is_masked(logits, 500));
  EXPECT_TRUE(is_masked(logits, 501));
  EXPECT_FALSE(is_masked(logits, 502));
}

}  // namespace
}  // namespace speech::testing
