// Kernels of one row (conversion, activation, norm, softmax) of every table, against double precision and against
// scalar.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "kernels/arrays.h"
#include "kernels/select.h"
#include "kernels/weights.h"

namespace speech {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Rows : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels_ = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Tables, Rows, testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(Rows, HalfToFloatIsExactForEveryBitPattern) {
  std::vector<std::uint16_t> halves(65536);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    halves[i] = static_cast<std::uint16_t>(i);
  }
  std::vector<float> values(halves.size());
  kernels_.to_f32[kFormatF16](halves.data(), 0, 1, halves.size(), values.data(), 0);
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = half_to_float(halves[i]);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(values[i])) << i;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected)) << i;
    }
  }
}

TEST_P(Rows, FloatToHalfRoundsToNearestEven) {
  std::vector<float> values;
  for (std::uint32_t half = 0; half < 0x7C00; ++half) {  // every half, its upper neighbour, and what lies between
    const float low = half_to_float(static_cast<std::uint16_t>(half));
    const float high = half_to_float(static_cast<std::uint16_t>(half + 1));
    const float middle = half == 0x7BFF ? 65520.0F : low + (high - low) / 2;
    for (const float value : {low, middle, std::nextafter(middle, 0.0F), std::nextafter(middle, kInfinity)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  for (const float value : {kInfinity, -kInfinity, 1e30F, -1e30F, 1e-30F, std::numeric_limits<float>::denorm_min()}) {
    values.push_back(value);
  }
  std::vector<std::uint16_t> halves(values.size());
  kernels_.f32_to_f16(values.data(), values.size(), halves.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], float_to_half(values[i])) << values[i];
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  kernels_.f32_to_f16(&nan, 1, halves.data());
  EXPECT_TRUE(std::isnan(half_to_float(halves[0])));
}

TEST_P(Rows, FloatToHalfWritesExactlyItsElements) {
  for (std::size_t n = 0; n <= kMostElements; ++n) {
    const Array<float> values = random_array(n, 1, 1);
    Array<std::uint16_t> halves(n, 1);
    kernels_.f32_to_f16(values.data(), n, halves.data());
    ASSERT_TRUE(halves.front_is_untouched());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(halves[i], float_to_half(values[i])) << n;
    }
  }
}

TEST_P(Rows, EveryFormatGivesTheValuesOfItsDefinition) {
  for (std::size_t format = 0; format < kWeightFormats; ++format) {
    const DType dtype = kWeightTypes[format];  // in the order of the formats
    const auto step = static_cast<std::size_t>(block_info(dtype).values);
    for (std::size_t n = 0; n <= std::max(kMostElements, 2 * step); n += step) {
      const std::size_t stride = row_bytes(dtype, static_cast<std::int64_t>(n)) + 6;  // rows need not touch
      const RandomWeight first = random_weight(dtype, static_cast<std::int64_t>(n), 1);
      const RandomWeight second = random_weight(dtype, static_cast<std::int64_t>(n), 2);
      Array<std::uint8_t> bytes(stride + second.image.size(), 2);
      if (n > 0) {
        std::memcpy(bytes.data(), first.image.data(), first.image.size());
        std::memcpy(bytes.data() + stride, second.image.data(), second.image.size());
      }
      Array<float> out(n + 3 + n, 1, -7.0F);
      kernels_.to_f32[format](bytes.data(), stride, 2, n, out.data(), n + 3);
      for (std::size_t i = 0; i < n; ++i) {
        // Scale times code is exact in float; adding a minimum rounds once.
        ASSERT_NEAR(out[i], first.values[i], std::abs(first.values[i]) * 0x1p-23) << dtype_name(dtype) << " " << n;
        ASSERT_NEAR(out[n + 3 + i], second.values[i], std::abs(second.values[i]) * 0x1p-23) << dtype_name(dtype);
      }
      for (std::size_t i = n; i < n + 3; ++i) {
        ASSERT_EQ(out[i], -7.0F) << "between rows";
      }
    }
  }
}

// Errors that all large values share would add up in the products that follow.
TEST_P(Rows, GeluOfLargeValuesIsExact) {
  std::vector<float> values;
  for (float x = 5.25F; x < 1e6F; x *= 1.01F) {
    values.push_back(x);
    values.push_back(-x);
  }
  std::vector<float> out(values.size());
  kernels_.finish(values.data(), nullptr, true, nullptr, values.size(), out.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(out[i], std::max(values[i], 0.0F)) << values[i];
  }
}

TEST_P(Rows, GeluIsTheErrorFunctionsWithinItsBound) {
  std::vector<float> in;
  for (int i = -120000; i <= 120000; ++i) {
    in.push_back(static_cast<float>(i) * 1e-4F);
  }
  in.insert(in.end(), {-1e30F, 1e30F, -50.0F, 50.0F, 0.0F, -0.0F, 1e-30F});
  std::vector<float> out(in.size());
  kernels_.finish(in.data(), nullptr, true, nullptr, in.size(), out.data());
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = in[i];
    const double expected = x / 2 * std::erfc(-x / std::sqrt(2.0));
    const double error = std::abs(out[i] - expected) / std::max(1.0, std::abs(x));
    ASSERT_LE(error, 4e-7) << x;
    worst = std::max(worst, error);
  }
  RecordProperty("worst_error", std::to_string(worst));
}

