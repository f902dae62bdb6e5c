// Silero's network: one probability of speech for each window of a stream. Knows weights and samples, not what a
// speech segment is.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "model/byte_source.h"
#include "vad/silero_model.h"

namespace speech {

/// A network with its stream: what it heard before tells what it says of the next window. For one thread at a time.
/// Source: snakers4/silero-vad, version 6.
class SileroVad {
 public:
  /// Errors: those of read_silero_model().
  static Result<SileroVad> load(std::unique_ptr<ByteSource> source);
  explicit SileroVad(const SileroWeights& weights);

  SileroVad(SileroVad&&) noexcept;
  SileroVad& operator=(SileroVad&&) noexcept;
  ~SileroVad();

  /// Forgets the stream, as if nothing had been heard.
  void reset();

  /// Probability of speech, 0..1, in the next kVadWindowSamples samples (16 kHz mono, finite). Allocates nothing. If
  /// samples or weights are so large that float32 overflows, the answer is 0 and the stream begins anew.
  float next(std::span<const float, kVadWindowSamples> window);

  /// One probability for each window of pcm, the last one zero-padded, as the stream goes on. out: (windows_in(n)),
  /// overwritten. Allocates nothing.
  void run(std::span<const float> pcm, std::span<float> out);

  /// Windows that n samples fill, the last one perhaps in part.
  static std::size_t windows_in(std::size_t n_samples) {
    return n_samples / kVadWindowSamples + (n_samples % kVadWindowSamples != 0 ? 1 : 0);
  }

 private:
  struct Network;  // packed weights, never changed
  struct Stream;   // recurrent state and scratch
  std::unique_ptr<const Network> network_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace speech
