// Where the samples of a WAV file lie and how they are written: its chunks, read and checked. Knows nothing of decoding
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "base/status.h"

namespace speech {

/// Everything in here has been checked against the file.
struct WavLayout {
  AudioFormat format;
  int container_bytes = 0;     ///< bytes of one sample: 1..4 (PCM, left-justified), 4 or 8 (float)
  bool is_big_endian = false;  ///< RIFX
  std::uint64_t data_offset = 0;
  std::uint64_t data_bytes = 0;  ///< a whole number of frames, all of them inside the file

  int frame_bytes() const { return container_bytes * format.channels; }
};

/// Ok if `beginning`, the first bytes of a file, opens a RIFF, RIFX, RF64 or BW64 file of type WAVE. Else bad_format,
/// naming what the bytes are instead.
Status check_wav_header(std::span<const std::byte> beginning);

/// Walks the chunks. Errors: those of check_wav_header(); bad_format naming the chunk, its offset, the value found and
/// those expected; unsupported for sample formats other than PCM and float, by their names; io.
Result<WavLayout> read_wav_layout(ByteInput& input);

}  // namespace speech
