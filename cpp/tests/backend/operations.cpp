// Every operation of a stream against a naive double-precision one, over shapes, thread counts and kinds of back-end.

#include <cmath>
#include <limits>
#include <tuple>

#include "backend/host.h"
#include "kernels/weights.h"

namespace speech {
namespace {

using Doubles = std::vector<double>;

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

// Rounding of a sum of k products, each of magnitude |a||b|: at most k * 2^-24 * sum |a b| for any order, and in
// practice near sqrt(k). `magnitude` is sum |a b|. The factor 4 covers bias, activation and residual; 1e-6 the
// activation's own error.
double sum_tolerance(double magnitude, std::int64_t k) {
  return 4 * (std::sqrt(static_cast<double>(k)) + 8) * 0x1p-24 * magnitude + 1e-6;
}

// What is left of activations that the CPU multiplies with quantised weights: whole multiples of a 127th of the largest
// magnitude of their own 32.
std::vector<float> as_multiplied(DType weight, std::vector<float> values) {
  if (block_info(weight).values == 1) {
    return values;
  }
  for (std::size_t i = 0; i < values.size(); i += kQuantBlock) {
    const std::span<float> block = std::span(values).subspan(i, kQuantBlock);
    float largest = 0;
    for (const float value : block) {
      largest = std::max(largest, std::abs(value));
    }
    for (float& value : block) {
      value = std::nearbyint(value * (127.0F / largest)) * (largest / 127.0F);
    }
  }
  return values;
}

class Operations : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  Host host_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Cpu, Operations, testing::Combine(testing::Values(SPEECH_TEST_KINDS), testing::Values(1, 3)),
                         [](const auto& instance) {
                           return std::get<0>(instance.param) + std::to_string(std::get<1>(instance.param)) + "Threads";
                         });

TEST_P(Operations, LinearOfEveryWeightTypeMultipliesByTheTransposedWeight) {
  for (const DType dtype : kWeightTypes) {
    for (const auto& [n, least, d] : {std::tuple{1, 64, 5},
                                      {2, 32, 70},
                                      {3, 352, 130},
                                      {8, 288, 65},
                                      {9, 288, 17},
                                      {13, 64, 16},
                                      {40, 544, 150},
                                      {300, 64, 33}}) {
      const int block = block_info(dtype).values;
      const int k = (least + block - 1) / block * block;
      const RandomWeight weight = random_weight(dtype, std::int64_t{d} * k, 1);
      const std::vector<float> in = random_values(std::int64_t{n} * k, 2);
      // A GPU multiplies by quantised weights as floats, and rounds nothing before.
      const std::vector<float> seen = host_.backend().name() == "metal" ? in : as_multiplied(dtype, in);
      const std::vector<float> bias = random_values(d, 3);
      const std::vector<float> residual = random_values(std::int64_t{n} * d, 4);
      const Tensor w = host_.weight(dtype, {d, k}, weight.image);
      const Tensor x = host_.f32({n, k}, in);
      const Tensor b = host_.f32({d}, bias);
      const Tensor r = host_.f32({n, d}, residual);
      const Tensor plain = host_.empty(DType::kF32, {n, d});
      const Tensor full = host_.empty(DType::kF32, {n, d});
      const Tensor half = host_.empty(DType::kF16, {n * 2, d});  // twice the rows, so that F32 pairs see all of it
      host_.stream().linear(w, {}, x, Activation::kNone, {}, plain);
      host_.stream().linear(w, b, x, Activation::kGelu, r, full);
      host_.stream().linear(w, b, x, Activation::kNone, {}, half.row_range(0, n));
      host_.stream().linear(w, b, x, Activation::kNone, r, r);  // in place
      const std::vector<float> plain_values = host_.values(plain);
      const std::vector<float> full_values = host_.values(full);
      const std::vector<float> half_values = host_.half_values(half);
      const std::vector<float> in_place = host_.values(r);
      for (int row = 0; row < n; ++row) {
        for (int column = 0; column < d; ++column) {
          double sum = 0;
          double magnitude = 0;
          for (int i = 0; i < k; ++i) {
            const double product =
                weight.values[static_cast<std::size_t>(column * k + i)] * seen[static_cast<std::size_t>(row * k + i)];
            sum += product;
            magnitude += std::abs(product);
          }
          const auto at = static_cast<std::size_t>(row * d + column);
          const double with_bias = sum + bias[static_cast<std::size_t>(column)];
          const double tolerance = sum_tolerance(magnitude, k);
          ASSERT_NEAR(plain_values[at], sum, tolerance) << dtype_name(dtype) << " " << row << ", " << column;
          ASSERT_NEAR(full_values[at], gelu(with_bias) + residual[at], tolerance) << dtype_name(dtype);
          ASSERT_NEAR(in_place[at], with_bias + residual[at], tolerance) << dtype_name(dtype);
          // binary16 has 11 bits: half a unit of the last is 2^-11 relative.
          ASSERT_NEAR(half_values[at], with_bias, tolerance + std::abs(with_bias) * 0x1p-11) << dtype_name(dtype);
        }
      }
    }
  }
}

TEST_P(Operations, ConvolutionPadsOneFrameOnEachSide) {
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    for (const int stride : {1, 2}) {
      for (const auto& [t, c, d] : {std::tuple{1, 3, 5}, {2, 80, 7}, {3, 100, 40}, {10, 7, 130}, {301, 80, 24}}) {
        const RandomWeight weight = random_weight(dtype, std::int64_t{d} * c * 3, 5);
        const std::vector<float> in = random_values(std::int64_t{t} * c, 6);
        const std::vector<float> bias = random_values(d, 7);
        const int t_out = (t - 1) / stride + 1;
        const Tensor out = host_.empty(DType::kF32, {t_out, d});
        host_.stream().convolve(host_.weight(dtype, {d, c, 3}, weight.image), host_.f32({d, 1}, bias),
                                host_.f32({t, c}, in), stride, Activation::kGelu, out);
        const std::vector<float> values = host_.values(out);
        for (int row = 0; row < t_out; ++row) {
          for (int column = 0; column < d; ++column) {
            double sum = bias[static_cast<std::size_t>(column)];
            double magnitude = std::abs(sum);
            for (int tap = 0; tap < 3; ++tap) {
              const int frame = row * stride + tap - 1;
              for (int channel = 0; frame >= 0 && frame < t && channel < c; ++channel) {
                const double product = weight.values[static_cast<std::size_t>((column * c + channel) * 3 + tap)] *
                                       in[static_cast<std::size_t>(frame * c + channel)];
                sum += product;
                magnitude += std::abs(product);
              }
            }
            ASSERT_NEAR(values[static_cast<std::size_t>(row * d + column)], gelu(sum), sum_tolerance(magnitude, c * 3))
                << "stride " << stride << " row " << row;
          }
        }
      }
    }
  }
}

