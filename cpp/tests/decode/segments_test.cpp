// Cutting tokens into segments, and how far the window moves on.
#include "decode/segments.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/made_up.h"

namespace speech::testing {
namespace {

Window window_at(int seek, int seek_end) { return {.seek = seek, .seek_end = seek_end, .max_steps = 220}; }

std::vector<TokenData> tokens_of(const std::vector<Token>& ids) {
  std::vector<TokenData> tokens;
  for (const Token id : ids) {
    tokens.push_back(token(id));
  }
  return tokens;
}

std::vector<Segment> cut(const std::vector<Token>& ids, const Window& window, int seek_delta = kWindowFrames,
                         int previous_end = 0, const CutOptions& options = {}) {
  return cut_segments(tokens_of(ids), window, seek_delta, previous_end, english(), options);
}

const Token kA = 'a';  // ids of single bytes are the bytes in this vocabulary
const Token kB = 'b';

TEST(CutSegments, OneForEachPairOfTimestamps) {
  const auto segments = cut({timestamp(0), kA, timestamp(2), timestamp(3), kB, timestamp(5)}, window_at(1000, 6000));
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].start, 1000);
  EXPECT_EQ(segments[0].end, 1200);
  EXPECT_EQ(segments[0].text, "a");
  EXPECT_EQ(segments[1].start, 1300);
  EXPECT_EQ(segments[1].end, 1500);
  EXPECT_EQ(segments[1].text, "b");
}

TEST(CutSegments, AnOpenEndTakesTheSeekDelta) {
  const auto segments = cut({timestamp(0), kA}, window_at(0, 6000), 700);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].end, 700);
}

TEST(CutSegments, NoSegmentEndsAfterTheAudioOrBeginsBeforeTheOneBefore) {
  const auto segments = cut({timestamp(0), kA, timestamp(29.98)}, window_at(0, 1500), kWindowFrames, 40);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].start, 40);
  EXPECT_EQ(segments[0].end, 1500);
}

TEST(CutSegments, TimestampsWithoutTextMakeNone) {
  EXPECT_TRUE(cut({timestamp(0), timestamp(2), timestamp(2), english().special().eot}, window_at(0, 6000)).empty());
  EXPECT_TRUE(cut({}, window_at(0, 6000)).empty());
}

TEST(CutSegments, SingleSegmentIgnoresTimestampsInside) {
  const auto segments =
      cut({timestamp(0), kA, timestamp(2), timestamp(3), kB}, window_at(0, 6000), kWindowFrames, 0, {true, false});
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].text, "ab");
}

TEST(CutSegments, SpecialTokensAreTextOnlyWhenKept) {
  const std::vector<Token> ids = {timestamp(0), kA, english().special().eot};
  EXPECT_EQ(cut(ids, window_at(0, 6000))[0].text, "a");
  EXPECT_EQ(cut(ids, window_at(0, 6000), kWindowFrames, 0, {false, true})[0].text, "[_BEG_]a[_EOT_]");
}

TEST(CutSegments, TextIsValidUtf8EvenIfACharacterIsCut) {
  const auto segments = cut({timestamp(0), kA, 0xC3, timestamp(2)}, window_at(0, 6000));
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].text, "a\xEF\xBF\xBD");
}

Sequence finished(const std::vector<Token>& ids, const Window& window) {
  Sequence sequence;
  sequence.reset(window.max_steps);
  for (const Token id : ids) {
    sequence.append(token(id), window, english().special());
  }
  sequence.score(-1);
  return sequence;
}

TEST(NextSeekDelta, MovesToTheLastTimestampOfAPair) {
  const Window window = window_at(0, 6000);
  const Sequence sequence = finished({timestamp(0), kA, timestamp(5), timestamp(5), english().special().eot}, window);
  EXPECT_EQ(next_seek_delta(sequence, window, english().special()), 500);
}

TEST(NextSeekDelta, ASingleTimestampAtTheEndSkipsTheWindow) {
  const Window window = window_at(0, 6000);
  const Sequence sequence = finished({timestamp(0), kA, timestamp(5), english().special().eot}, window);
  EXPECT_EQ(next_seek_delta(sequence, window, english().special()), kWindowFrames);
}

TEST(NextSeekDelta, ButNotBeyondTheEndOfTheAudio) {
  const Window window = window_at(4000, 6000);
  const Sequence sequence = finished({timestamp(0), kA, timestamp(5), english().special().eot}, window);
  EXPECT_EQ(next_seek_delta(sequence, window, english().special()), 2000);
}

TEST(NextSeekDelta, ASegmentFullByMaxTokensIsFollowedByItsRest) {
  Window window = window_at(0, 6000);
  window.max_tokens = 2;
  const Sequence sequence = finished({timestamp(0), kA, timestamp(5)}, window);
  EXPECT_EQ(next_seek_delta(sequence, window, english().special()), 500);
}

}  // namespace
}  // namespace speech::testing
