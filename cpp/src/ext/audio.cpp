// Audio intake in C: checks arguments, calls the audio layer, turns every failure into the thread's last error. Knows
// no model.
#include "audio/audio.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "audio/resample.h"
#include "base/guard.h"
#include "base/last_error.h"
#include "base/status.h"
#include "ext/audio_handle.h"
#include "whisper_ext.h"

namespace speech {
namespace {

/// The value of `work`; after an error, `failed` is the answer and the thread's last error says why.
template <typename T, typename Work>
T checked(T failed, Work work) noexcept {
  const auto body = [&] {
    Result<T> result = work();
    if (result) {
      return std::move(result).value();
    }
    set_last_error(result.status());
    return failed;
  };
  return guarded(failed, body, set_last_error);
}

Result<whisper_ext_audio*> handle_of(Result<Audio> audio) {
  if (!audio) {
    return audio.status();
  }
  return std::make_unique<whisper_ext_audio>(whisper_ext_audio{audio->source, std::move(audio->samples), nullptr})
      .release();
}

Result<std::int64_t> resample_to(const float* samples, std::int64_t n_samples, int from_hz, int to_hz, float* out,
                                 std::int64_t n_out) {
  constexpr std::int64_t kMaxSamples = std::numeric_limits<std::int32_t>::max();
  if (n_samples < 0 || n_samples > kMaxSamples) {
    return Status(Code::kInvalidArgument, "n_samples is " + std::to_string(n_samples) + "; expected 0..2147483647");
  }
  if (samples == nullptr && n_samples > 0) {
    return Status(Code::kInvalidArgument, "samples is null; expected " + std::to_string(n_samples) + " values");
  }
  if (n_out < 0 && out != nullptr) {
    return Status(Code::kInvalidArgument, "n_out is " + std::to_string(n_out) + "; expected at least 0");
  }
  for (const auto& [name, rate_hz] : {std::pair{"from_hz", from_hz}, std::pair{"to_hz", to_hz}}) {
    SPEECH_RETURN_IF_ERROR(check_rate(name, rate_hz));
  }
  const std::int64_t length = resampled_length(n_samples, from_hz, to_hz);
  if (out != nullptr) {
    const std::int64_t n_written = n_out < length ? n_out : length;
    SPEECH_RETURN_IF_ERROR(resample_into(std::span(samples, static_cast<std::size_t>(n_samples)), from_hz, to_hz,
                                         std::span(out, static_cast<std::size_t>(n_written))));
  }
  return length;
}

}  // namespace
}  // namespace speech

whisper_ext_audio* whisper_ext_audio_from_file(const char* path) {
  return speech::checked<whisper_ext_audio*>(nullptr, [path]() -> speech::Result<whisper_ext_audio*> {
    if (path == nullptr) {
      return speech::Status(speech::Code::kInvalidArgument, "path is null; expected the path of a WAV file");
    }
    return speech::handle_of(speech::read_audio_file(path));
  });
}

whisper_ext_audio* whisper_ext_audio_from_memory(const void* data, size_t size) {
  return speech::checked<whisper_ext_audio*>(nullptr, [data, size]() -> speech::Result<whisper_ext_audio*> {
    if (data == nullptr && size > 0) {
      return speech::Status(speech::Code::kInvalidArgument,
                            "data is null; expected " + std::to_string(size) + " bytes of a WAV file");
    }
    return speech::handle_of(speech::decode_wav(std::span(static_cast<const std::byte*>(data), size)));
  });
}

whisper_ext_audio* whisper_ext_audio_open(const char* path) {
  return speech::checked<whisper_ext_audio*>(nullptr, [path]() -> speech::Result<whisper_ext_audio*> {
    if (path == nullptr) {
      return speech::Status(speech::Code::kInvalidArgument, "path is null; expected the path of a WAV file");
    }
    SPEECH_ASSIGN_OR_RETURN(speech::StreamedAudio opened, speech::open_audio_file(path));
    return std::make_unique<whisper_ext_audio>(whisper_ext_audio{opened.source, {}, std::move(opened.samples)})
        .release();
  });
}

void whisper_ext_audio_free(whisper_ext_audio* audio) { delete audio; }

const float* whisper_ext_audio_samples(const whisper_ext_audio* audio) {
  return audio != nullptr && audio->file == nullptr ? audio->samples.data() : nullptr;
}

int64_t whisper_ext_audio_n_samples(const whisper_ext_audio* audio) {
  return audio != nullptr ? static_cast<int64_t>(audio->recording().size()) : 0;
}

whisper_ext_audio_format whisper_ext_audio_format_of(const whisper_ext_audio* audio) {
  if (audio == nullptr) {
    return {};
  }
  const speech::AudioFormat& source = audio->source;
  return {source.sample_rate_hz, source.channels, source.bits_per_sample, source.is_float, source.frames};
}

int64_t whisper_ext_resample(const float* samples, int64_t n_samples, int from_hz, int to_hz, float* out,
                             int64_t n_out) {
  return speech::checked<std::int64_t>(
      -1, [&] { return speech::resample_to(samples, n_samples, from_hz, to_hz, out, n_out); });
}
