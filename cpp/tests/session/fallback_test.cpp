// Windows that are decoded again at higher temperatures, the candidates of those, and windows taken for silence.
#include <gtest/gtest.h>

#include "session/scripted.h"

namespace speech::testing {
namespace {

class Fallback : public ::testing::Test {
 protected:
  Fallback() {
    s.options.best_of = 3;
    s.options.fallback.temperature_step = 0.2F;
  }
  Script probable() const { return {s.at(0), kA, s.at(19.96)}; }
  Script improbable() const { return {s.improbable(0), kB, s.improbable(19.96)}; }

  Session s;
};

constexpr int kFrames = 2000;  // one window

TEST_F(Fallback, IsNotNeededByAProbableResult) {
  const Playback heard = s.play(kFrames, Scripts{probable()});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1})) << "one candidate at temperature 0";
  EXPECT_EQ(s.state().timings.n_fail_probability, 0);
  EXPECT_EQ(s.state().timings.n_fail_entropy, 0);
}

TEST_F(Fallback, FromAnImprobableResultTakesBestOfCandidates) {
  const Playback heard = s.play(
      kFrames, [&](int, int attempt, std::span<const TokenData>) { return attempt == 0 ? improbable() : probable(); });
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1 + 3}));
  EXPECT_EQ(s.state().timings.n_fail_probability, 1);
  EXPECT_EQ(s.state().timings.n_fail_entropy, 0);
  EXPECT_EQ(s.state().timings.n_encode, 1) << "the window is not encoded again";
  EXPECT_EQ(s.segments(), (Lines{"0-1996 aa"}));
}

TEST_F(Fallback, EndsAtTheLastTemperatureWhichIsTakenAsItIs) {
  const Playback heard = s.play(kFrames, Scripts{improbable()});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1 + 5 * 3})) << "0, 0.2 ... 1.0";
  EXPECT_EQ(s.state().timings.n_fail_probability, 5);
  EXPECT_EQ(s.segments(), (Lines{"0-1996 ab"}));
}

TEST_F(Fallback, WithoutAStepNeverHappens) {
  s.options.fallback.temperature_step = 0;
  const Playback heard = s.play(kFrames, Scripts{improbable()});
  EXPECT_EQ(heard.attempts, (std::vector<int>{1}));
  EXPECT_EQ(s.state().timings.n_fail_probability, 0);
  EXPECT_EQ(s.segments(), (Lines{"0-1996 ab"}));
}

TEST_F(Fallback, StartsAtTheFirstTemperatureWithItsCandidates) {
  s.options.fallback.temperature = 0.8F;
  const Playback heard = s.play(kFrames, Scripts{improbable()});
  EXPECT_EQ(heard.attempts, (std::vector<int>{3 + 3})) << "0.8 and 1.0";
}

TEST_F(Fallback, FollowsAnEndBeforeAnyTimestamp) {
  const Playback heard = s.play(3999, [&](int window, int attempt, std::span<const TokenData>) {
    if (window == 1) {
      return Script{s.at(0), kC, s.at(9.96)};
    }
    return attempt == 0 ? Script{kB, s.eot()} : Script{s.at(0), kA, s.at(5), s.eot()};
  });
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1 + 3, 1})) << "the next window starts cold again";
  EXPECT_EQ(s.state().timings.n_fail_probability, 1);
  EXPECT_EQ(s.segments(), (Lines{"0-500 aa", "3000-3996 ac"}));
}

TEST_F(Fallback, TakesTheMostProbableCandidate) {
  // The first timestamp tells the three apart; only the candidate in the middle is probable throughout.
  const auto script_of = [&](int candidate) {
    const bool wins = candidate == 1;
    const double start = 0.02 * candidate;
    return Script{candidate == 2 ? s.improbable(start) : s.at(start),
                  {kA.token + candidate},
                  wins ? s.at(19.96) : s.improbable(19.96)};
  };
  s.play(kFrames, [&](int, int attempt, std::span<const TokenData> tokens) {
    if (attempt == 0) {
      return improbable();
    }
    return script_of(tokens.empty() ? attempt - 1 : tokens[0].id - s.special().beg);
  });
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(s.state().timings.n_fail_probability, 1);
  EXPECT_EQ(s.segments(), (Lines{"2-1996 ab"}));
}

TEST_F(Fallback, GoesOnWhileOneCandidateIsStillDecoding) {
  // The second candidate ends five tokens later than the others, and is the best.
  s.play(kFrames, [&](int, int attempt, std::span<const TokenData> tokens) {
    if (attempt == 0) {
      return improbable();
    }
    const int candidate = tokens.empty() ? attempt - 1 : tokens[0].id - s.special().beg;
    if (candidate == 1) {
      return Script{s.at(0.02), kA, kA, kA, kA, kA, kA, s.at(19.96)};
    }
    return Script{s.at(0.02 * candidate), kB, s.improbable(19.96)};
  });
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(s.segments(), (Lines{"2-1996 aaaaaaaaaaaa"}));
}

TEST_F(Fallback, FromARepetitionIsCountedByItsEntropyToo) {
  SyntheticSpec spec;
  spec.n_text_ctx = 128;  // room for more than the 32 tokens below which nothing is a repetition
  const std::unique_ptr<Context> context = load(spec);
  Session long_one(*context);
  long_one.options.best_of = 2;
  long_one.options.fallback.temperature_step = 0.2F;
  const Playback heard = long_one.play(kFrames, [&](int, int attempt, std::span<const TokenData>) {
    Script script = {s.at(0)};
    for (int i = 0; i < 40; ++i) {
      script.push_back(attempt == 0 ? kA : Cue{kA.token + i});
    }
    script.push_back(s.at(19.96));
    return script;
  });
  ASSERT_TRUE(long_one.status) << long_one.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1 + 2}));
  EXPECT_EQ(long_one.state().timings.n_fail_entropy, 1);
  EXPECT_EQ(long_one.state().timings.n_fail_probability, 1) << "every fallback is counted";
}

TEST_F(Fallback, IsSparedAndTheTextDroppedWhereThereIsNoSpeech) {
  s.options.fallback.no_speech_threshold = 0;  // the made-up model's probability of no speech is small but above 0
  const Playback heard =
      s.play(3999, Scripts{{s.improbable(0), kA, s.improbable(20), s.eot()}, {s.at(0), kB, s.at(9.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.attempts, (std::vector<int>{1, 1}));
  EXPECT_EQ(s.state().timings.n_fail_probability, 0);
  EXPECT_EQ(s.segments(), (Lines{"3000-3996 ab"})) << "text that is probable stays, whatever the no-speech token says";
  EXPECT_GT(s.state().segments[0].no_speech_probability, 0.0F);
  EXPECT_LT(s.state().segments[0].no_speech_probability, 0.01F);
}

}  // namespace
}  // namespace speech::testing
