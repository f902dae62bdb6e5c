// Options of one transcription that change what stands before a window, which tokens may come, or what is done with the
// result: carried prompts, speaker turns, patterns, grammars, candidates for the language, times, pieces, seeds.
#include <gtest/gtest.h>

#include "session/scripted.h"
#include "text/languages.h"

namespace speech::testing {
namespace {

std::vector<Token> many_tokens(int n) {
  std::vector<Token> tokens;
  for (int i = 0; i < n; ++i) {
    tokens.push_back(300 + i);
  }
  return tokens;
}

Scripts two_windows(const Session& s) {
  return {{s.at(0), kA, s.at(25), s.at(25), s.eot()}, {s.at(0), kB, s.at(14.96)}};
}

TEST(CarriedPrompt, UserReport48StandsBeforeEveryWindow) {
  Session s;
  s.options.prompt_tokens = many_tokens(3);
  s.options.carry_initial_prompt = true;
  const Playback heard = s.play(3999, two_windows(s));
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1 + 3 + 1, 1 + 3 + 4 + 1})) << "mark, prompt, past, start";
  EXPECT_EQ(heard.past[1].size(), 4U) << "it is not in the past text as well";
}

TEST(CarriedPrompt, TakesItsRoomFromThePastText) {
  Session s;
  s.options.prompt_tokens = many_tokens(29);
  s.options.carry_initial_prompt = true;
  const Playback heard = s.play(3999, two_windows(s));
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1 + 29 + 1, 1 + 29 + 2 + 1})) << "31 in all";
}

TEST(CarriedPrompt, IsCutToWhatFits) {
  Session s;
  s.options.prompt_tokens = many_tokens(100);
  s.options.carry_initial_prompt = true;
  const Playback heard = s.play(3999, two_windows(s));
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes, (std::vector<int>{1 + 31 + 1, 1 + 31 + 1}));
  // Its end is what is kept: another beginning changes nothing.
  Session other;
  other.options.prompt_tokens = many_tokens(100);
  other.options.prompt_tokens.front() = 999;
  other.options.carry_initial_prompt = true;
  EXPECT_EQ(other.play(3999, two_windows(other)).first_logits, heard.first_logits);
  other.options.prompt_tokens.back() = 999;
  EXPECT_NE(other.play(3999, two_windows(other)).first_logits, heard.first_logits);
}

TEST(CarriedPrompt, UserReport52DoesNotReachTheNextCall) {
  Session s;
  s.options.prompt_tokens = many_tokens(3);
  s.options.carry_initial_prompt = true;
  s.play(3999, two_windows(s));
  s.options.prompt_tokens.clear();
  s.options.carry_initial_prompt = false;
  const Playback heard = s.play(3999, two_windows(s));
  EXPECT_EQ(heard.prompt_sizes[0], 1);
}

