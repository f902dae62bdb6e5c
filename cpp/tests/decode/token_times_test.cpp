// Heuristic token times: voice length, trusted timestamps, gaps, loudness, and order whatever comes in.
#include "decode/token_times.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "decode/made_up.h"
#include "decode/random.h"

namespace speech::testing {
namespace {

const Token kA = 'a';  // ids of single bytes are the bytes in this vocabulary

TokenData untrusted(Token id) {
  TokenData data = token(id);
  data.timestamp_probability = 0;
  return data;
}

/// A text token at which the decoder would have put this timestamp, too.
TokenData trusted(Token id, double seconds) {
  TokenData data = token(id);
  data.timestamp_id = timestamp(seconds);
  data.timestamp_probability = 0.5F;
  data.timestamp_sum_probability = 0.5F;
  return data;
}

Segment segment_of(int start, int end, std::vector<TokenData> tokens) {
  Segment segment;
  segment.start = start;
  segment.end = end;
  segment.tokens = std::move(tokens);
  return segment;
}

void expect_in_order(const Segment& segment) {
  int latest = segment.start;
  for (const TokenData& token : segment.tokens) {
    ASSERT_LE(latest, token.t0);
    ASSERT_LE(token.t0, token.t1);
    ASSERT_LE(token.t1, segment.end);
    latest = token.t1;
  }
}

std::vector<int> starts(const Segment& segment) {
  std::vector<int> times;
  for (const TokenData& token : segment.tokens) {
    times.push_back(token.t0);
  }
  return times;
}

/// Loud (0.5) or silent in each frame of 10 ms.
SignalEnergy energy_of(const std::vector<bool>& loud) {
  std::vector<float> pcm;
  for (const bool is_loud : loud) {
    pcm.insert(pcm.end(), 160, is_loud ? 0.5F : 0.0F);
  }
  return SignalEnergy(pcm);
}

TEST(VoiceLength, CountsLettersAndWeighsMarks) {
  EXPECT_FLOAT_EQ(voice_length("abc"), 3.0F);
  EXPECT_FLOAT_EQ(voice_length(" a"), 1.01F);
  EXPECT_FLOAT_EQ(voice_length("a,"), 3.0F);
  EXPECT_FLOAT_EQ(voice_length(".!?"), 9.0F);
  EXPECT_FLOAT_EQ(voice_length("42"), 6.0F);
  EXPECT_FLOAT_EQ(voice_length(""), 0.0F);
}

TEST(VoiceLength, UserReport33CountsCodePointsNotBytes) {
  EXPECT_FLOAT_EQ(voice_length("中文，"), 4.0F);  // bytes would make 9 of it
  EXPECT_FLOAT_EQ(voice_length("。！？"), 9.0F);
  EXPECT_FLOAT_EQ(voice_length("４２"), 6.0F);
  EXPECT_FLOAT_EQ(voice_length("é😀"), 2.0F);
}

TEST(VoiceLength, ACharacterOfSeveralTokensCountsOnce) {
  EXPECT_FLOAT_EQ(voice_length("\xE4\xB8") + voice_length("\xAD"), 1.0F);
  EXPECT_FLOAT_EQ(voice_length("\xF0") + voice_length("\x9F\x98") + voice_length("\x80"), 1.0F);
}

TEST(SignalEnergy, IsTheMeanMagnitudeAroundEachSample) {
  std::vector<float> pcm(500);
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    pcm[i] = std::sin(0.2F * static_cast<float>(i)) * static_cast<float>(i) / 500.0F;
  }
  const auto around = [&](int i) {
    double sum = 0;
    for (int j = std::max(i - 32, 0); j <= std::min(i + 32, 499); ++j) {
      sum += std::fabs(static_cast<double>(pcm[static_cast<std::size_t>(j)]));
    }
    return sum / 65;
  };
  const SignalEnergy energy{pcm};
  ASSERT_EQ(energy.n_frames(), 4);
  for (int frame = 0; frame < 4; ++frame) {
    const int end = std::min(500, (frame + 1) * 160);
    double lowest = 1;
    double highest = 0;
    double sum = 0;
    for (int i = frame * 160; i < end; ++i) {
      lowest = std::min(lowest, around(i));
      highest = std::max(highest, around(i));
      sum += around(i);
    }
    // A running sum in double, stored as float: half a unit of its last place.
    EXPECT_NEAR(energy[frame].first, around(frame * 160), 1e-7);
    EXPECT_NEAR(energy[frame].lowest, lowest, 1e-7);
    EXPECT_NEAR(energy[frame].highest, highest, 1e-7);
    EXPECT_NEAR(energy[frame].mean, sum / (end - frame * 160), 1e-7);
  }
}

TEST(SignalEnergy, SilenceAfterNoiseIsNotNegative) {
  std::vector<float> pcm(16000, 0.0F);
  for (std::size_t i = 0; i < 8000; ++i) {
    pcm[i] = 0.1F + 1e-3F * static_cast<float>(i % 7);
  }
  const SignalEnergy energy{pcm};
  EXPECT_GE(energy[99].lowest, 0.0F);
  EXPECT_LT(energy[99].highest, 1e-9F);
}

TEST(SignalEnergy, TakesAnyLength) {
  for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 64U, 65U, 159U, 160U, 161U}) {
    const std::vector<float> pcm(n, 0.5F);
    EXPECT_EQ(SignalEnergy(pcm).n_frames(), static_cast<int>((n + 159) / 160)) << n;
  }
}