TEST_P(Rows, FinishAddsBiasActsAndAddsResidualInThatOrder) {
  for (std::size_t n = 0; n <= kMostElements; ++n) {
    const Array<float> sum = random_array(n, 1, 2);
    const Array<float> bias = random_array(n, 2, 3);
    const Array<float> residual = random_array(n, 3, 4);
    for (int which = 0; which < 8; ++which) {
      const bool with_bias = (which & 1) != 0;
      const bool with_gelu = (which & 2) != 0;
      const bool with_residual = (which & 4) != 0;
      Array<float> out(n, 1);
      Array<float> in_place = with_residual ? residual : sum;
      kernels_.finish(sum.data(), with_bias ? bias.data() : nullptr, with_gelu,
                      with_residual ? residual.data() : nullptr, n, out.data());
      kernels_.finish(with_residual ? sum.data() : in_place.data(), with_bias ? bias.data() : nullptr, with_gelu,
                      with_residual ? in_place.data() : nullptr, n, in_place.data());
      ASSERT_TRUE(out.front_is_untouched());
      for (std::size_t i = 0; i < n; ++i) {
        const double x = static_cast<double>(sum[i]) + (with_bias ? bias[i] : 0.0);
        const double expected =
            (with_gelu ? x / 2 * std::erfc(-x / std::sqrt(2.0)) : x) + (with_residual ? residual[i] : 0.0);
        ASSERT_NEAR(out[i], expected, 2e-6) << n;  // GELU's bound at |x| < 5, and three roundings of values below 10
        ASSERT_EQ(out[i], in_place[i]) << n;
      }
    }
  }
}

