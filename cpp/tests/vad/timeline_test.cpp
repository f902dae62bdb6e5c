// The cut recording and the way back from its times.
#include "vad/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "vad/cut_samples.h"

namespace speech {
namespace {

/// Sample i holds i + 1, so that no sample is silence.
std::vector<float> numbered(std::size_t n) {
  std::vector<float> pcm(n);
  std::iota(pcm.begin(), pcm.end(), 1.0F);
  return pcm;
}

using Span = std::pair<std::int64_t, std::int64_t>;

const std::vector<SpeechSegment> kSegments = {{16000, 32000}, {100000, 148000}, {200000, 216000}};

/// A recording with the silences cut out.
struct CutRecording {
  std::vector<float> pcm;
  Timeline timeline;
};

CutRecording cut_recording(const std::vector<float>& pcm, std::span<const SpeechSegment> segments,
                           std::int64_t overlap_samples) {
  CutRecording cut{{}, join_speech(segments, overlap_samples)};
  const CutSamples samples(pcm, cut.timeline);
  cut.pcm.resize(samples.size());
  EXPECT_TRUE(samples.read(0, cut.pcm));
  return cut;
}

/// Stretches of 16000 + 1000, 48000 + 1000 and 16000 samples; silences between them.
CutRecording cut_example() { return cut_recording(numbered(250000), kSegments, 1000); }

TEST(CutRecording, JoinsStretchesWithATenthOfASecondOfSilence) {
  const CutRecording cut = cut_recording(numbered(250000), kSegments, 0);
  ASSERT_EQ(cut.pcm.size(), 16000U + 1600U + 48000U + 1600U + 16000U);
  EXPECT_EQ(cut.pcm[0], 16001.0F);
  EXPECT_EQ(cut.pcm[15999], 32000.0F);
  for (std::size_t i = 16000; i < 17600; ++i) {
    ASSERT_EQ(cut.pcm[i], 0.0F);
  }
  EXPECT_EQ(cut.pcm[17600], 100001.0F);
  EXPECT_EQ(cut.pcm.back(), 216000.0F);
}

TEST(CutRecording, EachStretchButTheLastTakesTheOverlapBehindIt) {
  const CutRecording cut = cut_example();
  ASSERT_EQ(cut.pcm.size(), 17000U + 1600U + 49000U + 1600U + 16000U);
  EXPECT_EQ(cut.pcm[16999], 33000.0F);
  EXPECT_EQ(cut.pcm[17000], 0.0F);
  EXPECT_EQ(cut.pcm.back(), 216000.0F);
}

TEST(CutRecording, NoSampleIsHeardTwice) {
  const std::vector<SpeechSegment> close = {{0, 1000}, {1200, 3000}, {3000, 4000}};
  const CutRecording cut = cut_recording(numbered(4000), close, 16000);
  std::vector<float> heard;
  for (const float sample : cut.pcm) {
    if (sample != 0.0F) {
      heard.push_back(sample);
    }
  }
  EXPECT_EQ(heard, numbered(4000));
}

TEST(CutRecording, ManyStretchesUpToTheEndStayInsideTheRecording) {
  // Speech and pauses in turn to the very end, in recordings that end anywhere inside a window.
  VadOptions options;
  options.min_speech_ms = 0;
  options.pad_ms = 100;
  std::vector<float> probabilities(400);
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    probabilities[i] = i % 11 < 4 ? 0.9F : 0.1F;
  }
  for (std::int64_t n_samples = 398 * 512 + 1; n_samples <= 400 * 512; n_samples += 37) {
    const std::vector<float> pcm = numbered(static_cast<std::size_t>(n_samples));
    const std::vector<SpeechSegment> segments = find_speech(probabilities, n_samples, options);
    ASSERT_GT(segments.size(), 30U);
    const CutRecording cut = cut_recording(pcm, segments, 1600);
    EXPECT_EQ(cut.pcm.back(), static_cast<float>(segments.back().end));
    EXPECT_LE(cut.timeline.end_to_original(1 << 30), n_samples);
  }
}

TEST(CutRecording, IsTheSameHoweverItIsRead) {
  const std::vector<float> pcm = numbered(250000);
  const CutRecording cut = cut_example();
  const CutSamples samples(pcm, cut.timeline);
  for (const std::size_t n : {1U, 999U, 1601U, 70000U}) {
    std::vector<float> joined;
    for (std::size_t begin = 0; begin < samples.size(); begin += n) {
      std::vector<float> part(std::min(n, samples.size() - begin));
      ASSERT_TRUE(samples.read(begin, part));
      joined.insert(joined.end(), part.begin(), part.end());
    }
    EXPECT_EQ(joined, cut.pcm) << n;
  }
}

TEST(CutRecording, WithoutSpeechIsEmpty) {
  const CutRecording cut = cut_recording(numbered(1000), {}, 1600);
  EXPECT_TRUE(cut.pcm.empty());
  EXPECT_FALSE(cut.timeline.is_identity());
  EXPECT_EQ(cut.timeline.to_original(10, 20), (Span{0, 0}));
  EXPECT_EQ(cut.timeline.to_original_10ms(10, 20), (Span{0, 0}));
}

TEST(Timeline, IsTheIdentityWhereNothingWasCut) {
  const Timeline timeline;
  EXPECT_TRUE(timeline.is_identity());
  EXPECT_EQ(timeline.to_original(5, 17), (Span{5, 17}));
  EXPECT_EQ(timeline.to_original_10ms(5, 17), (Span{5, 17}));
}

TEST(Timeline, EachSampleOfAStretchIsFoundAgain) {
  const CutRecording cut = cut_example();
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(cut.pcm.size()); i += 7) {
    const float sample = cut.pcm[static_cast<std::size_t>(i)];
    if (sample != 0.0F) {
      ASSERT_EQ(cut.timeline.begin_to_original(i), static_cast<std::int64_t>(sample) - 1);
      ASSERT_EQ(cut.timeline.end_to_original(i + 1), static_cast<std::int64_t>(sample));
    }
  }
}

