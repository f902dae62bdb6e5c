// attend_weights() on a Metal GPU: a threadgroup has one row of one head, and its threads share the keys. Must not know
// the host.
#include <metal_stdlib>

#include "kernel_params.h"
#include "row_sums.h"

using namespace metal;
using namespace speech;

template <typename T>
kernel void attend_weights(device const float* q [[buffer(0)]], device const T* k [[buffer(1)]],
                           device float* out [[buffer(2)]], constant AttendWeightsParams& params [[buffer(3)]],
                           threadgroup float* partial [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]],
                           uint thread_index [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                           uint simd [[simdgroup_index_in_threadgroup]]) {
  const uint n_threads = kRowSimds * kSimdWidth;
  const uint first = params.head * params.head_width;
  device const float* query = q + row * params.width + first;
  device float* weights = out + row * params.n_keys;
  // Each thread reads again only what it has written itself.
  float largest = kAttendStart;
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    device const T* values = k + key * params.width + first;
    float dot = 0;
    for (uint i = 0; i < params.head_width; ++i) {
      dot += query[i] * float(values[i]);
    }
    weights[key] = dot * params.scale;
    largest = max(largest, weights[key]);
  }
  largest = max_over_threads(largest, partial, lane, simd);
  float total = 0;
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    weights[key] = exp(weights[key] - largest);
    total += weights[key];
  }
  total = sum_over_threads(total, partial + kRowSimds, lane, simd);
  for (uint key = thread_index; key < params.n_keys; key += n_threads) {
    weights[key] /= total;
  }
}

typedef decltype(attend_weights<float>) AttendWeightsFloat;
typedef decltype(attend_weights<half>) AttendWeightsHalf;
template [[host_name("attend_weights_f32_metal")]] kernel AttendWeightsFloat attend_weights<float>;
template [[host_name("attend_weights_f16_metal")]] kernel AttendWeightsHalf attend_weights<half>;
