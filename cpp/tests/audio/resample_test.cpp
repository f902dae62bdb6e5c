// The resampler against what the sampled sines, impulses and constants must become.
#include "audio/resample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "audio/audio.h"

namespace speech {
namespace {

std::vector<float> sine(int n, double frequency_hz, double rate_hz, double amplitude = 0.8) {
  std::vector<float> samples(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    samples[i] = static_cast<float>(amplitude * std::sin(2.0 * std::numbers::pi * frequency_hz * i / rate_hz));
  }
  return samples;
}

std::vector<float> resampled(std::span<const float> samples, int from_hz, int to_hz) {
  Result<std::vector<float>> result = resample(samples, from_hz, to_hz);
  EXPECT_TRUE(result) << result.status().message();
  return result ? std::move(result).value() : std::vector<float>();
}

/// Output samples whose filter lies within the input: 64 periods of the lower rate at both ends are not.
std::span<const float> interior(std::span<const float> out, int from_hz, int to_hz) {
  const auto edge = static_cast<std::size_t>(64.0 * to_hz / std::min(from_hz, to_hz)) + 2;
  return out.size() > 2 * edge ? out.subspan(edge, out.size() - 2 * edge) : std::span<const float>();
}

double largest(std::span<const float> samples) {
  double most = 0.0;
  for (const float sample : samples) {
    most = std::max(most, static_cast<double>(std::abs(sample)));
  }
  return most;
}

// The last four have too many phases for a table of their weights (16,000 of 354 and more) or far more input than
// output.
constexpr int kRates[] = {8000,  11025, 12000, 22050,  24000, 32000, 44100,
                          48000, 88200, 96000, 192000, 44101, 47999, 95999};

TEST(Resample, KeepsAmplitudeAndPhaseOfASineInThePassBand) {
  for (const int from_hz : kRates) {
    for (const double frequency_hz : {50.0, 1000.0, 0.89 * std::min(from_hz, 16000) / 2}) {
      const std::vector<float> out = resampled(sine(from_hz / 2, frequency_hz, from_hz), from_hz, 16000);
      const std::vector<float> expected = sine(static_cast<int>(out.size()), frequency_hz, 16000);
      std::vector<float> error(out.size());
      std::transform(out.begin(), out.end(), expected.begin(), error.begin(), std::minus<>());
      const std::span<const float> inner = interior(error, from_hz, 16000);
      ASSERT_FALSE(inner.empty());
      // Ripple 1e-5 by design, as much again for images and the float table; sample by sample, so phase is held as
      // well.
      EXPECT_LT(largest(inner), 3e-5) << frequency_hz << " Hz at " << from_hz << " Hz";
    }
  }
}

TEST(Resample, PutsTonesAboveTheNewNyquistRate80DecibelDown) {
  for (const int from_hz : {22050, 44100, 48000, 96000, 44101}) {
    for (const double frequency_hz : {8000.0, 8500.0, 10000.0, 0.49 * from_hz}) {
      const std::vector<float> out = resampled(sine(from_hz / 2, frequency_hz, from_hz, 1.0), from_hz, 16000);
      EXPECT_LT(largest(interior(out, from_hz, 16000)), 1e-4) << frequency_hz << " Hz at " << from_hz << " Hz";
    }
  }
}

TEST(Resample, LeavesNoImagesWhenTheRateGoesUp) {
  // 3 kHz at 8 kHz has its image at 5 kHz; what is left beside the 3 kHz sine bounds it.
  const std::vector<float> out = resampled(sine(8000, 3000.0, 8000, 1.0), 8000, 48000);
  const std::vector<float> expected = sine(static_cast<int>(out.size()), 3000.0, 48000, 1.0);
  std::vector<float> error(out.size());
  std::transform(out.begin(), out.end(), expected.begin(), error.begin(), std::minus<>());
  EXPECT_LT(largest(interior(error, 8000, 48000)), 1e-4);
}

TEST(Resample, KeepsAConstant) {
  for (const int from_hz : kRates) {
    const std::vector<float> ones(static_cast<std::size_t>(from_hz / 4), 1.0F);
    const std::vector<float> out = resampled(ones, from_hz, 16000);
    for (const float sample : interior(out, from_hz, 16000)) {
      ASSERT_NEAR(sample, 1.0F, 2e-5F) << from_hz;
    }
  }
}

TEST(Resample, PutsAnImpulseWhereItsTimeIsAndSymmetricallyAround) {
  struct Case {
    int from_hz;
    int at;        // input sample
    int expected;  // output sample of the same time
  };
  for (const Case& c : {Case{48000, 3000, 1000}, Case{44100, 441 * 5, 160 * 5}, Case{8000, 400, 800},
                        Case{11025, 441 * 2, 640 * 2}, Case{96000, 6000, 1000}}) {
    std::vector<float> impulse(static_cast<std::size_t>(2 * c.at + 1));
    impulse[c.at] = 1.0F;
    const std::vector<float> out = resampled(impulse, c.from_hz, 16000);
    EXPECT_EQ(std::max_element(out.begin(), out.end()) - out.begin(), c.expected) << c.from_hz;
    for (int i = 1; i <= 60; ++i) {
      ASSERT_NEAR(out[c.expected - i], out[c.expected + i], 1e-7F) << c.from_hz << ", distance " << i;
    }
  }
}

TEST(Resample, GivesTheLengthRoundedUp) {
  for (const int n : {0, 1, 2, 3, 159, 160, 161, 441, 442, 48000}) {
    for (const int from_hz : {8000, 16000, 44100, 48000, 44101}) {
      const auto expected = static_cast<std::size_t>(std::ceil(n * 16000.0 / from_hz));
      EXPECT_EQ(resampled(std::vector<float>(static_cast<std::size_t>(n)), from_hz, 16000).size(), expected);
      EXPECT_EQ(resampled_length(n, from_hz, 16000), static_cast<std::int64_t>(expected));
    }
  }
  EXPECT_EQ(resampled_length(std::int64_t{1} << 43U, 1, 1000000), (std::int64_t{1} << 43U) * 1000000);
}

TEST(Resample, OneSampleBecomesTheKernelAroundIt) {
  const std::vector<float> one = {1.0F};
  const std::vector<float> out = resampled(one, 8000, 16000);
  ASSERT_EQ(out.size(), 2U);
  EXPECT_NEAR(out[0], 0.95F, 1e-6F);  // the kernel's peak is its cut-off, relative to the lower Nyquist rate
  EXPECT_NEAR(out[1], 0.95 * std::sin(0.475 * std::numbers::pi) / (0.475 * std::numbers::pi), 1e-3);
}

TEST(Resample, EqualRatesGiveACopy) {
  const std::vector<float> samples = sine(1000, 7900.0, 16000);
  EXPECT_EQ(resampled(samples, 16000, 16000), samples);
}

TEST(Resample, InPiecesGivesTheSameBitForBit) {
  for (const int from_hz : {8000, 44100, 48000, 192000, 44101}) {
    const std::vector<float> samples = sine(from_hz / 5 + 17, 440.0, from_hz);
    const std::vector<float> whole = resampled(samples, from_hz, 16000);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, samples.size()}) {
      StreamResampler resampler(from_hz, 16000);
      std::vector<float> out;
      for (std::size_t at = 0; at < samples.size(); at += piece) {
        resampler.push(std::span(samples).subspan(at, std::min(piece, samples.size() - at)), out);
      }
      resampler.finish(out);
      EXPECT_EQ(out, whole) << from_hz << " Hz in pieces of " << piece;
    }
  }
}