TEST(Timeline, WhatBeginsInAJoiningSilenceBeginsWithTheNextStretch) {
  EXPECT_EQ(cut_example().timeline.begin_to_original(17000), 100000);
  EXPECT_EQ(cut_example().timeline.begin_to_original(18599), 100000);
}

TEST(Timeline, WhatEndsInAJoiningSilenceEndsWithTheStretchBefore) {
  EXPECT_EQ(cut_example().timeline.end_to_original(17001), 33000);
  EXPECT_EQ(cut_example().timeline.end_to_original(18600), 33000);
  EXPECT_EQ(cut_example().timeline.end_to_original(18601), 100001);
}

TEST(Timeline, WhatLiesInAJoiningSilenceHasNoLength) {
  EXPECT_EQ(cut_example().timeline.to_original(17200, 17800), (Span{33000, 33000}));
}

TEST(Timeline, UserReport25WhatReachesOverACutByASliverStandsAtOneSide) {
  const Timeline timeline = cut_example().timeline;  // stretches at 0 to 17000 and 18600 to 67600 of the cut recording
  EXPECT_EQ(timeline.to_original(17000 - kSliverSamples, 30000), (Span{100000, 111400}));
  EXPECT_EQ(timeline.to_original(17000 - kSliverSamples - 1, 30000), (Span{29799, 111400})) << "too much for a sliver";
  EXPECT_EQ(timeline.to_original(5000, 18600 + kSliverSamples), (Span{21000, 33000}));
  EXPECT_EQ(timeline.to_original(5000, 18600 + kSliverSamples + 1), (Span{21000, 103201}));
  // As much on both sides is on both sides.
  EXPECT_EQ(timeline.to_original(16900, 18700), (Span{32900, 100100}));
  // A sliver at both ends leaves the stretch between.
  EXPECT_EQ(timeline.to_original(16900, 69200 + 100), (Span{100000, 149000}));
}

TEST(Timeline, SpansInOrderStayInOrder) {
  const Timeline timeline = cut_example().timeline;
  std::int64_t last_end = 0;
  for (const std::int64_t step : {700, 1900, 5300, 21000}) {
    last_end = 0;
    for (std::int64_t cut = 0; cut < 90000; cut += step) {
      const auto [begin, end] = timeline.to_original(cut, cut + step);
      ASSERT_LE(last_end, begin) << step << " at " << cut;
      ASSERT_LE(begin, end);
      last_end = end;
    }
  }
}

TEST(Timeline, NeverGoesBackwards) {
  const Timeline timeline = cut_example().timeline;
  std::int64_t last_begin = -1;
  std::int64_t last_end = -1;
  for (std::int64_t cut = -500; cut < 100000; cut += 13) {
    const std::int64_t begin = timeline.begin_to_original(cut);
    const std::int64_t end = timeline.end_to_original(cut);
    ASSERT_GE(begin, last_begin);
    ASSERT_GE(end, last_end);
    ASSERT_LE(end, begin) << "one thing's end comes before the next one's begin";
    last_begin = begin;
    last_end = end;
  }
}

TEST(Timeline, IsClampedToTheSpeechThatWasKept) {
  const Timeline timeline = cut_example().timeline;
  EXPECT_EQ(timeline.to_original(-100, -50), (Span{16000, 16000}));
  EXPECT_EQ(timeline.to_original(0, 480000), (Span{16000, 216000}));
  EXPECT_EQ(timeline.to_original(300000, 480000), (Span{216000, 216000}));
}

TEST(Timeline, TimesInTenMillisecondsAreRoundedButNeverPastTheEnd) {
  // A stretch that ends in the middle of a 10 ms unit.
  const std::vector<SpeechSegment> segments = {{1000, 2000}, {16000, 16000 + 250}};
  const Timeline timeline = cut_recording(numbered(20000), segments, 0).timeline;
  EXPECT_EQ(timeline.to_original_10ms(0, 6), (Span{6, 12}));  // 1000 and 1960 samples
  const auto [begin, end] = timeline.to_original_10ms(0, 3000);
  EXPECT_EQ(end, 101);  // 16250 / 160 = 101.56
}

}  // namespace
}  // namespace speech
