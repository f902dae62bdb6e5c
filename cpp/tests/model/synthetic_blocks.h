// Rounds numbers into the element types and block formats of model files, plainly, for tests. Header-only; not the
// product's quantiser.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/half.h"
#include "model/synthetic_super_blocks.h"
#include "tensor/dtype.h"

namespace speech::testing {

/// Smallest and largest of one block, and the value of largest magnitude with its sign.
struct BlockRange {
  float low;
  float high;
  float extreme;
};

inline BlockRange block_range(std::span<const float> block) {
  const auto [low, high] = std::minmax_element(block.begin(), block.end());
  return {*low, *high, std::fabs(*low) > std::fabs(*high) ? *low : *high};
}

inline std::uint8_t nearest_code(float value, float scale, float offset, int max_code) {
  const float code = scale == 0.0F ? 0.0F : (value - offset) / scale;
  return static_cast<std::uint8_t>(std::clamp(static_cast<int>(std::lround(code)), 0, max_code));
}

/// Codes of 4 or 5 bits for one block, and the scale and offset that value = scale * code + offset needs, as stored.
struct BlockCodes {
  float scale = 0.0F;
  float minimum = 0.0F;
  std::uint8_t codes[kQuantBlock] = {};

  /// with_minimum: offset is the block's smallest value; else it is -scale * 2^(bits - 1).
  BlockCodes(std::span<const float> block, int bits, bool with_minimum) {
    const BlockRange range = block_range(block);
    const int max_code = (1 << bits) - 1;
    const int middle = 1 << (bits - 1);
    // The side with more codes, the negative one, takes the extreme value.
    scale = with_minimum ? (range.high - range.low) / static_cast<float>(max_code)
                         : range.extreme / static_cast<float>(-middle);
    scale = half_to_float(float_to_half(scale));
    minimum = with_minimum ? half_to_float(float_to_half(range.low)) : -scale * static_cast<float>(middle);
    for (std::size_t i = 0; i < kQuantBlock; ++i) {
      codes[i] = nearest_code(block[i], scale, minimum, max_code);
    }
  }

  template <typename Block>
  void put_low_bits(Block& block) const {
    for (std::size_t i = 0; i < kQuantBlock / 2; ++i) {
      block.codes[i] = static_cast<std::uint8_t>((codes[i] & 0x0FU) | ((codes[i + kQuantBlock / 2] & 0x0FU) << 4U));
    }
  }

  template <typename Block>
  void put_fifth_bits(Block& block) const {
    for (std::size_t i = 0; i < kQuantBlock; ++i) {
      block.high[i / 8] = static_cast<std::uint8_t>(block.high[i / 8] | ((codes[i] >> 4U) << (i % 8)));
    }
  }
};

inline void encode_block(std::span<const float> values, BlockQ4_0& out) {
  const BlockCodes codes(values, 4, false);
  out.scale = float_to_half(codes.scale);
  codes.put_low_bits(out);
}

inline void encode_block(std::span<const float> values, BlockQ4_1& out) {
  const BlockCodes codes(values, 4, true);
  out.scale = float_to_half(codes.scale);
  out.minimum = float_to_half(codes.minimum);
  codes.put_low_bits(out);
}

inline void encode_block(std::span<const float> values, BlockQ5_0& out) {
  const BlockCodes codes(values, 5, false);
  out.scale = float_to_half(codes.scale);
  codes.put_low_bits(out);
  codes.put_fifth_bits(out);
}

inline void encode_block(std::span<const float> values, BlockQ5_1& out) {
  const BlockCodes codes(values, 5, true);
  out.scale = float_to_half(codes.scale);
  out.minimum = float_to_half(codes.minimum);
  codes.put_low_bits(out);
  codes.put_fifth_bits(out);
}

inline void encode_block(std::span<const float> values, BlockQ8_0& out) {
  const float scale = half_to_float(float_to_half(std::fabs(block_range(values).extreme) / 127.0F));
  out.scale = float_to_half(scale);
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    const long code = scale == 0.0F ? 0L : std::lround(values[i] / scale);
    out.codes[i] = static_cast<std::int8_t>(std::clamp(code, -127L, 127L));
  }
}

template <typename Block, std::size_t kValues = kQuantBlock>
std::vector<std::byte> encode_blocks(std::span<const float> values) {
  std::vector<Block> blocks(values.size() / kValues);  // zeroed
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    encode_block(values.subspan(i * kValues, kValues), blocks[i]);
  }
  std::vector<std::byte> out(blocks.size() * sizeof(Block));
  std::memcpy(out.data(), blocks.data(), out.size());
  return out;
}

/// The bytes of `values` in `dtype`; quantised types need whole blocks.
inline std::vector<std::byte> encode_values(DType dtype, std::span<const float> values) {
  switch (dtype) {
    case DType::kQ4_0: return encode_blocks<BlockQ4_0>(values);
    case DType::kQ4_1: return encode_blocks<BlockQ4_1>(values);
    case DType::kQ5_0: return encode_blocks<BlockQ5_0>(values);
    case DType::kQ5_1: return encode_blocks<BlockQ5_1>(values);
    case DType::kQ8_0: return encode_blocks<BlockQ8_0>(values);
    case DType::kQ2_K: return encode_blocks<BlockQ2_K, kSuperBlock>(values);
    case DType::kQ3_K: return encode_blocks<BlockQ3_K, kSuperBlock>(values);
    case DType::kQ4_K: return encode_blocks<BlockQ4_K, kSuperBlock>(values);
    case DType::kQ5_K: return encode_blocks<BlockQ5_K, kSuperBlock>(values);
    case DType::kQ6_K: return encode_blocks<BlockQ6_K, kSuperBlock>(values);
    case DType::kF16: {
      std::vector<std::byte> out(values.size() * sizeof(std::uint16_t));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t half = float_to_half(values[i]);
        std::memcpy(out.data() + i * sizeof half, &half, sizeof half);
      }
      return out;
    }
    case DType::kF32:
    case DType::kI32: break;
  }
  std::vector<std::byte> out(values.size() * sizeof(float));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

}  // namespace speech::testing
