// One decoder behind a lock, and its samples in one place; see decoder.h.
#include "audio/decoder.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "audio/log_mel.h"
#include "audio/wav_format.h"
#include "base/threads.h"

namespace speech {
namespace {

constexpr float kMostMagnitude = 2147483648.0F;  // as of WAV files

struct Registered {
  Mutex mutex;
  Decoder decoder;
};

Registered& registered() {
  static Registered instance;
  return instance;
}

Status check_block(std::span<const float> block, std::size_t n_before) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!(std::fabs(block[i]) <= kMostMagnitude)) {
      return {Code::kBadFormat, "sample " + std::to_string(n_before + i) + " is " + std::to_string(block[i]) +
                                    "; expected a finite value within +-2^31"};
    }
  }
  if (n_before + block.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return {Code::kUnsupported, "the recording has more than 2147483647 samples"};
  }
  return Status::ok();
}

}  // namespace

void set_decoder(Decoder decoder) {
  Registered& place = registered();
  const std::lock_guard lock(place.mutex);
  place.decoder = std::move(decoder);
}

Result<Decoder> decoder_of(ByteInput& input) {
  Decoder found;
  {
    Registered& place = registered();
    const std::lock_guard lock(place.mutex);
    found = place.decoder;
  }
  if (!found) {
    return found;
  }
  std::array<std::byte, 12> beginning{};
  SPEECH_ASSIGN_OR_RETURN(const std::size_t n, input.read_at(0, beginning));
  return check_wav_header(std::span(beginning).first(n)).is_ok() ? Decoder() : found;
}

Result<Audio> decode_by(const Decoder& decoder, const std::string& path) {
  Audio audio;
  Status refused;
  const Status decoded = decoder(path, [&](std::span<const float> block) {
    if (refused.is_ok()) {
      refused = check_block(block, audio.samples.size());
    }
    if (refused.is_ok()) {
      audio.samples.insert(audio.samples.end(), block.begin(), block.end());
    }
    return refused.is_ok();
  });
  SPEECH_RETURN_IF_ERROR(refused);
  SPEECH_RETURN_IF_ERROR(decoded);
  audio.source = {kSampleRate, 1, 32, true, static_cast<std::int64_t>(audio.samples.size())};
  return audio;
}

}  // namespace speech
