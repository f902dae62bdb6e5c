// What the tests of the Metal kernels share: dispatches on the host, and the CPU back-end beside them. Must not know
// any kernel.
#pragma once

#include <string>
#include <vector>

#include "backend/host.h"
#include "backend/metal/kernel_grids.h"
#include "metal/shim/threads.h"

namespace speech {

using Floats = std::vector<float>;
using Halves = std::vector<std::uint16_t>;

inline Halves halves_of(const Floats& values) {
  Halves halves(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    halves[i] = float_to_half(values[i]);
  }
  return halves;
}

inline Floats floats_of(const Halves& halves) {
  Floats values(halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    values[i] = half_to_float(halves[i]);
  }
  return values;
}

/// Whole lookups and single roundings: the same bits. Anything that sums states its own bound.
inline void expect_same(const Floats& got, const Floats& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], expected[i]) << "at " << i;
  }
}

/// Tests of kernels, each run with its threads from the first to the last and the other way.
class MetalKernels : public testing::TestWithParam<bool> {
 protected:
  /// Buffers by index, the constant behind them. What a vector could hold more is given back, so that nothing lies
  /// behind its last value.
  template <typename Params, typename... Vectors>
  shim::Dispatch dispatch(const std::string& name, const KernelGrid& grid, Params& params, Vectors&... vectors) {
    shim::Dispatch made;
    made.name = name;
    made.groups_x = grid.groups_x;
    made.groups_y = grid.groups_y;
    made.groups_z = grid.groups_z;
    made.threads_x = grid.threads;
    if (grid.threadgroup_bytes > 0) {
      made.threadgroup_bytes[0] = grid.threadgroup_bytes;
    }
    made.backwards = GetParam();
    (vectors.shrink_to_fit(), ...);
    unsigned index = 0;
    ((made.buffers[index++] = {vectors.data(), vectors.size() * sizeof(vectors[0]), false}), ...);
    made.buffers[index] = {&params, sizeof(params), true};
    return made;
  }

  Host cpu_{"cpu"};
};

#define SPEECH_BOTH_ORDERS(suite)                         \
  class suite : public MetalKernels {};                   \
  INSTANTIATE_TEST_SUITE_P(Order, suite, testing::Bool(), \
                           [](const auto& instance) { return instance.param ? "Backwards" : "Forwards"; })

}  // namespace speech
