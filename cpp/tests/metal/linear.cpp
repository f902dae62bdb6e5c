// The Metal kernels of linear() and convolve() against the CPU's operations on the same weights as floats: its products
// of quantised weights round their inputs, which these kernels do not.

#include <cmath>

#include "kernels/weights.h"
#include "metal/kernels.h"

namespace speech {
namespace {

SPEECH_BOTH_ORDERS(LinearVector);
SPEECH_BOTH_ORDERS(LinearMatrix);

Floats as_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

Floats magnitudes(Floats values) {
  for (float& value : values) {
    value = std::abs(value);
  }
  return values;
}

std::vector<std::byte> image_of(const Floats& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

// As of operations.cpp: rounding of a sum of k products whose magnitudes sum up to `magnitude`. Two sums are compared,
// each of which is well within half of it.
double sum_tolerance(double magnitude, std::uint32_t k) { return 4 * (std::sqrt(k) + 8) * 0x1p-24 * magnitude + 1e-6; }

std::string kernel(const char* form, DType dtype) { return form + std::string(dtype_name(dtype)) + "_metal"; }

struct Shape3 {
  std::uint32_t n, k, d;  // rows, inputs (made whole blocks), outputs
};

class Product {
 public:
  Product(Host& cpu, DType dtype, const Shape3& shape) : dtype_(dtype) {
    const auto block = static_cast<std::uint32_t>(block_info(dtype).values);
    const std::uint32_t k = (shape.k + block - 1) / block * block;
    params = {.n_rows = shape.n,
              .n_out = shape.d,
              .k = k,
              .in_step = static_cast<std::int32_t>(k),
              .in_offset = 0,
              .in_size = static_cast<std::int32_t>(shape.n * k),
              .flags = 0};
    weight = random_weight(dtype, std::int64_t{shape.d} * k, 1);
    in = random_values(std::int64_t{shape.n} * k, 2);
    bias = random_values(shape.d, 3);
    residual = random_values(std::int64_t{shape.n} * shape.d, 4);
    const Floats floats = as_floats(weight.values);
    plain = linear(cpu, floats, {}, in, Activation::kNone, {});
    with_bias = linear(cpu, floats, bias, in, Activation::kNone, {});
    full = linear(cpu, floats, bias, in, Activation::kGelu, residual);
    magnitude = linear(cpu, magnitudes(floats), {}, magnitudes(in), Activation::kNone, {});
  }

  void expect_near(const Floats& got, const Floats& expected, double relative) const {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double tolerance = sum_tolerance(magnitude[i], params.k) + std::abs(expected[i]) * relative;
      ASSERT_NEAR(got[i], expected[i], tolerance)
          << dtype_name(dtype_) << " at " << i / params.n_out << ", " << i % params.n_out << " of " << params.n_rows
          << " x " << params.k << " x " << params.n_out;
    }
  }

  LinearParams params{};
  RandomWeight weight;
  Floats in, bias, residual, plain, with_bias, full, magnitude;

 private:
  Floats linear(Host& cpu, const Floats& floats, const Floats& added, const Floats& values, Activation activation,
                const Floats& rest) const {
    const Tensor w = cpu.weight(DType::kF32, {params.n_out, params.k}, image_of(floats));
    const Tensor b = added.empty() ? Tensor{} : cpu.f32({params.n_out}, added);
    const Tensor r = rest.empty() ? Tensor{} : cpu.f32({params.n_rows, params.n_out}, rest);
    const Tensor out = cpu.empty(DType::kF32, {params.n_rows, params.n_out});
    cpu.stream().linear(w, b, cpu.f32({params.n_rows, params.k}, values), activation, r, out);
    return cpu.values(out);
  }

  DType dtype_;
};

// All that is added to a product, or nothing, into floats, halves, and the residual itself.
#define EXPECT_EVERY_WAY(name, grid, p)                                                                             \
  do {                                                                                                              \
    Floats out(p.plain.size(), 7);                                                                                  \
    Halves half_out(p.plain.size(), 7);                                                                             \
    p.params.flags = 0;                                                                                             \
    ASSERT_EQ(shim::run(dispatch(name, grid, p.params, p.weight.image, p.in, p.in, p.in, out)), "");                \
    p.expect_near(out, p.plain, 0);                                                                                 \
    p.params.flags = kLinearBias | kLinearGelu | kLinearResidual;                                                   \
    ASSERT_EQ(shim::run(dispatch(name, grid, p.params, p.weight.image, p.bias, p.in, p.residual, out)), "");        \
    p.expect_near(out, p.full, 0);                                                                                  \
    ASSERT_EQ(shim::run(dispatch(name, grid, p.params, p.weight.image, p.bias, p.in, p.residual, p.residual)), ""); \
    EXPECT_EQ(p.residual, out) << "in place";                                                                       \
    p.params.flags = kLinearBias | kLinearHalfOut;                                                                  \
    ASSERT_EQ(shim::run(dispatch(name, grid, p.params, p.weight.image, p.bias, p.in, p.in, half_out)), "");         \
    /* binary16 has 11 bits: half a unit of the last is 2^-11 relative. */                                          \
    p.expect_near(floats_of(half_out), p.with_bias, 0x1p-11);                                                       \
  } while (false)

TEST_P(LinearVector, MultipliesByTheTransposedWeight) {
  for (const DType dtype : kWeightTypes) {
    for (const Shape3& shape : {Shape3{1, 1, 1}, {1, 7, 5}, {8, 261, 9}, {9, 33, 8}, {2, 520, 3}, {3, 64, 17}}) {
      Product product(cpu_, dtype, shape);
      EXPECT_EVERY_WAY(kernel("linear_vector_", dtype), linear_vector_grid(product.params), product);
    }
  }
}

TEST_P(LinearMatrix, MultipliesByTheTransposedWeight) {
  for (const DType dtype : kWeightTypes) {
    for (const Shape3& shape : {Shape3{1, 1, 1}, {9, 7, 17}, {33, 40, 65}, {32, 32, 64}, {70, 100, 130}}) {
      Product product(cpu_, dtype, shape);
      EXPECT_EVERY_WAY(kernel("linear_matrix_", dtype), linear_matrix_grid(product.params), product);
    }
  }
}

TEST_P(LinearVector, TakesMoreOutputsThanFitIntoEightBits) {
  Product product(cpu_, DType::kF16, {2, 300, 301});
  EXPECT_EVERY_WAY("linear_vector_f16_metal", linear_vector_grid(product.params), product);
}

TEST_P(LinearMatrix, TakesMoreRowsAndOutputsThanFitIntoEightBits) {
  Product product(cpu_, DType::kF16, {270, 300, 301});
  EXPECT_EVERY_WAY("linear_matrix_f16_metal", linear_matrix_grid(product.params), product);
}

// What is wrong with one row stays there: neither form may multiply a row by what lies behind it, not even by zero.
TEST_P(LinearVector, ARowThatIsNoNumberStaysAlone) {
  Product product(cpu_, DType::kF32, {3, 33, 5});
  std::fill_n(product.in.begin() + 33, 33, std::nanf(""));
  Floats out(product.plain.size());
  ASSERT_EQ(shim::run(dispatch("linear_vector_f32_metal", linear_vector_grid(product.params), product.params,
                               product.weight.image, product.in, product.in, product.in, out)),
            "");
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(std::isnan(out[i]), i / 5 == 1) << i;
  }
}

TEST_P(LinearMatrix, ARowThatIsNoNumberStaysAlone) {
  Product product(cpu_, DType::kF32, {3, 33, 5});
  std::fill_n(product.in.begin() + 33, 33, std::nanf(""));
  Floats out(product.plain.size());
  ASSERT_EQ(shim::run(dispatch("linear_matrix_f32_metal", linear_matrix_grid(product.params), product.params,
                               product.weight.image, product.in, product.in, product.in, out)),
            "");
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(std::isnan(out[i]), i / 5 == 1) << i;
  }
}

