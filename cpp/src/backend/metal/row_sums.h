// Sums and maxima over all threads of a threadgroup, which share a row on a Metal GPU. Must not know the host.
#pragma once

#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

// partial: kRowSimds values, one for each simdgroup; free to be written when this is called.
inline float sum_over_threads(float value, threadgroup float* partial, uint lane, uint simd) {
  const float of_simd = simd_sum(value);
  if (lane == 0) {
    partial[simd] = of_simd;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_sum(lane < kRowSimds ? partial[lane] : 0.0f);
}

inline float max_over_threads(float value, threadgroup float* partial, uint lane, uint simd) {
  const float of_simd = simd_max(value);
  if (lane == 0) {
    partial[simd] = of_simd;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_max(partial[lane % kRowSimds]);
}