TEST_P(Rows, LayerNormHasZeroMeanAndUnitVarianceBeforeItsScale) {
  for (std::size_t n = 1; n <= kMostElements; ++n) {
    Array<float> in = random_array(n, 1, 5, 2.0F);
    const Array<float> gamma = random_array(n, 2, 6);
    const Array<float> beta = random_array(n, 3, 7);
    Array<float> out(n, 1);
    kernels_.layer_norm(in.data(), gamma.data(), beta.data(), n, out.data());
    double mean = 0;
    double variance = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mean += in[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      variance += (in[i] - mean) * (in[i] - mean) / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double expected = (in[i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
      // Values below 8 have a mean known to 8 * 2^-23; a spread near 2 and gamma below 4 leave 4e-6, a tiny spread
      // more.
      ASSERT_NEAR(out[i], expected, 1e-5 / std::min(1.0, std::sqrt(variance + 1e-5))) << n;
    }
    ASSERT_TRUE(out.front_is_untouched());
    kernels_.layer_norm(in.data(), gamma.data(), beta.data(), n, in.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(in[i], out[i]) << "in place";
    }
  }
}

TEST_P(Rows, AddAndScaleRoundOnce) {
  for (std::size_t n = 0; n <= kMostElements; ++n) {
    const Array<float> x = random_array(n, 1, 8);
    const Array<float> y = random_array(n, 2, 9);
    Array<float> sum = x;
    Array<float> product = x;
    kernels_.add(sum.data(), y.data(), n);
    kernels_.scale(product.data(), n, 1.7F);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(sum[i], x[i] + y[i]);
      ASSERT_EQ(product[i], x[i] * 1.7F);
    }
    ASSERT_TRUE(sum.front_is_untouched() && product.front_is_untouched());
  }
}

TEST_P(Rows, SoftmaxStepsOverBlocksGiveTheSoftmaxOfTheWhole) {
  const float scale = 0.125F;
  for (std::size_t n = 1; n <= kMostElements; ++n) {
    for (const bool masked : {false, true}) {
      const std::size_t blocks = 3;
      Array<float> scores = random_array(n * blocks, 1, 10, 30.0F);
      const Array<float> raw = scores;
      Array<float> mask(n * blocks, 1);
      for (std::size_t i = 0; masked && i < n * blocks; ++i) {
        mask[i] = i % 3 == 1 || i < n ? -kInfinity : 0.0F;  // the first block as a whole
      }
      if (masked && n == 1) {
        mask[2] = 0.0F;  // at least one cell is visible
      }
      float row_max = kSoftmaxStart;
      float row_sum = 0;
      for (std::size_t block = 0; block < blocks; ++block) {
        const float factor = kernels_.softmax_step(scores.data() + block * n, n, scale,
                                                   masked ? mask.data() + block * n : nullptr, &row_max, &row_sum);
        for (std::size_t i = 0; i < block * n; ++i) {
          scores[i] *= factor;
        }
      }
      double maximum = -std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < n * blocks; ++i) {
        maximum = std::max(maximum, static_cast<double>(raw[i]) * scale + mask[i]);
      }
      double total = 0;
      for (std::size_t i = 0; i < n * blocks; ++i) {
        total += std::exp(static_cast<double>(raw[i]) * scale + mask[i] - maximum);
      }
      for (std::size_t i = 0; i < n * blocks; ++i) {
        const double expected = std::exp(static_cast<double>(raw[i]) * scale + mask[i] - maximum) / total;
        // A score below 16 is known to 2^-20 of itself, so its exponential to 1e-6; the kernel's own bound is 3e-7.
        ASSERT_NEAR(scores[i] / row_sum, expected, 4e-6 * expected + 1e-37) << n << " " << i;
        if (masked && std::isinf(mask[i])) {
          ASSERT_EQ(scores[i], 0.0F);
        }
      }
      ASSERT_TRUE(scores.front_is_untouched());
    }
  }
}

TEST_P(Rows, SoftmaxExponentialIsWithinItsBoundOverItsWholeRange) {
  // One score of 0 sets the maximum; the others are the arguments of the exponential.
  std::vector<float> scores = {0.0F};
  for (int i = 0; i < 100000; ++i) {
    scores.push_back(static_cast<float>(i) * -1e-3F);
  }
  const std::vector<float> arguments = scores;
  float row_max = kSoftmaxStart;
  float row_sum = 0;
  kernels_.softmax_step(scores.data(), scores.size(), 1.0F, nullptr, &row_max, &row_sum);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double expected = std::exp(static_cast<double>(arguments[i]));
    if (arguments[i] >= -87.0F) {
      ASSERT_NEAR(scores[i], expected, 3e-7 * expected) << arguments[i];
    } else {
      ASSERT_EQ(scores[i], 0.0F) << arguments[i];
    }
  }
}

TEST_P(Rows, NaNIsNeverHidden) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t n = 1; n <= 20; ++n) {
    Array<float> in = random_array(n, 0, 11);
    in[n - 1] = nan;
    Array<float> out(n, 0);
    kernels_.finish(in.data(), nullptr, true, nullptr, n, out.data());
    EXPECT_TRUE(std::isnan(out[n - 1])) << n;
    kernels_.layer_norm(in.data(), in.data(), in.data(), n, out.data());
    EXPECT_TRUE(std::isnan(out[0])) << n;
    float row_max = kSoftmaxStart;
    float row_sum = 0;
    kernels_.softmax_step(in.data(), n, 1.0F, nullptr, &row_max, &row_sum);
    EXPECT_TRUE(std::isnan(row_sum)) << n;
  }
}

}  // namespace
}  // namespace speech
