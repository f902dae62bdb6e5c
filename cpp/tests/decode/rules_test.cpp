// Each rule of decode/rules.h by hand-made logits.
#include "decode/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

Token id_of(std::string_view word) {
  for (Token id = 0; id < english().special().eot; ++id) {
    if (english().bytes(id) == word) {
      return id;
    }
  }
  return -1;
}

std::vector<float> suppressed(const RuleOptions& options, const std::vector<Token>& tokens) {
  std::vector<float> logits = flat_logits();
  LogitRules(english(), options).suppress(logits, {tokens, false, 0});
  return logits;
}

std::vector<float> constrained(const RuleOptions& options, const SequenceView& sequence) {
  std::vector<float> logits = flat_logits();
  LogitRules(english(), options).constrain_timestamps(logits, sequence);
  return logits;
}

TEST(SuppressBlank, MasksSpaceAndEndOfTextAtTheFirstStepOnly) {
  const Token space = id_of(" ");
  ASSERT_GE(space, 0);
  const std::vector<float> first = suppressed({}, {});
  EXPECT_TRUE(is_masked(first, space));
  EXPECT_TRUE(is_masked(first, english().special().eot));
  const std::vector<float> second = suppressed({}, {300});
  EXPECT_FALSE(is_masked(second, space));
  EXPECT_FALSE(is_masked(second, english().special().eot));
}

TEST(SuppressBlank, CanBeTurnedOff) {
  RuleOptions options;
  options.suppress_blank = false;
  EXPECT_FALSE(is_masked(suppressed(options, {}), english().special().eot));
}

TEST(SuppressSpecial, NeverLetsATaskLanguageOrMarkTokenThrough) {
  const std::vector<float> logits = suppressed({}, {300});
  const SpecialTokens& special = english().special();
  for (const Token id :
       {special.sot, special.not_, special.nosp, special.solm, special.prev, special.translate, special.transcribe}) {
    EXPECT_TRUE(is_masked(logits, id)) << id;
  }
  for (int i = 0; i < english().n_languages(); ++i) {
    EXPECT_TRUE(is_masked(logits, special.first_language + i)) << i;
  }
  EXPECT_FALSE(is_masked(logits, 300));
  EXPECT_FALSE(is_masked(logits, special.beg));
}

TEST(SuppressNonSpeech, MasksSymbolsOnlyWhenAskedFor) {
  RuleOptions options;
  options.suppress_non_speech = true;
  const std::vector<float> on = suppressed(options, {300});
  const std::vector<float> off = suppressed({}, {300});
  for (const std::string_view symbol : {"(", "[", "*", "#", "~"}) {
    EXPECT_TRUE(is_masked(on, id_of(symbol))) << symbol;
    EXPECT_FALSE(is_masked(off, id_of(symbol))) << symbol;
  }
  EXPECT_FALSE(is_masked(on, id_of("-"))) << "hyphens inside a word are speech";
  EXPECT_FALSE(is_masked(on, id_of("'")));
  EXPECT_FALSE(is_masked(on, id_of("a")));
  EXPECT_FALSE(is_masked(on, id_of(" "))) << "the blank stands for no sound";
}

TEST(NoTimestamps, MasksAllOfThem) {
  RuleOptions options;
  options.no_timestamps = true;
  const std::vector<float> logits = constrained(options, {});
  EXPECT_TRUE(
      std::all_of(logits.begin() + english().special().beg, logits.end(), [](float x) { return x == kMasked; }));
  EXPECT_FALSE(is_masked(logits, 300));
}

TEST(InitialTimestamp, MayNotBeLaterThanTheLimit) {
  const std::vector<float> logits = constrained({}, {});
  EXPECT_FALSE(is_masked(logits, timestamp(1.0)));
  EXPECT_TRUE(is_masked(logits, timestamp(1.02)));
  EXPECT_TRUE(is_masked(logits, timestamp(30.0)));
}

TEST(InitialTimestamp, LimitsTheFirstStepOnly) {
  const std::vector<Token> tokens = {timestamp(0), 300};
  EXPECT_FALSE(is_masked(constrained({}, {tokens, false, 0}), timestamp(30.0)));
}

TEST(InitialTimestamp, NegativeLimitMeansNone) {
  RuleOptions options;
  options.max_initial_timestamp = -1;
  EXPECT_FALSE(is_masked(constrained(options, {}), timestamp(30.0)));
}

TEST(InitialTimestamp, LimitBeyondTheVocabularyIsHarmless) {
  RuleOptions options;
  options.max_initial_timestamp = 1'000'000;
  EXPECT_FALSE(is_masked(constrained(options, {}), timestamp(30.0)));
}

TEST(TimestampPairs, AfterTextAndATimestampComesAnotherOrTheEnd) {
  const std::vector<Token> tokens = {timestamp(0), 300, timestamp(2)};
  const std::vector<float> logits = constrained({}, {tokens, true, 100});
  EXPECT_TRUE(is_masked(logits, 300));
  EXPECT_FALSE(is_masked(logits, english().special().eot));
  EXPECT_FALSE(is_masked(logits, timestamp(2)));
}

