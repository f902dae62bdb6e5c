// A recording as the model wants it, from the bytes of a file. Knows formats and rates, nothing of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/samples.h"
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

/// Decodes the WAV file image `bytes`: RIFF, RIFX, RF64 and BW64, chunks in any order, PCM of up to 32 bits, float
/// 32/64, EXTENSIBLE, any channel count (averaged), 1 Hz .. 1 MHz (resampled to 16 kHz). A data chunk that claims more
/// than the file holds, or no size at all (a cut or streamed file), is read to the file's end; an incomplete last frame
/// is dropped; odd-sized chunks are padded as RIFF says. A data chunk without samples gives an Audio without samples.
/// Memory: the result and some 100 KiB. The result has at most 2^31 - 1 samples and is at most 64 times the size of the
/// file, or 64 MiB where that is more (rates below 1 kHz). Errors: bad_format, naming what the bytes are instead (m4a,
/// mp3, ogg, flac, html ...) or the chunk, its offset, the value found and the values expected, or the first float
/// sample that is not finite or beyond +-2^31; unsupported for A-law and the like and for results that are too long;
/// out_of_memory.
Result<Audio> decode_wav(std::span<const std::byte> bytes);

/// Reads and decodes a file, block by block: the file is never in memory as a whole, unless it is a pipe. Errors as
/// above, and not_found, or io for a directory, a missing permission, a failed read; all of them name the path. What is
/// no WAV file goes to the platform's decoder (audio/decoder.h), if there is one.
Result<Audio> read_audio_file(const std::string& path);

/// A recording that stays in its file.
struct StreamedAudio {
  AudioFormat source;
  std::shared_ptr<const SampleSource> samples;
};

/// Opens a WAV file whose samples are read when they are needed: those of read_audio_file(), bit for bit, in some 200
/// KiB for rates up to 48 kHz. A pipe is read to its end first, and what the platform decodes is in memory. Errors as
/// above; reading fails with io if the file has become shorter meanwhile, and with bad_format at a sample that is not
/// finite.
Result<StreamedAudio> open_audio_file(const std::string& path);

/// Band-limited polyphase resampling (Kaiser-windowed sinc; pass band to 0.9 of the lower Nyquist rate, at least 80 dB
/// down above it), linear phase with its delay removed: output sample i is the input at time i / to_hz. Silence is
/// assumed around the input. Length: ceil(n * to / from). Equal rates give a copy. Fails with invalid_argument for a
/// rate outside 1 .. 1,000,000 Hz, a sample (the first is named) that is not finite or beyond
/// +-1e30, more than 2^31 - 1 samples on either side; out_of_memory.
Result<std::vector<float>> resample(std::span<const float> samples, int from_hz, int to_hz);

}  // namespace speech
