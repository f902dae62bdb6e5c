// Samples of a WAV file: block by block from bytes to one channel to 16 kHz. Knows nothing of chunks.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "audio/log_mel.h"
#include "audio/resample.h"
#include "audio/wav_format.h"

namespace speech {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16U;  // at least one frame: a frame has at most 65535 bytes
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

/// bytes: mono.size() frames, the first of them number first_frame of the file.
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

/// Samples of the result; unsupported if there would be too many.
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

Result<Audio> decode(ByteInput& input) {
  SPEECH_ASSIGN_OR_RETURN(const WavLayout layout, read_wav_layout(input));
  SPEECH_ASSIGN_OR_RETURN(const std::int64_t length, result_length(layout.format));
  Audio audio;
  audio.source = layout.format;
  audio.samples.reserve(static_cast<std::size_t>(length));
  std::optional<StreamResampler> resampler;
  if (layout.format.sample_rate_hz != kSampleRate) {
    resampler.emplace(layout.format.sample_rate_hz, kSampleRate);
  }
  const auto frame_bytes = static_cast<std::size_t>(layout.frame_bytes());
  const std::size_t block_frames = kBlockBytes / frame_bytes;
  std::vector<std::byte> block(block_frames * frame_bytes);
  std::vector<float> mono(block_frames);
  std::int64_t frame = 0;
  while (frame < layout.format.frames) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::int64_t>(static_cast<std::int64_t>(block_frames), layout.format.frames - frame));
    const std::uint64_t offset = layout.data_offset + static_cast<std::uint64_t>(frame) * frame_bytes;
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_bytes,
                            input.read_at(offset, std::span(block).first(wanted * frame_bytes)));
    const std::span<float> samples = std::span(mono).first(n_bytes / frame_bytes);
    SPEECH_RETURN_IF_ERROR(average_channels(block.data(), layout, frame, samples));
    if (resampler) {
      resampler->push(samples, audio.samples);
    } else {
      audio.samples.insert(audio.samples.end(), samples.begin(), samples.end());
    }
    frame += static_cast<std::int64_t>(samples.size());
    if (samples.size() < wanted) {  // the file has become shorter meanwhile
      audio.source.frames = frame;
      break;
    }
  }
  if (resampler) {
    resampler->finish(audio.samples);
  }
  return audio;
}

}  // namespace

Result<Audio> decode_wav(std::span<const std::byte> bytes) {
  try {
    return decode(*memory_input(bytes));
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the decoded audio");
  } catch (const std::length_error&) {
    return Status(Code::kOutOfMemory, "no memory for the decoded audio");
  }
}

Result<Audio> read_audio_file(const std::string& path) {
  const auto read = [&path]() -> Result<Audio> {
    SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<ByteInput> input, file_input(path));
    return decode(*input);
  };
  try {
    Result<Audio> audio = read();
    if (!audio) {
      return audio.status().with_context("reading '" + path + "'");
    }
    return audio;
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "reading '" + path + "': no memory for the decoded audio");
  } catch (const std::length_error&) {
    return Status(Code::kOutOfMemory, "reading '" + path + "': no memory for the decoded audio");
  }
}

}  // namespace speech
