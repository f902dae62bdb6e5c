// The rules that make stretches of speech out of probabilities, each by its name, without a model.
#include "vad/speech_segments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "vad/silero_model.h"

namespace speech {
namespace {

constexpr std::int64_t kWindow = kVadWindowSamples;

/// Probabilities from runs: so many windows of one value.
std::vector<float> runs(std::initializer_list<std::pair<int, float>> pieces) {
  std::vector<float> probabilities;
  for (const auto& [n_windows, value] : pieces) {
    probabilities.insert(probabilities.end(), static_cast<std::size_t>(n_windows), value);
  }
  return probabilities;
}

/// Stretches in samples, of a recording that fills its windows.
std::vector<std::pair<std::int64_t, std::int64_t>> found(const std::vector<float>& probabilities,
                                                         const VadOptions& options, std::int64_t n_samples = -1) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const std::int64_t n = n_samples >= 0 ? n_samples : static_cast<std::int64_t>(probabilities.size()) * kWindow;
  for (const auto& [begin, end] : find_speech(probabilities, n, options)) {
    pairs.emplace_back(begin, end);
  }
  return pairs;
}

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// No padding and no least length: what is left is the rule under test.
VadOptions bare() {
  VadOptions options;
  options.pad_ms = 0;
  options.min_speech_ms = 0;
  return options;
}

TEST(SpeechSegments, NothingComesOfNothing) {
  EXPECT_EQ(found({}, VadOptions{}), Pairs{});
  EXPECT_EQ(found(runs({{100, 0.1F}}), VadOptions{}), Pairs{});
  EXPECT_EQ(found(runs({{10, 1.0F}}), VadOptions{}, 0), Pairs{});
}

TEST(SpeechSegments, SpeechBeginsAtTheThresholdItself) {
  VadOptions options = bare();
  options.threshold = 0.75F;
  EXPECT_EQ(found(runs({{10, 0.7499F}, {20, 0.75F}}), options), (Pairs{{10 * kWindow, 30 * kWindow}}));
}

TEST(SpeechSegments, SpeechGoesOnAboveTheLowerThreshold) {
  // 0.36 is under the threshold but not under threshold - 0.15.
  EXPECT_EQ(found(runs({{5, 0.9F}, {30, 0.36F}, {20, 0.1F}}), bare()), (Pairs{{0, 35 * kWindow}}));
  EXPECT_EQ(found(runs({{5, 0.9F}, {30, 0.34F}, {20, 0.1F}}), bare()), (Pairs{{0, 5 * kWindow}}));
}

TEST(SpeechSegments, BetweenTheThresholdsSilenceGoesOn) {
  // Silence that began counts on until the threshold itself is reached again.
  EXPECT_EQ(found(runs({{20, 0.9F}, {1, 0.1F}, {3, 0.4F}, {1, 0.1F}, {20, 0.4F}}), bare()), (Pairs{{0, 20 * kWindow}}));
  EXPECT_EQ(found(runs({{20, 0.9F}, {1, 0.1F}, {2, 0.5F}, {1, 0.1F}, {20, 0.4F}}), bare()), (Pairs{{0, 44 * kWindow}}));
}

TEST(SpeechSegments, TheLowerThresholdIsNeverUnderAHundredth) {
  VadOptions options = bare();
  options.threshold = 0.1F;
  EXPECT_EQ(found(runs({{10, 0.5F}, {20, 0.005F}}), options), (Pairs{{0, 10 * kWindow}}));
  EXPECT_EQ(found(runs({{10, 0.5F}, {20, 0.02F}}), options), (Pairs{{0, 30 * kWindow}}));
}

TEST(SpeechSegments, AThresholdOfZeroMakesEverythingSpeech) {
  VadOptions options = bare();
  options.threshold = 0.0F;
  options.min_silence_ms = 0;
  EXPECT_EQ(found(runs({{10, 0.0F}, {10, 0.005F}}), options), (Pairs{{0, 20 * kWindow}}));
}

TEST(SpeechSegments, SilenceEndsSpeechOnlyWhenItLastsLongEnough) {
  VadOptions options = bare();
  options.min_silence_ms = 500;  // 8000 samples: the 17th window of silence tells
  EXPECT_EQ(found(runs({{10, 0.9F}, {16, 0.1F}, {10, 0.9F}}), options), (Pairs{{0, 36 * kWindow}}));
  EXPECT_EQ(found(runs({{10, 0.9F}, {17, 0.1F}, {10, 0.9F}}), options),
            (Pairs{{0, 10 * kWindow}, {27 * kWindow, 37 * kWindow}}));
}

TEST(SpeechSegments, ShortSpeechIsLeftOut) {
  VadOptions options = bare();
  options.min_speech_ms = 320;  // ten windows, which are not more than ten windows
  EXPECT_EQ(found(runs({{10, 0.9F}, {20, 0.1F}, {11, 0.9F}, {20, 0.1F}}), options),
            (Pairs{{30 * kWindow, 41 * kWindow}}));
  // The same at the end of the recording.
  EXPECT_EQ(found(runs({{20, 0.1F}, {10, 0.9F}}), options), Pairs{});
}

TEST(SpeechSegments, SmallGapsAreClosed) {
  // 6 windows are 192 ms, 7 are 224 ms.
  EXPECT_EQ(found(runs({{20, 0.9F}, {6, 0.1F}, {20, 0.9F}}), bare()), (Pairs{{0, 46 * kWindow}}));
  EXPECT_EQ(found(runs({{20, 0.9F}, {7, 0.1F}, {20, 0.9F}}), bare()),
            (Pairs{{0, 20 * kWindow}, {27 * kWindow, 47 * kWindow}}));
}

TEST(SpeechSegments, LongSpeechIsCutAtItsLongestSilence) {
  VadOptions options = bare();
  options.min_silence_ms = 1000;
  options.max_speech_s = 3.2F;  // 100 windows, of which one is taken off
  // Silences of 4, 6 and 5 windows; the first three windows of one (98 ms) do not count.
  const std::vector<float> probabilities =
      runs({{20, 0.9F}, {4, 0.1F}, {20, 0.9F}, {8, 0.1F}, {20, 0.9F}, {5, 0.1F}, {40, 0.9F}});
  EXPECT_EQ(found(probabilities, options), (Pairs{{0, 44 * kWindow}, {52 * kWindow, 117 * kWindow}}));
}

TEST(SpeechSegments, OfEquallyLongSilencesTheFirstIsCut) {
  VadOptions options = bare();
  options.min_silence_ms = 1000;
  options.max_speech_s = 3.2F;
  const std::vector<float> probabilities = runs({{30, 0.9F}, {8, 0.1F}, {30, 0.9F}, {8, 0.1F}, {40, 0.9F}});
  EXPECT_EQ(found(probabilities, options), (Pairs{{0, 30 * kWindow}, {38 * kWindow, 116 * kWindow}}));
}

TEST(SpeechSegments, LongSpeechWithoutSilenceIsCutRightThereAndNothingIsLost) {
  VadOptions options = bare();
  options.max_speech_s = 1.6F;  // 50 windows, less one; the cut is at the first window beyond
  const Pairs pairs = found(runs({{120, 0.9F}}), options);
  EXPECT_EQ(pairs, (Pairs{{0, 50 * kWindow}, {50 * kWindow, 100 * kWindow}, {100 * kWindow, 120 * kWindow}}));
}

TEST(SpeechSegments, ACutIsNotUndoneBySmallGaps) {
  VadOptions options = bare();
  options.min_silence_ms = 1000;
  options.max_speech_s = 1.6F;
  // A gap of 5 windows is smaller than 200 ms, but closing it would undo the cut.
  const Pairs pairs = found(runs({{30, 0.9F}, {5, 0.1F}, {30, 0.9F}}), options);
  EXPECT_EQ(pairs, (Pairs{{0, 30 * kWindow}, {35 * kWindow, 65 * kWindow}}));
}

TEST(SpeechSegments, NoLengthIsTooLongByDefault) {
  for (const float unlimited : {VadOptions{}.max_speech_s, std::numeric_limits<float>::infinity()}) {
    VadOptions options = bare();
    options.max_speech_s = unlimited;
    EXPECT_EQ(found(runs({{100000, 0.9F}}), options), (Pairs{{0, 100000 * kWindow}}));
  }
}

TEST(SpeechSegments, ATinyMaximumMakesPiecesOfTwoWindowsAndEnds) {
  VadOptions options = bare();
  options.max_speech_s = std::numeric_limits<float>::denorm_min();
  const Pairs pairs = found(runs({{9, 0.9F}}), options);
  ASSERT_FALSE(pairs.empty());
  EXPECT_EQ(pairs.front().first, 0);
  EXPECT_EQ(pairs.back().second, 9 * kWindow);
}

TEST(SpeechSegments, BothSidesArePaddedInsideTheRecording) {
  VadOptions options = bare();
  options.pad_ms = 100;  // 1600 samples
  EXPECT_EQ(found(runs({{10, 0.1F}, {20, 0.9F}, {10, 0.1F}}), options),
            (Pairs{{10 * kWindow - 1600, 30 * kWindow + 1600}}));
  EXPECT_EQ(found(runs({{2, 0.1F}, {20, 0.9F}, {5, 0.1F}}), options), (Pairs{{0, 22 * kWindow + 1600}}));
  EXPECT_EQ(found(runs({{20, 0.9F}}), options), (Pairs{{0, 20 * kWindow}}));
}

TEST(SpeechSegments, NeighboursShareAGapThatIsTooSmallForBothPads) {
  VadOptions options = bare();
  options.pad_ms = 200;
  const Pairs pairs = found(runs({{20, 0.9F}, {7, 0.1F}, {20, 0.9F}}), options);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].second, 20 * kWindow + 7 * kWindow / 2);
  EXPECT_EQ(pairs[1].first, pairs[0].second);
}