TEST(SignalEnergy, IsTheSameHoweverTheRecordingComes) {
  std::vector<float> pcm(1717);
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    pcm[i] = std::sin(0.1F * static_cast<float>(i * i % 97));
  }
  const SignalEnergy whole{pcm};
  for (const std::size_t n : {1U, 31U, 160U, 193U, 1000U}) {
    SignalEnergy energy;
    for (std::size_t begin = 0; begin < pcm.size(); begin += n) {
      energy.push(std::span(pcm).subspan(begin, std::min(n, pcm.size() - begin)));
    }
    energy.finish();
    ASSERT_EQ(energy.n_frames(), whole.n_frames()) << n;
    for (int frame = 0; frame < whole.n_frames(); ++frame) {
      EXPECT_EQ(energy[frame].first, whole[frame].first) << n;
      EXPECT_EQ(energy[frame].lowest, whole[frame].lowest) << n;
      EXPECT_EQ(energy[frame].highest, whole[frame].highest) << n;
      EXPECT_EQ(energy[frame].mean, whole[frame].mean) << n;
    }
  }
}

TEST(TokenTimes, GapsAreSharedByVoiceLength) {
  Segment segment =
      segment_of(100, 220, {untrusted(kA), untrusted('.'), untrusted(kA), untrusted(','), untrusted('b')});
  set_token_times(segment, 0, {}, english(), {});
  EXPECT_EQ(starts(segment), (std::vector<int>{100, 115, 160, 175, 205}));  // 1 + 3 + 1 + 2 + 1 letters of 15 frames
  EXPECT_EQ(segment.tokens.back().t1, 220);
  EXPECT_FLOAT_EQ(segment.tokens[1].vlen, 3.0F);
}

TEST(TokenTimes, AMarkTakesNoTime) {
  Segment segment = segment_of(100, 300, {token(timestamp(0)), untrusted(kA), untrusted(kA), token(timestamp(2))});
  set_token_times(segment, 100, {}, english(), {});
  EXPECT_EQ(starts(segment), (std::vector<int>{100, 100, 200, 300}));
  EXPECT_EQ(segment.tokens[2].t1, 300);
  EXPECT_EQ(segment.tokens[0].vlen, 0.0F);
}

TEST(TokenTimes, ATrustedTimestampIsWhereItsTokenBegins) {
  Segment segment = segment_of(1000, 1400, {untrusted(kA), untrusted(kA), trusted(kA, 3.0), untrusted(kA)});
  set_token_times(segment, 1000, {}, english(), {});
  EXPECT_EQ(starts(segment), (std::vector<int>{1000, 1150, 1300, 1350}));
}

TEST(TokenTimes, TimestampsBelowTheThresholdsAreNotTrusted) {
  const auto start_of_second = [](const TokenTimeOptions& options) {
    Segment segment = segment_of(0, 400, {untrusted(kA), trusted(kA, 3.0)});
    set_token_times(segment, 0, {}, english(), options);
    return segment.tokens[1].t0;
  };
  EXPECT_EQ(start_of_second({}), 300);
  EXPECT_EQ(start_of_second({.threshold_probability = 0.5F}), 200);
  EXPECT_EQ(start_of_second({.threshold_sum_probability = 0.5F}), 200);
}

