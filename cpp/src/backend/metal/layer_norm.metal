// Layer normalisation on a Metal GPU: one threadgroup a row, of whole simdgroups. Must not know the host.
#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

// The sum of every thread's value. partial: one value for each simdgroup; free to be written when this is called.
float sum_over_threads(float value, threadgroup float* partial, uint lane, uint simd, uint n_simds) {
  const float of_simd = simd_sum(value);
  if (lane == 0) {
    partial[simd] = of_simd;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return simd_sum(lane < n_simds ? partial[lane] : 0.0f);
}

// partial: two values for each simdgroup, of which there are at most kSimdWidth.
kernel void layer_norm_f32_metal(device const float* in [[buffer(0)]], device const float* gamma [[buffer(1)]],
                                 device const float* beta [[buffer(2)]], device float* out [[buffer(3)]],
                                 constant LayerNormParams& params [[buffer(4)]],
                                 threadgroup float* partial [[threadgroup(0)]],
                                 uint row [[threadgroup_position_in_grid]],
                                 uint thread_index [[thread_index_in_threadgroup]],
                                 uint n_threads [[threads_per_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint width = params.width;
  const uint n_simds = n_threads / kSimdWidth;
  device const float* from = in + row * width;
  device float* to = out + row * width;
  float sum = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    sum += from[i];
  }
  const float mean = sum_over_threads(sum, partial, lane, simd, n_simds) / float(width);
  float squares = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    const float distance = from[i] - mean;
    squares += distance * distance;
  }
  const float variance = sum_over_threads(squares, partial + n_simds, lane, simd, n_simds) / float(width);
  const float inverse = 1.0f / sqrt(variance + 1e-5f);
  for (uint i = thread_index; i < width; i += n_threads) {
    to[i] = (from[i] - mean) * inverse * gamma[i] + beta[i];
  }
}