TEST_P(Operations, LayerNormMakesEachRowAlone) {
  for (const auto& [n, d] : {std::pair{1, 1}, {1, 384}, {3, 20}, {70, 51}}) {
    std::vector<float> in = random_values(std::int64_t{n} * d, 8, 3.0F);
    for (float& value : in) {
      value += 10.0F;
    }
    const std::vector<float> gamma = random_values(d, 9);
    const std::vector<float> beta = random_values(d, 10);
    const Tensor x = host_.f32({n, d}, in);
    const Tensor out = host_.empty(DType::kF32, {n, d});
    const Tensor g = host_.f32({d}, gamma);
    const Tensor b = host_.f32({d}, beta);
    host_.stream().layer_norm(x, g, b, out);
    host_.stream().layer_norm(x, g, b, x);
    const std::vector<float> values = host_.values(out);
    EXPECT_EQ(values, host_.values(x)) << "in place";
    for (int row = 0; row < n; ++row) {
      double mean = 0;
      double variance = 0;
      for (int i = 0; i < d; ++i) {
        mean += in[static_cast<std::size_t>(row * d + i)];
      }
      mean /= d;
      for (int i = 0; i < d; ++i) {
        variance += std::pow(in[static_cast<std::size_t>(row * d + i)] - mean, 2);
      }
      variance /= d;
      for (int i = 0; i < d; ++i) {
        const auto at = static_cast<std::size_t>(row * d + i);
        const auto column = static_cast<std::size_t>(i);
        const double expected = (in[at] - mean) / std::sqrt(variance + 1e-5) * gamma[column] + beta[column];
        // The mean of values near 10 is known to some 10 * 2^-23, the spread is 3, and gamma is at most about 4.
        ASSERT_NEAR(values[at], expected, d == 1 ? 1e-5 : 2e-5);
      }
    }
  }
}

TEST_P(Operations, EmbedAddsTheRowsOfTokenAndPosition) {
  for (const DType dtype : kWeightTypes) {
    const int d = std::max(96, block_info(dtype).values);
    const std::vector<float> positions = random_values(7 * d, 12);
    const RandomWeight table = random_weight(dtype, 11 * d, 11);
    const Tensor out = host_.empty(DType::kF32, {3, d});
    host_.stream().embed(host_.i32({10, 0, 4}), host_.i32({6, 0, 6}), host_.weight(dtype, {11, d}, table.image),
                         host_.f32({7, d}, positions), out);
    const std::vector<float> values = host_.values(out);
    const int tokens[] = {10, 0, 4};
    const int places[] = {6, 0, 6};
    for (int row = 0; row < 3; ++row) {
      for (int i = 0; i < d; ++i) {
        const double expected = table.values[static_cast<std::size_t>(tokens[row] * d + i)] +
                                positions[static_cast<std::size_t>(places[row] * d + i)];
        // Three roundings (scale, minimum, sum) of values below 16.
        ASSERT_NEAR(values[static_cast<std::size_t>(row * d + i)], expected, 4e-6) << dtype_name(dtype);
      }
    }
  }
}

