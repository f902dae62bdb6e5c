// The Metal kernels, compiled for the host, against the CPU back-end's operations of the same names, over odd shapes.

#include <cmath>

#include "backend/host.h"
#include "backend/metal/kernel_params.h"
#include "metal/shim/threads.h"

namespace speech {
namespace {

using Floats = std::vector<float>;

// Whole lookups and single roundings: the same bits. Anything that sums states its own bound.
void expect_same(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], expected[i]) << "at " << i;
  }
}

class MetalKernels : public testing::TestWithParam<bool> {
 protected:
  // Buffers by index, the constant behind them, one thread or threadgroup for each place.
  template <typename Params, typename... Vectors>
  shim::Dispatch dispatch(const std::string& name, Params& params, Vectors&... vectors) {
    shim::Dispatch made;
    made.name = name;
    made.backwards = GetParam();
    unsigned index = 0;
    ((made.buffers[index++] = {vectors.data(), vectors.size() * sizeof(vectors[0]), false}), ...);
    made.buffers[index] = {&params, sizeof(params), true};
    return made;
  }

  Host cpu_{"cpu"};
};

INSTANTIATE_TEST_SUITE_P(Order, MetalKernels, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "Backwards" : "Forwards"; });

unsigned groups(std::size_t n, unsigned threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

TEST_P(MetalKernels, AddAddsEachValue) {
  for (const std::size_t count : {1, 31, 32, 33, 64, 385}) {
    const Floats table = random_values(static_cast<std::int64_t>(count), 2);
    Floats x = random_values(static_cast<std::int64_t>(count), 1);
    const Tensor on_cpu = cpu_.f32({static_cast<std::int64_t>(count)}, x);
    cpu_.stream().add(on_cpu, cpu_.f32({static_cast<std::int64_t>(count)}, table));
    AddParams params{static_cast<std::uint32_t>(count)};
    shim::Dispatch add = dispatch("add_f32_metal", params, x, const_cast<Floats&>(table));
    add.threads_x = 64;
    add.groups_x = groups(count, 64);
    ASSERT_EQ(shim::run(add), "");
    expect_same(x, cpu_.values(on_cpu));
  }
}

TEST_P(MetalKernels, GatherTakesRows) {
  for (const int width : {1, 32, 51}) {
    Floats in = random_values(7 * width, 1);
    std::vector<std::int32_t> rows = {6, 0, 3, 3};
    Floats out(rows.size() * static_cast<std::size_t>(width), 7);
    const Tensor on_cpu = cpu_.empty(DType::kF32, {4, width});
    cpu_.stream().gather(cpu_.f32({7, width}, in), cpu_.i32(rows), on_cpu);
    LookupParams params{4, static_cast<std::uint32_t>(width)};
    shim::Dispatch gather = dispatch("gather_f32_metal", params, in, rows, out);
    gather.groups_x = groups(static_cast<std::size_t>(width), 32);
    gather.groups_y = 5;  // one too many
    ASSERT_EQ(shim::run(gather), "");
    expect_same(out, cpu_.values(on_cpu));
  }
}

TEST_P(MetalKernels, EmbedAddsARowOfEachTable) {
  for (const int width : {1, 32, 51}) {
    Floats token_table = random_values(9 * width, 1);
    std::vector<std::uint16_t> halves;
    for (const float value : token_table) {
      halves.push_back(float_to_half(value));
    }
    Floats position_table = random_values(5 * width, 2);
    std::vector<std::int32_t> tokens = {8, 0, 2};
    std::vector<std::int32_t> positions = {4, 1, 0};
    LookupParams params{3, static_cast<std::uint32_t>(width)};
    for (const bool is_half : {false, true}) {
      const Tensor on_cpu = cpu_.empty(DType::kF32, {3, width});
      const Tensor table = is_half ? cpu_.f16({9, width}, token_table) : cpu_.f32({9, width}, token_table);
      cpu_.stream().embed(cpu_.i32(tokens), cpu_.i32(positions), table, cpu_.f32({5, width}, position_table), on_cpu);
      Floats out(3 * static_cast<std::size_t>(width), 7);
      shim::Dispatch embed =
          is_half ? dispatch("embed_f16_metal", params, tokens, positions, halves, position_table, out)
                  : dispatch("embed_f32_metal", params, tokens, positions, token_table, position_table, out);
      embed.groups_x = groups(static_cast<std::size_t>(width), 32);
      embed.groups_y = 4;  // one too many
      ASSERT_EQ(shim::run(embed), "");
      expect_same(out, cpu_.values(on_cpu));
    }
  }
}

TEST_P(MetalKernels, LayerNormMakesEachRowEven) {
  for (const auto& [width, threads] : {std::pair{1, 32}, {31, 64}, {384, 32}, {385, 96}, {512, 256}}) {
    Floats in = random_values(3 * width, 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i] = in[i] * 2 + 5;
    }
    Floats gamma = random_values(width, 2);
    Floats beta = random_values(width, 3);
    const Tensor on_cpu = cpu_.empty(DType::kF32, {3, width});
    cpu_.stream().layer_norm(cpu_.f32({3, width}, in), cpu_.f32({width}, gamma), cpu_.f32({width}, beta), on_cpu);
    Floats out(in.size(), 7);
    LayerNormParams params{static_cast<std::uint32_t>(width)};
    shim::Dispatch norm = dispatch("layer_norm_f32_metal", params, in, gamma, beta, out);
    norm.threads_x = static_cast<unsigned>(threads);
    norm.groups_x = 3;
    norm.threadgroup_bytes[0] = static_cast<std::size_t>(threads) / kSimdWidth * 2 * sizeof(float);
    ASSERT_EQ(shim::run(norm), "");
    // Sums in another order: the mean of values near 5 differs by a few 2^-24 of 12, the largest; after division by a
    // spread of 2 and multiplication by gamma (at most 4) that is 4 * 12 / 2 * 2^-24 * 4.
    const Floats expected = cpu_.values(on_cpu);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_NEAR(out[i], expected[i], 96 * 0x1p-24) << width << " wide, at " << i;
    }
  }
}

TEST_P(MetalKernels, WhatTheHostSetsIsHeldAgainstTheText) {
  Floats x(32);
  AddParams params{32};
  shim::Dispatch add = dispatch("add_f32_metal", params, x, x);
  ASSERT_EQ(shim::run(add), "");
  shim::Dispatch other = add;
  other.name = "add_f64_metal";
  EXPECT_EQ(shim::run(other), "no kernel is called add_f64_metal");
  other = add;
  other.buffers.erase(1);
  EXPECT_EQ(shim::run(other), "add_f32_metal: index 1 is not set");
  other = add;
  other.buffers[3] = other.buffers[0];
  EXPECT_EQ(shim::run(other), "add_f32_metal: more is set than the kernel has arguments");
  other = add;
  other.buffers[2].bytes = 8;
  EXPECT_EQ(shim::run(other), "add_f32_metal: index 2 is of another kind or size");
  LayerNormParams norm_params{32};
  shim::Dispatch norm = dispatch("layer_norm_f32_metal", norm_params, x, x, x, x);
  EXPECT_EQ(shim::run(norm), "layer_norm_f32_metal: index 0 of threadgroup memory has no size");
}

}  // namespace
}  // namespace speech
