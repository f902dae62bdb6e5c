// The transform of 400 real samples against the definition of the discrete Fourier transform.
#include "audio/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <random>

namespace speech {
namespace {

using Frames = std::array<FftLanes, kFftLength>;
using Power = std::array<FftLanes, kSpectrumBins>;

Power power_of(const Frames& frames) {
  auto scratch = std::make_unique<RealFft400::Scratch>();
  Power power;
  RealFft400::instance().power(frames, *scratch, power);
  return power;
}

Frames random_frames(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Frames frames;
  for (FftLanes& sample : frames) {
    for (double& value : sample.lane) {
      value = uniform(generator);
    }
  }
  return frames;
}

double direct_power(const Frames& frames, int lane, int bin) {
  std::complex<double> sum = 0.0;
  for (int n = 0; n < kFftLength; ++n) {
    sum += frames[n].lane[lane] * std::polar(1.0, -2.0 * std::numbers::pi * ((bin * n) % kFftLength) / kFftLength);
  }
  return std::norm(sum);
}

TEST(RealFft400, EqualsTheDirectTransformInEveryBinAndLane) {
  const Frames frames = random_frames(1);
  const Power power = power_of(frames);
  for (int bin = 0; bin < kSpectrumBins; ++bin) {
    for (int lane = 0; lane < kFftLanes; ++lane) {
      // The power of a random frame is about 400 / 3 per bin; 400 double roundings of that size stay far below 1e-11 of
      // it.
      EXPECT_NEAR(power[bin].lane[lane], direct_power(frames, lane, bin), 1e-11 * 400) << "bin " << bin;
    }
  }
}

TEST(RealFft400, AnImpulseHasTheSamePowerInAllBins) {
  for (const int position : {0, 1, 2, 199, 200, 399}) {
    Frames frames{};
    frames[position].lane[0] = 3.0;
    const Power power = power_of(frames);
    for (int bin = 0; bin < kSpectrumBins; ++bin) {
      EXPECT_NEAR(power[bin].lane[0], 9.0, 1e-12) << "impulse at " << position << ", bin " << bin;
      EXPECT_EQ(power[bin].lane[1], 0.0);
    }
  }
}

TEST(RealFft400, ACosineHasAllItsPowerInItsBin) {
  for (const int bin : {0, 1, 7, 100, 199, 200}) {
    Frames frames;
    for (int n = 0; n < kFftLength; ++n) {
      for (double& value : frames[n].lane) {
        value = std::cos(2.0 * std::numbers::pi * bin * n / kFftLength);
      }
    }
    const double amplitude = bin == 0 || bin == 200 ? 400.0 : 200.0;
    const Power power = power_of(frames);
    for (int k = 0; k < kSpectrumBins; ++k) {
      EXPECT_NEAR(power[k].lane[2], k == bin ? amplitude * amplitude : 0.0, 1e-8) << "cosine " << bin << ", bin " << k;
    }
  }
}

TEST(RealFft400, AFramesResultDependsNeitherOnItsLaneNorOnItsNeighbours) {
  const Frames random = random_frames(2);
  Frames moved{};
  for (int n = 0; n < kFftLength; ++n) {
    moved[n].lane[3] = random[n].lane[0];
    moved[n].lane[1] = 1e30 * random[n].lane[1];
  }
  const Power power = power_of(random);
  const Power moved_power = power_of(moved);
  for (int bin = 0; bin < kSpectrumBins; ++bin) {
    EXPECT_EQ(power[bin].lane[0], moved_power[bin].lane[3]) << "bin " << bin;
  }
}

}  // namespace
}  // namespace speech
