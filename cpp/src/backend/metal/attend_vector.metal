// attend() of few rows on a Metal GPU: a threadgroup has one row of one head, and each of its simdgroups every so many
// of the keys, with a maximum and a sum of its own (online softmax: Milakov and Gimelshein 2018). Must not know the host.
#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

template <typename T>
kernel void attend_vector(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                          device const T* v [[buffer(2)]], device const float* mask [[buffer(3)]],
                          device float* out [[buffer(4)]], constant AttendParams& params [[buffer(5)]],
                          threadgroup float* memory [[threadgroup(0)]], uint2 group [[threadgroup_position_in_grid]],
                          uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint row = group.y;
  const uint first = group.x * params.head_width;
  const uint per_simd = kWidestHead + 2;
  // Of this simdgroup: weights of its keys at hand, in two halves by turns; then its sums, its maximum and its total.
  threadgroup float* own = memory + simd * per_simd;
  device const float* query = q + row * params.width + first;

  float largest = kAttendStart;
  float total = 0;  // of this thread's keys
  float sums[kWidestHead / kSimdWidth] = {};
  uint offset = 0;
  for (uint key = simd * kSimdWidth; key < params.n_keys; key += kAttendVectorSimds * kSimdWidth) {
    threadgroup float* weights = own + offset;
    offset = kSimdWidth - offset;
    const uint n_keys = min(kSimdWidth, params.n_keys - key);
    float score = -INFINITY;
    if (lane < n_keys) {
      device const T* values = k + (key + lane) * params.width + first;
      float dot = 0;
      for (uint i = 0; i < params.head_width; ++i) {
        dot += query[i] * float(values[i]);
      }
      score = dot * params.scale;
      if (params.has_mask != 0) {
        score += mask[row * params.n_keys + key + lane];
      }
    }
    const float before = largest;
    largest = max(before, simd_max(score));
    const float factor = exp(before - largest);
    const float weight = exp(score - largest);
    total = total * factor + weight;
    weights[lane] = weight;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < kWidestHead / kSimdWidth; ++i) {
      const uint column = i * kSimdWidth + lane;
      if (column < params.head_width) {
        device const T* values = v + key * params.width + first + column;
        float sum = sums[i] * factor;
        for (uint j = 0; j < n_keys; ++j) {
          sum += weights[j] * float(values[j * params.width]);
        }
        sums[i] = sum;
      }
    }
  }

  simdgroup_barrier(mem_flags::mem_threadgroup);
  for (uint i = 0; i < kWidestHead / kSimdWidth; ++i) {
    own[i * kSimdWidth + lane] = sums[i];
  }
  total = simd_sum(total);
  if (lane == 0) {
    own[kWidestHead] = largest;
    own[kWidestHead + 1] = total;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (thread_index < params.head_width) {
    largest = kAttendStart;
    for (uint i = 0; i < kAttendVectorSimds; ++i) {
      largest = max(largest, memory[i * per_simd + kWidestHead]);
    }
    float sum = 0;
    total = 0;
    for (uint i = 0; i < kAttendVectorSimds; ++i) {
      threadgroup const float* of_simd = memory + i * per_simd;
      const float factor = exp(of_simd[kWidestHead] - largest);
      sum += of_simd[thread_index] * factor;
      total += of_simd[kWidestHead + 1] * factor;
    }
    out[row * params.width + first + thread_index] = sum / total;
  }
}

typedef decltype(attend_vector<float>) AttendVectorFloat;
typedef decltype(attend_vector<half>) AttendVectorHalf;
template [[host_name("attend_vector_f32_metal")]] kernel AttendVectorFloat attend_vector<float>;
template [[host_name("attend_vector_f16_metal")]] kernel AttendVectorHalf attend_vector<half>;