TEST(TimestampPairs, AfterAPairComesText) {
  const std::vector<Token> tokens = {300, timestamp(2), timestamp(2)};
  const std::vector<float> logits = constrained({}, {tokens, true, 100});
  EXPECT_FALSE(is_masked(logits, 300));
  EXPECT_TRUE(is_masked(logits, timestamp(2)));
  EXPECT_TRUE(is_masked(logits, timestamp(30)));
}

TEST(TimestampPairs, AfterAPairTheTextMayEnd) {
  const std::vector<Token> tokens = {300, timestamp(2), timestamp(2)};
  EXPECT_FALSE(is_masked(constrained({}, {tokens, true, 100}), english().special().eot));
}

TEST(TimestampPairs, AfterTextAnythingThatDoesNotGoBackMayCome) {
  const std::vector<Token> tokens = {timestamp(0), 300};
  const std::vector<float> logits = constrained({}, {tokens, false, 0});
  EXPECT_FALSE(is_masked(logits, 301));
  EXPECT_FALSE(is_masked(logits, timestamp(7)));
  EXPECT_FALSE(is_masked(logits, english().special().eot));
}

TEST(TimestampPairs, TheFirstTimestampCountsAsAPair) {
  const std::vector<Token> tokens = {timestamp(0)};
  const std::vector<float> logits = constrained({}, {tokens, false, 0});
  EXPECT_FALSE(is_masked(logits, 300));
  EXPECT_TRUE(is_masked(logits, timestamp(1)));
}

TEST(MonotonicTimestamps, TimeDoesNotGoBack) {
  const std::vector<Token> tokens = {timestamp(0), 300, timestamp(2), timestamp(2), 301};
  const std::vector<float> logits = constrained({}, {tokens, true, 100});
  EXPECT_TRUE(is_masked(logits, timestamp(0)));
  EXPECT_TRUE(is_masked(logits, timestamp(1.98)));
  EXPECT_FALSE(is_masked(logits, timestamp(2)));
}

TEST(MaxTokens, AFullSegmentMayOnlyBeClosed) {
  RuleOptions options;
  options.max_tokens = 2;
  const std::vector<Token> full = {300, 301};
  const std::vector<Token> not_full = {300};
  EXPECT_TRUE(is_masked(constrained(options, {full, false, 0}), 302));
  EXPECT_FALSE(is_masked(constrained(options, {full, false, 0}), timestamp(3)));
  EXPECT_FALSE(is_masked(constrained(options, {full, false, 0}), english().special().eot));
  EXPECT_FALSE(is_masked(constrained(options, {not_full, false, 0}), 302));
}

TEST(MaxTokens, DoesNotCloseASingleSegment) {
  RuleOptions options;
  options.max_tokens = 2;
  options.single_segment = true;
  const std::vector<Token> full = {300, 301};
  EXPECT_FALSE(is_masked(constrained(options, {full, false, 0}), 302));
}

TEST(Normalize, GivesLogProbabilities) {
  std::vector<float> logits = flat_logits();
  logits[300] = 12.0F;  // more than the fifteen hundred timestamps together
  LogitRules(english(), {}).normalize(logits);
  double sum = 0;
  for (const float value : logits) {
    sum += std::exp(static_cast<double>(value));
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);  // float log-probabilities near -10 carry 1e-6 relative each
}

TEST(TimestampMass, MasksTextWhenTimestampsTogetherOutweighEveryTextToken) {
  std::vector<float> logits = flat_logits();
  logits[300] = 5.0F;  // e^5 = 148 against 1501 timestamps of weight 1
  LogitRules(english(), {}).normalize(logits);
  EXPECT_TRUE(is_masked(logits, 300));
  EXPECT_TRUE(is_masked(logits, english().special().eot));
  EXPECT_FALSE(is_masked(logits, timestamp(1)));
}

TEST(TimestampMass, LeavesTextThatOutweighsThem) {
  std::vector<float> logits = flat_logits();
  logits[300] = 8.0F;  // e^8 = 2981 against 1501
  LogitRules(english(), {}).normalize(logits);
  EXPECT_FALSE(is_masked(logits, 300));
}

TEST(TimestampMass, IsNotWeighedWhereTimestampsAreOff) {
  RuleOptions options;
  options.no_timestamps = true;
  std::vector<float> logits = flat_logits();
  LogitRules(english(), options).normalize(logits);
  EXPECT_FALSE(is_masked(logits, 300));
}

TEST(Normalize, AllMaskedStaysMaskedWithoutNaN) {
  std::vector<float> logits(static_cast<std::size_t>(english().size()), kMasked);
  LogitRules(english(), {}).normalize(logits);
  EXPECT_TRUE(std::ranges::all_of(logits, [](float x) { return x == kMasked; }));
}

}  // namespace
}  // namespace speech::testing
