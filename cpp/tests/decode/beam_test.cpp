// Which beams survive a step, when the search is over, and what it gives.
#include "decode/beam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

constexpr Token kA = 300;
constexpr Token kB = 301;
constexpr Token kC = 302;

Token eot() { return english().special().eot; }

// Without timestamps every end of text completes.
Window window() {
  Window w = {.seek = 0, .seek_end = 6000, .max_steps = 20};
  w.no_timestamps = true;
  return w;
}

std::vector<float> probabilities(const std::map<Token, double>& of) {
  std::vector<float> logs(static_cast<std::size_t>(english().size()), kMasked);
  for (const auto& [token, probability] : of) {
    logs[static_cast<std::size_t>(token)] = static_cast<float>(std::log(probability));
  }
  return logs;
}

std::vector<Token> ids(const Sequence& sequence) {
  std::vector<Token> tokens;
  for (const TokenData& data : sequence.tokens()) {
    tokens.push_back(data.id);
  }
  return tokens;
}

using Ids = std::vector<Token>;
using Parents = std::vector<std::int32_t>;

class Beams : public ::testing::Test {
 protected:
  Parents step(BeamSearch& beams, const std::vector<std::map<Token, double>>& of) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      beams.consider(i, probabilities(of[i]), english().special());
    }
    const auto parents = beams.advance(window(), english().special());
    return {parents.begin(), parents.end()};
  }
};

TEST_F(Beams, FindTheMostProbableTextBehindALessProbableToken) {
  BeamSearch beams(2, -1, 20);
  beams.restart();
  EXPECT_EQ(step(beams, {{{kA, 0.6}, {kB, 0.4}}}), (Parents{0, 0}));
  EXPECT_EQ(step(beams, {{{kA, 0.3}, {kB, 0.3}}, {{kC, 0.9}}}), (Parents{1, 0}));
  EXPECT_EQ(ids(beams.live()[0]), (Ids{kB, kC})) << "0.36 against 0.18";
  EXPECT_EQ(ids(beams.live()[1]), (Ids{kA, kA}));
}

TEST_F(Beams, OfEqualSumsTakeTheEarlierBeamThenTheLowerToken) {
  BeamSearch beams(3, -1, 20);
  beams.restart();
  step(beams, {{{kC, 0.25}, {kA, 0.25}, {kB, 0.25}}});
  EXPECT_EQ(ids(beams.live()[0]), Ids{kA});
  EXPECT_EQ(ids(beams.live()[1]), Ids{kB});
  EXPECT_EQ(ids(beams.live()[2]), Ids{kC});
  EXPECT_EQ(step(beams, {{{kA, 0.5}, {kB, 0.5}}, {{kA, 0.5}, {kB, 0.5}}, {{kA, 0.5}}}), (Parents{0, 0, 1}));
}

TEST_F(Beams, OfOneTakesTheMostProbableTokenEachTime) {
  BeamSearch beams(1, -1, 20);
  beams.restart();
  step(beams, {{{kA, 0.6}, {kB, 0.4}}});
  step(beams, {{{kA, 0.1}, {kB, 0.2}}});
  step(beams, {{{eot(), 0.5}, {kB, 0.2}}});
  EXPECT_TRUE(beams.live().empty());
  ASSERT_EQ(beams.results().size(), 1U);
}

TEST_F(Beams, EndWhenAsManyAsThereAreBeamsHaveCompleted) {
  BeamSearch beams(2, -1, 20);
  beams.restart();
  step(beams, {{{eot(), 0.5}, {kA, 0.3}, {kB, 0.2}}});
  EXPECT_EQ(beams.live().size(), 2U) << "a completed text takes no beam away";
  EXPECT_TRUE(step(beams, {{{eot(), 0.9}}, {{kA, 0.9}}}).empty());
  EXPECT_TRUE(beams.live().empty());
  const auto results = beams.results();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(ids(results[0]), Ids{eot()});
  EXPECT_EQ(ids(results[1]), (Ids{kA, eot()}));
  EXPECT_EQ(results[1].outcome(), Sequence::Outcome::kCompleted);
}