TEST(Resample, ExtremeRatesTakeBoundedMemoryAndTime) {
  const std::vector<float> samples(2000, 1.0F);
  EXPECT_EQ(resampled(samples, 1000000, 1).size(), 1U);
  EXPECT_EQ(resampled(std::span(samples).first(2), 1, 1000000).size(), 2000000U);
  EXPECT_EQ(resampled(samples, 999983, 999979).size(), 2000U);
}

TEST(Resample, RefusesRatesLengthsAndSamplesOutOfRange) {
  const std::vector<float> samples(10, 0.5F);
  std::vector<float> infinite = samples;
  infinite[7] = std::numeric_limits<float>::infinity();
  std::vector<float> undefined = samples;
  undefined[7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> huge = samples;
  huge[7] = 2e30F;
  for (const auto& result : {resample(samples, 0, 16000), resample(samples, 16000, 0), resample(samples, -1, 16000),
                             resample(samples, 1000001, 16000), resample(samples, 16000, 2147483647),
                             resample(std::vector<float>(3000), 1, 1000000)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
  }
  for (const auto& result : {resample(infinite, 8000, 16000), resample(undefined, 8000, 16000),
                             resample(huge, 8000, 16000), resample(undefined, 16000, 16000)}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
    EXPECT_NE(result.status().message().find("sample 7 "), std::string::npos) << result.status().message();
  }
}

}  // namespace
}  // namespace speech
