// Quantisation through the C API: sizes, results, and the last error of what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "whisper_ext.h"

namespace speech {
namespace {

class ExtQuantize : public ::testing::Test {
 protected:
  void SetUp() override { whisper_ext_clear_error(); }
};

constexpr int kTypes[] = {WHISPER_EXT_ROW_Q4_0, WHISPER_EXT_ROW_Q4_1, WHISPER_EXT_ROW_Q5_0, WHISPER_EXT_ROW_Q5_1,
                          WHISPER_EXT_ROW_Q8_0, WHISPER_EXT_ROW_Q2_K, WHISPER_EXT_ROW_Q3_K, WHISPER_EXT_ROW_Q4_K,
                          WHISPER_EXT_ROW_Q5_K, WHISPER_EXT_ROW_Q6_K};

std::vector<float> waves(std::int64_t n) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) {
    values.push_back(std::sin(0.37F * static_cast<float>(i)) * (0.1F + 0.001F * static_cast<float>(i % 256)));
  }
  return values;
}

void expect_invalid(std::int64_t result, const std::string& part) {
  EXPECT_EQ(result, -1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(whisper_ext_last_error()).find(part), std::string::npos) << whisper_ext_last_error();
  whisper_ext_clear_error();
}

TEST_F(ExtQuantize, RowsHaveTheBytesOfTheirBlocks) {
  EXPECT_EQ(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q4_0, 384), 12 * 18);
  EXPECT_EQ(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q8_0, 32), 34);
  EXPECT_EQ(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q2_K, 512), 2 * 84);
  EXPECT_EQ(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q6_K, 256), 210);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
  expect_invalid(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q4_K, 384), "256");
  expect_invalid(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q4_0, 0), "32");
  expect_invalid(whisper_ext_quantized_row_bytes(WHISPER_EXT_ROW_Q4_0, std::numeric_limits<std::int64_t>::max()),
                 "2^40");
  for (const int type : {-1, 0, 1, 9, 15, 99}) {  // F32, F16, and what holds no weights
    expect_invalid(whisper_ext_quantized_row_bytes(type, 256), "type is " + std::to_string(type));
  }
}

TEST_F(ExtQuantize, PartsFromSeveralThreadsGiveTheWhole) {
  constexpr std::int64_t kRows = 6;
  constexpr std::int64_t kColumns = 512;
  const std::vector<float> values = waves(kRows * kColumns);
  for (const int type : kTypes) {
    const std::int64_t bytes = whisper_ext_quantized_row_bytes(type, kColumns);
    std::vector<std::uint8_t> whole(static_cast<std::size_t>(kRows * bytes) + 1, 0xEE);
    std::vector<std::uint8_t> parts = whole;
    EXPECT_EQ(whisper_ext_quantize_rows(type, values.data(), kRows, kColumns, whole.data(), whole.size()),
              kRows * bytes);
    EXPECT_EQ(whole.back(), 0xEE) << "written behind the rows";
    std::vector<std::thread> threads;
    for (const std::int64_t first : {0, 3}) {
      threads.emplace_back([&, first] {
        EXPECT_EQ(whisper_ext_quantize_rows(type, values.data() + first * kColumns, 3, kColumns,
                                            parts.data() + first * bytes, static_cast<std::size_t>(3 * bytes)),
                  3 * bytes);
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(parts, whole) << type;
  }
  EXPECT_EQ(whisper_ext_quantize_rows(WHISPER_EXT_ROW_Q4_0, nullptr, 0, 32, nullptr, 0), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
}

TEST_F(ExtQuantize, WhatCannotBeDoneLeavesAnError) {
  std::vector<float> values = waves(64);
  std::uint8_t out[36];
  const auto quantize = [&](const float* source, std::int64_t rows, void* destination, std::size_t capacity) {
    return whisper_ext_quantize_rows(WHISPER_EXT_ROW_Q4_0, source, rows, 32, destination, capacity);
  };
  expect_invalid(quantize(nullptr, 2, out, sizeof out), "source");
  expect_invalid(quantize(values.data(), 2, nullptr, 36), "destination");
  expect_invalid(quantize(values.data(), 2, out, 35), "36");
  expect_invalid(quantize(values.data(), -1, out, sizeof out), "n_rows is -1");
  expect_invalid(quantize(values.data(), std::numeric_limits<std::int64_t>::max(), out, sizeof out), "n_rows");
  values[33] = std::numeric_limits<float>::quiet_NaN();
  expect_invalid(quantize(values.data(), 2, out, sizeof out), "row 1, column 1");
}

}  // namespace
}  // namespace speech
