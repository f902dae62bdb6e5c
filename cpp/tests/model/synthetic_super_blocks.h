// Rounds numbers into K-quant blocks, plainly, for tests: one scale for all runs of a block. Header-only; not the
// product's quantiser.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/half.h"
#include "tensor/dtype.h"

namespace speech::testing {

/// Codes of one block for value = scale * code - minimum, or scale * (code - 2^(bits - 1)) without a minimum.
struct SuperBlockCodes {
  std::uint16_t scale = 0;
  std::uint16_t minimum = 0;
  std::uint8_t codes[kSuperBlock] = {};

  SuperBlockCodes(std::span<const float> block, int bits, bool with_minimum) {
    const auto [low, high] = std::minmax_element(block.begin(), block.end());
    const int most = (1 << bits) - 1;
    const int middle = 1 << (bits - 1);
    const float width = with_minimum ? (*high - std::min(*low, 0.0F)) / static_cast<float>(most)
                                     : std::max(std::fabs(*low), std::fabs(*high)) / static_cast<float>(middle - 1);
    scale = float_to_half(width);
    minimum = float_to_half(with_minimum ? -std::min(*low, 0.0F) : 0.0F);
    const float step = half_to_float(scale);
    for (std::size_t i = 0; i < kSuperBlock; ++i) {
      const float code = step == 0.0F ? 0.0F : (block[i] + half_to_float(minimum)) / step;
      const int shifted = static_cast<int>(std::lround(code)) + (with_minimum ? 0 : middle);
      codes[i] = static_cast<std::uint8_t>(std::clamp(shifted, 0, most));
    }
  }
};

template <typename Byte>
void put_bits(Byte& byte, unsigned bits, unsigned at) {
  byte = static_cast<Byte>(byte | bits << at);
}

inline void encode_block(std::span<const float> values, BlockQ2_K& out) {
  const SuperBlockCodes codes(values, 2, true);
  out.scale = codes.scale;
  out.minimum = codes.minimum;
  std::fill(std::begin(out.scales), std::end(out.scales), std::uint8_t{0x11});
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    put_bits(out.codes[i / 128 * 32 + i % 32], codes.codes[i], i / 32 % 4 * 2);
  }
}

inline void encode_block(std::span<const float> values, BlockQ3_K& out) {
  const SuperBlockCodes codes(values, 3, false);
  out.scale = codes.scale;
  std::fill_n(out.scales, 8, std::uint8_t{0x11});  // 33 for every run: 1 when 32 is taken off
  std::fill_n(out.scales + 8, 4, std::uint8_t{0xAA});
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    put_bits(out.codes[i / 128 * 32 + i % 32], codes.codes[i] & 3U, i / 32 % 4 * 2);
    put_bits(out.high[i % 32], codes.codes[i] >> 2U, i / 32);
  }
}

template <typename Block>
void encode_nibbles(const SuperBlockCodes& codes, Block& out) {
  out.scale = codes.scale;
  out.minimum = codes.minimum;
  std::fill_n(out.scales, 8, std::uint8_t{1});
  std::fill_n(out.scales + 8, 4, std::uint8_t{0x11});
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    put_bits(out.codes[i / 64 * 32 + i % 32], codes.codes[i] & 15U, i / 32 % 2 * 4);
  }
}

inline void encode_block(std::span<const float> values, BlockQ4_K& out) {
  encode_nibbles(SuperBlockCodes(values, 4, true), out);
}

inline void encode_block(std::span<const float> values, BlockQ5_K& out) {
  const SuperBlockCodes codes(values, 5, true);
  encode_nibbles(codes, out);
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    put_bits(out.high[i % 32], codes.codes[i] >> 4U, i / 32);
  }
}

inline void encode_block(std::span<const float> values, BlockQ6_K& out) {
  const SuperBlockCodes codes(values, 6, false);
  out.scale = codes.scale;
  std::fill(std::begin(out.scales), std::end(out.scales), std::int8_t{1});
  for (unsigned i = 0; i < kSuperBlock; ++i) {
    put_bits(out.codes[i / 128 * 64 + i % 64], codes.codes[i] & 15U, i / 64 % 2 * 4);
    put_bits(out.high[i / 128 * 32 + i % 32], codes.codes[i] >> 4U, i / 32 % 4 * 2);
  }
}

}  // namespace speech::testing
