// The shim sees what is wrong with a kernel, in kernels that are wrong on purpose (broken.metal), and with a
// dispatch.

#include <cmath>

#include "metal/kernels.h"

namespace speech {
namespace {

SPEECH_BOTH_ORDERS(Shim);
SPEECH_BOTH_ORDERS(ShimDeathTest);

constexpr std::uint32_t kThreads = 64;

TEST_P(Shim, SaysWhereThreadsPart) {
  Floats x(kThreads);
  AddParams half{kThreads / 2};
  AddParams some{5};
  const KernelGrid grid{.threads = kThreads};
  // A simdgroup's threads, or two simdgroups.
  EXPECT_EQ(shim::run(dispatch("some_do_not_wait_metal", grid, some, x)),
            "some_do_not_wait_metal: threads diverge, thread 0 waits at line 12, thread 5 at the end");
  EXPECT_EQ(shim::run(dispatch("some_do_not_wait_metal", grid, half, x)),
            "some_do_not_wait_metal: threads diverge, thread 0 waits at line 12, thread 32 at the end");
  EXPECT_EQ(shim::run(dispatch("some_wait_elsewhere_metal", grid, half, x)),
            "some_wait_elsewhere_metal: threads diverge, thread 0 waits at line 20, thread 32 at line 22");
  EXPECT_EQ(shim::run(dispatch("some_do_not_sum_metal", grid, some, x)),
            "some_do_not_sum_metal: threads diverge, thread 0 waits at line 30, thread 5 at the end");
  EXPECT_EQ(shim::run(dispatch("some_do_not_sum_metal", grid, half, x)), "") << "another simdgroup need not";
  EXPECT_EQ(shim::run(dispatch("some_do_not_load_metal", grid, some, x)),
            "some_do_not_load_metal: not all threads take part in an operation of a simdgroup");
}

// Memory that is not written yet is no number, in one order of the threads or in both.
TEST_P(Shim, AMissingBarrierShows) {
  Floats x(kThreads, 1);
  AddParams all{kThreads};
  ASSERT_EQ(shim::run(dispatch("no_barrier_metal", {.threads = kThreads, .threadgroup_bytes = 4 * kThreads}, all, x)),
            "");
  EXPECT_TRUE(std::isnan(x[GetParam() ? kThreads - 1 : 0]));
  Floats matrix(64, 1);
  ASSERT_EQ(shim::run(dispatch("no_barrier_before_matrix_metal", {.threadgroup_bytes = 4 * 64}, all, matrix)), "");
  EXPECT_EQ(std::isnan(matrix[1]), !GetParam());
}

TEST_P(Shim, WhatTheHostSetsIsHeldAgainstTheText) {
  Floats x(32);
  AddParams params{32};
  shim::Dispatch add = dispatch("add_f32_metal", {}, params, x, x);
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
  other = add;
  other.buffers[0].data = reinterpret_cast<char*>(x.data()) + 2;
  EXPECT_EQ(shim::run(other), "add_f32_metal: index 0 is not aligned to its elements");
  other = add;
  other.threads_x = 31;
  EXPECT_EQ(shim::run(other), "add_f32_metal: a threadgroup is not of whole simdgroups, or too large");
  LayerNormParams norm_params{32};
  shim::Dispatch norm = dispatch("layer_norm_f32_metal", {}, norm_params, x, x, x, x);
  EXPECT_EQ(shim::run(norm), "layer_norm_f32_metal: index 0 of threadgroup memory has no size");
  norm.threadgroup_bytes[0] = 40;
  EXPECT_EQ(shim::run(norm),
            "layer_norm_f32_metal: index 0 of threadgroup memory is not of whole 16 bytes, or too large");
}

TEST_P(ShimDeathTest, AnAccessOverTheEndStopsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Floats x(kThreads);
  AddParams all{kThreads};
  EXPECT_DEATH(shim::run(dispatch("over_the_end_metal", {.threads = 2 * kThreads}, all, x)), "heap-buffer-overflow");
  EXPECT_DEATH(shim::run(dispatch("over_the_end_of_the_threadgroups_metal",
                                  {.threads = kThreads, .threadgroup_bytes = 4 * kThreads}, all, x)),
               "heap-buffer-overflow");
  AddParams one{1};
  EXPECT_DEATH(shim::run(dispatch("matrix_over_the_end_metal", {}, one, x)), "heap-buffer-overflow");
}

}  // namespace
}  // namespace speech
