// linear() of many rows and convolve() on a Metal GPU: a threadgroup has a tile of outputs, whose inputs and weights it
// brings into its memory stretch by stretch, as floats, and multiplies as matrices. Must not know the host.
#include <metal_stdlib>

#include "kernel_params.h"
#include "linear_store.h"
#include "weight_formats.h"

using namespace metal;
using namespace speech;

template <typename Format>
kernel void linear_matrix(device const uchar* weight [[buffer(0)]], device const float* bias [[buffer(1)]],
                          device const float* in [[buffer(2)]], device const float* residual [[buffer(3)]],
                          device uchar* out [[buffer(4)]], constant LinearParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint n_threads = kTileSimds * kSimdWidth;
  const uint row_chunks = kTileDepth / kChunk;
  threadgroup float* rows = memory;                              // (kTileRows, kTileDepth)
  threadgroup float* columns = memory + kTileRows * kTileDepth;  // (kTileColumns, kTileDepth)
  const uint first_row = group.y * kTileRows;
  const uint first_column = group.x * kTileColumns;
  const uint row_bytes = params.k / Format::kValues * Format::kBytes;
  const uint simd_row = simd % 2 * (kTileRows / 2);
  const uint simd_column = simd / 2 * (kTileColumns / 2);

  simdgroup_float8x8 sums[kTileRows / 16][kTileColumns / 16];
  for (uint r = 0; r < kTileRows / 16; ++r) {
    for (uint c = 0; c < kTileColumns / 16; ++c) {
      sums[r][c] = make_filled_simdgroup_matrix<float, 8>(0.0f);
    }
  }
  for (uint depth = 0; depth < params.k; depth += kTileDepth) {
    for (uint chunk = thread_index; chunk < kTileRows * row_chunks; chunk += n_threads) {
      const uint i = depth + chunk % row_chunks * kChunk;
      const int at = int(first_row + chunk / row_chunks) * params.in_step + params.in_offset + int(i);
      for (uint j = 0; j < kChunk; ++j) {
        const bool is_there = i + j < params.k && at + int(j) >= 0 && at + int(j) < params.in_size;
        rows[chunk * kChunk + j] = is_there ? in[at + int(j)] : 0.0f;
      }
    }
    for (uint chunk = thread_index; chunk < kTileColumns * row_chunks; chunk += n_threads) {
      // An output that is not there has the last one's weights, and is not stored.
      const uint column = min(first_column + chunk / row_chunks, params.n_out - 1);
      float values[kChunk];
      Format::load(weight + column * row_bytes, depth + chunk % row_chunks * kChunk, params.k, values);
      for (uint j = 0; j < kChunk; ++j) {
        columns[chunk * kChunk + j] = values[j];
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < kTileDepth; i += 8) {
      simdgroup_float8x8 of_rows[kTileRows / 16];
      simdgroup_float8x8 of_columns[kTileColumns / 16];
      for (uint r = 0; r < kTileRows / 16; ++r) {
        simdgroup_load(of_rows[r], rows + (simd_row + r * 8) * kTileDepth + i, kTileDepth);
      }
      for (uint c = 0; c < kTileColumns / 16; ++c) {
        simdgroup_load(of_columns[c], columns + (simd_column + c * 8) * kTileDepth + i, kTileDepth, ulong2(0), true);
      }
      for (uint r = 0; r < kTileRows / 16; ++r) {
        for (uint c = 0; c < kTileColumns / 16; ++c) {
          simdgroup_multiply_accumulate(sums[r][c], of_rows[r], of_columns[c], sums[r][c]);
        }
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }

  // Through the memory, (kTileRows, kTileColumns): a matrix does not say which of its values a thread holds.
  for (uint r = 0; r < kTileRows / 16; ++r) {
    for (uint c = 0; c < kTileColumns / 16; ++c) {
      simdgroup_store(sums[r][c], memory + (simd_row + r * 8) * kTileColumns + simd_column + c * 8, kTileColumns);
    }
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint at = thread_index; at < kTileRows * kTileColumns; at += n_threads) {
    const uint row = first_row + at / kTileColumns;
    const uint column = first_column + at % kTileColumns;
    if (row < params.n_rows && column < params.n_out) {
      store_linear(memory[at], row, column, bias, residual, out, params);
    }
  }
}

typedef decltype(linear_matrix<F32>) LinearMatrix;
template [[host_name("linear_matrix_f32_metal")]] kernel LinearMatrix linear_matrix<F32>;
template [[host_name("linear_matrix_f16_metal")]] kernel LinearMatrix linear_matrix<F16>;
template [[host_name("linear_matrix_q4_0_metal")]] kernel LinearMatrix linear_matrix<Q4_0>;
template [[host_name("linear_matrix_q4_1_metal")]] kernel LinearMatrix linear_matrix<Q4_1>;
template [[host_name("linear_matrix_q5_0_metal")]] kernel LinearMatrix linear_matrix<Q5_0>;
template [[host_name("linear_matrix_q5_1_metal")]] kernel LinearMatrix linear_matrix<Q5_1>;
template [[host_name("linear_matrix_q8_0_metal")]] kernel LinearMatrix linear_matrix<Q8_0>;
template [[host_name("linear_matrix_q2_K_metal")]] kernel LinearMatrix linear_matrix<Q2_K>;
template [[host_name("linear_matrix_q3_K_metal")]] kernel LinearMatrix linear_matrix<Q3_K>;
template [[host_name("linear_matrix_q4_K_metal")]] kernel LinearMatrix linear_matrix<Q4_K>;
template [[host_name("linear_matrix_q5_K_metal")]] kernel LinearMatrix linear_matrix<Q5_K>;
template [[host_name("linear_matrix_q6_K_metal")]] kernel LinearMatrix linear_matrix<Q6_K>;
