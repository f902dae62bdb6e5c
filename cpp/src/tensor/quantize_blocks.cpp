// Blocks of 32 values: one scale, and in two formats the smallest value, from the extremes of the block.
#include "tensor/quantize_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/half.h"
#include "tensor/quantize_exact.h"

namespace speech {
namespace {

constexpr std::size_t kHalfBlock = kQuantBlock / 2;

float inverse(float scale) { return scale != 0.0F ? 1.0F / scale : 0.0F; }

// Towards zero. What no int8 holds, from scales whose inverse overflows, is 0.
int truncated(float value) { return value > -129.0F && value < 128.0F ? static_cast<int>(value) : 0; }

/// The value of largest magnitude, the first of several, with its sign.
float extreme_of(const float* values) {
  float extreme = 0.0F;
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    if (std::fabs(extreme) < std::fabs(values[i])) {
      extreme = values[i];
    }
  }
  return extreme;
}

template <typename Block>
void put_codes(const unsigned* codes, Block& block) {
  for (std::size_t i = 0; i < kHalfBlock; ++i) {
    block.codes[i] = static_cast<std::uint8_t>((codes[i] & 15U) | ((codes[i + kHalfBlock] & 15U) << 4U));
  }
  if constexpr (requires { block.high; }) {
    for (std::size_t i = 0; i < kQuantBlock; ++i) {
      block.high[i / 8] = static_cast<std::uint8_t>(block.high[i / 8] | ((codes[i] >> 4U) & 1U) << (i % 8));
    }
  }
}

// Codes around 2^(bits - 1); the side that has one more takes the value of largest magnitude.
template <int kBits, typename Block>
void quantize_around_zero(const float* values, Block& block) {
  constexpr int kMiddle = 1 << (kBits - 1);
  const float scale = extreme_of(values) / -kMiddle;
  const float factor = inverse(scale);
  unsigned codes[kQuantBlock];
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    const int code = truncated(values[i] * factor + (kMiddle + 0.5F));
    codes[i] = static_cast<unsigned>(std::min(2 * kMiddle - 1, code));
  }
  block.scale = float_to_half(scale);
  put_codes(codes, block);
}

// Codes from the smallest value up.
template <int kBits, typename Block>
void quantize_above_minimum(const float* values, Block& block) {
  constexpr int kMost = (1 << kBits) - 1;
  float low = std::numeric_limits<float>::max();
  float high = -low;
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  const float scale = (high - low) / kMost;
  const float factor = inverse(scale);
  unsigned codes[kQuantBlock];
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    const int code = truncated((values[i] - low) * factor + 0.5F);
    codes[i] = static_cast<unsigned>(std::min(kMost, code));
  }
  block.scale = float_to_half(scale);
  block.minimum = float_to_half(low);
  put_codes(codes, block);
}

}  // namespace

void quantize_block(const float* values, BlockQ4_0& block) { quantize_around_zero<4>(values, block); }
void quantize_block(const float* values, BlockQ4_1& block) { quantize_above_minimum<4>(values, block); }
void quantize_block(const float* values, BlockQ5_0& block) { quantize_around_zero<5>(values, block); }
void quantize_block(const float* values, BlockQ5_1& block) { quantize_above_minimum<5>(values, block); }

void quantize_block(const float* values, BlockQ8_0& block) {
  const float scale = std::fabs(extreme_of(values)) / 127.0F;
  const float factor = inverse(scale);
  for (std::size_t i = 0; i < kQuantBlock; ++i) {
    block.codes[i] = static_cast<std::int8_t>(truncated(std::round(values[i] * factor)));
  }
  block.scale = float_to_half(scale);
}

}  // namespace speech
