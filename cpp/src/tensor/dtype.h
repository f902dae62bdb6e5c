// Element types and the block formats of quantised rows. Knows layouts and sizes, not arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace speech {

/// Element types that the core computes with. Quantised types hold 32 values a block, rows are whole blocks.
enum class DType : std::uint8_t { kF32, kF16, kI32, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0 };

/// Values in one block of a quantised type.
inline constexpr int kQuantBlock = 32;

/// value = scale * (code - 8); code i sits in the low nibble of codes[i], code i + 16 in its high nibble.
struct BlockQ4_0 {
  std::uint16_t scale;  // binary16
  std::uint8_t codes[16];
};
/// value = scale * code + minimum
struct BlockQ4_1 {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t codes[16];
};
/// value = scale * (code - 16); bit i of the little-endian `high` is the fifth bit of code i.
struct BlockQ5_0 {
  std::uint16_t scale;
  std::uint8_t high[4];
  std::uint8_t codes[16];
};
/// value = scale * code + minimum, five-bit codes as in Q5_0
struct BlockQ5_1 {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t high[4];
  std::uint8_t codes[16];
};
/// value = scale * code
struct BlockQ8_0 {
  std::uint16_t scale;
  std::int8_t codes[32];
};
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);

/// Bytes and values of the smallest addressable unit of a type.
struct BlockInfo {
  int values;
  int bytes;
};

constexpr BlockInfo block_info(DType dtype) {
  switch (dtype) {
    case DType::kF32: return {1, 4};
    case DType::kF16: return {1, 2};
    case DType::kI32: return {1, 4};
    case DType::kQ4_0: return {kQuantBlock, sizeof(BlockQ4_0)};
    case DType::kQ4_1: return {kQuantBlock, sizeof(BlockQ4_1)};
    case DType::kQ5_0: return {kQuantBlock, sizeof(BlockQ5_0)};
    case DType::kQ5_1: return {kQuantBlock, sizeof(BlockQ5_1)};
    case DType::kQ8_0: return {kQuantBlock, sizeof(BlockQ8_0)};
  }
  return {1, 0};
}

constexpr bool is_quantized(DType dtype) { return block_info(dtype).values > 1; }

/// Bytes of `n` values; n must be whole blocks.
constexpr std::size_t row_bytes(DType dtype, std::int64_t n) {
  const BlockInfo info = block_info(dtype);
  return static_cast<std::size_t>(n / info.values) * static_cast<std::size_t>(info.bytes);
}

/// "f16", "q5_0" ...
std::string_view dtype_name(DType dtype);

/// The type that a model file calls `id` (ggml_type numbers), if the core computes with it.
std::optional<DType> dtype_from_ggml(std::int32_t id);

/// The name of any ggml_type number that a Whisper file may hold, also of those refused ("q2_K"); empty if unknown.
std::string_view ggml_type_name(std::int32_t id);

}  // namespace speech
