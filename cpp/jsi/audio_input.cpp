// Implements audio_input.h.
#include "audio_input.h"

#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "errors.h"

namespace speech::js {
namespace {

constexpr int kSampleRateHz = WHISPER_SAMPLE_RATE;

std::size_t sample_bytes(AudioFormat format) {
  return format == AudioFormat::kFloat32 ? sizeof(float) : sizeof(std::int16_t);
}

void check_frames(std::size_t size, const Audio& audio, const char* field) {
  if (*audio.format == AudioFormat::kWav) return;
  const std::size_t frame = sample_bytes(*audio.format) * static_cast<std::size_t>(audio.channels);
  if (size % frame == 0) return;
  throw Refusal(code::kInvalidArgument, field,
                std::string(field) + " has " + std::to_string(size) + " bytes; expected whole frames of " +
                    std::to_string(frame) + " bytes");
}

[[noreturn]] void refuse_format(std::string text) {
  throw Refusal(code::kInvalidArgument, "audio.format", std::move(text));
}

AudioFormat format_of(const Bytes& data, const std::optional<AudioFormat>& stated) {
  if (data.kind == ElementKind::kFloat32) {
    if (stated.value_or(AudioFormat::kFloat32) != AudioFormat::kFloat32) {
      refuse_format("audio.format is not float32, but audio.data is a Float32Array");
    }
    return AudioFormat::kFloat32;
  }
  if (data.kind == ElementKind::kInt16) {
    if (stated.value_or(AudioFormat::kInt16) != AudioFormat::kInt16) {
      refuse_format("audio.format is not int16, but audio.data is an Int16Array");
    }
    return AudioFormat::kInt16;
  }
  if (!stated) refuse_format("audio.format is missing: bytes do not tell whether they are float32, int16 or wav");
  return *stated;
}

int checked_length(std::int64_t n_samples, const char* field) {
  if (n_samples <= std::numeric_limits<int>::max()) return static_cast<int>(n_samples);
  throw Refusal(code::kInvalidArgument, field,
                std::to_string(n_samples) + " samples of audio; expected at most 2147483647, which is 37 hours");
}

}  // namespace

void check_audio(Audio& audio) {
  if (audio.data) {
    audio.format = format_of(*audio.data, audio.format);
    check_frames(audio.data->size, audio, "audio.data");
  } else if (audio.base64) {
    audio.format = audio.format.value_or(AudioFormat::kWav);
  } else if (audio.format.value_or(AudioFormat::kWav) != AudioFormat::kWav) {
    refuse_format("audio.format is not wav, which a file of audio.path must be");
  }
}

Recording::Recording(const Audio& audio, bool streaming) {
  whisper_ext_clear_error();
  if (audio.path) {
    streaming_ = streaming && whisper_ext_can(WHISPER_EXT_CAN_FULL_AUDIO);
    const char* path = audio.path->c_str();
    take(streaming_ ? whisper_ext_audio_open(path) : whisper_ext_audio_from_file(path), "audio.path");
    return;
  }
  const char* field = audio.data ? "audio.data" : "audio.base64";
  std::vector<std::byte> decoded;
  if (audio.base64) {
    decoded = decode_base64(*audio.base64, field);
    check_frames(decoded.size(), audio, field);
  }
  const std::byte* data = audio.data ? audio.data->data.get() : decoded.data();
  const std::size_t size = audio.data ? audio.data->size : decoded.size();
  if (*audio.format == AudioFormat::kWav) {
    take(whisper_ext_audio_from_memory(data, size), field);
  } else {
    decode_samples(data, size, audio);
  }
}

void Recording::take(whisper_ext_audio* audio, const char* field) {
  if (audio == nullptr) throw last_failure("reading the recording", field);
  audio_.reset(audio);
  n_samples_ = checked_length(whisper_ext_audio_n_samples(audio), field);
}

void Recording::decode_samples(const std::byte* data, std::size_t size, const Audio& audio) {
  const auto channels = static_cast<std::size_t>(audio.channels);
  const std::size_t width = sample_bytes(*audio.format);
  const std::size_t n_frames = size / (width * channels);
  std::vector<float> mono(n_frames);
  for (std::size_t i = 0; i < n_frames; ++i) {
    float sum = 0.0F;
    for (std::size_t c = 0; c < channels; ++c) {
      const std::byte* place = data + (i * channels + c) * width;
      if (*audio.format == AudioFormat::kFloat32) {
        float value = 0.0F;
        std::memcpy(&value, place, sizeof(value));
        sum += value;
      } else {
        std::int16_t value = 0;
        std::memcpy(&value, place, sizeof(value));
        sum += static_cast<float>(value) / 32768.0F;
      }
    }
    mono[i] = sum / static_cast<float>(channels);
  }
  if (audio.sample_rate_hz == kSampleRateHz || mono.empty()) {
    samples_ = std::move(mono);
  } else {
    const auto n = static_cast<std::int64_t>(mono.size());
    const std::int64_t n_out = whisper_ext_resample(mono.data(), n, audio.sample_rate_hz, kSampleRateHz, nullptr, 0);
    if (n_out < 0) throw last_failure("resampling", "audio.sampleRateHz");
    samples_.resize(static_cast<std::size_t>(checked_length(n_out, "audio")));
    if (whisper_ext_resample(mono.data(), n, audio.sample_rate_hz, kSampleRateHz, samples_.data(), n_out) < 0) {
      throw last_failure("resampling", "audio.sampleRateHz");
    }
  }
  n_samples_ = checked_length(static_cast<std::int64_t>(samples_.size()), "audio");
}

const float* Recording::samples() const {
  static constexpr float kNone = 0.0F;
  const float* samples = audio_ ? whisper_ext_audio_samples(audio_.get()) : samples_.data();
  return samples == nullptr ? &kNone : samples;
}

std::vector<std::byte> decode_base64(std::string_view text, const char* field) {
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3 + 3);
  unsigned bits = 0;
  int n_bits = 0;
  bool ended = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    unsigned value = 0;
    if (letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t') continue;
    if (letter == '=') {
      ended = true;
      continue;
    }
    if (letter >= 'A' && letter <= 'Z') {
      value = static_cast<unsigned>(letter - 'A');
    } else if (letter >= 'a' && letter <= 'z') {
      value = static_cast<unsigned>(letter - 'a') + 26;
    } else if (letter >= '0' && letter <= '9') {
      value = static_cast<unsigned>(letter - '0') + 52;
    } else if (letter == '+' || letter == '-') {
      value = 62;
    } else if (letter == '/' || letter == '_') {
      value = 63;
    } else {
      ended = true;
    }
    if (ended) {
      throw Refusal(code::kBadFormat, field, std::string(field) + " is no base64 at character " + std::to_string(i));
    }
    bits = bits << 6U | value;
    n_bits += 6;
    if (n_bits >= 8) {
      n_bits -= 8;
      out.push_back(static_cast<std::byte>(bits >> static_cast<unsigned>(n_bits) & 0xFFU));
    }
  }
  if (n_bits >= 6) throw Refusal(code::kBadFormat, field, std::string(field) + " is cut base64");
  return out;
}

}  // namespace speech::js
