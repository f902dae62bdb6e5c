// Layer normalisation on a Metal GPU: one threadgroup a row. Must not know the host.
#include <metal_stdlib>

#include "kernel_params.h"
#include "row_sums.h"

using namespace metal;
using namespace speech;

kernel void layer_norm_f32_metal(device const float* in [[buffer(0)]], device const float* gamma [[buffer(1)]],
                                 device const float* beta [[buffer(2)]], device float* out [[buffer(3)]],
                                 constant LayerNormParams& params [[buffer(4)]],
                                 threadgroup float* partial [[threadgroup(0)]],
                                 uint row [[threadgroup_position_in_grid]],
                                 uint thread_index [[thread_index_in_threadgroup]],
                                 uint lane [[thread_index_in_simdgroup]],
                                 uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint width = params.width;
  const uint n_threads = kRowSimds * kSimdWidth;
  device const float* from = in + row * width;
  device float* to = out + row * width;
  float sum = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    sum += from[i];
  }
  const float mean = sum_over_threads(sum, partial, lane, simd) / float(width);
  float squares = 0;
  for (uint i = thread_index; i < width; i += n_threads) {
    const float distance = from[i] - mean;
    squares += distance * distance;
  }
  const float variance = sum_over_threads(squares, partial + kRowSimds, lane, simd) / float(width);
  const float inverse = 1.0f / sqrt(variance + 1e-5f);
  for (uint i = thread_index; i < width; i += n_threads) {
    to[i] = (from[i] - mean) * inverse * gamma[i] + beta[i];
  }
}
