// The size that a text would be compressed to, against zlib's own sizes.
#include "decode/compression.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "decode/random.h"

namespace speech::testing {
namespace {

std::string repeated(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    out += text;
  }
  return out;
}

// Sizes are len(zlib.compress(text)) of zlib 1.2.13; a Python test compares many more with the zlib at hand.
TEST(CompressedBytes, AreThoseOfZlib) {
  EXPECT_EQ(compressed_bytes(""), 8U);
  EXPECT_EQ(compressed_bytes("a"), 9U);
  EXPECT_EQ(compressed_bytes("abc"), 11U);
  EXPECT_EQ(compressed_bytes(std::string(100000, 'a')), 121U);
  EXPECT_EQ(compressed_bytes(repeated("Thank you. ", 20)), 22U);
  EXPECT_EQ(compressed_bytes(repeated("你好，世界。", 30)), 34U);
  EXPECT_EQ(
      compressed_bytes("And so, my fellow Americans, ask not what your country can do for you, ask what you can do "
                       "for your country."),
      80U);
}

TEST(CompressedBytes, NoiseIsStoredAsItIs) {
  Random random(1);
  std::string noise;
  for (int i = 0; i < 10000; ++i) {
    noise.push_back(static_cast<char>(random.next()));
  }
  EXPECT_EQ(compressed_bytes(noise), noise.size() + 5 + 6);  // one stored block, header and checksum
}

TEST(CompressedBytes, MatchesReachBackOneWindowAndNoFurther) {
  Random random(2);
  std::string piece;
  for (int i = 0; i < 20000; ++i) {
    piece.push_back(static_cast<char>('a' + random.next() % 26));
  }
  const std::size_t once = compressed_bytes(piece);
  EXPECT_LT(compressed_bytes(piece + piece), once + 500) << "20,000 bytes back is inside";
  std::string other;
  for (int i = 0; i < 20000; ++i) {
    other.push_back(static_cast<char>('a' + random.next() % 26));
  }
  EXPECT_GT(compressed_bytes(piece + other + piece), 3 * once - 500) << "40,000 bytes back is not";
}

TEST(CompressedBytes, GrowWithTheTextInBoundedTime) {
  // What makes hash chains long: one byte, and two that alternate.
  EXPECT_LT(compressed_bytes(std::string(3'000'000, 'x')), 4000U);
  EXPECT_LT(compressed_bytes(repeated("ab", 1'000'000)), 4000U);
}

TEST(CompressionRatio, TellsRepetitionFromSpeech) {
  EXPECT_LT(compression_ratio("And so, my fellow Americans, ask not what your country can do for you."), 1.5);
  EXPECT_GT(compression_ratio(repeated("Thank you. ", 20)), 2.4);
  EXPECT_EQ(compression_ratio(""), 0.0);
}

}  // namespace
}  // namespace speech::testing
