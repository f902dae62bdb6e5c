// The Metal kernel of layer normalisation against the CPU's operation.

#include "metal/kernels.h"

namespace speech {
namespace {

SPEECH_BOTH_ORDERS(LayerNorm);

TEST_P(LayerNorm, MakesEachRowEven) {
  for (const std::uint32_t width : {1U, 31U, 128U, 129U, 384U, 385U}) {
    Floats in = random_values(3 * width, 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      // The last row is so even that what is added to its variance counts.
      in[i] = i < 2 * width ? in[i] * 2 + 5 : in[i] * 0.003F;
    }
    Floats gamma = random_values(width, 2);
    Floats beta = random_values(width, 3);
    const Tensor on_cpu = cpu_.empty(DType::kF32, {3, width});
    cpu_.stream().layer_norm(cpu_.f32({3, width}, in), cpu_.f32({width}, gamma), cpu_.f32({width}, beta), on_cpu);
    const Floats expected = cpu_.values(on_cpu);
    LayerNormParams params{width};
    Floats out(in.size(), 7);
    ASSERT_EQ(shim::run(dispatch("layer_norm_f32_metal", layer_norm_grid(3), params, in, gamma, beta, out)), "");
    ASSERT_EQ(shim::run(dispatch("layer_norm_f32_metal", layer_norm_grid(3), params, in, gamma, beta, in)), "");
    EXPECT_EQ(in, out) << "in place";
    // Sums in another order: the mean of values near 5 differs by a few 2^-24 of 12, the largest; after division by a
    // spread of 2 and multiplication by gamma (at most 4) that is 4 * 12 / 2 * 2^-24 * 4.
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_NEAR(out[i], expected[i], 96 * 0x1p-24) << width << " wide, at " << i;
    }
  }
}

}  // namespace
}  // namespace speech
