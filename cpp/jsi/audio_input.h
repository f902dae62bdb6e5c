// Audio as calls give it, and what the core takes: 16 kHz mono floats, or a file that is read as it goes. It knows no
// JavaScript; decoding is for a worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "generated/values.h"
#include "whisper_ext.h"

namespace speech::js {

/// Checks what can be told without decoding: the format fits the bytes, and they are whole frames; sets audio.format.
/// Throws Refusal.
void check_audio(Audio& audio);

/// A recording for the core.
class Recording {
 public:
  /// Decodes. streaming: a file may stay where it is and is read by whisper_ext_full_audio(). Throws Refusal.
  Recording(const Audio& audio, bool streaming);

  /// Samples, never null; n_samples() of them. None if file() is not null.
  const float* samples() const;
  int n_samples() const { return n_samples_; }
  double seconds() const { return n_samples_ / 16000.0; }

  /// The recording in its file; null where samples are in memory.
  const whisper_ext_audio* file() const { return streaming_ ? audio_.get() : nullptr; }

 private:
  struct FreeAudio {
    void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
  };

  void take(whisper_ext_audio* audio, const char* field);
  void decode_samples(const std::byte* data, std::size_t size, const Audio& audio);

  std::unique_ptr<whisper_ext_audio, FreeAudio> audio_;
  std::vector<float> samples_;
  bool streaming_ = false;
  int n_samples_ = 0;
};

/// The bytes of base64, with or without padding; blanks and line ends are skipped. Throws Refusal for anything else.
std::vector<std::byte> decode_base64(std::string_view text, const char* field);

}  // namespace speech::js
