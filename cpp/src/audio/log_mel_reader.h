// Log-mel features of a recording of any length, in memory that does not grow with it. Knows where samples come from as
// little as log_mel.h does.
#pragma once

#include <functional>
#include <vector>

#include "audio/log_mel.h"
#include "audio/samples.h"

namespace speech {

/// The features of log_mel(), bit for bit, some frames at a time: the samples are read once for the loudest energy,
/// which the clamp needs, and again for the frames that are asked for. Memory: 30 s of samples and features.
class LogMelReader {
 public:
  /// Asked now and then, on the calling thread only; true ends the work with code cancelled.
  using Cancelled = std::function<bool()>;

  /// Reads the recording to its end. Errors: those of log_mel(), and of the source.
  static Result<LogMelReader> open(Samples samples, MelFilters filters, int n_threads, const Cancelled& cancelled = {});

  int n_mels() const { return filters_.n_mels; }
  int n_frames() const { return n_frames_; }              ///< as LogMel's
  int n_audio_frames() const { return n_audio_frames_; }  ///< as LogMel's

  /// values <- frames first .. first + n, (n_mels, n) row-major; first + n <= n_frames().
  Status read(int first, int n, int n_threads, const Cancelled& cancelled, std::vector<float>& values);

 private:
  LogMelReader(Samples samples, MelFilters filters) : samples_(std::move(samples)), filters_(std::move(filters)) {}

  /// held_ <- energies of frames first .. first + n, or more.
  Status hold(int first, int n, int n_threads, const Cancelled& cancelled);
  Status find_loudest(int n_threads, const Cancelled& cancelled);

  Samples samples_;
  MelFilters filters_;
  int n_frames_ = 0;
  int n_audio_frames_ = 0;
  int n_active_ = 0;
  float loudest_ = 0;
  std::vector<float> held_;  // (n_mels, held_frames_) energies from held_first_ on
  int held_first_ = 0;
  int held_frames_ = 0;
  std::vector<float> room_;
};

}  // namespace speech
