// Products of every table (panels, dots, weighted sums) against double precision, and against themselves at other
// places.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/arrays.h"
#include "kernels/select.h"
#include "kernels/weights.h"

namespace speech {
namespace {

class Products : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& kernels_ = *GetParam();
};

INSTANTIATE_TEST_SUITE_P(Tables, Products, testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// A sum of k products in float, in any order, errs by at most k * 2^-24 of the sum of their magnitudes (each of the k -
// 1 additions and each product rounds once).
double bound(double magnitude, std::size_t k) { return (static_cast<double>(k) + 1) * 0x1p-24 * magnitude; }

TEST_P(Products, PackingTransposesAndFillsWithZeros) {
  for (std::size_t rows = 0; rows <= kPanelColumns; ++rows) {
    for (std::size_t k = 0; k <= 35; ++k) {
      const std::size_t stride = k + 2;
      const Array<float> src = random_array(rows * stride, 1, 1);
      Array<float> panel(k * kPanelColumns, 1, -7.0F);
      kernels_.pack_panel(src.data(), stride, rows, k, panel.data());
      ASSERT_TRUE(panel.front_is_untouched());
      for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t column = 0; column < kPanelColumns; ++column) {
          ASSERT_EQ(panel[i * kPanelColumns + column], column < rows ? src[column * stride + i] : 0.0F);
        }
      }
    }
  }
}

TEST_P(Products, GemmSumsEachElementForEveryCountOfRowsAndDepth) {
  for (std::size_t rows = 0; rows <= 14; ++rows) {
    for (const std::size_t k : {0, 1, 2, 7, 8, 20, 64}) {
      for (const std::size_t panels : {1, 3}) {
        for (const bool accumulate : {false, true}) {
          for (const std::size_t b_row_stride : {16, 48}) {  // panels one after the other, or columns of rows
            const std::size_t a_stride = k + 3;
            const std::size_t b_panel_stride = b_row_stride == 16 ? k * 16 : 16;
            const std::size_t c_stride = panels * 16 + 5;
            const Array<float> a = random_array(rows * a_stride, 1, 2);
            const Array<float> b = random_array(k * panels * 16 + (b_row_stride == 48 ? k * 48 : 0), 3, 3);
            Array<float> c = random_array(rows * c_stride, 1, 4);
            const Array<float> before = c;
            kernels_.gemm(a.data(), a_stride, rows, k, b.data(), b_row_stride, b_panel_stride, panels, c.data(),
                          c_stride, accumulate);
            ASSERT_TRUE(c.front_is_untouched());
            for (std::size_t r = 0; r < rows; ++r) {
              for (std::size_t column = 0; column < c_stride; ++column) {
                const std::size_t at = r * c_stride + column;
                if (column >= panels * 16) {
                  ASSERT_EQ(c[at], before[at]) << "beyond the panels";
                  continue;
                }
                double sum = accumulate ? before[at] : 0.0;
                double magnitude = std::abs(sum);
                for (std::size_t i = 0; i < k; ++i) {
                  const double product = static_cast<double>(a[r * a_stride + i]) *
                                         b[column / 16 * b_panel_stride + i * b_row_stride + column % 16];
                  sum += product;
                  magnitude += std::abs(product);
                }
                ASSERT_NEAR(c[at], sum, bound(magnitude, k + 1)) << rows << " rows, k " << k;
              }
            }
          }
        }
      }
    }
  }
}

TEST_P(Products, GemmOfARowDoesNotDependOnItsPlaceInTheTile) {
  const std::size_t k = 37;
  const Array<float> row = random_array(k, 0, 5);
  const Array<float> b = random_array(k * 16, 0, 6);
  Array<float> expected(16, 0);
  kernels_.gemm(row.data(), k, 1, k, b.data(), 16, k * 16, 1, expected.data(), 16, false);
  for (std::size_t rows = 1; rows <= 13; ++rows) {
    for (std::size_t place = 0; place < rows; ++place) {
      Array<float> a = random_array(rows * k, place % 3, 7);
      std::memcpy(a.data() + place * k, row.data(), k * sizeof(float));
      Array<float> c(rows * 16, 1);
      kernels_.gemm(a.data(), k, rows, k, b.data(), 16, k * 16, 1, c.data(), 16, false);
      ASSERT_EQ(std::memcmp(c.data() + place * 16, expected.data(), 16 * sizeof(float)), 0) << rows << " " << place;
    }
  }
}

