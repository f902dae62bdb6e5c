// IEEE 754 binary16 to and from float, in portable integer arithmetic; the oracle for every faster conversion.
#pragma once

#include <bit>
#include <cstdint>

namespace speech {

/// Exact.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16U;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude >= 0x7C00U) {  // infinity, NaN
    return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude & 0x3FFU) << 13U));
  }
  if (magnitude < 0x0400U) {  // zero, subnormal: the value is magnitude * 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13U) + (112U << 23U)));
}

/// Round to nearest, ties to even; overflow gives infinity, NaN stays NaN.
inline std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) {
    return sign | 0x7E00U;
  }
  if (magnitude >= 0x477FF000U) {  // 65520 and above round to infinity
    return sign | 0x7C00U;
  }
  if (magnitude <
      0x38800000U) {  // below 2^-14: adding 0.5 leaves the rounded multiple of 2^-24 in the low mantissa bits
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return sign |
           static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5F));
  }
  const std::uint32_t rounded = magnitude - (112U << 23U) + 0x0FFFU + ((magnitude >> 13U) & 1U);
  return sign | static_cast<std::uint16_t>(rounded >> 13U);
}

}  // namespace speech
