// Temperatures, thresholds and the choice among candidates.
#include "decode/fallback.h"

#include <gtest/gtest.h>

#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

Sequence completed(float log_probability, int n_words = 3) {
  const Window window = {.seek = 0, .seek_end = 6000, .max_steps = 220};
  Sequence sequence;
  sequence.reset(window.max_steps);
  for (int i = 0; i < n_words; ++i) {
    sequence.append(token(300 + (n_words > 10 ? 0 : i), log_probability), window, english().special());
  }
  sequence.append(token(timestamp(5), log_probability), window, english().special());
  sequence.append(token(english().special().eot, log_probability), window, english().special());
  return sequence;
}

Sequence failed() {
  const Window window = {.seek = 0, .seek_end = 6000, .max_steps = 220};
  Sequence sequence;
  sequence.reset(window.max_steps);
  sequence.append(token(english().special().eot), window, english().special());
  return sequence;
}

TEST(Temperatures, RiseByTheStepUpToOne) {
  const std::vector<float> values = temperatures({});
  ASSERT_EQ(values.size(), 6U);
  EXPECT_FLOAT_EQ(values.front(), 0.0F);
  EXPECT_FLOAT_EQ(values.back(), 1.0F);
}

TEST(Temperatures, StepZeroMeansOne) {
  FallbackOptions options;
  options.temperature = 0.4F;
  options.temperature_step = 0;
  EXPECT_EQ(temperatures(options), std::vector<float>{0.4F});
}

TEST(Temperatures, ATinyStepIsBounded) {
  FallbackOptions options;
  options.temperature_step = 1e-30F;
  EXPECT_LE(temperatures(options).size(), 100U);
}

TEST(Choose, TakesTheMostProbableCandidate) {
  std::vector<Sequence> candidates = {completed(-0.9F), completed(-0.2F), completed(-0.5F)};
  const Choice choice = choose(candidates, {}, 0.0F);
  EXPECT_EQ(choice.best, 1);
  EXPECT_FALSE(choice.needs_fallback);
}

TEST(Choose, FallsBackBelowTheLogProbabilityThreshold) {
  std::vector<Sequence> candidates = {completed(-1.5F)};
  EXPECT_TRUE(choose(candidates, {}, 0.0F).needs_fallback);
}

TEST(Choose, ProbableSilenceNeedsNoFallback) {
  std::vector<Sequence> candidates = {completed(-1.5F)};
  EXPECT_FALSE(choose(candidates, {}, 0.9F).needs_fallback);
  EXPECT_TRUE(is_silence(candidates[0], {}, 0.9F));
  EXPECT_FALSE(is_silence(candidates[0], {}, 0.5F));
}

TEST(Choose, AProbableTextIsNoSilenceWhateverTheNoSpeechToken) {
  std::vector<Sequence> candidates = {completed(-0.5F)};
  EXPECT_FALSE(choose(candidates, {}, 0.99F).needs_fallback);
  EXPECT_FALSE(is_silence(candidates[0], {}, 0.99F));
}

TEST(Choose, ThresholdsThemselvesPass) {
  FallbackOptions options;
  options.log_probability_threshold = -0.5F;
  std::vector<Sequence> candidates = {completed(-0.5F)};  // a sum of halves is exact
  EXPECT_FALSE(choose(candidates, options, 0.0F).needs_fallback);
  std::vector<Sequence> improbable = {completed(-1.5F)};
  const Choice choice = choose(improbable, options, options.no_speech_threshold);
  EXPECT_FALSE(choice.needs_fallback);
  EXPECT_FALSE(is_silence(improbable[0], options, options.no_speech_threshold)) << "only above it";
}

TEST(Choose, ALengthPenaltyFavoursTheLongerText) {
  std::vector<Sequence> candidates = {completed(-0.5F, 3), completed(-0.52F, 30)};
  EXPECT_EQ(choose(candidates, {}, 0.0F).best, 0);
  std::vector<Sequence> again = {completed(-0.5F, 3), completed(-0.52F, 9)};
  FallbackOptions options;
  options.length_penalty = 3;  // strong, so that the sum over more tokens is worth more
  EXPECT_EQ(choose(again, options, 0.0F).best, 1);
}

TEST(Choose, FallsBackIfAllFailed) {
  std::vector<Sequence> candidates = {failed(), failed()};
  EXPECT_TRUE(choose(candidates, {}, 0.0F).needs_fallback);
}

TEST(Choose, RejectsALongRepetitionByItsEntropy) {
  std::vector<Sequence> candidates = {completed(-0.1F, 60), completed(-0.8F)};
  const Choice choice = choose(candidates, {}, 0.0F);
  EXPECT_EQ(choice.best, 1);
  EXPECT_TRUE(choice.low_entropy);
  EXPECT_EQ(candidates[0].outcome(), Sequence::Outcome::kFailed);
}

TEST(Choose, NeverRejectsAShortResultForItsEntropy) {
  std::vector<Sequence> candidates = {completed(-0.1F, 31)};
  EXPECT_FALSE(choose(candidates, {}, 0.0F).low_entropy);
}

}  // namespace
}  // namespace speech::testing