TEST(SpeechSegments, NeverReachBeyondTheRecording) {
  // The last window holds 10 samples of the recording.
  const std::int64_t n_samples = 29 * kWindow + 10;
  EXPECT_EQ(found(runs({{30, 0.9F}}), VadOptions{}, n_samples), (Pairs{{0, n_samples}}));
  // Probabilities for windows that the recording has not.
  EXPECT_EQ(found(runs({{40, 0.9F}}), VadOptions{}, n_samples), (Pairs{{0, n_samples}}));
}

TEST(SpeechSegments, AreInOrderAndApartWhateverTheProbabilities) {
  // Pseudo-random runs, all sorts of options.
  std::uint32_t state = 1;
  const auto next = [&state](std::uint32_t n) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % n;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<float> probabilities;
    while (probabilities.size() < 200) {
      probabilities.insert(probabilities.end(), 1 + next(12), static_cast<float>(next(100)) / 99.0F);
    }
    VadOptions options;
    options.threshold = static_cast<float>(next(101)) / 100.0F;
    options.min_speech_ms = static_cast<int>(next(400));
    options.min_silence_ms = static_cast<int>(next(400));
    options.max_speech_s = next(2) == 0 ? 0.1F + static_cast<float>(next(30)) / 10.0F : VadOptions{}.max_speech_s;
    options.pad_ms = static_cast<int>(next(300));
    const std::int64_t n_samples = 100 * kWindow + next(100 * kWindow);
    std::int64_t last_end = 0;
    for (const auto& [begin, end] : found(probabilities, options, n_samples)) {
      EXPECT_LE(last_end, begin) << "round " << round;
      EXPECT_LT(begin, end) << "round " << round;
      EXPECT_LE(end, n_samples) << "round " << round;
      last_end = end;
    }
  }
}

