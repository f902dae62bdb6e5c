// The past text that a window's prompt holds: how much of it, when it is left out, what is kept from call to call.
#include <gtest/gtest.h>

#include <numeric>

#include "session/scripted.h"

namespace speech::testing {
namespace {

constexpr int kMostPast = 31;  // half the text context of 64, less the mark before the past text

// Two windows in 40 s; the result of the first is its text with the timestamps.
class PastText : public ::testing::Test {
 protected:
  Scripts two_windows() const { return {{s.at(0), kA, s.at(25), s.at(25), s.eot()}, {s.at(0), kB, s.at(14.96)}}; }
  std::vector<Token> first_result() const { return ids({s.at(0), kA, s.at(25), s.at(25)}); }
  std::vector<Token> second_result() const { return ids({s.at(0), kB, s.at(14.96)}); }

  Session s;
};

std::vector<Token> many_tokens(int n) {
  std::vector<Token> tokens(static_cast<std::size_t>(n));
  std::iota(tokens.begin(), tokens.end(), 300);
  return tokens;
}

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(PastText, OfTheFirstWindowIsInThePromptOfTheSecond) {
  const Playback heard = s.play(3999, two_windows());
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_EQ(heard.past.size(), 2U);
  EXPECT_EQ(heard.past[0], std::vector<Token>());
  EXPECT_EQ(heard.past[1], first_result());
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1, 1 + 4 + 1})) << "mark, past, start of transcript";
  EXPECT_EQ(s.state().past, joined(first_result(), second_result()));
}

TEST_F(PastText, IsLimitedToHalfTheTextContextLessOne) {
  s.options.prompt_tokens = many_tokens(100);
  const Playback heard = s.play(3999, two_windows());
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1 + kMostPast + 1, 1 + kMostPast + 1}));
  const std::vector<Token> all = many_tokens(100);
  EXPECT_EQ(heard.past[1], joined({all.end() - kMostPast, all.end()}, first_result())) << "its end is kept";
}

TEST_F(PastText, IsLimitedByTheOptionLessOne) {
  for (const auto& [limit, expected] : {std::pair{10, 1 + 9 + 1}, {2, 1 + 1 + 1}, {1, 1}, {0, 1}}) {
    Session with_limit;
    with_limit.options.n_max_text_ctx = limit;
    with_limit.options.prompt_tokens = many_tokens(20);
    const Playback heard = with_limit.play(3999, two_windows());
    ASSERT_TRUE(with_limit.status) << with_limit.status.message();
    EXPECT_EQ(heard.prompt_sizes[0], expected) << limit;
  }
}

TEST_F(PastText, IsDroppedWithinFiveSecondsOfTheEnd) {
  const Playback near = s.play(3000, Scripts{{s.at(0), kA, s.at(25), s.at(25), s.eot()}, {s.at(0), kB, s.at(4.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(near.seeks, (Frames{0, 2500}));
  EXPECT_EQ(near.prompt_sizes, (std::vector<int>{1, 1}));

  const Playback far = s.play(3001, Scripts{{s.at(0), kA, s.at(25), s.at(25), s.eot()}, {s.at(0), kB, s.at(4.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(far.prompt_sizes, (std::vector<int>{1, 6}));
}

TEST_F(PastText, IsNotDroppedFromTheFirstWindowOfAShortClip) {
  s.options.prompt_tokens = many_tokens(5);
  const Playback heard = s.play(299, Scripts{{s.at(0), kA, s.at(2.96)}});
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1 + 5 + 1}));
}

TEST_F(PastText, IsLeftOutFromTemperatureOneHalfOn) {
  for (const auto& [temperature, expected] : {std::pair{0.4F, 1 + 4 + 1}, {0.5F, 1}, {1.0F, 1}}) {
    Session hot;
    hot.options.fallback.temperature = temperature;
    const Playback heard = hot.play(3999, two_windows());
    ASSERT_TRUE(hot.status) << hot.status.message();
    EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1, expected})) << temperature;
  }
}

TEST_F(PastText, ThatWasLeftOutOfAHotPromptIsForgotten) {
  s.options.fallback.temperature = 0.6F;
  s.options.prompt_tokens = many_tokens(5);
  const Playback heard = s.play(3999, two_windows());
  EXPECT_EQ(heard.past[1], first_result());
}

TEST_F(PastText, IsForgottenBetweenCallsUnlessAskedFor) {
  s.play(3999, two_windows());
  EXPECT_EQ(s.play(3999, two_windows()).past[0], std::vector<Token>()) << "no_context is the default";
  s.options.no_context = false;
  const Playback heard = s.play(3999, two_windows());
  EXPECT_EQ(heard.past[0], joined(first_result(), second_result()));
  EXPECT_EQ(heard.prompt_sizes[0], 1 + 7 + 1);
}

TEST_F(PastText, BeginsWithTheInitialPromptBeforeTheTextOfEarlierCalls) {
  s.options.initial_prompt = "ab cd";
  const std::vector<Token> prompt = english().vocabulary().encode("ab cd");
  ASSERT_FALSE(prompt.empty());
  EXPECT_EQ(s.play(3999, two_windows()).past[0], prompt);
  s.options.no_context = false;
  const std::vector<Token> earlier = s.state().past;
  EXPECT_EQ(s.play(3999, two_windows()).past[0], joined(prompt, earlier));
}

TEST_F(PastText, TakesPromptTokensBeforeAnInitialPrompt) {
  s.options.initial_prompt = "ab cd";
  s.options.prompt_tokens = many_tokens(3);
  EXPECT_EQ(s.play(3999, two_windows()).past[0], many_tokens(3));
}

TEST_F(PastText, GetsNothingFromSilence) {
  s.options.fallback.no_speech_threshold = 0;  // any window counts as silent, if its text is improbable too
  s.options.prompt_tokens = many_tokens(3);
  const Playback heard =
      s.play(3999, Scripts{{s.improbable(0), kA, s.improbable(25), s.at(25), s.eot()}, {s.at(0), kB, s.at(14.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.past[1], many_tokens(3));
  EXPECT_EQ(s.segments(), (Lines{"2500-3996 ab"}));
}

}  // namespace
}  // namespace speech::testing