TEST_P(Products, DotsMultiplyEveryWeightRowWithEveryActivationRow) {
  for (const std::size_t format : {kFormatF32, kFormatF16}) {
    const DType dtype = kWeightTypes[format];  // in the order of the formats
    for (std::size_t k = 0; k <= kMostElements; ++k) {
      for (const std::size_t n_weights : {0, 1, 3, 9, 17}) {
        const std::size_t stride = row_bytes(dtype, static_cast<std::int64_t>(k)) + 2;
        std::vector<RandomWeight> weights;
        Array<std::uint8_t> bytes(n_weights * stride, 2);
        for (std::size_t r = 0; r < n_weights; ++r) {
          weights.push_back(random_weight(dtype, static_cast<std::int64_t>(k), static_cast<unsigned>(r)));
          if (k > 0) {
            std::memcpy(bytes.data() + r * stride, weights[r].image.data(), weights[r].image.size());
          }
        }
        const std::size_t x_stride = k + 1;
        const std::size_t out_stride = n_weights + 2;
        const Array<float> x = random_array(kMaxDotRows * x_stride, 1, 8);
        Array<float> all(kMaxDotRows * out_stride, 1, -7.0F);
        for (std::size_t n_x = kMaxDotRows; n_x > 0; --n_x) {
          Array<float> out(n_x * out_stride, 1, -7.0F);
          kernels_.dots[format](bytes.data(), stride, n_weights, k, x.data(), x_stride, n_x, out.data(), out_stride);
          if (n_x == kMaxDotRows) {
            all = out;
          }
          ASSERT_TRUE(out.front_is_untouched());
          for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], all[i]) << "a result depends on n_x " << n_x << " of " << dtype_name(dtype) << ", k "
                                      << k;
          }
        }
        for (std::size_t n = 0; n < kMaxDotRows; ++n) {
          for (std::size_t r = 0; r < out_stride; ++r) {
            if (r >= n_weights) {
              ASSERT_EQ(all[n * out_stride + r], -7.0F);
              continue;
            }
            double sum = 0;
            double magnitude = 0;
            for (std::size_t i = 0; i < k; ++i) {
              const double product = weights[r].values[i] * x[n * x_stride + i];
              sum += product;
              magnitude += std::abs(product);
            }
            ASSERT_NEAR(all[n * out_stride + r], sum, bound(magnitude, k + 1)) << dtype_name(dtype) << ", k " << k;
          }
        }
      }
    }
  }
}

TEST_P(Products, WeightedSumsAddEveryRowToEveryOutput) {
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    const std::size_t format = dtype == DType::kF32 ? kFormatF32 : kFormatF16;
    for (std::size_t k = 0; k <= kMostElements + 64; k += k < kMostElements ? 1 : 7) {
      for (const std::size_t n_rows : {0, 1, 5}) {
        const std::size_t stride = row_bytes(dtype, static_cast<std::int64_t>(k)) + 4;
        std::vector<RandomWeight> rows;
        Array<std::uint8_t> bytes(n_rows * stride, 4);
        for (std::size_t r = 0; r < n_rows; ++r) {
          rows.push_back(random_weight(dtype, static_cast<std::int64_t>(k), static_cast<unsigned>(r)));
          if (k > 0) {
            std::memcpy(bytes.data() + r * stride, rows[r].image.data(), rows[r].image.size());
          }
        }
        const std::size_t p_stride = n_rows + 1;
        const std::size_t out_stride = k + 2;
        const Array<float> p = random_array(kMaxDotRows * p_stride, 1, 9);
        const Array<float> before = random_array(kMaxDotRows * out_stride, 1, 10);
        Array<float> all = before;
        for (std::size_t n_x = kMaxDotRows; n_x > 0; --n_x) {
          Array<float> out = before;
          kernels_.weighted_sum[format](bytes.data(), stride, n_rows, k, p.data(), p_stride, n_x, out.data(),
                                        out_stride);
          if (n_x == kMaxDotRows) {
            all = out;
          }
          ASSERT_TRUE(out.front_is_untouched());
          for (std::size_t i = 0; i < out.size(); ++i) {
            ASSERT_EQ(out[i], i < n_x * out_stride ? all[i] : before[i]) << "a result depends on n_x " << n_x;
          }
        }
        for (std::size_t n = 0; n < kMaxDotRows; ++n) {
          for (std::size_t i = 0; i < out_stride; ++i) {
            double sum = before[n * out_stride + i];
            double magnitude = std::abs(sum);
            for (std::size_t r = 0; i < k && r < n_rows; ++r) {
              const double product = p[n * p_stride + r] * rows[r].values[i];
              sum += product;
              magnitude += std::abs(product);
            }
            ASSERT_NEAR(all[n * out_stride + i], sum, bound(magnitude, n_rows + 1)) << k;
          }
        }
      }
    }
  }
}

TEST_P(Products, ResultsDoNotDependOnAlignment) {
  const std::size_t k = 77;
  const std::size_t n = 3;
  const Array<float> x = random_array(n * k, 0, 11);
  const Array<float> w = random_array(9 * k, 0, 12);
  Array<float> dots(n * 9, 0);
  kernels_.dots[kFormatF32](w.data(), k * 4, 9, k, x.data(), k, n, dots.data(), 9);
  Array<float> norm(k, 0);
  kernels_.layer_norm(x.data(), w.data(), w.data(), k, norm.data());
  for (std::size_t shift = 1; shift < 16; ++shift) {
    const Array<float> x2 = random_array(n * k, shift, 11);
    const Array<float> w2 = random_array(9 * k, 16 - shift, 12);
    Array<float> dots2(n * 9, shift);
    kernels_.dots[kFormatF32](w2.data(), k * 4, 9, k, x2.data(), k, n, dots2.data(), 9);
    ASSERT_EQ(std::memcmp(dots.data(), dots2.data(), dots.size() * sizeof(float)), 0) << shift;
    Array<float> norm2(k, shift);
    kernels_.layer_norm(x2.data(), w2.data(), w2.data(), k, norm2.data());
    ASSERT_EQ(std::memcmp(norm.data(), norm2.data(), norm.size() * sizeof(float)), 0) << shift;
  }
}

}  // namespace
}  // namespace speech
