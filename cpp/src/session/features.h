// The log-mel features that a state works on. Knows samples and features, nothing of the model.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "audio/log_mel.h"
#include "audio/log_mel_reader.h"

namespace speech {

/// Those of a whole recording in memory, or those of a recording that is read as they are needed.
class Features {
 public:
  Features() = default;
  explicit Features(LogMel whole)
      : n_mels_(whole.n_mels),
        n_frames_(whole.n_frames),
        n_audio_frames_(whole.n_audio_frames),
        values_(std::move(whole.values)) {}
  explicit Features(LogMelReader reader)
      : n_mels_(reader.n_mels()),
        n_frames_(reader.n_frames()),
        n_audio_frames_(reader.n_audio_frames()),
        reader_(std::move(reader)) {}

  int n_mels() const { return n_mels_; }  ///< 0 before any
  int n_frames() const { return n_frames_; }
  int n_audio_frames() const { return n_audio_frames_; }

  /// rows <- (n, n_mels), frames first .. first + n; what is behind the last frame is zero. Errors: those of
  /// LogMelReader::read().
  Status window(int first, int n, int n_threads, const std::function<bool()>& cancelled, std::vector<float>& rows);

 private:
  int n_mels_ = 0;
  int n_frames_ = 0;
  int n_audio_frames_ = 0;
  std::vector<float> values_;  // (n_mels, n_frames), or of the last window read
  std::optional<LogMelReader> reader_;
};

}  // namespace speech
