// Frames of a WAV file as samples of one channel, and how many samples a file becomes. Knows nothing of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/wav_format.h"
#include "base/status.h"

namespace speech {

/// Bytes that are read at a time: at least one frame, which has at most 65535 bytes.
inline constexpr std::size_t kWavBlockBytes = std::size_t{1} << 16U;

/// Writes the mean of each frame's channels. bytes: mono.size() frames, the first of them number first_frame of the
/// file. bad_format for a float that is not finite or beyond +-2^31, by its place.
Status average_channels(const std::byte* bytes, const WavLayout& layout, std::int64_t first_frame,
                        std::span<float> mono);

/// Samples at 16 kHz that the file becomes; unsupported if there would be too many.
Result<std::int64_t> result_length(const AudioFormat& format);

}  // namespace speech
