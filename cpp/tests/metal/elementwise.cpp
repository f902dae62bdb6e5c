// Metal kernels that compute each value by itself, against the CPU's operations.

#include "kernels/weights.h"
#include "metal/kernels.h"

namespace speech {
namespace {

SPEECH_BOTH_ORDERS(Elementwise);

TEST_P(Elementwise, AddAddsEachValue) {
  for (const std::uint32_t count : {1U, 31U, 32U, 33U, 128U, 385U}) {
    Floats table = random_values(count, 2);
    Floats x = random_values(count, 1);
    const Tensor on_cpu = cpu_.f32({count}, x);
    cpu_.stream().add(on_cpu, cpu_.f32({count}, table));
    AddParams params{count};
    ASSERT_EQ(shim::run(dispatch("add_f32_metal", add_grid(params), params, x, table)), "");
    expect_same(x, cpu_.values(on_cpu));
  }
}

TEST_P(Elementwise, GatherTakesRows) {
  for (const std::uint32_t width : {1U, 32U, 301U}) {
    Floats in = floats_of(halves_of(random_values(7 * width, 1)));
    Halves half_in = halves_of(in);
    std::vector<std::int32_t> rows = {6, 0, 3, 3};
    const Tensor on_cpu = cpu_.empty(DType::kF32, {4, width});
    cpu_.stream().gather(cpu_.f32({7, width}, in), cpu_.i32(rows), on_cpu);
    LookupParams params{4, width};
    KernelGrid one_too_many = gather_grid(params);
    one_too_many.groups_y += 1;
    Floats out(rows.size() * width, 7);
    ASSERT_EQ(shim::run(dispatch("gather_f32_metal", one_too_many, params, in, rows, out)), "");
    expect_same(out, cpu_.values(on_cpu));
    Halves half_out(rows.size() * width, 7);
    ASSERT_EQ(shim::run(dispatch("gather_f16_metal", one_too_many, params, half_in, rows, half_out)), "");
    expect_same(floats_of(half_out), cpu_.values(on_cpu));
  }
}

TEST_P(Elementwise, EmbedAddsARowOfEachTableWhateverItsType) {
  for (const DType dtype : kWeightTypes) {
    const auto block = static_cast<std::uint32_t>(block_info(dtype).values);
    for (const std::uint32_t width : {block, 3 * block, block == 1 ? 301 : 9 * block}) {
      RandomWeight table = random_weight(dtype, 9 * width, 1);
      Floats position_table = random_values(5 * width, 2);
      std::vector<std::int32_t> tokens = {8, 0, 2};
      std::vector<std::int32_t> positions = {4, 1, 0};
      const Tensor on_cpu = cpu_.empty(DType::kF32, {3, width});
      cpu_.stream().embed(cpu_.i32(tokens), cpu_.i32(positions), cpu_.weight(dtype, {9, width}, table.image),
                          cpu_.f32({5, width}, position_table), on_cpu);
      LookupParams params{3, width};
      KernelGrid one_too_many = embed_grid(params);
      one_too_many.groups_y += 1;
      Floats out(3 * width, 7);
      ASSERT_EQ(shim::run(dispatch("embed_" + std::string(dtype_name(dtype)) + "_metal", one_too_many, params, tokens,
                                   positions, table.image, position_table, out)),
                "");
      const Floats expected = cpu_.values(on_cpu);
      for (std::size_t i = 0; i < out.size(); ++i) {
        // A product and a sum that round together or one by one, of values below 16.
        ASSERT_NEAR(out[i], expected[i], is_quantized(dtype) ? 2e-6 : 0) << dtype_name(dtype) << " at " << i;
      }
    }
  }
}

}  // namespace
}  // namespace speech
