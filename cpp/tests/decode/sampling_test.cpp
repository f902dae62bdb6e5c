// Sums, choices and draws by hand-made distributions.
#include "decode/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

// Five tokens: 0..2 text, 3 and 4 timestamps.
SpecialTokens small_special() {
  SpecialTokens special;
  special.eot = 2;
  special.beg = 3;
  return special;
}

std::vector<float> logs(const std::vector<double>& probabilities) {
  std::vector<float> values;
  for (const double p : probabilities) {
    values.push_back(p > 0 ? static_cast<float>(std::log(p)) : kMasked);
  }
  return values;
}

TEST(LogSumExp, IsExactWhereFloatsWouldOverflowOrVanish) {
  EXPECT_FLOAT_EQ(log_sum_exp(std::vector<float>{1000.0F, 1000.0F}), 1000.0F + std::log(2.0F));
  EXPECT_FLOAT_EQ(log_sum_exp(std::vector<float>{-1000.0F, kMasked}), -1000.0F);
  EXPECT_EQ(log_sum_exp(std::vector<float>{kMasked, kMasked}), kMasked);
  EXPECT_EQ(log_sum_exp({}), kMasked);
}

TEST(MostProbable, TakesTheLowestIdAmongEquals) {
  const TokenData token = choose_most_probable(logs({0.1, 0.4, 0.4, 0.1, 0}), small_special());
  EXPECT_EQ(token.id, 1);
  EXPECT_NEAR(token.probability, 0.4F, 1e-6);
}

TEST(MostProbable, DescribesTheTimestampsBesideAText) {
  const TokenData token = choose_most_probable(logs({0.5, 0.1, 0.1, 0.1, 0.2}), small_special());
  EXPECT_EQ(token.id, 0);
  EXPECT_EQ(token.timestamp_id, 4);
  EXPECT_NEAR(token.timestamp_probability, 0.2 / 0.3, 1e-6);
  EXPECT_NEAR(token.timestamp_sum_probability, 0.3, 1e-6);
}

TEST(MostProbable, ATimestampIsItsOwn) {
  const TokenData token = choose_most_probable(logs({0.1, 0, 0, 0.7, 0.2}), small_special());
  EXPECT_EQ(token.id, 3);
  EXPECT_EQ(token.timestamp_id, 3);
  EXPECT_FLOAT_EQ(token.timestamp_probability, token.probability);
}

TEST(RandomDraw, FollowsTheDistributionAndNeverDrawsAMaskedToken) {
  const std::vector<float> distribution = logs({0.5, 0, 0.25, 0.25, 0});
  Random random(1);
  std::vector<int> counts(distribution.size());
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) {
    ++counts[static_cast<std::size_t>(choose_at_random(distribution, small_special(), random).id)];
  }
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[4], 0);
  // Five standard deviations of a binomial count: sqrt(40000 * 0.25) = 100.
  EXPECT_NEAR(counts[0], kDraws / 2, 500);
  EXPECT_NEAR(counts[2], kDraws / 4, 500);
}

TEST(RandomDraw, WorksOnWhatTheTimestampMassRuleLeftUnnormalised) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(choose_at_random(logs({0, 0, 0, 0.001, 0}), small_special(), random).id, 3);
  }
}

TEST(RandomDraw, IsTheSameForTheSameSeed) {
  const std::vector<float> distribution = logs({0.2, 0.2, 0.2, 0.2, 0.2});
  Random one(3);
  Random two(3);
  Random other(4);
  bool differs = false;
  for (int i = 0; i < 50; ++i) {
    const Token a = choose_at_random(distribution, small_special(), one).id;
    EXPECT_EQ(a, choose_at_random(distribution, small_special(), two).id);
    differs = differs || a != choose_at_random(distribution, small_special(), other).id;
  }
  EXPECT_TRUE(differs);
}

TEST(Random, GivesThePublishedSequenceOfSplitMix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFULL);  // reference values of the algorithm for seed 0
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4ULL);
}

}  // namespace
}  // namespace speech::testing
