// Asking for pages changes no byte of them, wherever the range begins and ends.

#include "base/pages.h"

#include <gtest/gtest.h>

#include <vector>

namespace speech {
namespace {

TEST(Pages, AFetchedRangeAndWhatLiesBesideItKeepTheirBytes) {
  constexpr std::size_t kBytes = 5 * 4096;
  std::vector<unsigned char> bytes(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) {
    bytes[i] = static_cast<unsigned char>(i * 7);
  }
  const std::vector<unsigned char> before = bytes;
  for (const std::size_t begin : {0, 1, 4095, 4096}) {
    for (const std::size_t n : {0, 1, 4095, 4096, 12289}) {
      fetch_pages(bytes.data() + begin, n);
    }
  }
  EXPECT_EQ(bytes, before);
}

TEST(Pages, FreshMemoryIsWritableAfterwards) {
  constexpr std::size_t kBytes = std::size_t{1} << 22U;
  std::vector<std::byte> bytes(kBytes);
  fetch_pages(bytes.data(), bytes.size());
  bytes[0] = bytes[kBytes - 1] = std::byte{1};
  EXPECT_EQ(bytes[0], bytes[kBytes - 1]);
}

TEST(Pages, ARangeThatIsNotThereIsRefusedInSilence) { fetch_pages(nullptr, std::size_t{1} << 20U); }

}  // namespace
}  // namespace speech
