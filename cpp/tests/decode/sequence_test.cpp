// When a sequence goes on, ends or fails, and how it is scored.
#include "decode/sequence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

constexpr int kMaxSteps = 220;

Window long_window() { return {.seek = 0, .seek_end = 6000, .max_steps = kMaxSteps}; }

Sequence grown(const std::vector<Token>& ids, const Window& window) {
  Sequence sequence;
  sequence.reset(window.max_steps);
  for (const Token id : ids) {
    sequence.append(token(id), window, english().special());
  }
  return sequence;
}

using Outcome = Sequence::Outcome;

TEST(SequenceEnd, EndOfTextAfterATimestampCompletes) {
  const Sequence sequence = grown({timestamp(0), 300, timestamp(5), english().special().eot}, long_window());
  EXPECT_EQ(sequence.outcome(), Outcome::kCompleted);
  EXPECT_EQ(sequence.seek_delta(), 500);
  EXPECT_EQ(sequence.result_length(), 3);
}

TEST(SequenceEnd, EndOfTextBeforeAnyTimestampFailsInTheMiddleOfTheAudio) {
  EXPECT_EQ(grown({timestamp(0), 300, english().special().eot}, long_window()).outcome(), Outcome::kFailed);
}

TEST(SequenceEnd, EndOfTextBeforeAnyTimestampCompletesAtTheEndOfTheAudio) {
  const Window window = {.seek = 3500, .seek_end = 6000, .max_steps = kMaxSteps};
  const Sequence sequence = grown({timestamp(0), 300, english().special().eot}, window);
  EXPECT_EQ(sequence.outcome(), Outcome::kCompleted);
  EXPECT_EQ(sequence.result_length(), 3);
}

TEST(SequenceEnd, WithoutTimestampsEndOfTextTakesTheWholeWindow) {
  Window window = long_window();
  window.no_timestamps = true;
  const Sequence sequence = grown({300, 301, english().special().eot}, window);
  EXPECT_EQ(sequence.outcome(), Outcome::kCompleted);
  EXPECT_EQ(sequence.seek_delta(), kWindowFrames);
  EXPECT_EQ(sequence.result_length(), 3);
}

TEST(SequenceEnd, SingleSegmentTakesTheWholeWindow) {
  Window window = long_window();
  window.single_segment = true;
  const Sequence sequence = grown({timestamp(0), 300, timestamp(5), english().special().eot}, window);
  EXPECT_EQ(sequence.seek_delta(), kWindowFrames);
  EXPECT_EQ(sequence.result_length(), 4);
}

TEST(SequenceEnd, ATimestampWithinATenthOfTheEndCompletes) {
  const Window window = {.seek = 0, .seek_end = 1100, .max_steps = kMaxSteps};
  EXPECT_EQ(grown({timestamp(0), 300, timestamp(10.9)}, window).outcome(), Outcome::kCompleted);
  EXPECT_EQ(grown({timestamp(0), 300, timestamp(10.88)}, window).outcome(), Outcome::kLive);
}

TEST(SequenceEnd, MaxTokensCompletesWithoutLosingTheTimestamp) {
  Window window = long_window();
  window.max_tokens = 2;
  const Sequence sequence = grown({timestamp(0), 300, timestamp(2)}, window);
  EXPECT_EQ(sequence.outcome(), Outcome::kCompleted);
  EXPECT_EQ(sequence.seek_delta(), 200);
}

TEST(SequenceFailure, TimeGoesBack) {
  const Sequence sequence = grown({timestamp(0), 300, timestamp(5), timestamp(5), 301, timestamp(4)}, long_window());
  EXPECT_EQ(sequence.outcome(), Outcome::kFailed);
}

TEST(SequenceFailure, TheLastStepIsReachedWithoutGettingAnywhere) {
  Sequence sequence;
  const Window window = long_window();
  sequence.reset(window.max_steps);
  for (int i = 0; i < kMaxSteps - 1; ++i) {
    sequence.append(token(300), window, english().special());
    ASSERT_TRUE(sequence.is_live()) << i;
  }
  sequence.append(token(300), window, english().special());
  EXPECT_EQ(sequence.outcome(), Outcome::kFailed);
}

TEST(SequenceFailure, TheLastStepIsReachedBeforeTheMiddleOfTheWindow) {
  Sequence sequence;
  const Window window = long_window();
  sequence.reset(window.max_steps);
  sequence.append(token(timestamp(0)), window, english().special());
  sequence.append(token(300), window, english().special());
  sequence.append(token(timestamp(14.98)), window, english().special());
  sequence.append(token(timestamp(14.98)), window, english().special());
  for (int i = 4; i < kMaxSteps; ++i) {
    sequence.append(token(300), window, english().special());
  }
  EXPECT_EQ(sequence.outcome(), Outcome::kFailed);
}

TEST(SequenceFailure, EndOfTextAtOnce) {
  EXPECT_EQ(grown({english().special().eot}, long_window()).outcome(), Outcome::kFailed);
}

TEST(SequenceEnd, TheLastStepWithHalfAWindowBehindItCompletes) {
  Sequence sequence;
  const Window window = long_window();
  sequence.reset(window.max_steps);
  sequence.append(token(timestamp(0)), window, english().special());
  sequence.append(token(300), window, english().special());
  sequence.append(token(timestamp(20)), window, english().special());
  sequence.append(token(timestamp(20)), window, english().special());
  for (int i = 4; i < kMaxSteps; ++i) {
    sequence.append(token(300), window, english().special());
  }
  EXPECT_EQ(sequence.outcome(), Outcome::kCompleted);
}

TEST(SequenceScore, AveragesOverTheTokensUpToTheLastTimestamp) {
  Sequence sequence = grown({timestamp(0), 300, timestamp(5), english().special().eot}, long_window());
  sequence.score(-1);
  EXPECT_EQ(sequence.n_tokens(), 3);
  EXPECT_NEAR(sequence.sum_log_probability(), 3 * std::log(0.5), 1e-6);
  EXPECT_NEAR(sequence.average_log_probability(), std::log(0.5), 1e-6);
  EXPECT_NEAR(sequence.ranking(), std::log(0.5), 1e-6);
}

TEST(SequenceScore, LengthPenaltyIsThatOfWuEtAl) {
  Sequence sequence = grown({timestamp(0), 300, timestamp(5), english().special().eot}, long_window());
  sequence.score(0.6F);
  EXPECT_NEAR(sequence.ranking(), 3 * std::log(0.5) / std::pow(8.0 / 6.0, 0.6), 1e-5);
}

TEST(SequenceScore, EntropyIsThatOfTheLast32Tokens) {
  std::vector<Token> ids(10, 299);  // too early to count
  for (int i = 0; i < 31; ++i) {
    ids.push_back(i % 2 == 0 ? 300 : 301);
  }
  ids.push_back(timestamp(20));
  ids.push_back(english().special().eot);
  Sequence sequence = grown(ids, long_window());
  sequence.score(-1);
  // 16 times one token, 15 times another, one timestamp.
  const double expected =
      -(16 / 32.0 * std::log(16 / 32.0) + 15 / 32.0 * std::log(15 / 32.0) + 1 / 32.0 * std::log(1 / 32.0));
  EXPECT_NEAR(sequence.entropy(), expected, 1e-9);
}

}  // namespace
}  // namespace speech::testing