void expect_refused(const VadOptions& options, const std::string& name) {
  const Status status = check(options);
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << name;
  EXPECT_EQ(status.message().rfind(name + " is ", 0), 0U) << status.message();
  EXPECT_NE(status.message().find("; expected "), std::string::npos) << status.message();
}

TEST(VadOptionsCheck, RefusesEachOptionOutOfItsRangeByName) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float value : {-0.01F, 1.01F, kNan, kInfinity}) {
    expect_refused({.threshold = value}, "threshold");
  }
  for (const int value : {-1, 3600001, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    expect_refused({.min_speech_ms = value}, "min_speech_duration_ms");
    expect_refused({.min_silence_ms = value}, "min_silence_duration_ms");
    expect_refused({.pad_ms = value}, "speech_pad_ms");
  }
  for (const float value : {0.0F, -1.0F, kNan, -kInfinity}) {
    expect_refused({.max_speech_s = value}, "max_speech_duration_s");
  }
  for (const float value : {-0.1F, 3601.0F, kNan, kInfinity}) {
    expect_refused({.overlap_s = value}, "samples_overlap");
  }
  EXPECT_EQ(check({.threshold = 1.5F}).message(), "threshold is 1.5; expected 0 to 1");
}

TEST(VadOptionsCheck, AcceptsTheEndsOfEachRange) {
  EXPECT_TRUE(check(VadOptions{}).is_ok());
  EXPECT_TRUE(
      check({.threshold = 0.0F, .min_speech_ms = 0, .min_silence_ms = 0, .pad_ms = 0, .overlap_s = 0.0F}).is_ok());
  EXPECT_TRUE(check({.threshold = 1.0F,
                     .min_speech_ms = 3600000,
                     .max_speech_s = std::numeric_limits<float>::infinity(),
                     .overlap_s = 3600.0F})
                  .is_ok());
}

}  // namespace
}  // namespace speech
