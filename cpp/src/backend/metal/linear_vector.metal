// linear() of few rows on a Metal GPU: each simdgroup has a few outputs and reads their weights once. Must not know the
// host.
#include <metal_stdlib>

#include "kernel_params.h"
#include "linear_store.h"
#include "weight_formats.h"

using namespace metal;
using namespace speech;

template <typename Format>
kernel void linear_vector(device const uchar* weight [[buffer(0)]], device const float* bias [[buffer(1)]],
                          device const float* in [[buffer(2)]], device const float* residual [[buffer(3)]],
                          device uchar* out [[buffer(4)]], constant LinearParams& params [[buffer(5)]],
                          uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint column = (group.x * kVectorSimds + simd) * kVectorColumns;
  const uint row = group.y * kVectorRows;
  if (column >= params.n_out) {
    return;
  }
  const uint n_columns = min(kVectorColumns, params.n_out - column);
  const uint row_bytes = params.k / Format::kValues * Format::kBytes;
  float sums[kVectorRows][kVectorColumns] = {};
  for (uint i = lane * kChunk; i < params.k; i += kSimdWidth * kChunk) {
    float weights[kVectorColumns][kChunk];
    for (uint c = 0; c < kVectorColumns; ++c) {
      // An output that is not there has the last one's weights, and is not stored.
      Format::load(weight + (column + min(c, n_columns - 1)) * row_bytes, i, params.k, weights[c]);
    }
    for (uint r = 0; r < kVectorRows; ++r) {
      if (row + r < params.n_rows) {
        device const float* values = in + (row + r) * params.k + i;
        for (uint j = 0; j < kChunk; ++j) {
          const float value = i + j < params.k ? values[j] : 0.0f;
          for (uint c = 0; c < kVectorColumns; ++c) {
            sums[r][c] += weights[c][j] * value;
          }
        }
      }
    }
  }
  const uint n_rows = min(kVectorRows, params.n_rows - row);
  for (uint r = 0; r < n_rows; ++r) {
    for (uint c = 0; c < n_columns; ++c) {
      const float sum = simd_sum(sums[r][c]);
      if (lane == 0) {
        store_linear(sum, row + r, column + c, bias, residual, out, params);
      }
    }
  }
}

typedef decltype(linear_vector<F32>) LinearVector;
template [[host_name("linear_vector_f32_metal")]] kernel LinearVector linear_vector<F32>;
template [[host_name("linear_vector_f16_metal")]] kernel LinearVector linear_vector<F16>;
template [[host_name("linear_vector_q4_0_metal")]] kernel LinearVector linear_vector<Q4_0>;
template [[host_name("linear_vector_q4_1_metal")]] kernel LinearVector linear_vector<Q4_1>;
template [[host_name("linear_vector_q5_0_metal")]] kernel LinearVector linear_vector<Q5_0>;
template [[host_name("linear_vector_q5_1_metal")]] kernel LinearVector linear_vector<Q5_1>;
template [[host_name("linear_vector_q8_0_metal")]] kernel LinearVector linear_vector<Q8_0>;
template [[host_name("linear_vector_q2_K_metal")]] kernel LinearVector linear_vector<Q2_K>;
template [[host_name("linear_vector_q3_K_metal")]] kernel LinearVector linear_vector<Q3_K>;
template [[host_name("linear_vector_q4_K_metal")]] kernel LinearVector linear_vector<Q4_K>;
template [[host_name("linear_vector_q5_K_metal")]] kernel LinearVector linear_vector<Q5_K>;
template [[host_name("linear_vector_q6_K_metal")]] kernel LinearVector linear_vector<Q6_K>;
