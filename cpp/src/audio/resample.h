// The band-limited resampler behind audio.h, also for input that comes in pieces. Knows samples and rates, nothing of
// files.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace speech {

inline constexpr int kMaxSampleRate = 1'000'000;  ///< Hz

/// invalid_argument, with the parameter's name, unless the rate is 1..kMaxSampleRate.
Status check_rate(const char* name, int rate_hz);

/// ceil(n_samples * to_hz / from_hz); rates 1..kMaxSampleRate, n_samples 0..2^43. Never overflows in that range.
std::int64_t resampled_length(std::int64_t n_samples, int from_hz, int to_hz);

/// The filter: output sample i is the sum of the input around time i / to_hz, weighted by a Kaiser-windowed sinc.
/// With `low` the lower of the two rates, the sinc is cut at 0.95 * low / 2, reaches 64 periods of `low` to each side
/// and has beta = 10: by Kaiser's formulas the pass band ends at 0.90 * low / 2 with a ripple of 1e-5, and from low / 2
/// on all is 99 dB down. Input outside the recording counts as zero. Constant once made.
class PolyphaseFilter {
 public:
  /// Rates in 1..kMaxSampleRate. Allocates at most 1 MiB: a row of weights for each phase if they fit (44.1 kHz to 16
  /// kHz: 160 phases of 354 weights), else for 512 phases per period of `low`, between which outputs are interpolated
  /// linearly (good to 117 dB); beyond 1000 to 1, where a single row would not fit, weights are computed when needed.
  PolyphaseFilter(int from_hz, int to_hz);

  /// Output sample i >= 0. `window` holds the input from sample `window_start` on; what lies outside it is taken as
  /// zero, so it must cover first_input(i) .. last_input(i) as far as the recording does.
  float sample(std::int64_t i, std::span<const float> window, std::int64_t window_start) const;

  /// Input samples that output sample i depends on; the first may be negative.
  std::int64_t first_input(std::int64_t i) const { return centre(i) - half_taps_ + 1; }
  std::int64_t last_input(std::int64_t i) const { return centre(i) + half_taps_; }

 private:
  std::int64_t centre(std::int64_t i) const { return i / up_ * down_ + i % up_ * down_ / up_; }
  double weight(std::int64_t tap, double fraction) const;

  const float* kernel_;     // the process's table of the windowed sinc
  int up_;                  // to_hz / gcd: the number of phases
  int down_;                // from_hz / gcd
  double low_per_input_;    // periods of the lower rate per input sample, at most 1
  std::int64_t half_taps_;  // input samples on each side
  int table_rows_ = 0;
  std::vector<float>
      table_;  // (table_rows_ + 1, 2 * half_taps_): the last row is the first, one input sample later; or empty
};

/// Writes the first out.size() samples of `samples` at to_hz; out.size() is at most resampled_length(). Equal rates
/// copy. Fails with invalid_argument for a rate outside 1 .. 1,000,000 Hz or a sample (the first is named) that is not
/// finite or is beyond +-1e30, where sums could overflow.
Status resample_into(std::span<const float> samples, int from_hz, int to_hz, std::span<float> out);

/// Resamples a recording that arrives in pieces; keeps only the input that the filter still needs. One thread at a
/// time. The caller has checked rates and samples.
class StreamResampler {
 public:
  StreamResampler(int from_hz, int to_hz);

  /// Appends to `out` what can be computed now.
  void push(std::span<const float> samples, std::vector<float>& out);

  /// Appends the rest; `out` has then grown by resampled_length(all samples). The object is used up.
  void finish(std::vector<float>& out);

 private:
  void emit(std::int64_t n_outputs, std::vector<float>& out);

  int from_hz_;
  int to_hz_;
  PolyphaseFilter filter_;
  std::vector<float> window_;
  std::int64_t window_start_ = 0;
  std::int64_t n_input_ = 0;
  std::int64_t n_output_ = 0;
};

}  // namespace speech
