// libFuzzer entry over voice activity models: reads any bytes as a Silero model, and listens with what it reads. Knows
// the layer vad only. A useful first input is a complete model, as tests/vad/synthetic_silero.h writes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "model/byte_source.h"
#include "vad/silero.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto vad = speech::SileroVad::load(speech::memory_source(std::as_bytes(std::span(data, size))));
  if (!vad) {
    if (vad.status().message().empty()) {
      std::abort();  // an error that explains nothing is a finding
    }
    return 0;
  }
  // Weights are finite here, but may overflow.
  std::array<float, 2 * speech::kVadWindowSamples> pcm;
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    pcm[i] = static_cast<float>(i % 7) * 0.1F - 0.3F;
  }
  std::array<float, 2> probabilities;
  vad->run(pcm, probabilities);
  for (const float probability : probabilities) {
    if (!(probability >= 0.0F && probability <= 1.0F)) {
      std::abort();
    }
  }
  return 0;
}
