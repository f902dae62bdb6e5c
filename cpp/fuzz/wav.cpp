// libFuzzer entry over the WAV decoder: no input may crash it, hang it, make it allocate without measure, or fail
// without saying why. Build: clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Isrc fuzz/wav.cpp src/audio/*.cpp
// src/base/content.cpp
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "audio/audio.h"

namespace speech {
namespace {

/// Whether `data` is a WAV file that we decode; aborts when the answer is no good: an error without a text, a sample
/// that is not finite.
bool decodes(const std::uint8_t* data, std::size_t size) {
  const Result<Audio> audio = decode_wav(std::as_bytes(std::span(data, size)));
  if (!audio) {
    if (audio.status().message().empty()) {
      std::abort();
    }
    return false;
  }
  for (const float sample : audio->samples) {
    if (!std::isfinite(sample)) {
      std::abort();
    }
  }
  return true;
}

}  // namespace
}  // namespace speech

// Declared here because libFuzzer has no header for it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  speech::decodes(data, size);
  return 0;
}
