// Products in integers: activations as codes, the same bits from every table; exact sums of products of codes, the
// largest codes included; and results that do not depend on what comes together.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "kernels/arrays.h"
#include "kernels/packed_weights.h"
#include "kernels/select.h"

namespace speech {
namespace {

class Blocks : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels_ = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Tables, Blocks, testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

constexpr std::size_t kFormats[] = {kFormatQ4_0, kFormatQ4_1, kFormatQ5_0, kFormatQ5_1, kFormatQ8_0,
                                    kFormatQ2_K, kFormatQ3_K, kFormatQ4_K, kFormatQ5_K, kFormatQ6_K};

// Values of the smallest part of a row.
std::size_t least_depth(std::size_t format) {
  return static_cast<std::size_t>(block_info(kWeightTypes[format]).values);
}

// Bytes of a block, where its codes begin and end, and its halves.
struct Layout {
  std::size_t codes_begin, codes_end, scale;
  std::size_t minimum;  // 0: none
};

Layout layout_of(std::size_t format) {
  switch (format) {
    case kFormatQ4_0: return {2, 18, 0, 0};
    case kFormatQ4_1: return {4, 20, 0, 2};
    case kFormatQ5_0: return {2, 22, 0, 0};
    case kFormatQ5_1: return {4, 24, 0, 2};
    case kFormatQ8_0: return {2, 34, 0, 0};
    case kFormatQ2_K: return {16, 80, 80, 82};
    case kFormatQ3_K: return {0, 96, 108, 0};
    case kFormatQ4_K: return {16, 144, 0, 2};
    case kFormatQ5_K: return {16, 176, 0, 2};
    default: return {0, 192, 208, 0};  // Q6_K
  }
}

bool same_bits(const ActivationBlock& a, const ActivationBlock& b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

// One block, from a place that is not aligned to a vector.
ActivationBlock quantized(const KernelTable& kernels, const Array<float>& x) {
  ActivationBlock block;
  kernels.quantize(x.data(), kFormatBlock, &block, 1);
  return block;
}

TEST_P(Blocks, ActivationsBecomeTheNearestCodes) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Array<float> x = random_array(kFormatBlock, 1, seed, std::pow(10.0F, static_cast<float>(seed % 60) - 30.0F));
    const ActivationBlock block = quantized(kernels_, x);
    float largest = 0;
    for (std::size_t i = 0; i < kFormatBlock; ++i) {
      largest = std::max(largest, std::abs(x[i]));
    }
    if (largest < 0x1p-100F) {
      continue;
    }
    EXPECT_EQ(block.scale, largest / 127.0F);
    int sums[2] = {0, 0};
    for (std::size_t i = 0; i < kFormatBlock; ++i) {
      // Half a step, and what 127 / largest and its product with x round.
      EXPECT_LE(std::abs(x[i] / (static_cast<double>(largest) / 127.0) - block.codes[i]), 0.5 + 127 * 0x1p-22);
      EXPECT_LE(std::abs(block.codes[i]), 127);
      sums[i / 16] += block.codes[i];
    }
    EXPECT_EQ(block.minus_half_sum[0], -sums[0]);
    EXPECT_EQ(block.minus_half_sum[1], -sums[1]);
    EXPECT_EQ(block.minus_sum, -sums[0] - sums[1]);
    EXPECT_TRUE(same_bits(block, quantized(*scalar_kernels(), x))) << "seed " << seed;
  }
}

TEST_P(Blocks, ActivationsBetweenTwoCodesBecomeTheEvenOne) {
  Array<float> x(kFormatBlock, 3);
  x[0] = 127.0F;
  for (std::size_t i = 1; i < kFormatBlock; ++i) {
    x[i] = (static_cast<float>(i) - 16.0F) + 0.5F;
  }
  const ActivationBlock block = quantized(kernels_, x);
  EXPECT_EQ(block.scale, 1.0F);
  for (std::size_t i = 1; i < kFormatBlock; ++i) {
    EXPECT_EQ(block.codes[i] % 2, 0) << x[i];
    EXPECT_EQ(std::abs(static_cast<float>(block.codes[i]) - x[i]), 0.5F);
  }
}

TEST_P(Blocks, ActivationsTooSmallForAScaleAreZero) {
  for (const float tiny : {0.0F, std::numeric_limits<float>::denorm_min(), 0x1p-126F, 0x1.fffffep-101F}) {
    Array<float> x(kFormatBlock, 1, tiny);
    x[5] = -tiny;
    const ActivationBlock block = quantized(kernels_, x);
    EXPECT_EQ(block.scale, 0.0F) << tiny;
    EXPECT_EQ(block.minus_sum, 0);
    for (const std::int8_t code : block.codes) {
      EXPECT_EQ(code, 0);
    }
  }
  EXPECT_GT(quantized(kernels_, Array<float>(kFormatBlock, 1, 0x1p-100F)).scale, 0.0F);
}

TEST_P(Blocks, ActivationsThatAreNotFiniteLeaveNoNumber) {
  const float huge = std::numeric_limits<float>::infinity();
  for (const float bad : {huge, -huge, std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t at = 0; at < kFormatBlock; ++at) {
      Array<float> x = random_array(kFormatBlock, 1, 1);
      x[at] = bad;
      const ActivationBlock block = quantized(kernels_, x);
      EXPECT_TRUE(std::isnan(block.scale));
      for (const std::size_t format : kFormats) {
        const std::size_t k = least_depth(format);
        std::vector<ActivationBlock> blocks(k / kFormatBlock);
        blocks.back() = block;
        const PackedWeight weight = packed_weight(kernels_, format, kPanelColumns, k);
        float out[kPanelColumns];
        kernels_.panel_products[format](weight.panels.data(), weight.panel_bytes, 1, k, blocks.data(), 1, 1, out,
                                        kPanelColumns);
        for (const float value : out) {
          EXPECT_TRUE(std::isnan(value)) << dtype_name(kWeightTypes[format]);
        }
      }
    }
  }
}

struct Exact {
  double sum = 0;
  double magnitude = 0;  // of what is rounded: products of codes and of minimums, each by itself
};

// What is left of a row's values without its codes: minimums where the format has any.
std::vector<float> minimums_of(std::size_t format, const RandomWeight& row, std::size_t k) {
  std::vector<float> minimums(k);
  const Layout layout = layout_of(format);
  if (layout.minimum != 0 && k > 0) {
    std::vector<std::byte> image = row.image;
    const std::size_t bytes = row_bytes(kWeightTypes[format], static_cast<std::int64_t>(least_depth(format)));
    for (std::size_t block = 0; block < image.size(); block += bytes) {
      std::fill_n(image.begin() + static_cast<std::ptrdiff_t>(block + layout.codes_begin),
                  layout.codes_end - layout.codes_begin, std::byte{0});
    }
    scalar_kernels()->to_f32[format](image.data(), 0, 1, k, minimums.data(), k);
  }
  return minimums;
}

// Codes times scales in double, from the weight's own values, which are exact there.
Exact exact_product(std::size_t format, const RandomWeight& row, std::size_t k, const ActivationBlock* x,
                    std::size_t x_stride) {
  Exact exact;
  const std::vector<float> minimums = minimums_of(format, row, k);
  for (std::size_t b = 0; b < k / kFormatBlock; ++b) {
    const ActivationBlock& block = x[b * x_stride];
    for (std::size_t i = 0; i < kFormatBlock; ++i) {
      const double weight = row.values[b * kFormatBlock + i];
      const double minimum = minimums[b * kFormatBlock + i];
      const double activation = static_cast<double>(block.scale) * block.codes[i];
      exact.sum += weight * activation;
      exact.magnitude += (std::abs(weight - minimum) + std::abs(minimum)) * std::abs(activation);
    }
  }
  return exact;
}

// The product of codes of a run (a block, or each half of it) and that of its minimum round twice each before they are
// added up, and pass at most two additions in each run.
double bound(std::size_t format, const Exact& exact, std::size_t k) {
  const bool halves = format == kFormatQ2_K || format == kFormatQ3_K || format == kFormatQ6_K;
  const auto runs = static_cast<double>(k / (halves ? kFormatBlock / 2 : kFormatBlock));
  return (2.0 * runs + 3) * 0x1p-24 * exact.magnitude;
}

TEST_P(Blocks, ProductsAreTheSumsOfTheirCodesWhateverComesTogether) {
  constexpr std::size_t kMostRows = 101;  // more than two batches, and every rest
  for (const std::size_t format : kFormats) {
    const std::size_t least = least_depth(format);
    for (const std::size_t k : {std::size_t{0}, least, least == kFormatBlock ? 9 * least : 2 * least}) {
      const std::size_t blocks = k / kFormatBlock;
      const std::size_t n_panels = 3;
      const std::size_t columns = n_panels * kPanelColumns;
      const PackedWeight weight = packed_weight(kernels_, format, columns, k);
      const Array<float> activations = random_array(kMostRows * k, 1, 8);
      std::vector<ActivationBlock> x(blocks * kMostRows);
      for (std::size_t n = 0; n < kMostRows; ++n) {
        kernels_.quantize(activations.data() + n * k, k, x.data() + n, kMostRows);
      }
      const std::size_t out_stride = columns + 3;
      Array<float> all(kMostRows * out_stride, 1, -7.0F);
      kernels_.panel_products[format](weight.panels.data(), weight.panel_bytes, n_panels, k, x.data(), kMostRows,
                                      kMostRows, all.data(), out_stride);
      ASSERT_TRUE(all.front_is_untouched());
      for (std::size_t n = 0; n < kMostRows; ++n) {
        for (std::size_t r = 0; r < out_stride; ++r) {
          if (r >= columns) {
            ASSERT_EQ(all[n * out_stride + r], -7.0F) << "beyond the panels";
            continue;
          }
          const Exact exact = exact_product(format, weight.rows[r], k, x.data() + n, kMostRows);
          ASSERT_NEAR(all[n * out_stride + r], exact.sum, bound(format, exact, k))
              << dtype_name(kWeightTypes[format]) << " row " << n << " column " << r << " k " << k;
        }
      }
      for (const std::size_t n_x : {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 17, 47, 48, 49, 53}) {
        for (std::size_t panels = 1; panels <= n_panels; ++panels) {
          const std::size_t first = kMostRows - n_x;
          Array<float> out(n_x * out_stride, 1, -7.0F);
          kernels_.panel_products[format](weight.panels.data(), weight.panel_bytes, panels, k, x.data() + first,
                                          kMostRows, n_x, out.data(), out_stride);
          ASSERT_TRUE(out.front_is_untouched());
          for (std::size_t n = 0; n < n_x; ++n) {
            for (std::size_t r = 0; r < out_stride; ++r) {
              const float expected = r < panels * kPanelColumns ? all[(first + n) * out_stride + r] : -7.0F;
              ASSERT_EQ(out[n * out_stride + r], expected)
                  << "a result depends on " << n_x << " rows or " << panels << " panels of "
                  << dtype_name(kWeightTypes[format]) << ", k " << k;
            }
          }
        }
      }
    }
  }
}

// Every code of a weight is the least or the largest there is, and so is every activation: what does not fit into the
// registers of an instruction set shows here.
TEST_P(Blocks, TheLargestCodesDoNotOverflow) {
  for (const std::size_t format : kFormats) {
    const std::size_t k = least_depth(format);
    const std::size_t stride = row_bytes(kWeightTypes[format], static_cast<std::int64_t>(k));
    const Layout layout = layout_of(format);
    for (const int weight_byte : {0x00, 0xFF, 0x80, 0x7F}) {
      std::vector<std::uint8_t> rows(kPanelColumns * stride, static_cast<std::uint8_t>(weight_byte));
      const std::uint16_t one = float_to_half(1.0F);
      const std::uint16_t zero = 0;
      for (std::size_t r = 0; r < kPanelColumns; ++r) {
        std::memcpy(rows.data() + r * stride + layout.scale, &one, sizeof(one));
        if (layout.minimum != 0) {
          std::memcpy(rows.data() + r * stride + layout.minimum, &zero, sizeof(zero));
        }
      }
      std::vector<std::uint8_t> panel(rows.size());
      kernels_.pack_rows[format](rows.data(), stride, kPanelColumns, k, panel.data());
      std::vector<float> values(k);
      scalar_kernels()->to_f32[format](rows.data(), stride, 1, k, values.data(), k);
      // One block of activations at a time: the sum of several is too large to be exact in float.
      for (std::size_t b = 0; b < k / kFormatBlock; ++b) {
        for (const int sign : {1, -1}) {
          for (const bool alternating : {false, true}) {
            std::vector<ActivationBlock> blocks(k / kFormatBlock);
            ActivationBlock& x = blocks[b];
            x.scale = 1.0F;
            double expected = 0;
            for (std::size_t i = 0; i < kFormatBlock; ++i) {
              const int code = alternating && i % 2 == 1 ? -127 * sign : 127 * sign;
              x.codes[i] = static_cast<std::int8_t>(code);
              x.minus_half_sum[i / 16] -= code;
              expected += static_cast<double>(values[b * kFormatBlock + i]) * code;
            }
            x.minus_sum = x.minus_half_sum[0] + x.minus_half_sum[1];
            float out[kPanelColumns];
            kernels_.panel_products[format](panel.data(), panel.size(), 1, k, blocks.data(), 1, 1, out, kPanelColumns);
            for (const float value : out) {
              EXPECT_EQ(value, expected) << dtype_name(kWeightTypes[format]) << " " << weight_byte << " " << sign;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace speech
