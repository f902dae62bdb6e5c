// Operations of a Metal GPU that compute each value by itself: add, gather, embed. Must not know the host.
// Their meaning, shapes and rules: backend/backend.h, operations of the same names.
#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

kernel void add_f32_metal(device float* x [[buffer(0)]], device const float* table [[buffer(1)]],
                          constant AddParams& params [[buffer(2)]], uint index [[thread_position_in_grid]]) {
  if (index < params.count) {
    x[index] += table[index];
  }
}

kernel void gather_f32_metal(device const float* in [[buffer(0)]], device const int* rows [[buffer(1)]],
                             device float* out [[buffer(2)]], constant LookupParams& params [[buffer(3)]],
                             uint2 place [[thread_position_in_grid]]) {
  if (place.x < params.width && place.y < params.rows) {
    out[place.y * params.width + place.x] = in[uint(rows[place.y]) * params.width + place.x];
  }
}

template <typename T>
void embed(device const int* tokens, device const int* positions, device const T* token_table,
           device const float* position_table, device float* out, constant LookupParams& params, uint2 place) {
  if (place.x < params.width && place.y < params.rows) {
    const uint token = uint(tokens[place.y]) * params.width + place.x;
    const uint position = uint(positions[place.y]) * params.width + place.x;
    out[place.y * params.width + place.x] = float(token_table[token]) + position_table[position];
  }
}

kernel void embed_f32_metal(device const int* tokens [[buffer(0)]], device const int* positions [[buffer(1)]],
                            device const float* token_table [[buffer(2)]],
                            device const float* position_table [[buffer(3)]], device float* out [[buffer(4)]],
                            constant LookupParams& params [[buffer(5)]], uint2 place [[thread_position_in_grid]]) {
  embed(tokens, positions, token_table, position_table, out, params, place);
}

kernel void embed_f16_metal(device const int* tokens [[buffer(0)]], device const int* positions [[buffer(1)]],
                            device const half* token_table [[buffer(2)]],
                            device const float* position_table [[buffer(3)]], device float* out [[buffer(4)]],
                            constant LookupParams& params [[buffer(5)]], uint2 place [[thread_position_in_grid]]) {
  embed(tokens, positions, token_table, position_table, out, params, place);
}
