// A WAV file as samples that are read when they are needed; see audio.h.
#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "audio/decoder.h"
#include "audio/log_mel.h"
#include "audio/resample.h"
#include "audio/wav_format.h"
#include "audio/wav_frames.h"
#include "base/threads.h"

namespace speech {
namespace {

// Samples of the file that are held at a time, beside those that the filter reaches for.
constexpr std::int64_t kBlockSamples = 16384;

class WavFile final : public SampleSource {
 public:
  WavFile(std::string path, std::unique_ptr<ByteInput> input, const WavLayout& layout, std::size_t size)
      : path_(std::move(path)), input_(std::move(input)), layout_(layout), size_(size) {
    if (layout_.format.sample_rate_hz != kSampleRate) {
      filter_.emplace(layout_.format.sample_rate_hz, kSampleRate);
    }
  }

  std::size_t size() const override { return size_; }

  Status read(std::size_t begin, std::span<float> out) const override {
    const std::lock_guard lock(mutex_);
    const Status status = filter_ ? read_resampled(static_cast<std::int64_t>(begin), out)
                                  : read_frames(static_cast<std::int64_t>(begin), out);
    return status.with_context("reading '" + path_ + "'");
  }

 private:
  Status read_resampled(std::int64_t begin, std::span<float> out) const {
    const auto n_wanted = static_cast<std::int64_t>(out.size());
    const std::int64_t n_block = std::max<std::int64_t>(1, kBlockSamples * kSampleRate / layout_.format.sample_rate_hz);
    for (std::int64_t done = 0; done < n_wanted; done += n_block) {
      const std::int64_t first = begin + done;
      const std::int64_t n = std::min(n_block, n_wanted - done);
      const std::int64_t input = std::max<std::int64_t>(0, filter_->first_input(first));
      const std::int64_t input_end = std::min(layout_.format.frames, filter_->last_input(first + n - 1) + 1);
      window_.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, input_end - input)));
      SPEECH_RETURN_IF_ERROR(read_frames(input, window_));
      for (std::int64_t i = 0; i < n; ++i) {
        out[static_cast<std::size_t>(done + i)] = filter_->sample(first + i, window_, input);
      }
    }
    return Status::ok();
  }

  /// Samples of one channel at the file's own rate.
  Status read_frames(std::int64_t first, std::span<float> out) const {
    const auto frame_bytes = static_cast<std::size_t>(layout_.frame_bytes());
    const std::size_t block_frames = kWavBlockBytes / frame_bytes;
    for (std::size_t done = 0; done < out.size(); done += block_frames) {
      const std::size_t n = std::min(block_frames, out.size() - done);
      const std::int64_t frame = first + static_cast<std::int64_t>(done);
      block_.resize(n * frame_bytes);
      SPEECH_ASSIGN_OR_RETURN(
          const std::size_t n_bytes,
          input_->read_at(layout_.data_offset + static_cast<std::uint64_t>(frame) * frame_bytes, block_));
      if (n_bytes < block_.size()) {
        return {Code::kIo, "the file has become shorter while it was read: it had " +
                               std::to_string(layout_.format.frames) + " frames, and ends in frame " +
                               std::to_string(frame + static_cast<std::int64_t>(n_bytes / frame_bytes))};
      }
      SPEECH_RETURN_IF_ERROR(average_channels(block_.data(), layout_, frame, out.subspan(done, n)));
    }
    return Status::ok();
  }

  std::string path_;
  std::unique_ptr<ByteInput> input_;
  WavLayout layout_;
  std::size_t size_;
  std::optional<PolyphaseFilter> filter_;
  mutable Mutex mutex_;  // of what follows, and of the input
  mutable std::vector<std::byte> block_;
  mutable std::vector<float> window_;
};

// What the platform decoded, which is in memory.
class DecodedFile final : public SampleSource {
 public:
  explicit DecodedFile(std::vector<float> samples) : samples_(std::move(samples)) {}

  std::size_t size() const override { return samples_.size(); }

  Status read(std::size_t begin, std::span<float> out) const override {
    std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
    return Status::ok();
  }

 private:
  std::vector<float> samples_;
};

}  // namespace

Result<StreamedAudio> open_audio_file(const std::string& path) {
  const auto open = [&path]() -> Result<StreamedAudio> {
    SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<ByteInput> input, file_input(path));
    SPEECH_ASSIGN_OR_RETURN(const Decoder decoder, decoder_of(*input));
    if (decoder) {
      SPEECH_ASSIGN_OR_RETURN(Audio audio, decode_by(decoder, path));
      return StreamedAudio{audio.source, std::make_shared<DecodedFile>(std::move(audio.samples))};
    }
    SPEECH_ASSIGN_OR_RETURN(const WavLayout layout, read_wav_layout(*input));
    SPEECH_ASSIGN_OR_RETURN(const std::int64_t length, result_length(layout.format));
    return StreamedAudio{layout.format,
                         std::make_shared<WavFile>(path, std::move(input), layout, static_cast<std::size_t>(length))};
  };
  try {
    Result<StreamedAudio> file = open();
    if (!file) {
      return file.status().with_context("reading '" + path + "'");
    }
    return file;
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "reading '" + path + "': no memory to open it");
  }
}

}  // namespace speech
