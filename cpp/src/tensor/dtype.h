// Element types and the block formats of quantised rows. Knows layouts and sizes, not arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace speech {

/// Element types that the core computes with. Rows of quantised types are whole blocks: of 32 values, or 256 in the
/// K-quants.
enum class DType : std::uint8_t {
  kF32,
  kF16,
  kI32,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
};

/// Values in one block of Q4_0 to Q8_0.
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

/// Values in one block of a K-quant: eight parts of 32, each two runs of 16.
inline constexpr int kSuperBlock = 256;

/// value = scale * (low nibble of scales[run]) * code - minimum * (its high nibble). The two bits of code i of part p
/// sit at bit 2 (p mod 4) of codes[32 (p / 4) + i].
struct BlockQ2_K {
  std::uint8_t scales[16];
  std::uint8_t codes[64];
  std::uint16_t scale;  // binary16
  std::uint16_t minimum;
};
/// value = scale * (s - 32) * (code - 4), with s of six bits for each run: its low four are the low nibbles of
/// scales[0..7] for runs 0 to 7 and the high ones for 8 to 15, its top two sit at bit 2 (run / 4) of
/// scales[8 + run mod 4]. Low two bits of codes as in Q2_K; the third of code i of part p is bit p of high[i].
struct BlockQ3_K {
  std::uint8_t high[32];
  std::uint8_t codes[64];
  std::uint8_t scales[12];
  std::uint16_t scale;
};
/// value = scale * s * code - minimum * m, with s and m of six bits for each part p. For p < 4 they are the low six
/// bits of scales[p] and scales[p + 4]; for the others their low four are the nibbles of scales[p + 4], s low, and
/// their top two the top two of scales[p - 4] and scales[p]. Code i of part p is a nibble of codes[32 (p / 2) + i], low
/// if p is even.
struct BlockQ4_K {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t scales[12];
  std::uint8_t codes[128];
};
/// As Q4_K; the fifth bit of code i of part p is bit p of high[i].
struct BlockQ5_K {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t scales[12];
  std::uint8_t high[32];
  std::uint8_t codes[128];
};
/// value = scale * scales[run] * (code - 32). Low four bits of code i of part p: a nibble of
/// codes[64 (p / 4) + 32 (p mod 2) + i], low if p mod 4 < 2; top two: at bit 2 (p mod 4) of high[32 (p / 4) + i].
struct BlockQ6_K {
  std::uint8_t codes[128];
  std::uint8_t high[64];
  std::int8_t scales[16];
  std::uint16_t scale;
};
static_assert(sizeof(BlockQ4_0) == 18 && sizeof(BlockQ4_1) == 20 && sizeof(BlockQ5_0) == 22);
static_assert(sizeof(BlockQ5_1) == 24 && sizeof(BlockQ8_0) == 34);
static_assert(sizeof(BlockQ2_K) == 84 && sizeof(BlockQ3_K) == 110 && sizeof(BlockQ4_K) == 144);
static_assert(sizeof(BlockQ5_K) == 176 && sizeof(BlockQ6_K) == 210);

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
    case DType::kQ2_K: return {kSuperBlock, sizeof(BlockQ2_K)};
    case DType::kQ3_K: return {kSuperBlock, sizeof(BlockQ3_K)};
    case DType::kQ4_K: return {kSuperBlock, sizeof(BlockQ4_K)};
    case DType::kQ5_K: return {kSuperBlock, sizeof(BlockQ5_K)};
    case DType::kQ6_K: return {kSuperBlock, sizeof(BlockQ6_K)};
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