TEST_P(LinearMatrix, ConvolvesWithAFrameOfZerosOnEachSide) {
  for (const bool halves : {false, true}) {
    const DType dtype = halves ? DType::kF16 : DType::kF32;
    for (const std::uint32_t stride : {1U, 2U}) {
      // Frames, channels, outputs.
      for (const Shape3& shape : {Shape3{1, 3, 5}, {2, 80, 7}, {3, 100, 40}, {10, 7, 130}, {67, 80, 24}}) {
        const auto [t, c, d] = shape;
        const RandomWeight weight = random_weight(dtype, std::int64_t{d} * c * 3, 5);
        Floats in = random_values(std::int64_t{t} * c, 6);
        Floats bias = random_values(d, 7);
        const std::uint32_t t_out = (t - 1) / stride + 1;
        const Tensor on_cpu = cpu_.empty(DType::kF32, {t_out, d});
        const Tensor magnitude = cpu_.empty(DType::kF32, {t_out, d});
        cpu_.stream().convolve(cpu_.weight(dtype, {d, c, 3}, weight.image), cpu_.f32({d, 1}, bias),
                               cpu_.f32({t, c}, in), static_cast<int>(stride), Activation::kGelu, on_cpu);
        cpu_.stream().convolve(cpu_.weight(DType::kF32, {d, c, 3}, image_of(magnitudes(as_floats(weight.values)))), {},
                               cpu_.f32({t, c}, magnitudes(in)), static_cast<int>(stride), Activation::kNone,
                               magnitude);
        // (D, C, 3) -> (D, 3, C), as the host loads it.
        const std::size_t bytes = halves ? 2 : 4;
        std::vector<std::byte> swapped(weight.image.size());
        for (std::size_t at = 0; at < std::size_t{d} * c * 3; ++at) {
          const std::size_t row = at / (3 * c);
          const std::size_t channel = at / 3 % c;
          std::copy_n(&weight.image[at * bytes], bytes, &swapped[((row * 3 + at % 3) * c + channel) * bytes]);
        }
        LinearParams params{.n_rows = t_out,
                            .n_out = d,
                            .k = 3 * c,
                            .in_step = static_cast<std::int32_t>(stride * c),
                            .in_offset = -static_cast<std::int32_t>(c),
                            .in_size = static_cast<std::int32_t>(t * c),
                            .flags = kLinearBias | kLinearGelu};
        Floats out(std::size_t{t_out} * d, 7);
        ASSERT_EQ(shim::run(dispatch(kernel("linear_matrix_", dtype), linear_matrix_grid(params), params, swapped, bias,
                                     in, in, out)),
                  "");
        const Floats expected = cpu_.values(on_cpu);
        const Floats sums = cpu_.values(magnitude);
        for (std::size_t i = 0; i < out.size(); ++i) {
          ASSERT_NEAR(out[i], expected[i], sum_tolerance(sums[i], 3 * c)) << "stride " << stride << " at " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace speech