TEST(SpeakerTurns, AreDataOfTheSegmentBeforeThem) {
  Session s;
  s.options.speaker_turns = true;
  s.play(2000, Scripts{{s.at(0), kA, {s.special().solm}, s.at(5), s.at(5), kB, s.at(19.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_EQ(s.state().segments.size(), 2U);
  EXPECT_TRUE(s.state().segments[0].speaker_turn_next);
  EXPECT_FALSE(s.state().segments[1].speaker_turn_next);
  EXPECT_EQ(s.segments()[0], "0-500 aa") << "the mark is no text";
}

// A logits filter runs after suppression: what stays masked there was never possible.
TEST(SuppressedTokens, ByPatternAreNeverPossible) {
  Session s;
  s.options.suppress_regex = "aa|ab";
  std::vector<bool> masked;
  s.options.callbacks.filter_logits = [&](std::span<const TokenData>, std::span<float> logits) {
    for (const Cue& cue : {kA, kB, kC}) {
      masked.push_back(std::isinf(logits[static_cast<std::size_t>(cue.token)]));
    }
  };
  s.status = transcribe(english(), s.state(), s.options, recording(200), s.stage);
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_GE(masked.size(), 3U);
  EXPECT_TRUE(masked[0]);
  EXPECT_TRUE(masked[1]);
  EXPECT_FALSE(masked[2]);
}

std::shared_ptr<const Grammar> grammar_of(const std::string& text) {
  std::vector<GrammarElement> rule;
  for (const char letter : text) {
    rule.push_back({GrammarElementKind::kCharacter, static_cast<std::uint32_t>(letter)});
  }
  rule.push_back({GrammarElementKind::kEnd, 0});
  auto grammar = Grammar::create({rule}, 0);
  EXPECT_TRUE(grammar) << grammar.status().message();
  return std::make_shared<const Grammar>(std::move(grammar).value());
}

TEST(Grammars, DecideTheTextAndEndIt) {
  for (const int n_beams : {0, 3}) {
    Session s;
    s.options.grammar = grammar_of("acab");
    s.options.grammar_penalty = std::numeric_limits<float>::infinity();
    s.options.no_timestamps = true;
    s.options.n_beams = n_beams;
    s.status = transcribe(english(), s.state(), s.options, recording(500), s.stage);
    ASSERT_TRUE(s.status) << s.status.message();
    ASSERT_EQ(s.state().segments.size(), 1U);
    EXPECT_EQ(s.state().segments[0].text, "acab") << n_beams;
  }
}

TEST(Grammars, BeginAnewInEachWindowAndLeaveTheNextCallAlone) {
  Session s;
  s.options.grammar = grammar_of("ab");
  s.options.grammar_penalty = std::numeric_limits<float>::infinity();
  s.options.no_timestamps = true;
  s.status = transcribe(english(), s.state(), s.options, recording(4000), s.stage);
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_EQ(s.state().segments.size(), 2U);
  EXPECT_EQ(s.state().segments[1].text, "ab");
  s.options.grammar = nullptr;
  s.options.no_timestamps = false;
  s.play(2000, Scripts{{s.at(0), kC, s.at(19.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(s.segments(), (Lines{"0-1996 ac"}));
}

TEST(LanguageDetection, UserReport40ChoosesAmongCandidates) {
  Session s(multilingual());
  s.options.language = "auto";
  s.options.detect_language_only = true;
  const std::vector<float> samples = recording(200);
  ASSERT_TRUE(transcribe(multilingual(), s.state(), s.options, samples, s.stage));
  const int best = s.state().language;
  const float probability = s.state().language_probability;
  EXPECT_TRUE(s.state().segments.empty()) << "detection alone decodes nothing";

  const int other = best == 5 ? 6 : 5;
  s.options.language_candidates = {std::string(language_code(other))};
  ASSERT_TRUE(transcribe(multilingual(), s.state(), s.options, samples, s.stage));
  EXPECT_EQ(s.state().language, other);
  EXPECT_NEAR(s.state().language_probability, 1.0F, 1e-5F) << "among one";

  s.options.language_candidates = {std::string(language_code(other)), std::string(language_code(best))};
  ASSERT_TRUE(transcribe(multilingual(), s.state(), s.options, samples, s.stage));
  EXPECT_EQ(s.state().language, best);
  EXPECT_GE(s.state().language_probability, probability);

  s.options.language_candidates = {"xx"};
  EXPECT_FALSE(transcribe(multilingual(), s.state(), s.options, samples, s.stage));
  EXPECT_EQ(s.stage, Stage::kLanguage);
}

TEST(LanguageDetection, UserReport38AutoDetectsAndTranscribes) {
  Session s(multilingual());
  s.options.language = "auto";
  s.status = transcribe(multilingual(), s.state(), s.options, recording(500), s.stage);
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_GE(s.state().language, 0);
  EXPECT_GT(s.state().timings.n_sample, 0);
}

TEST(TokenTimes, LieInTheirSegmentsInOrder) {
  Session s;
  s.options.token_times = true;
  s.play(2000, Scripts{{s.at(1), kA, kB, s.at(5), s.at(6), kC, s.at(19.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  for (const Segment& segment : s.state().segments) {
    int previous = segment.start;
    for (const TokenData& token : segment.tokens) {
      EXPECT_LE(previous, token.t0);
      EXPECT_LE(token.t0, token.t1);
      EXPECT_LE(token.t1, segment.end);
      previous = token.t0;
    }
  }
}

TEST(TokenTimes, AreUnsetUnlessAskedFor) {
  Session s;
  s.play(2000, Scripts{{s.at(0), kA, s.at(19.96)}});
  ASSERT_EQ(s.state().segments.size(), 1U);
  EXPECT_EQ(s.state().segments[0].tokens[1].t0, -1);
}

TEST(SegmentLength, CutsSegmentsAndKeepsTextAndTimes) {
  Session s;
  s.options.max_segment_length = 4;
  int n_announced = 0;
  s.options.callbacks.new_segments = [&](int n_new) { n_announced += n_new; };
  s.play(2000, Scripts{{s.at(0), kA, kB, kC, kA, kB, s.at(19.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  ASSERT_EQ(s.state().segments.size(), 3U);
  EXPECT_EQ(n_announced, 3);
  std::string text;
  int previous = 0;
  for (const Segment& segment : s.state().segments) {
    EXPECT_LE(segment.text.size(), 4U);
    EXPECT_LE(previous, segment.start);
    previous = segment.end;
    text += segment.text;
    EXPECT_EQ(segment.token_texts.size(), segment.tokens.size());
  }
  EXPECT_EQ(text, "aaabacaaab");
  EXPECT_EQ(previous, 1996);
}

TEST(CompressionRatio, MakesARepetitionFallBack) {
  const auto attempts = [](float threshold) {
    Session s;
    s.options.fallback.temperature_step = 0.5F;
    s.options.fallback.entropy_threshold = 0;  // the other measure of the same
    s.options.fallback.compression_ratio_threshold = threshold;
    Script repeated = {s.at(0)};
    for (int i = 0; i < 20; ++i) {
      repeated.push_back(kA);
    }
    repeated.push_back(s.at(19.96));
    return s.play(2000, Scripts{repeated}).attempts;
  };
  EXPECT_EQ(attempts(0), std::vector<int>{1}) << "off";
  EXPECT_EQ(attempts(2.4F), std::vector<int>{3}) << "at 0, 0.5 and 1";
}

TEST(Seed, ChangesTheDrawsAndRepeatsThem) {
  const auto drawn = [](std::uint64_t seed) {
    Session s;
    s.options.fallback.temperature = 1;
    s.options.no_timestamps = true;
    s.options.seed = seed;
    EXPECT_TRUE(transcribe(english(), s.state(), s.options, recording(500), s.stage));
    std::vector<Token> tokens;
    for (const Segment& segment : s.state().segments) {
      for (const TokenData& token : segment.tokens) {
        tokens.push_back(token.id);
      }
    }
    return tokens;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_NE(drawn(0), drawn(std::uint64_t{1} << 32U)) << "all bits matter";
}

}  // namespace
}  // namespace speech::testing
