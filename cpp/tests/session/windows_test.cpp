// The seek loop with scripted tokens: where windows begin, when the loop ends, what segments come of them.
#include <gtest/gtest.h>

#include "session/scripted.h"

namespace speech::testing {
namespace {

TEST(Windows, TheNextOneBeginsAtTheLastTimestamp) {
  Session s;
  const Playback heard =
      s.play(3999, Scripts{{s.at(0), kA, s.at(10), s.at(10), kB, s.at(25), s.at(25), s.eot()},
                           {s.at(0), kC, s.at(14.96)}});  // within 100 ms of the end: no end of text is waited for
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 2500}));
  EXPECT_EQ(s.segments(), (Lines{"0-1000 aa", "1000-2500 ab", "2500-3996 ac"}));
}

TEST(Windows, TextBehindTheLastTimestampIsLeftToTheNextOne) {
  Session s;
  const Playback heard =
      s.play(3999, Scripts{{s.at(0), kA, s.at(20), s.at(20), kB, s.eot()}, {s.at(0), kB, s.at(19.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 2000}));
  EXPECT_EQ(s.segments(), (Lines{"0-2000 aa", "2000-3996 ab"}));
}

TEST(Windows, ASingleTimestampAtTheEndSkipsTheRestOfTheWindow) {
  Session s;
  const Playback heard = s.play(3999, Scripts{{s.at(0), kA, s.at(5), s.eot()}, {s.at(0), kB, s.at(9.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
  EXPECT_EQ(s.segments(), (Lines{"0-500 aa", "3000-3996 ab"}));
}

TEST(Windows, AFirstTimestampBehindZeroStartsTheSegmentThere) {
  Session s;
  s.play(2000, Scripts{{s.at(3), kA, s.at(19.96)}});
  EXPECT_EQ(s.segments(), (Lines{"300-1996 aa"}));
}

TEST(Windows, AtMost100MillisecondsAreLeftAlone) {
  for (const auto& [n_frames, expected] : {std::pair{3010, Frames{0}}, std::pair{3011, Frames{0, 3000}}}) {
    Session s;
    const Playback heard = s.play(n_frames, Scripts{{s.at(0), kA, s.at(5), s.eot()}, {kB, s.eot()}});
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(heard.seeks, expected) << n_frames;
  }
}

TEST(Windows, ATimestampWithin100MillisecondsOfTheEndEndsTheDecoding) {
  for (const double seconds : {25.0, 24.98}) {
    Session s;
    Script script = {s.at(0), kA, s.at(seconds)};
    if (seconds < 25) {
      script.push_back(s.eot());  // 12 frames are left: the decoder is asked once more
    }
    const Playback heard = s.play(2510, Scripts{script});
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(heard.seeks, Frames{0});
    EXPECT_EQ(s.state().timings.n_sample, static_cast<int>(script.size()));
  }
}

TEST(Windows, EachMovesOnEvenIfAllSegmentsAreTiny) {
  Session s;
  const Playback heard = s.play(
      49, [&](int, int, std::span<const TokenData>) { return Script{s.at(0), kA, s.at(0.02), s.at(0.02), s.eot()}; });
  ASSERT_TRUE(s.status) << s.status.message();
  Frames expected;
  for (int seek = 0; seek <= 38; seek += 2) {  // from 38 on, 0.02 s are within 100 ms of the end, 49
    expected.push_back(seek);
  }
  EXPECT_EQ(heard.seeks, expected);
}

TEST(Windows, AResultThatNeverReachesATimestampIsTakenForTheWholeWindow) {
  Session s;
  const Script endless(28, kA);  // 64 / 2 - 4 steps
  const Playback heard = s.play(3999, Scripts{endless, {kB, s.eot()}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
  ASSERT_EQ(s.segments().size(), 2U) << "at the last temperature anything is taken";
  EXPECT_EQ(s.state().segments[0].start, 0);
  EXPECT_EQ(s.state().segments[0].end, 3000);
  EXPECT_EQ(s.state().segments[0].tokens.size(), 28U);
}

TEST(Windows, TheLastStepKeepsWhatReachesTheMiddleOfTheWindow) {
  Session s;
  Script script = {s.at(0), kA, s.at(15), s.at(15)};
  script.resize(28, kB);
  const Playback heard = s.play(3999, Scripts{script, {s.at(0), kC, s.at(24.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 1500}));
  EXPECT_EQ(s.segments(), (Lines{"0-1500 aa", "1500-3996 ac"}));
}

TEST(Windows, AudioShorterThanOneIsDecodedToItsOwnEnd) {
  Session s;
  const Playback heard = s.play(299, Scripts{{s.at(0), kA, s.at(2), s.at(2), s.eot()}, {s.at(0), kB, s.at(0.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 200}));
  EXPECT_EQ(s.segments(), (Lines{"0-200 aa", "200-296 ab"}));
}

TEST(Windows, TextWithoutTimestampsFillsTheLastOne) {
  Session s;
  const Playback heard = s.play(299, Scripts{{kA, kB, s.eot()}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, Frames{0});
  EXPECT_EQ(s.segments(), (Lines{"0-299 aaab"}));
}

TEST(Windows, OffsetAndDurationBoundThem) {
  Session s;
  s.options.offset_ms = 10'000;
  s.options.duration_ms = 5'000;
  const Playback heard = s.play(3999, Scripts{{s.at(0), kA, s.at(2), s.at(2), s.eot()}, {s.at(0), kB, s.at(2.9)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{1000, 1200}));
  EXPECT_EQ(s.segments(), (Lines{"1000-1200 aa", "1200-1490 ab"}));
}

TEST(Windows, AnOffsetAloneGoesToTheEndAndALongDurationNoFurther) {
  for (const int duration_ms : {0, 3'000'000}) {
    Session s;
    s.options.offset_ms = 38'000;
    s.options.duration_ms = duration_ms;
    const Playback heard = s.play(3999, Scripts{{s.at(0), kA, s.at(1.98)}});
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(heard.seeks, Frames{3800});
    EXPECT_EQ(s.segments(), (Lines{"3800-3998 aa"}));
  }
}

TEST(Windows, SegmentTimesStayWithinTheAudioWhateverTheModelSays) {
  Session s;
  s.options.duration_ms = 5'000;
  s.play(3999, Scripts{{s.at(1), kA, s.at(4), s.at(4.5), kB, s.at(20)}});
  EXPECT_EQ(s.segments(), (Lines{"100-400 aa", "450-500 ab"}));
}

TEST(Windows, AFirstTimestampBehindTheAudioLeavesNothingToSay) {
  Session s;
  s.options.duration_ms = 5'000;
  const Playback heard = s.play(3999, Scripts{{s.at(10)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, Frames{0});
  EXPECT_EQ(s.segments(), Lines());
}

TEST(Windows, ASingleSegmentHoldsTheWholeWindow) {
  Session s;
  s.options.single_segment = true;
  const Playback heard = s.play(
      3999, Scripts{{s.at(0), kA, s.at(5), s.at(5), kB, s.at(10), s.at(10), s.eot()}, {s.at(0), kC, s.at(9.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
  EXPECT_EQ(s.segments(), (Lines{"0-3000 aaab", "3000-3999 ac"}));
}

TEST(Windows, WithoutTimestampsMoveBy30Seconds) {
  Session s;
  s.options.no_timestamps = true;
  const Playback heard = s.play(3999, Scripts{{kA, kB, s.eot()}, {kC, s.eot()}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
  EXPECT_EQ(heard.prompt_sizes[0], 2) << "start of transcript, no timestamps";
  EXPECT_EQ(s.segments(), (Lines{"0-3000 aaab", "3000-3999 ac"}));
}

TEST(Windows, AfterMaxTokensTheRestIsDecodedInTheNextOne) {
  Session s;
  s.options.max_tokens = 3;
  const Playback heard =
      s.play(3999, Scripts{{s.at(0), kA, kB, s.at(5)}, {s.at(0), kC, kA, s.at(29)}, {s.at(0), kB, s.at(5.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 500, 3400}));
  EXPECT_EQ(s.segments(), (Lines{"0-500 aaab", "500-3400 acaa", "3400-3996 ab"}));
}

TEST(Windows, ASingleTimestampBeforeMaxTokensStillSkipsTheRest) {
  Session s;
  s.options.max_tokens = 3;
  const Playback heard = s.play(3999, Scripts{{s.at(0), kA, s.at(5), s.eot()}, {s.at(0), kB, s.at(9.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
}

// n_text_layer 2 says a distilled model; those of the first release have the old vocabularies.
TEST(Windows, DistilledModelsOfTheFirstReleaseHaveNoTimestamps) {
  SyntheticSpec spec;
  spec.n_text_layer = 2;
  const std::unique_ptr<Context> context = load(spec);
  Session s(*context);
  const Playback heard = s.play(3999, Scripts{{kA, kB, s.eot()}, {kC, s.eot()}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes[0], 2) << "start of transcript, no timestamps";
  EXPECT_EQ(heard.seeks, (Frames{0, 3000}));
  EXPECT_EQ(s.segments(), (Lines{"0-3000 aaab", "3000-3999 ac"}));
}

TEST(Windows, DistilledModelsOfLargeV3HaveTimestamps) {
  SyntheticSpec spec;
  spec.n_vocab = 51866;
  spec.n_mels = 128;
  spec.n_text_layer = 2;
  const std::unique_ptr<Context> context = load(spec);
  Session s(*context);
  const Playback heard = s.play(2000, Scripts{{s.at(0), kA, s.at(5), s.at(5), s.eot()}, {s.at(0), kB, s.at(14.96)}});
  ASSERT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(heard.prompt_sizes[0], 3) << "start of transcript, language, task";
  EXPECT_EQ(heard.seeks, (Frames{0, 500}));
  EXPECT_EQ(s.segments(), (Lines{"0-500 aa", "500-1996 ab"}));
}

}  // namespace
}  // namespace speech::testing
