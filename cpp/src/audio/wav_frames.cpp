// From the bytes of a WAV file's frames to one channel of floats.
#include "audio/wav_frames.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "audio/log_mel.h"
#include "audio/resample.h"

namespace speech {
namespace {

constexpr std::int64_t kMaxSamples = std::numeric_limits<std::int32_t>::max();
// Files of less than 1 kHz are no recordings of speech, and multiply: what they may become is bounded (17 minutes, 64
// MiB).
constexpr int kLowRate = 1000;
constexpr std::int64_t kMaxSamplesOfLowRate = std::int64_t{1} << 24U;
constexpr double kMaxMagnitude = 0x1p31;  // integers of 32 bits written as floats are the largest that make any sense

/// Writes into the mean of each frame's channels. load(bytes) gives the value of one sample.
template <typename Load>
void average(const std::byte* bytes, const WavLayout& layout, std::span<float> mono, Load load) {
  const double scale = 1.0 / layout.format.channels;
  for (float& out : mono) {
    double sum = 0.0;
    for (int channel = 0; channel < layout.format.channels; ++channel) {
      sum += load(bytes);
      bytes += layout.container_bytes;
    }
    out = static_cast<float>(sum * scale);
  }
}

template <int kBytes>
std::uint64_t load_bits(const std::byte* bytes, bool is_big_endian) {
  std::uint64_t bits = 0;
  for (int i = 0; i < kBytes; ++i) {
    bits |= std::to_integer<std::uint64_t>(bytes[is_big_endian ? kBytes - 1 - i : i]) << (8 * i);
  }
  return bits;
}

/// PCM: the value fills the upper bits of 32, so one scale serves every width. 8-bit samples are stored with 128 added.
template <int kBytes>
void average_pcm(const std::byte* bytes, const WavLayout& layout, std::span<float> mono) {
  average(bytes, layout, mono, [is_big_endian = layout.is_big_endian](const std::byte* at) {
    auto bits = static_cast<std::uint32_t>(load_bits<kBytes>(at, is_big_endian)) << (32 - 8 * kBytes);
    if (kBytes == 1) {
      bits ^= 0x80000000U;
    }
    return static_cast<double>(std::bit_cast<std::int32_t>(bits)) * 0x1p-31;
  });
}

/// Float: the first value that is no number or no sample ends the decoding.
template <typename Float, typename Bits>
Status average_float(const std::byte* bytes, const WavLayout& layout, std::int64_t first_frame, std::span<float> mono) {
  std::int64_t index = 0;
  std::optional<std::pair<std::int64_t, double>> wrong;
  average(bytes, layout, mono, [&, is_big_endian = layout.is_big_endian](const std::byte* at) {
    const double value = std::bit_cast<Float>(static_cast<Bits>(load_bits<sizeof(Bits)>(at, is_big_endian)));
    const bool is_sample = std::abs(value) <= kMaxMagnitude;  // false for NaN
    if (!is_sample && !wrong) {
      wrong = {index, value};
    }
    ++index;
    return is_sample ? value : 0.0;
  });
  if (wrong) {
    return {Code::kBadFormat, "sample " + std::to_string(first_frame + wrong->first / layout.format.channels) +
                                  " of channel " + std::to_string(wrong->first % layout.format.channels) + " is " +
                                  std::to_string(wrong->second) +
                                  "; expected finite floats, nominally in [-1, 1] and never beyond 2^31"};
  }
  return Status::ok();
}

}  // namespace

Status average_channels(const std::byte* bytes, const WavLayout& layout, std::int64_t first_frame,
                        std::span<float> mono) {
  if (layout.format.is_float) {
    return layout.container_bytes == 4 ? average_float<float, std::uint32_t>(bytes, layout, first_frame, mono)
                                       : average_float<double, std::uint64_t>(bytes, layout, first_frame, mono);
  }
  switch (layout.container_bytes) {
    case 1: average_pcm<1>(bytes, layout, mono); break;
    case 2: average_pcm<2>(bytes, layout, mono); break;
    case 3: average_pcm<3>(bytes, layout, mono); break;
    default: average_pcm<4>(bytes, layout, mono); break;
  }
  return Status::ok();
}

Result<std::int64_t> result_length(const AudioFormat& format) {
  const std::int64_t limit = format.sample_rate_hz < kLowRate ? kMaxSamplesOfLowRate : kMaxSamples;
  // Files have fewer than 2^63 bytes, so the quotient cannot overflow: it is compared before it is multiplied.
  const std::int64_t whole_seconds = format.frames / format.sample_rate_hz;
  if (whole_seconds <= limit / kSampleRate) {
    const std::int64_t length = resampled_length(format.frames, format.sample_rate_hz, kSampleRate);
    if (length <= limit) {
      return length;
    }
  }
  return Status(Code::kUnsupported, "the recording lasts " + std::to_string(whole_seconds) + " seconds at " +
                                        std::to_string(format.sample_rate_hz) + " Hz; at most " +
                                        std::to_string(limit / kSampleRate) +
                                        " are supported at this rate, so split it");
}

}  // namespace speech
