// Random weights of every type as a file holds them, with the values that they stand for in double precision.
#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "kernels/super_block_weights.h"
#include "tensor/dtype.h"

namespace speech {

struct RandomWeight {
  std::vector<std::byte> image;
  std::vector<double> values;
};

inline constexpr DType kWeightTypes[] = {DType::kF32,  DType::kF16,  DType::kQ4_0, DType::kQ4_1,
                                         DType::kQ5_0, DType::kQ5_1, DType::kQ8_0, DType::kQ2_K,
                                         DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

namespace weight_detail {

template <typename T>
void append(std::vector<std::byte>& image, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  image.insert(image.end(), bytes, bytes + sizeof(T));
}

}  // namespace weight_detail

/// n values (whole blocks) of about unit spread. The oracle follows the formulas of tensor/dtype.h word for word.
inline RandomWeight random_weight(DType dtype, std::int64_t n, unsigned seed) {
  using weight_detail::append;
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> byte(0, 255);
  RandomWeight weight;
  const auto code_block = [&](auto block, int bits, bool has_minimum) {
    const int zero = has_minimum ? 0 : 1 << (bits - 1);
    block.scale = float_to_half((0.5F + 0.1F * normal(generator)) * 4.0F / static_cast<float>(1 << bits));
    double minimum = 0;
    if constexpr (requires { block.minimum; }) {
      block.minimum = float_to_half(-1.0F + 0.1F * normal(generator));
      minimum = half_to_float(block.minimum);
    }
    unsigned high = 0;
    if constexpr (requires { block.high; }) {
      for (int i = 0; i < 4; ++i) {
        block.high[i] = static_cast<std::uint8_t>(byte(generator));
        high |= static_cast<unsigned>(block.high[i]) << (8 * i);
      }
    }
    for (auto& code : block.codes) {
      code = static_cast<std::uint8_t>(byte(generator));
    }
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned nibble = i < 16 ? block.codes[i] & 15U : block.codes[i - 16] >> 4U;
      const unsigned fifth = bits == 5 ? ((high >> i) & 1U) << 4U : 0;
      const int code = static_cast<int>(nibble | fifth) - zero;
      weight.values.push_back(static_cast<double>(half_to_float(block.scale)) * code + minimum);
    }
    append(weight.image, block);
  };
  const auto super_block = [&](auto block) {
    auto* const bytes = reinterpret_cast<std::uint8_t*>(&block);
    for (std::size_t i = 0; i < sizeof block; ++i) {
      bytes[i] = static_cast<std::uint8_t>(byte(generator));
    }
    block.scale = float_to_half(0.01F + 0.001F * normal(generator));
    if constexpr (requires { block.minimum; }) {
      block.minimum = float_to_half(0.02F + 0.002F * normal(generator));
    }
    for (unsigned i = 0; i < kSuperBlock; ++i) {
      weight.values.push_back(super_block_value(block, i));
    }
    append(weight.image, block);
  };
  for (std::int64_t i = 0; i < n; i += block_info(dtype).values) {
    switch (dtype) {
      case DType::kF32: {
        const float value = normal(generator);
        append(weight.image, value);
        weight.values.push_back(value);
        break;
      }
      case DType::kF16: {
        const std::uint16_t value = float_to_half(normal(generator));
        append(weight.image, value);
        weight.values.push_back(half_to_float(value));
        break;
      }
      case DType::kI32: break;
      case DType::kQ4_0: code_block(BlockQ4_0{}, 4, false); break;
      case DType::kQ4_1: code_block(BlockQ4_1{}, 4, true); break;
      case DType::kQ5_0: code_block(BlockQ5_0{}, 5, false); break;
      case DType::kQ5_1: code_block(BlockQ5_1{}, 5, true); break;
      case DType::kQ8_0: {
        BlockQ8_0 block;
        block.scale = float_to_half(0.01F + 0.001F * normal(generator));
        for (auto& code : block.codes) {
          code = static_cast<std::int8_t>(byte(generator) - 128);
          weight.values.push_back(static_cast<double>(half_to_float(block.scale)) * code);
        }
        append(weight.image, block);
        break;
      }
      case DType::kQ2_K: super_block(BlockQ2_K{}); break;
      case DType::kQ3_K: super_block(BlockQ3_K{}); break;
      case DType::kQ4_K: super_block(BlockQ4_K{}); break;
      case DType::kQ5_K: super_block(BlockQ5_K{}); break;
      case DType::kQ6_K: super_block(BlockQ6_K{}); break;
    }
  }
  return weight;
}

}  // namespace speech
