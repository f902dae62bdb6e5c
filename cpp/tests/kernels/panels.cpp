// Packed panels of every table: the bytes and values of their rows, and products that do not depend on how many rows of
// activations come together.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/arrays.h"
#include "kernels/packed_weights.h"
#include "kernels/select.h"

namespace speech {
namespace {

class Panels : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels_ = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Tables, Panels, testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// Inputs of a row that take every path: none, parts of an unrolled step, whole blocks, more than one run of sums.
std::vector<std::size_t> depths(std::size_t format) {
  if (format == kFormatF16) {
    return {0, 1, 7, 9, 257};
  }
  const auto block = static_cast<std::size_t>(block_info(kWeightTypes[format]).values);
  return {0, block, 3 * block};
}

TEST_P(Panels, AreTheSameBytesWhoeverPacksThem) {
  for (std::size_t format = kFormatF16; format < kPanelFormats; ++format) {
    for (const std::size_t k : depths(format)) {
      for (const std::size_t rows : {1, 15, 16, 17}) {
        const PackedWeight mine = packed_weight(kernels_, format, rows, k);
        const PackedWeight expected = packed_weight(*scalar_kernels(), format, rows, k);
        ASSERT_TRUE(mine.panels.front_is_untouched());
        ASSERT_EQ(std::memcmp(mine.panels.data(), expected.panels.data(), mine.panels.size()), 0)
            << dtype_name(kWeightTypes[format]) << " " << k << " " << rows;
      }
    }
  }
}

TEST_P(Panels, RowsComeOutOfThemAsTheyWere) {
  for (std::size_t format = kFormatF16; format < kPanelFormats; ++format) {
    for (const std::size_t k : depths(format)) {
      const std::size_t rows = 13;
      const PackedWeight weight = packed_weight(kernels_, format, rows, k);
      for (std::size_t r = 0; r < kPanelColumns; ++r) {
        Array<float> out(k, 1, -7.0F);
        kernels_.panel_row_to_f32[format](weight.panels.data(), r, k, out.data());
        ASSERT_TRUE(out.front_is_untouched());
        for (std::size_t i = 0; i < k; ++i) {
          const double expected = r < rows ? weight.rows[r].values[i] : 0.0;
          // Scale times code is exact in float; adding a minimum rounds once.
          ASSERT_NEAR(out[i], expected, std::abs(expected) * 0x1p-23)
              << dtype_name(kWeightTypes[format]) << " input " << i << " row " << r;
        }
      }
    }
  }
}

TEST_P(Panels, OfHalvesWidenToTheValuesOfTheirRows) {
  for (const std::size_t k : depths(kFormatF16)) {
    const std::size_t rows = 13;
    const PackedWeight weight = packed_weight(kernels_, kFormatF16, rows, k);
    Array<float> out(k * kPanelColumns, 1, -7.0F);
    kernels_.half_panel_to_f32(weight.panels.data(), k, out.data());
    ASSERT_TRUE(out.front_is_untouched());
    for (std::size_t i = 0; i < k * kPanelColumns; ++i) {
      const std::size_t r = i % kPanelColumns;
      ASSERT_EQ(out[i], r < rows ? weight.rows[r].values[i / kPanelColumns] : 0.0) << "row " << r;
    }
  }
}

TEST_P(Panels, DotsOfHalvesAreTheSumsOfTheirRowsWhateverComesTogether) {
  for (const std::size_t k : depths(kFormatF16)) {
    for (const std::size_t n_panels : {1, 3, 9}) {
      const std::size_t rows = n_panels * kPanelColumns;
      const PackedWeight weight = packed_weight(kernels_, kFormatF16, rows, k);
      const std::size_t x_stride = k + 1;
      const std::size_t out_stride = rows + 3;
      const Array<float> x = random_array(kMaxDotRows * x_stride, 1, 8);
      Array<float> all(kMaxDotRows * out_stride, 1, -7.0F);
      for (std::size_t n_x = kMaxDotRows; n_x > 0; --n_x) {
        Array<float> out(n_x * out_stride, 1, -7.0F);
        kernels_.half_panel_dots(weight.panels.data(), weight.panel_bytes, n_panels, k, x.data(), x_stride, n_x,
                                 out.data(), out_stride);
        if (n_x == kMaxDotRows) {
          all = out;
        }
        ASSERT_TRUE(out.front_is_untouched());
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], all[i]) << "a result depends on n_x " << n_x << ", k " << k;
        }
      }
      for (std::size_t n = 0; n < kMaxDotRows; n += 3) {
        for (std::size_t r = 0; r < out_stride; ++r) {
          if (r >= rows) {
            ASSERT_EQ(all[n * out_stride + r], -7.0F);
            continue;
          }
          double sum = 0;
          double magnitude = 0;
          for (std::size_t i = 0; i < k; ++i) {
            const double product = weight.rows[r].values[i] * x[n * x_stride + i];
            sum += product;
            magnitude += std::abs(product);
          }
          // Each product and each addition rounds once; a run of sums bounds how many of them one value passes.
          const double roundings = static_cast<double>(std::min<std::size_t>(k, kSumRun) + k / kSumRun + 2);
          ASSERT_NEAR(all[n * out_stride + r], sum, roundings * 0x1p-24 * magnitude) << "k " << k;
        }
      }
    }
  }
}

TEST_P(Panels, DotsOfHalvesAndMatrixProductsAgreeToTheLastBit) {
  const std::size_t k = 576;
  const PackedWeight weight = packed_weight(kernels_, kFormatF16, kPanelColumns, k);
  const Array<float> x = random_array(3 * k, 0, 9);
  float dots[3 * kPanelColumns];
  kernels_.half_panel_dots(weight.panels.data(), weight.panel_bytes, 1, k, x.data(), k, 3, dots, kPanelColumns);
  std::vector<float> wide(k * kPanelColumns);
  kernels_.half_panel_to_f32(weight.panels.data(), k, wide.data());
  float product[3 * kPanelColumns];
  for (std::size_t i = 0; i < k; i += kSumRun) {
    kernels_.gemm(x.data() + i, k, 3, std::min<std::size_t>(kSumRun, k - i), wide.data() + i * kPanelColumns,
                  kPanelColumns, 0, 1, product, kPanelColumns, i > 0);
  }
  EXPECT_EQ(std::memcmp(dots, product, sizeof(dots)), 0);
}

}  // namespace
}  // namespace speech
