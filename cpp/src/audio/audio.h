// A recording as the model wants it, from the bytes of a file. Knows formats and rates, nothing of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace speech {

/// What the file said of itself.
struct AudioFormat {
  int sample_rate_hz = 0;
  int channels = 0;
  int bits_per_sample = 0;
  bool is_float = false;
  std::int64_t frames = 0;  ///< samples per channel in the file
};

/// 16 kHz mono samples in [-1, 1] (float input may exceed it), with the format that they came in.
struct Audio {
  AudioFormat source;
  std::vector<float> samples;
};

/// Decodes the WAV file image `bytes`: chunks in any order, PCM 8/16/24/32 bit, float 32/64, EXTENSIBLE, 1..64 channels
/// (averaged), 1 Hz .. 1 MHz (resampled). A data chunk that claims more than the file holds (a cut or streamed file) is
/// read to the file's end; odd-sized chunks are padded as RIFF says. Errors: bad_format, naming what the bytes are
/// instead (m4a, mp3, ogg, flac, html ...) or the chunk, offset, value found and values expected; unsupported for A-law
/// and the like.
Result<Audio> decode_wav(std::span<const std::byte> bytes);

/// Reads and decodes a file. Errors as above, and not_found or io for the path; a directory is an error of its own.
Result<Audio> read_audio_file(const std::string& path);

/// Band-limited polyphase resampling (Kaiser-windowed sinc; pass band to 0.9 of the lower Nyquist rate, at least 80 dB
/// down above it), linear phase with its delay removed: output sample i is the input at time i / to_hz. Length: ceil(n
/// * to / from).
Result<std::vector<float>> resample(std::span<const float> samples, int from_hz, int to_hz);

}  // namespace speech