TEST_P(Operations, AddIsInPlaceAndGatherPicksRows) {
  const std::vector<float> a = random_values(5 * 33, 13);
  const std::vector<float> b = random_values(5 * 33, 14);
  const Tensor x = host_.f32({5, 33}, a);
  const Tensor out = host_.empty(DType::kF32, {3, 33});
  host_.stream().add(x, host_.f32({5, 33}, b));
  host_.stream().gather(x, host_.i32({4, 0, 4}), out);
  const std::vector<float> values = host_.values(out);
  const std::size_t rows[] = {4, 0, 4};
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t i = 0; i < 33; ++i) {
      ASSERT_EQ(values[r * 33 + i], a[rows[r] * 33 + i] + b[rows[r] * 33 + i]);
    }
  }
}

enum class Mask { kNone, kCausal, kOneCell };

std::vector<float> make_mask(Mask kind, int n, int t) {
  std::vector<float> mask(static_cast<std::size_t>(n * t), 0.0F);
  for (int row = 0; row < n; ++row) {
    for (int key = 0; key < t; ++key) {
      const bool visible = kind == Mask::kCausal ? key <= t - n + row || key == 0 : key == row * 37 % t;
      mask[static_cast<std::size_t>(row * t + key)] = visible ? 0.0F : -std::numeric_limits<float>::infinity();
    }
  }
  return mask;
}

TEST_P(Operations, AttentionIsTheMaskedSoftmaxOfEachHead) {
  for (const auto& [n, t, d, heads] : {std::tuple{1, 1, 64, 1},
                                       {1, 130, 128, 2},
                                       {3, 65, 60, 3},
                                       {8, 300, 128, 2},
                                       {9, 9, 64, 1},
                                       {9, 200, 40, 2},
                                       {23, 64, 128, 2},
                                       {150, 150, 128, 2},
                                       {140, 97, 60, 3},
                                       {12, 70, 288, 2},
                                       {510, 270, 64, 1},  // more than one task and one block of keys
                                       {260, 20, 128, 1}}) {
    if (!host_.backend().check_model(d / heads).is_ok()) {
      continue;
    }
    for (const bool halves : {false, true}) {
      for (const Mask kind : {Mask::kNone, Mask::kCausal, Mask::kOneCell}) {
        const std::vector<float> q = random_values(std::int64_t{n} * d, 15, 2.0F);
        std::vector<float> k = random_values(std::int64_t{t} * d, 16, 2.0F);
        std::vector<float> v = random_values(std::int64_t{t} * d, 17);
        if (halves) {
          for (float& value : k) value = half_to_float(float_to_half(value));
          for (float& value : v) value = half_to_float(float_to_half(value));
        }
        const std::vector<float> mask = make_mask(kind, n, t);
        const Tensor out = host_.empty(DType::kF32, {n, d});
        host_.stream().attend(host_.f32({n, d}, q), halves ? host_.f16({t, d}, k) : host_.f32({t, d}, k),
                              halves ? host_.f16({t, d}, v) : host_.f32({t, d}, v), heads,
                              kind == Mask::kNone ? Tensor{} : host_.f32({n, t}, mask), out);
        const std::vector<float> values = host_.values(out);
        const int width = d / heads;
        Doubles weights(static_cast<std::size_t>(t));
        for (int row = 0; row < n; ++row) {
          for (int head = 0; head < heads; ++head) {
            double maximum = -std::numeric_limits<double>::infinity();
            for (int key = 0; key < t; ++key) {
              double score = 0;
              for (int i = 0; i < width; ++i) {
                score += static_cast<double>(q[static_cast<std::size_t>(row * d + head * width + i)]) *
                         k[static_cast<std::size_t>(key * d + head * width + i)];
              }
              score /= std::sqrt(width);
              score += kind == Mask::kNone ? 0.0 : mask[static_cast<std::size_t>(row * t + key)];
              weights[static_cast<std::size_t>(key)] = score;
              maximum = std::max(maximum, score);
            }
            double total = 0;
            for (double& weight : weights) {
              weight = std::exp(weight - maximum);
              total += weight;
            }
            for (int i = 0; i < width; ++i) {
              double expected = 0;
              for (int key = 0; key < t; ++key) {
                expected += weights[static_cast<std::size_t>(key)] / total *
                            v[static_cast<std::size_t>(key * d + head * width + i)];
              }
              // Scores reach some 20 with an error of 20 * 2^-22, which exp makes a relative error of about 5e-6 of
              // each weight; values are below 5.
              ASSERT_NEAR(values[static_cast<std::size_t>(row * d + head * width + i)], expected, 3e-5)
                  << "n " << n << " t " << t << " head " << head << " row " << row << " mask "
                  << static_cast<int>(kind);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace speech
