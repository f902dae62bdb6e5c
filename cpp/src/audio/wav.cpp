// Samples of a WAV file: block by block from bytes to one channel to 16 kHz. Knows nothing of chunks.
#include <algorithm>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "audio/decoder.h"
#include "audio/log_mel.h"
#include "audio/resample.h"
#include "audio/wav_format.h"
#include "audio/wav_frames.h"

namespace speech {
namespace {

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
  const std::size_t block_frames = kWavBlockBytes / frame_bytes;
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
    SPEECH_ASSIGN_OR_RETURN(const Decoder decoder, decoder_of(*input));
    return decoder ? decode_by(decoder, path) : decode(*input);
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
