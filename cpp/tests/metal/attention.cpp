// The Metal kernels of attention against the CPU's operations.

#include <cmath>
#include <limits>

#include "metal/kernels.h"

namespace speech {
namespace {

SPEECH_BOTH_ORDERS(AttendVector);
SPEECH_BOTH_ORDERS(AttendMatrix);
SPEECH_BOTH_ORDERS(AttendWeights);

enum class Mask { kNone, kCausal, kOneKey };

// Each row sees the keys up to its own, or a single one: the first in most blocks see none.
Floats make_mask(Mask kind, std::uint32_t n, std::uint32_t t) {
  Floats mask(std::size_t{n} * t, 0.0F);
  for (std::uint32_t row = 0; row < n; ++row) {
    for (std::uint32_t key = 0; key < t; ++key) {
      const bool visible = kind == Mask::kCausal ? key + n <= t + row || key == 0 : key == row * 37 % t;
      mask[std::size_t{row} * t + key] = visible ? 0.0F : -std::numeric_limits<float>::infinity();
    }
  }
  return mask;
}

struct AttentionShape {
  std::uint32_t n, t, width, heads;
};

class Inputs {
 public:
  explicit Inputs(const AttentionShape& shape)
      : q(random_values(std::int64_t{shape.n} * shape.width, 15, 2.0F)),
        k(floats_of(halves_of(random_values(std::int64_t{shape.t} * shape.width, 16, 2.0F)))),
        v(floats_of(halves_of(random_values(std::int64_t{shape.t} * shape.width, 17)))),
        half_k(halves_of(k)),
        half_v(halves_of(v)) {}

  Floats q, k, v;  // k and v are halves in any case
  Halves half_k, half_v;
};

// Scores reach some 20 with an error of 20 * 2^-22, which exp makes a relative error of about 5e-6 of each weight;
// values are below 5. Two such results are compared.
constexpr double kTolerance = 3e-5;

#define EXPECT_EVERY_MASK(form, grid, shape)                                                                           \
  do {                                                                                                                 \
    const auto [n, t, width, heads] = shape;                                                                           \
    Inputs x(shape);                                                                                                   \
    for (const Mask kind : {Mask::kNone, Mask::kCausal, Mask::kOneKey}) {                                              \
      const bool masked = kind != Mask::kNone;                                                                         \
      Floats mask = make_mask(kind, n, t);                                                                             \
      const Tensor on_cpu = cpu_.empty(DType::kF32, {n, width});                                                       \
      cpu_.stream().attend(cpu_.f32({n, width}, x.q), cpu_.f32({t, width}, x.k), cpu_.f32({t, width}, x.v),            \
                           static_cast<int>(heads), masked ? cpu_.f32({n, t}, mask) : Tensor{}, on_cpu);               \
      const Floats expected = cpu_.values(on_cpu);                                                                     \
      AttendParams params{.n_rows = n,                                                                                 \
                          .n_keys = t,                                                                                 \
                          .width = width,                                                                              \
                          .head_width = width / heads,                                                                 \
                          .has_mask = masked ? 1U : 0U,                                                                \
                          .scale = 1.0F / std::sqrt(static_cast<float>(width / heads))};                               \
      Floats& bound = masked ? mask : x.q;                                                                             \
      for (const bool halves : {false, true}) {                                                                        \
        Floats out(std::size_t{n} * width, 7);                                                                         \
        const shim::Dispatch attend =                                                                                  \
            halves ? dispatch(form "_f16_metal", grid(params), params, x.q, x.half_k, x.half_v, bound, out)            \
                   : dispatch(form "_f32_metal", grid(params), params, x.q, x.k, x.v, bound, out);                     \
        ASSERT_EQ(shim::run(attend), "");                                                                              \
        for (std::size_t i = 0; i < out.size(); ++i) {                                                                 \
          ASSERT_NEAR(out[i], expected[i], kTolerance) << n << " rows, " << t << " keys, width " << width << ", mask " \
                                                       << static_cast<int>(kind) << ", at " << i;                      \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  } while (false)

TEST_P(AttendVector, IsTheMaskedSoftmaxOfEachHead) {
  for (const AttentionShape& shape : {AttentionShape{1, 1, 64, 1},
                                      {1, 130, 128, 2},
                                      {3, 65, 60, 3},
                                      {8, 300, 40, 2},
                                      {2, 33, 33, 1},
                                      {1, 800, 64, 1}}) {
    EXPECT_EVERY_MASK("attend_vector", attend_vector_grid, shape);
  }
}

TEST_P(AttendMatrix, IsTheMaskedSoftmaxOfEachHead) {
  for (const AttentionShape& shape : {AttentionShape{1, 1, 64, 1},
                                      {9, 70, 40, 2},
                                      {32, 32, 128, 2},
                                      {45, 97, 60, 3},
                                      {70, 64, 66, 2},
                                      {270, 270, 64, 1},
                                      {33, 33, 384, 6}}) {
    EXPECT_EVERY_MASK("attend_matrix", attend_matrix_grid, shape);
  }
}

TEST_P(AttendWeights, AreTheSoftmaxOfOneHead) {
  for (const AttentionShape& shape :
       {AttentionShape{1, 1, 64, 1}, {3, 130, 128, 2}, {2, 31, 60, 3}, {5, 300, 40, 2}, {270, 9, 384, 6}}) {
    const auto [n, t, width, heads] = shape;
    Inputs x(shape);
    for (std::uint32_t head = 0; head < heads; ++head) {
      const Tensor on_cpu = cpu_.empty(DType::kF32, {n, t});
      cpu_.stream().attend_weights(cpu_.f32({n, width}, x.q), cpu_.f32({t, width}, x.k), static_cast<int>(heads),
                                   static_cast<int>(head), on_cpu);
      const Floats expected = cpu_.values(on_cpu);
      AttendWeightsParams params{.n_keys = t,
                                 .width = width,
                                 .head_width = width / heads,
                                 .head = head,
                                 .scale = 1.0F / std::sqrt(static_cast<float>(width / heads))};
      for (const bool halves : {false, true}) {
        Floats out(std::size_t{n} * t, 7);
        const shim::Dispatch weights =
            halves ? dispatch("attend_weights_f16_metal", attend_weights_grid(n), params, x.q, x.half_k, out)
                   : dispatch("attend_weights_f32_metal", attend_weights_grid(n), params, x.q, x.k, out);
        ASSERT_EQ(shim::run(weights), "");
        for (std::size_t i = 0; i < out.size(); ++i) {
          // A relative error of 1e-5 at most, see above, of two.
          ASSERT_NEAR(out[i], expected[i], 1e-5 * expected[i] + 1e-12) << t << " keys, head " << head << ", at " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace speech
