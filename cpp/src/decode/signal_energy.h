// How loud a recording is around each frame of 10 ms, for token times. Pure; knows samples only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace speech {

/// The smoothed |signal|: the mean of 65 samples (4 ms) around each, zero outside the recording. Token times are whole
/// frames, so only three questions are ever asked of a frame: is its first sample loud, is any, is any quiet. A frame
/// keeps the three numbers that answer them exactly, and its mean: 16 bytes for 10 ms, 5.8 MB for an hour, where a
/// value for each sample would take 230 MB.
class SignalEnergy {
 public:
  struct Frame {
    float first = 0;    ///< at its first sample
    float lowest = 0;   ///< of its samples
    float highest = 0;  ///< of its samples
    float mean = 0;
  };

  SignalEnergy() = default;
  /// Of a recording as a whole. pcm: (n_samples,), 16 kHz mono, finite.
  explicit SignalEnergy(std::span<const float> pcm) {
    push(pcm);
    finish();
  }

  /// Of a recording that comes in pieces, however it is cut; finish() adds the last frames, of which one may hold fewer
  /// samples. O(n).
  void push(std::span<const float> pcm);
  void finish();

  int n_frames() const { return static_cast<int>(frames_.size()); }
  bool empty() const { return frames_.empty(); }
  const Frame& operator[](int frame) const { return frames_[static_cast<std::size_t>(frame)]; }

 private:
  void add_frame(std::size_t end, std::size_t n_samples);

  std::vector<Frame> frames_;
  std::vector<float> heard_;     // samples that are still needed, until finish()
  std::size_t heard_begin_ = 0;  // of the first of them
  double sum_ = 0;               // of the samples around the next one
};

}  // namespace speech
