// Quantised rows: the bytes that ggml makes of the same values, rows that do not depend on each other, and what is
// refused.
#include "tensor/quantize.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace speech {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 512;

struct Expected {
  DType dtype;
  std::uint64_t checksum;
};

// FNV-1a of what ggml_quantize_chunk() of ggml 0.13.1 (pywhispercpp 1.5.1, x86-64) makes of made_up_values(), without
// importances.
constexpr Expected kExpected[] = {
    {DType::kQ4_0, 0x64940444cdaaf945ULL}, {DType::kQ4_1, 0xc36adafb9f18ec8fULL}, {DType::kQ5_0, 0x4722ff988c6ab5c0ULL},
    {DType::kQ5_1, 0x435b054a4a5882d4ULL}, {DType::kQ8_0, 0xcb354f81704174efULL}, {DType::kQ2_K, 0xc7d1a5c71bc08f44ULL},
    {DType::kQ3_K, 0x0d91d12d6fd82c55ULL}, {DType::kQ4_K, 0x74a08fcf80c32d0bULL}, {DType::kQ5_K, 0xeb0700f70e742e6eULL},
    {DType::kQ6_K, 0x8cef4dd0aa5209ceULL},
};

// Cubes of evenly spread numbers (SplitMix64), the same with every compiler: small values are common, as in weights.
std::vector<float> made_up_values() {
  std::vector<float> values;
  std::uint64_t state = 0;
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    z ^= z >> 31U;
    const auto whole = static_cast<std::int64_t>(z >> 40U) - (1 << 23);
    const float even = static_cast<float>(whole) / static_cast<float>(1 << 23);
    const float square = even * even;
    values.push_back(square * even);
  }
  return values;
}

std::uint64_t checksum(const std::vector<std::byte>& bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::byte byte : bytes) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3ULL;
  }
  return hash;
}

TEST(Quantize, GivesTheBytesOfGgml) {
  const std::vector<float> values = made_up_values();
  for (const auto& [dtype, expected] : kExpected) {
    std::vector<std::byte> blocks(kRows * row_bytes(dtype, kColumns));
    ASSERT_TRUE(quantize_rows(dtype, values.data(), kRows, kColumns, blocks.data()));
    EXPECT_EQ(checksum(blocks), expected) << dtype_name(dtype);
  }
}

TEST(Quantize, RowsDoNotDependOnEachOther) {
  const std::vector<float> values = made_up_values();
  for (const auto& [dtype, expected] : kExpected) {
    const std::size_t bytes = row_bytes(dtype, kColumns);
    std::vector<std::byte> blocks(kRows * bytes);
    for (const std::int64_t row : {2, 0, 3, 1}) {
      ASSERT_TRUE(quantize_rows(dtype, values.data() + row * kColumns, 1, kColumns,
                                blocks.data() + static_cast<std::size_t>(row) * bytes));
    }
    EXPECT_EQ(checksum(blocks), expected) << dtype_name(dtype);
  }
}

TEST(Quantize, ExtremeValuesGiveBlocksAndNoUndefinedBehaviour) {
  constexpr float kMost = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  for (const auto& [dtype, unused] : kExpected) {
    for (const auto& [low, high] : {std::pair{-kMost, kMost},
                                    {kMost, kMost},
                                    {-kLeast, kLeast},
                                    {0.0F, kLeast},
                                    {0.0F, 0.0F},
                                    {-0.0F, 1e-20F},
                                    {1e30F, 1e-30F}}) {
      std::vector<float> values(kSuperBlock);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = i % 3 == 0 ? low : high;
      }
      std::vector<std::byte> blocks(row_bytes(dtype, kSuperBlock));
      EXPECT_TRUE(quantize_rows(dtype, values.data(), 1, kSuperBlock, blocks.data())) << dtype_name(dtype);
    }
  }
}

TEST(Quantize, ValuesThatAreNotFiniteAreRefusedByTheirPlace) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (const auto& [dtype, unused] : kExpected) {
      std::vector<float> values = made_up_values();
      values[kColumns + 300] = bad;
      std::vector<std::byte> blocks(kRows * row_bytes(dtype, kColumns));
      const Status status = quantize_rows(dtype, values.data(), kRows, kColumns, blocks.data());
      EXPECT_EQ(status.code(), Code::kInvalidArgument);
      EXPECT_NE(status.message().find("row 1, column 300"), std::string::npos) << status.message();
    }
  }
}

TEST(Quantize, RowsAreWholeBlocksOfAQuantisedType) {
  for (const auto& [dtype, unused] : kExpected) {
    const int block = block_info(dtype).values;
    ASSERT_TRUE(quantized_row_bytes(dtype, 3 * block));
    EXPECT_EQ(quantized_row_bytes(dtype, 3 * block).value(), 3U * static_cast<unsigned>(block_info(dtype).bytes));
    for (const std::int64_t columns : {std::int64_t{-block}, std::int64_t{0}, std::int64_t{block - 1}}) {
      const auto refused = quantized_row_bytes(dtype, columns);
      EXPECT_EQ(refused.status().code(), Code::kInvalidArgument);
      EXPECT_NE(refused.status().message().find(std::to_string(block)), std::string::npos);
    }
  }
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kI32}) {
    EXPECT_EQ(quantized_row_bytes(dtype, 256).status().code(), Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace speech
