// Kernels that are wrong on purpose, each in one way that the shim is to see.
#include <metal_stdlib>

#include "backend/metal/kernel_params.h"

using namespace metal;
using namespace speech;

kernel void some_do_not_wait_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                                   uint index [[thread_index_in_threadgroup]]) {
  if (index < params.count) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  x[index] = 1;
}

kernel void some_wait_elsewhere_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                                      uint index [[thread_index_in_threadgroup]]) {
  if (index < params.count) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  } else {
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  x[index] = 1;
}

kernel void some_do_not_sum_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                                  uint index [[thread_index_in_threadgroup]]) {
  if (index < params.count) {
    x[index] = simd_sum(x[index]);
  }
}

kernel void some_do_not_load_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                                   uint index [[thread_index_in_threadgroup]]) {
  simdgroup_float8x8 matrix = make_filled_simdgroup_matrix<float, 8>(0.0f);
  if (index < params.count) {
    simdgroup_load(matrix, x);
  }
  simdgroup_store(matrix, x);
}

// Value i becomes that of the thread behind it.
kernel void no_barrier_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                             threadgroup float* memory [[threadgroup(0)]],
                             uint index [[thread_index_in_threadgroup]]) {
  memory[index] = x[index];
  x[index] = memory[(index + 1) % params.count];
}

kernel void no_barrier_before_matrix_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                                           threadgroup float* memory [[threadgroup(0)]],
                                           uint index [[thread_index_in_threadgroup]]) {
  for (uint i = index; i < params.count; i += kSimdWidth) {
    memory[i] = x[i];
  }
  simdgroup_float8x8 matrix;
  simdgroup_load(matrix, memory);
  simdgroup_store(matrix, x);
}

kernel void over_the_end_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]],
                               uint index [[thread_position_in_grid]]) {
  if (index <= params.count) {
    x[index] += 1;
  }
}

kernel void over_the_end_of_the_threadgroups_metal(device float* x [[buffer(0)]],
                                                   constant AddParams& params [[buffer(1)]],
                                                   threadgroup float* memory [[threadgroup(0)]],
                                                   uint index [[thread_index_in_threadgroup]]) {
  memory[index + params.count] = x[index];
}

kernel void matrix_over_the_end_metal(device float* x [[buffer(0)]], constant AddParams& params [[buffer(1)]]) {
  simdgroup_float8x8 matrix;
  simdgroup_load(matrix, x + params.count);
  simdgroup_store(matrix, x);
}