TEST(TokenTimes, TimestampsThatDoNotIncreaseOrLieOutsideAreNotTrusted) {
  Segment back = segment_of(0, 400, {untrusted(kA), trusted(kA, 3.0), trusted(kA, 2.0), untrusted(kA)});
  set_token_times(back, 0, {}, english(), {});
  EXPECT_EQ(back.tokens[1].t0, 300);
  EXPECT_GT(back.tokens[2].t0, 300);
  expect_in_order(back);
  Segment outside = segment_of(0, 200, {untrusted(kA), trusted(kA, 3.0)});
  set_token_times(outside, 0, {}, english(), {});
  EXPECT_EQ(outside.tokens[1].t0, 100);
}

TEST(TokenTimes, ATokenEndsWhereItGetsQuietAndBeginsWhereItGetsLoud) {
  // Speech in frames 0 .. 29 and 70 .. 99; by length alone the border would be 50.
  std::vector<bool> loud(100, false);
  std::fill_n(loud.begin(), 30, true);
  std::fill_n(loud.begin() + 70, 30, true);
  Segment segment = segment_of(0, 100, {untrusted(kA), untrusted(kA), token(timestamp(1))});
  set_token_times(segment, 0, energy_of(loud), english(), {});
  EXPECT_EQ(segment.tokens[0].t0, 0);
  EXPECT_NEAR(segment.tokens[0].t1, 29, 1);  // smoothing spreads a border over 4 ms
  EXPECT_NEAR(segment.tokens[1].t0, 70, 1);
  EXPECT_EQ(segment.tokens[1].t1, 100);
}

TEST(TokenTimes, ATokenGrowsIntoSpeechUpToItsNeighbours) {
  // One burst in frames 40 .. 79; the second token was put at 60 .. 90.
  std::vector<bool> loud(120, false);
  std::fill_n(loud.begin() + 40, 40, true);
  Segment segment = segment_of(0, 120, {untrusted(kA), trusted(kA, 0.6), untrusted(kA), token(timestamp(1.2))});
  set_token_times(segment, 0, energy_of(loud), english(), {});
  EXPECT_NEAR(segment.tokens[0].t0, 40, 1);
  EXPECT_EQ(segment.tokens[0].t1, 60);
  EXPECT_EQ(segment.tokens[1].t0, 60);
  EXPECT_NEAR(segment.tokens[1].t1, 79, 1);
}

TEST(TokenTimes, ATokenInSilenceStaysWhereItIs) {
  std::vector<bool> loud(120, false);
  std::fill_n(loud.begin() + 40, 40, true);
  Segment segment = segment_of(0, 120, {trusted(kA, 0.4), trusted(kA, 0.9), token(timestamp(1.2))});
  set_token_times(segment, 0, energy_of(loud), english(), {});
  EXPECT_EQ(segment.tokens[1].t0, 90);
  EXPECT_EQ(segment.tokens[1].t1, 120);
}

TEST(TokenTimes, UserReport20TimesAreInOrderInsideTheirSegment) {
  Random random(7);
  const auto below = [&random](int n) { return static_cast<int>(random.uniform() * n); };
  for (int round = 0; round < 2000; ++round) {
    const int window = below(1000);
    const int start = window + below(500);
    const int end = start + below(300) * (round % 3);  // every third is empty
    std::vector<TokenData> tokens;
    const int n = 1 + below(12);
    for (int i = 0; i < n; ++i) {
      const int kind = below(4);
      tokens.push_back(kind == 0   ? token(timestamp(below(1501) / 50.0))
                       : kind == 1 ? trusted(kA, below(1501) / 50.0)
                                   : untrusted(static_cast<Token>(' ' + below(60))));
    }
    std::vector<bool> loud;
    for (int i = below(end + 50); i >= 0; --i) {  // shorter than the segment's end, sometimes
      loud.push_back(random.uniform() < (round % 2 == 0 ? 0.5 : 0.02));
    }
    Segment segment = segment_of(start, end, tokens);
    set_token_times(segment, window, round % 5 == 0 ? SignalEnergy() : energy_of(loud), english(), {});
    expect_in_order(segment);
    if (::testing::Test::HasFatalFailure()) {
      FAIL() << "round " << round;
    }
  }
}

TEST(TokenTimes, NoTokensAreNoError) {
  Segment segment = segment_of(0, 100, {});
  set_token_times(segment, 0, {}, english(), {});
  EXPECT_TRUE(segment.tokens.empty());
}

}  // namespace
}  // namespace speech::testing