TEST_F(Beams, WithPatienceGoOnUntilMoreHaveCompleted) {
  BeamSearch beams(2, 2.0F, 20);
  beams.restart();
  step(beams, {{{eot(), 0.5}, {kA, 0.3}, {kB, 0.2}}});
  step(beams, {{{eot(), 0.8}, {kA, 0.1}}, {{eot(), 0.7}, {kB, 0.1}}});
  EXPECT_EQ(beams.live().size(), 2U) << "three of four have completed";
  step(beams, {{{eot(), 0.8}, {kA, 0.1}}, {{kB, 0.1}}});
  EXPECT_TRUE(beams.live().empty());
  EXPECT_EQ(beams.results().size(), 4U);
}

TEST_F(Beams, LessThanOneOfPatienceEndsEarlier) {
  BeamSearch beams(4, 0.25F, 20);
  beams.restart();
  step(beams, {{{eot(), 0.5}, {kA, 0.3}, {kB, 0.2}}});
  EXPECT_TRUE(beams.live().empty());
  EXPECT_EQ(ids(beams.results()[0]), Ids{eot()});
}

TEST_F(Beams, ThatLiveAtTheEndFillTheResultsUp) {
  BeamSearch beams(3, -1, 20);
  beams.restart();
  step(beams, {{{eot(), 0.5}, {kA, 0.3}, {kB, 0.2}}});
  const auto results = beams.results();
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(ids(results[1]), Ids{kA});
  EXPECT_TRUE(results[1].is_live());
}

TEST_F(Beams, ThatAllFailGiveOneFailedText) {
  BeamSearch beams(2, -1, 20);
  beams.restart();
  Window timed = window();
  timed.no_timestamps = false;  // the end before any timestamp, in the middle of the audio
  beams.consider(0, probabilities({{eot(), 0.9}}), english().special());
  EXPECT_TRUE(beams.advance(timed, english().special()).empty());
  const auto results = beams.results();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].outcome(), Sequence::Outcome::kFailed);
  EXPECT_EQ(ids(results[0]), Ids{eot()});
}

TEST_F(Beams, OfWhichNoneMayGoOnGiveOneFailedTextWithoutTokens) {
  for (const float value : {kMasked, std::nanf("")}) {
    BeamSearch beams(5, -1, 20);
    beams.restart();
    const std::vector<float> logs(static_cast<std::size_t>(english().size()), value);
    beams.consider(0, logs, english().special());
    EXPECT_TRUE(beams.advance(window(), english().special()).empty());
    const auto results = beams.results();
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].outcome(), Sequence::Outcome::kFailed);
    EXPECT_TRUE(results[0].tokens().empty());
  }
}

TEST_F(Beams, NeverTakeAMaskedToken) {
  BeamSearch beams(5, -1, 20);
  beams.restart();
  EXPECT_EQ(step(beams, {{{kA, 0.9}, {kB, 0.1}}}), (Parents{0, 0})) << "two candidates, not five";
}

TEST_F(Beams, StartAnewForEachWindow) {
  BeamSearch beams(2, -1, 20);
  beams.restart();
  step(beams, {{{eot(), 0.5}, {kA, 0.3}, {kB, 0.2}}});
  beams.restart();
  ASSERT_EQ(beams.live().size(), 1U);
  EXPECT_TRUE(beams.live()[0].tokens().empty());
  step(beams, {{{kB, 0.9}, {kC, 0.1}}});
  EXPECT_EQ(ids(beams.live()[0]), Ids{kB});
  EXPECT_EQ(beams.results().size(), 2U);
}

TEST_F(Beams, TellOfEachTokenWhatItsOwnDistributionSaid) {
  BeamSearch beams(2, -1, 20);
  beams.restart();
  const Token one_second = timestamp(1);
  step(beams, {{{kA, 0.5}, {kB, 0.3}, {one_second, 0.2}}});
  step(beams, {{{kA, 0.1}}, {{kC, 0.9}, {one_second, 0.1}}});
  const TokenData& first = beams.live()[0].tokens()[0];
  const TokenData& second = beams.live()[0].tokens()[1];
  EXPECT_EQ(first.id, kB);
  EXPECT_EQ(first.timestamp_id, one_second);
  EXPECT_NEAR(first.timestamp_sum_probability, 0.2F, 1e-6F);
  EXPECT_NEAR(first.probability, 0.3F, 1e-6F);
  EXPECT_EQ(second.id, kC);
  EXPECT_NEAR(second.timestamp_sum_probability, 0.1F, 1e-6F);
}

}  // namespace
}  // namespace speech::testing
