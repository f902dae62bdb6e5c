// What the host gives each Metal kernel besides buffers; compiled by both sides, so only 32-bit fields and no padding.
#pragma once

#ifndef __METAL_VERSION__
#include <cstdint>
#endif

namespace speech {

/// Threads of a Metal simdgroup; the same on every GPU that can run these kernels.
constexpr uint32_t kSimdWidth = 32;

/// x (count) <- x + table.
struct AddParams {
  uint32_t count;
};

/// Rows of `width` values, one threadgroup each.
struct LayerNormParams {
  uint32_t width;
};

/// Rows that are looked up, one thread a value: `rows` of them, `width` values each.
struct LookupParams {
  uint32_t rows;
  uint32_t width;
};

}  // namespace speech
