// binary16 conversion against its definition: sign, exponent and fraction evaluated in double precision.

#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace speech {
namespace {

// IEEE 754, table 3.5: 5 bits of exponent with bias 15, 10 bits of fraction.
double definition(unsigned half) {
  const double sign = (half & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((half >> 10U) & 31U);
  const double fraction = (half & 1023U) / 1024.0;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  return exponent == 0 ? sign * std::ldexp(fraction, -14) : sign * std::ldexp(1 + fraction, exponent - 15);
}

TEST(Half, ToFloatIsExactForEveryBitPattern) {
  for (unsigned half = 0; half < 65536; ++half) {
    const float value = half_to_float(static_cast<std::uint16_t>(half));
    const double expected = definition(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << half;
    } else {
      ASSERT_EQ(value, expected) << half;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << half;
    }
  }
}

TEST(Half, FloatOfEveryHalfComesBack) {
  for (unsigned half = 0; half < 65536; ++half) {
    const float value = half_to_float(static_cast<std::uint16_t>(half));
    if (!std::isnan(value)) {
      ASSERT_EQ(float_to_half(value), half);
    }
  }
}

TEST(Half, BetweenTwoHalvesTheNearerIsTakenAndTheEvenOneInTheMiddle) {
  for (std::uint16_t low = 0; low < 0x7BFF; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const float middle = static_cast<float>((definition(low) + definition(high)) / 2);
    ASSERT_EQ(float_to_half(middle), low % 2 == 0 ? low : high) << low;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0F)), low) << low;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 1e9F)), high) << low;
    ASSERT_EQ(float_to_half(-middle), 0x8000U | (low % 2 == 0 ? low : high)) << low;
  }
}

TEST(Half, WhatIsTooLargeIsInfiniteAndNaNStays) {
  EXPECT_EQ(float_to_half(65504.0F), 0x7BFF);
  EXPECT_EQ(float_to_half(65519.99F), 0x7BFF);
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_half(-1e38F), 0xFC00);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(float_to_half(1e-40F), 0);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace speech
