// attend() of many rows on a Metal GPU: a threadgroup has some rows of one head, eight of each simdgroup, and goes over
// the keys block by block, with a maximum and a sum for each row (online softmax: Milakov and Gimelshein 2018; Dao et
// al. 2022). Must not know the host.
#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

SPEECH_METAL_CONSTANT uint kHeadMatrices = kWidestHead / 8;
SPEECH_METAL_CONSTANT uint kKeyMatrices = kAttendKeys / 8;

// block (kAttendRows or kAttendKeys, kWidestHead) <- a head of rows from `row` on; zero where there are none.
template <typename T>
void bring_rows(device const T* rows, uint row, uint n_rows, uint first, constant AttendParams& params,
                threadgroup float* block, uint thread_index) {
  for (uint at = thread_index; at < kAttendRows * kWidestHead; at += kAttendRows / 8 * kSimdWidth) {
    const uint from = row + at / kWidestHead;
    const uint column = at % kWidestHead;
    const bool is_there = from < n_rows && column < params.head_width;
    block[at] = is_there ? float(rows[from * params.width + first + column]) : 0.0f;
  }
}

template <typename T>
kernel void attend_matrix(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                          device const T* v [[buffer(2)]], device const float* mask [[buffer(3)]],
                          device float* out [[buffer(4)]], constant AttendParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  static_assert(kAttendRows == kAttendKeys && kAttendKeys == kSimdWidth, "a block serves for both; a thread has a key");
  const uint first = group.x * params.head_width;
  const uint first_row = group.y * kAttendRows;
  threadgroup float* block = memory;                                                         // of all simdgroups
  threadgroup float* weights = memory + kAttendKeys * kWidestHead + simd * 8 * kAttendKeys;  // (8, kAttendKeys)
  threadgroup float* factors = memory + kAttendKeys * (kWidestHead + kAttendRows) + simd * 64;  // (8, 8), diagonal

  simdgroup_float8x8 queries[kHeadMatrices];
  simdgroup_float8x8 sums[kHeadMatrices];
  bring_rows(q, first_row, params.n_rows, first, params, block, thread_index);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = 0; i < kHeadMatrices; ++i) {
    simdgroup_load(queries[i], block + simd * 8 * kWidestHead + i * 8, kWidestHead);
    sums[i] = make_filled_simdgroup_matrix<float, 8>(0.0f);
  }
  float largest[8];
  float totals[8];  // of this thread's keys
  for (uint r = 0; r < 8; ++r) {
    largest[r] = kAttendStart;
    totals[r] = 0;
  }

  for (uint first_key = 0; first_key < params.n_keys; first_key += kAttendKeys) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bring_rows(k, first_key, params.n_keys, first, params, block, thread_index);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < kKeyMatrices; ++j) {
      simdgroup_float8x8 scores = make_filled_simdgroup_matrix<float, 8>(0.0f);
      for (uint i = 0; i < kHeadMatrices; ++i) {
        simdgroup_float8x8 keys;
        simdgroup_load(keys, block + j * 8 * kWidestHead + i * 8, kWidestHead, ulong2(0), true);
        simdgroup_multiply_accumulate(scores, queries[i], keys, scores);
      }
      simdgroup_store(scores, weights + j * 8, kAttendKeys);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    bring_rows(v, first_key, params.n_keys, first, params, block, thread_index);
    const uint key = first_key + lane;
    for (uint r = 0; r < 8; ++r) {
      const uint row = first_row + simd * 8 + r;
      float score = key < params.n_keys ? weights[r * kAttendKeys + lane] * params.scale : -INFINITY;
      if (params.has_mask != 0 && row < params.n_rows && key < params.n_keys) {
        score += mask[row * params.n_keys + key];
      }
      const float before = largest[r];
      largest[r] = max(before, simd_max(score));
      const float factor = exp(before - largest[r]);
      const float weight = exp(score - largest[r]);
      totals[r] = totals[r] * factor + weight;
      weights[r * kAttendKeys + lane] = weight;
      if (lane < 8) {
        factors[r * 8 + lane] = lane == r ? factor : 0.0f;
      }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    simdgroup_float8x8 rescale;
    simdgroup_load(rescale, factors);
    for (uint i = 0; i < kHeadMatrices; ++i) {
      simdgroup_multiply(sums[i], rescale, sums[i]);
    }
    for (uint j = 0; j < kKeyMatrices; ++j) {
      simdgroup_float8x8 of_keys;
      simdgroup_load(of_keys, weights + j * 8, kAttendKeys);
      for (uint i = 0; i < kHeadMatrices; ++i) {
        simdgroup_float8x8 values;
        simdgroup_load(values, block + j * 8 * kWidestHead + i * 8, kWidestHead);
        simdgroup_multiply_accumulate(sums[i], of_keys, values, sums[i]);
      }
    }
  }

  for (uint r = 0; r < 8; ++r) {
    totals[r] = simd_sum(totals[r]);
  }
  // Each simdgroup's sums go where its queries were, once all are done with the last values.
  threadgroup_barrier(mem_flags::mem_threadgroup);
  threadgroup float* own = block + simd * 8 * kWidestHead;
  for (uint i = 0; i < kHeadMatrices; ++i) {
    simdgroup_store(sums[i], own + i * 8, kWidestHead);
  }
  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint r = 0; r < 8; ++r) {
    const uint row = first_row + simd * 8 + r;
    for (uint column = lane; column < params.head_width; column += kSimdWidth) {
      if (row < params.n_rows) {
        out[row * params.width + first + column] = own[r * kWidestHead + column] / totals[r];
      }
    }
  }
}

typedef decltype(attend_matrix<float>) AttendMatrixFloat;
typedef decltype(attend_matrix<half>) AttendMatrixHalf;
template [[host_name("attend_matrix_f32_metal")]] kernel AttendMatrixFloat attend_matrix<float>;
template [[host_name("attend_matrix_f16_metal")]] kernel AttendMatrixHalf attend_matrix<half>;
