// libFuzzer entry over the WAV decoder: no input may crash it, hang it, make it allocate without measure, or fail
// without saying why. Build: clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Isrc fuzz/wav.cpp src/audio/*.cpp
// src/base/content.cpp
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "audio/audio.h"

// Declared here because libFuzzer has no header for it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const speech::Result<speech::Audio> audio = speech::decode_wav(std::as_bytes(std::span(data, size)));
  if (!audio) {
    if (audio.status().message().empty()) {
      std::abort();
    }
    return 0;
  }
  for (const float sample : audio->samples) {
    if (!std::isfinite(sample)) {
      std::abort();
    }
  }
  return 0;
}
