// The fuzzer's check over damaged models, the same ones in every run.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "vad/synthetic_silero.h"

// The check itself, which aborts.
#include "../../fuzz/vad_model.cpp"

namespace speech {
namespace {

TEST(SileroMutation, NoDamageIsMoreThanAnError) {
  const testing::SyntheticSilero whole = testing::synthetic_silero();
  // What may become a size, a type or a value.
  constexpr std::int32_t kTelling[] = {0, 1, -1, 20, 512, 0x7FFFFFFF, -0x7FFFFFFF - 1, 0x7F7FFFFF, 0x7F800000};
  std::mt19937 random(20263);  // its sequence is fixed by the standard
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes = whole.bytes;
    // Headers are few bytes among many: every other round damages one of them, the rest any place.
    const std::size_t first =
        round % 2 == 0 ? whole.tensors[random() % whole.tensors.size()].header_offset : random() % (bytes.size() - 64);
    const std::size_t at = first + random() % 60;
    std::memcpy(bytes.data() + at, &kTelling[random() % std::size(kTelling)], sizeof(std::int32_t));
    if (round % 7 == 0) {
      bytes.resize(random() % bytes.size());
    }
    bytes.shrink_to_fit();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
}

}  // namespace
}  // namespace speech
