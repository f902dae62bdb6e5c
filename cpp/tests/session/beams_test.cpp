// Beam search through the whole loop: cells of the cache follow the beams, and beams of one give what greedy gives.
#include <gtest/gtest.h>

#include "session/scripted.h"

namespace speech::testing {
namespace {

std::vector<Token> result(const State& state) {
  std::vector<Token> tokens;
  for (const Segment& segment : state.segments) {
    for (const TokenData& token : segment.tokens) {
      tokens.push_back(token.id);
    }
  }
  return tokens;
}

std::vector<Token> decoded(int n_beams, const std::vector<float>& samples) {
  Session s;
  s.options.n_beams = n_beams;
  s.status = transcribe(english(), s.state(), s.options, samples, s.stage);
  EXPECT_TRUE(s.status) << s.status.message();
  return result(s.state());
}

TEST(BeamSearchLoop, OfOneBeamIsGreedy) {
  const std::vector<float> samples = recording(3500);
  EXPECT_EQ(decoded(1, samples), decoded(0, samples));
}

TEST(BeamSearchLoop, FollowsAScriptWithAnyNumberOfBeams) {
  for (const int n_beams : {1, 2, 5, 8}) {
    Session s;
    s.options.n_beams = n_beams;
    s.play(2000, Scripts{{s.at(0), kA, kB, kC, s.at(19.96)}});
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(s.segments(), (Lines{"0-1996 aaabac"})) << n_beams;
  }
}

TEST(BeamSearchLoop, GivesTheSameTwice) {
  const std::vector<float> samples = recording(3500);
  EXPECT_EQ(decoded(5, samples), decoded(5, samples));
}

// What a beam's tokens get from the cache must be what they get when they are decoded alone: log-probabilities of the
// result are those of a pass over its tokens.
TEST(BeamSearchLoop, BeamsSeeTheirOwnPastInTheCache) {
  Session s;
  s.options.n_beams = 5;
  s.options.no_timestamps = true;  // so that nothing is masked but what is named below
  s.options.suppress_blank = false;
  s.status = transcribe(english(), s.state(), s.options, recording(2000), s.stage);
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_FALSE(s.state().segments.empty());
  const std::vector<TokenData> tokens = s.state().segments[0].tokens;
  ASSERT_GT(tokens.size(), 3U);

  Engine& engine = *s.state().engine;
  const SpecialTokens& special = s.special();
  engine.cache().clear();
  std::vector<Token> prompt = {special.sot, special.not_};
  Position position = 0;
  std::vector<float> logits;
  for (const Token token : prompt) {
    const StepToken step = {token, position++, 0, true};
    const auto row = engine.decode(std::span(&step, 1));
    ASSERT_TRUE(row) << row.status().message();
    logits.assign(row->begin(), row->end());
  }
  RuleOptions rule_options;
  rule_options.suppress_blank = false;
  rule_options.no_timestamps = true;
  const LogitRules rules(english().vocabulary(), rule_options);
  std::vector<Token> past;
  for (const TokenData& token : tokens) {
    rules.suppress(logits, {past});
    rules.constrain_timestamps(logits, {past});
    rules.normalize(logits);
    ASSERT_NEAR(token.log_probability, logits[static_cast<std::size_t>(token.id)], 2e-3F) << past.size();
    past.push_back(token.id);
    const StepToken step = {token.id, position++, 0, true};
    const auto row = engine.decode(std::span(&step, 1));
    ASSERT_TRUE(row) << row.status().message();
    logits.assign(row->begin(), row->end());
  }
}

}  // namespace
}  // namespace speech::testing
