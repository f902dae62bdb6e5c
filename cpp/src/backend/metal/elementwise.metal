// Operations of a Metal GPU that compute each value by itself: add, gather, embed. Must not know the host.
// Their meaning, shapes and rules: backend/backend.h, operations of the same names.
#include <metal_stdlib>

#include "kernel_params.h"
#include "weight_formats.h"

using namespace metal;
using namespace speech;

kernel void add_f32_metal(device float* x [[buffer(0)]], device const float* table [[buffer(1)]],
                          constant AddParams& params [[buffer(2)]], uint index [[thread_position_in_grid]]) {
  if (index < params.count) {
    x[index] += table[index];
  }
}

template <typename T>
kernel void gather(device const T* in [[buffer(0)]], device const int* rows [[buffer(1)]], device T* out [[buffer(2)]],
                   constant LookupParams& params [[buffer(3)]], uint2 place [[thread_position_in_grid]]) {
  if (place.x < params.width && place.y < params.rows) {
    out[place.y * params.width + place.x] = in[uint(rows[place.y]) * params.width + place.x];
  }
}

typedef decltype(gather<float>) GatherFloat;
typedef decltype(gather<half>) GatherHalf;
template [[host_name("gather_f32_metal")]] kernel GatherFloat gather<float>;
template [[host_name("gather_f16_metal")]] kernel GatherHalf gather<half>;

template <typename Format>
kernel void embed(device const int* tokens [[buffer(0)]], device const int* positions [[buffer(1)]],
                  device const uchar* token_table [[buffer(2)]], device const float* position_table [[buffer(3)]],
                  device float* out [[buffer(4)]], constant LookupParams& params [[buffer(5)]],
                  uint2 place [[thread_position_in_grid]]) {
  const uint first = place.x * kChunk;
  if (first < params.width && place.y < params.rows) {
    const uint row_bytes = params.width / Format::kValues * Format::kBytes;
    float values[kChunk];
    Format::load(token_table + uint(tokens[place.y]) * row_bytes, first, params.width, values);
    for (uint j = 0; j < min(kChunk, params.width - first); ++j) {
      const uint position = uint(positions[place.y]) * params.width + first + j;
      out[place.y * params.width + first + j] = values[j] + position_table[position];
    }
  }
}

typedef decltype(embed<F32>) Embed;
template [[host_name("embed_f32_metal")]] kernel Embed embed<F32>;
template [[host_name("embed_f16_metal")]] kernel Embed embed<F16>;
template [[host_name("embed_q4_0_metal")]] kernel Embed embed<Q4_0>;
template [[host_name("embed_q4_1_metal")]] kernel Embed embed<Q4_1>;
template [[host_name("embed_q5_0_metal")]] kernel Embed embed<Q5_0>;
template [[host_name("embed_q5_1_metal")]] kernel Embed embed<Q5_1>;
template [[host_name("embed_q8_0_metal")]] kernel Embed embed<Q8_0>;
template [[host_name("embed_q2_K_metal")]] kernel Embed embed<Q2_K>;
template [[host_name("embed_q3_K_metal")]] kernel Embed embed<Q3_K>;
template [[host_name("embed_q4_K_metal")]] kernel Embed embed<Q4_K>;
template [[host_name("embed_q5_K_metal")]] kernel Embed embed<Q5_K>;
template [[host_name("embed_q6_K_metal")]] kernel Embed embed<Q6_K>;
