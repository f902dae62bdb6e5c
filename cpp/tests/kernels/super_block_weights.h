// What the values of K-quant blocks are, in double precision: the formulas of tensor/dtype.h word for word.
#pragma once

#include <cstdint>

#include "base/half.h"
#include "tensor/dtype.h"

namespace speech {
namespace super_block_detail {

struct Place {
  unsigned run, part, in_part;
  explicit Place(unsigned i) : run(i / 16), part(i / 32), in_part(i % 32) {}
};

inline int bits_of(unsigned byte, unsigned at, unsigned count) {
  return static_cast<int>((byte >> at) & ((1U << count) - 1U));
}

/// scale (s) and minimum (m) of a part, in the six bits of Q4_K and Q5_K.
template <typename Block>
double scaled_nibble(const Block& block, unsigned part, int code) {
  int s = 0;
  int m = 0;
  if (part < 4) {
    s = bits_of(block.scales[part], 0, 6);
    m = bits_of(block.scales[part + 4], 0, 6);
  } else {
    s = bits_of(block.scales[part + 4], 0, 4) + 16 * bits_of(block.scales[part - 4], 6, 2);
    m = bits_of(block.scales[part + 4], 4, 4) + 16 * bits_of(block.scales[part], 6, 2);
  }
  return static_cast<double>(half_to_float(block.scale)) * s * code -
         static_cast<double>(half_to_float(block.minimum)) * m;
}

}  // namespace super_block_detail

inline double super_block_value(const BlockQ2_K& block, unsigned i) {
  using super_block_detail::bits_of;
  const super_block_detail::Place at(i);
  const int code = bits_of(block.codes[32 * (at.part / 4) + at.in_part], 2 * (at.part % 4), 2);
  return static_cast<double>(half_to_float(block.scale)) * bits_of(block.scales[at.run], 0, 4) * code -
         static_cast<double>(half_to_float(block.minimum)) * bits_of(block.scales[at.run], 4, 4);
}

inline double super_block_value(const BlockQ3_K& block, unsigned i) {
  using super_block_detail::bits_of;
  const super_block_detail::Place at(i);
  const int low = bits_of(block.codes[32 * (at.part / 4) + at.in_part], 2 * (at.part % 4), 2);
  const int code = low + 4 * bits_of(block.high[at.in_part], at.part, 1);
  const int nibble = at.run < 8 ? bits_of(block.scales[at.run], 0, 4) : bits_of(block.scales[at.run - 8], 4, 4);
  const int s = nibble + 16 * bits_of(block.scales[8 + at.run % 4], 2 * (at.run / 4), 2);
  return static_cast<double>(half_to_float(block.scale)) * (s - 32) * (code - 4);
}

inline double super_block_value(const BlockQ4_K& block, unsigned i) {
  using super_block_detail::bits_of;
  const super_block_detail::Place at(i);
  const int code = bits_of(block.codes[32 * (at.part / 2) + at.in_part], 4 * (at.part % 2), 4);
  return super_block_detail::scaled_nibble(block, at.part, code);
}

inline double super_block_value(const BlockQ5_K& block, unsigned i) {
  using super_block_detail::bits_of;
  const super_block_detail::Place at(i);
  const int code = bits_of(block.codes[32 * (at.part / 2) + at.in_part], 4 * (at.part % 2), 4) +
                   16 * bits_of(block.high[at.in_part], at.part, 1);
  return super_block_detail::scaled_nibble(block, at.part, code);
}

inline double super_block_value(const BlockQ6_K& block, unsigned i) {
  using super_block_detail::bits_of;
  const super_block_detail::Place at(i);
  const unsigned half = at.part / 4;
  const int code = bits_of(block.codes[64 * half + 32 * (at.part % 2) + at.in_part], at.part % 4 < 2 ? 0 : 4, 4) +
                   16 * bits_of(block.high[32 * half + at.in_part], 2 * (at.part % 4), 2);
  return static_cast<double>(half_to_float(block.scale)) * block.scales[at.run] * (code - 32);
}

}  // namespace speech
