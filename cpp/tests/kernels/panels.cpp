// Packed panels of every table: the bytes and values of their rows, and products that do not depend on how many rows of
// activations come together.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/arrays.h"
#include "kernels/select.h"
#include "kernels/weights.h"

namespace speech {
namespace {

class Panels : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels_ = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Tables, Panels, testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

struct PackedWeight {
  std::vector<RandomWeight> rows;
  std::size_t panel_bytes = 0;
  Array<std::uint8_t> panels = Array<std::uint8_t>(0, 0);
};

// n_rows rows of k weights as panels that `kernels` packs, each panel 32 bytes before the next; not aligned.
PackedWeight packed_weight(const KernelTable& kernels, std::size_t format, std::size_t n_rows, std::size_t k) {
  const DType dtype = kWeightTypes[format];
  const std::size_t stride = row_bytes(dtype, static_cast<std::int64_t>(k));
  const std::size_t n_panels = (n_rows + kPanelColumns - 1) / kPanelColumns;
  PackedWeight weight;
  weight.panel_bytes = stride * kPanelColumns + 32;
  weight.panels = Array<std::uint8_t>(n_panels * weight.panel_bytes, 3);
  Array<std::uint8_t> bytes(n_rows * (stride + 2), 1);
  for (std::size_t r = 0; r < n_rows; ++r) {
    weight.rows.push_back(random_weight(dtype, static_cast<std::int64_t>(k), static_cast<unsigned>(r)));
    if (k > 0) {
      std::memcpy(bytes.data() + r * (stride + 2), weight.rows[r].image.data(), stride);
    }
  }
  for (std::size_t panel = 0; panel < n_panels; ++panel) {
    const std::size_t first = panel * kPanelColumns;
    kernels.pack_rows[format](bytes.data() + first * (stride + 2), stride + 2,
                              std::min<std::size_t>(kPanelColumns, n_rows - first), k,
                              weight.panels.data() + panel * weight.panel_bytes);
  }
  return weight;
}

// Inputs of a row that take every path: none, parts of an unrolled step, whole blocks, more than one run of sums.
std::vector<std::size_t> depths(std::size_t format) {
  return format == kFormatF16 ? std::vector<std::size_t>{0, 1, 7, 9, 257} : std::vector<std::size_t>{0, 32, 288};
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

TEST_P(Panels, WidenToTheValuesOfTheirRows) {
  for (std::size_t format = kFormatF16; format < kPanelFormats; ++format) {
    for (const std::size_t k : depths(format)) {
      const std::size_t rows = 13;
      const PackedWeight weight = packed_weight(kernels_, format, rows, k);
      Array<float> out(k * kPanelColumns, 1, -7.0F);
      kernels_.panel_to_f32[format](weight.panels.data(), k, out.data());
      ASSERT_TRUE(out.front_is_untouched());
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t r = 0; r < kPanelColumns; ++r) {
          const double expected = r < rows ? weight.rows[r].values[i] : 0.0;
          // Scale times code is exact in float; adding a minimum rounds once.
          ASSERT_NEAR(out[i * kPanelColumns + r], expected, std::abs(expected) * 0x1p-23)
              << dtype_name(kWeightTypes[format]) << " input " << i << " row " << r;
        }
      }
    }
  }
}

TEST_P(Panels, DotsAreTheSumsOfTheirRowsWhateverComesTogether) {
  for (std::size_t format = kFormatF16; format < kPanelFormats; ++format) {
    for (const std::size_t k : depths(format)) {
      for (const std::size_t n_panels : {1, 3, 9}) {
        const std::size_t rows = n_panels * kPanelColumns;
        const PackedWeight weight = packed_weight(kernels_, format, rows, k);
        const std::size_t x_stride = k + 1;
        const std::size_t out_stride = rows + 3;
        const Array<float> x = random_array(kMaxDotRows * x_stride, 1, 8);
        Array<float> all(kMaxDotRows * out_stride, 1, -7.0F);
        for (std::size_t n_x = kMaxDotRows; n_x > 0; --n_x) {
          Array<float> out(n_x * out_stride, 1, -7.0F);
          kernels_.panel_dots[format](weight.panels.data(), weight.panel_bytes, n_panels, k, x.data(), x_stride, n_x,
                                      out.data(), out_stride);
          if (n_x == kMaxDotRows) {
            all = out;
          }
          ASSERT_TRUE(out.front_is_untouched());
          for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], all[i]) << "a result depends on n_x " << n_x << " of " << dtype_name(kWeightTypes[format])
                                      << ", k " << k;
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
            ASSERT_NEAR(all[n * out_stride + r], sum, roundings * 0x1p-24 * magnitude)
                << dtype_name(kWeightTypes[format]) << ", k " << k;
          }
        }
      }
    }
  }
}

TEST_P(Panels, DotsAndMatrixProductsAgreeToTheLastBit) {
  const std::size_t k = 576;
  for (std::size_t format = kFormatF16; format < kPanelFormats; ++format) {
    const PackedWeight weight = packed_weight(kernels_, format, kPanelColumns, k);
    const Array<float> x = random_array(3 * k, 0, 9);
    float dots[3 * kPanelColumns];
    kernels_.panel_dots[format](weight.panels.data(), weight.panel_bytes, 1, k, x.data(), k, 3, dots, kPanelColumns);
    std::vector<float> wide(k * kPanelColumns);
    kernels_.panel_to_f32[format](weight.panels.data(), k, wide.data());
    float product[3 * kPanelColumns];
    for (std::size_t i = 0; i < k; i += kSumRun) {
      kernels_.gemm(x.data() + i, k, 3, std::min<std::size_t>(kSumRun, k - i), wide.data() + i * kPanelColumns,
                    kPanelColumns, 0, 1, product, kPanelColumns, i > 0);
    }
    EXPECT_EQ(std::memcmp(dots, product, sizeof(dots)), 0) << dtype_name(kWeightTypes[format]);
  }
}

}  // namespace
}  // namespace speech
