// One table of the windowed sinc per process, sampled so finely that a straight line between its points is good to 118
// dB; the weights of every pair of rates are read from it. Source: J. O. Smith, "Digital Audio Resampling"; Kaiser's
// window design.
#include "audio/resample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include "audio/audio.h"

namespace speech {
namespace {

constexpr int kHalfWidth = 64;    // periods of the lower rate
constexpr double kCutoff = 0.95;  // of the lower Nyquist rate: the middle of the transition band 0.90 .. 1.00
constexpr double kKaiserBeta = 10.0;
// With s points per period a line is off by at most |sinc''| / (8 s^2) = (0.95 pi)^2 / (24 s^2) = 1.4e-6 at s = 512.
constexpr int kPointsPerPeriod = 512;
constexpr std::int64_t kMaxTableWeights = 1 << 18;  // floats, 1 MiB
constexpr float kMaxMagnitude = 1e30F;

/// Modified Bessel function of the first kind, order 0: sum of ((x / 2)^k / k!)^2. 40 terms are enough for x <= 10.
double bessel_i0(double x) {
  double term = 1.0;
  double sum = 1.0;
  for (int k = 1; k < 40; ++k) {
    term *= x / (2.0 * k);
    sum += term * term;
  }
  return sum;
}

using KernelTable =
    std::array<float, kHalfWidth * kPointsPerPeriod + 2>;  // one point beyond the end, for the last line

/// The kernel at distance u = index / kPointsPerPeriod from its centre, in periods of the lower rate.
const KernelTable& kernel_table() {
  static const KernelTable kTable = [] {
    KernelTable points{};
    const double scale = 1.0 / bessel_i0(kKaiserBeta);
    for (int i = 0; i < kHalfWidth * kPointsPerPeriod; ++i) {
      const double u = static_cast<double>(i) / kPointsPerPeriod;
      const double angle = std::numbers::pi * kCutoff * u;
      const double sinc = i == 0 ? 1.0 : std::sin(angle) / angle;
      const double across = u / kHalfWidth;
      const double window = bessel_i0(kKaiserBeta * std::sqrt(1.0 - across * across)) * scale;
      points[i] = static_cast<float>(kCutoff * sinc * window);
    }
    return points;
  }();
  return kTable;
}

/// Dot product in eight interleaved sums, so that compilers can use vector instructions without changing the result.
float dot(const float* x, const float* y, std::int64_t n) {
  constexpr int kSums = 8;
  std::array<float, kSums> sums{};
  std::int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int j = 0; j < kSums; ++j) {
      sums[j] += x[i + j] * y[i + j];
    }
  }
  float rest = 0.0F;
  for (; i < n; ++i) {
    rest += x[i] * y[i];
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
}

Status check_samples(std::span<const float> samples) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!(std::abs(samples[i]) <= kMaxMagnitude)) {
      return {Code::kInvalidArgument, "sample " + std::to_string(i) + " is " + std::to_string(samples[i]) +
                                          "; expected finite values within +-1e30"};
    }
  }
  return Status::ok();
}

}  // namespace

Status check_rate(const char* name, int rate_hz) {
  if (rate_hz >= 1 && rate_hz <= kMaxSampleRate) {
    return Status::ok();
  }
  return {Code::kInvalidArgument, std::string(name) + " is " + std::to_string(rate_hz) + "; expected 1..1000000 Hz"};
}

std::int64_t resampled_length(std::int64_t n_samples, int from_hz, int to_hz) {
  const std::int64_t seconds = n_samples / from_hz;
  const std::int64_t rest = n_samples % from_hz;
  return seconds * to_hz + (rest * to_hz + from_hz - 1) / from_hz;
}

PolyphaseFilter::PolyphaseFilter(int from_hz, int to_hz)
    : kernel_(kernel_table().data()),
      up_(to_hz / std::gcd(from_hz, to_hz)),
      down_(from_hz / std::gcd(from_hz, to_hz)),
      low_per_input_(std::min(1.0, static_cast<double>(to_hz) / from_hz)),
      half_taps_(static_cast<std::int64_t>(std::ceil(kHalfWidth / low_per_input_))) {
  const std::int64_t taps = 2 * half_taps_;
  const std::int64_t interpolated_rows = std::max(1, static_cast<int>(std::ceil(kPointsPerPeriod * low_per_input_)));
  const std::int64_t rows = (up_ + std::int64_t{1}) * taps <= kMaxTableWeights ? up_ : interpolated_rows;
  if ((rows + 1) * taps > kMaxTableWeights) {
    return;
  }
  table_rows_ = static_cast<int>(rows);
  table_.resize(static_cast<std::size_t>((rows + 1) * taps));
  for (std::int64_t row = 0; row <= rows; ++row) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      table_[static_cast<std::size_t>(row * taps + tap)] =
          static_cast<float>(weight(tap, static_cast<double>(row) / static_cast<double>(rows)));
    }
  }
}

/// Weight of input sample centre - half_taps_ + 1 + tap for an output that lies `fraction` of an input sample behind
/// the centre.
double PolyphaseFilter::weight(std::int64_t tap, double fraction) const {
  const double distance = static_cast<double>(tap - half_taps_ + 1) - fraction;  // input samples
  const double point = std::abs(distance) * low_per_input_ * kPointsPerPeriod;
  if (point >= kHalfWidth * kPointsPerPeriod) {
    return 0.0;
  }
  const auto index = static_cast<std::size_t>(point);
  const double before = kernel_[index];
  const double after = kernel_[index + 1];
  return low_per_input_ * (before + (point - static_cast<double>(index)) * (after - before));
}

float PolyphaseFilter::sample(std::int64_t i, std::span<const float> window, std::int64_t window_start) const {
  const std::int64_t first = first_input(i);
  const std::int64_t begin = std::max(first, window_start);
  const std::int64_t end = std::min(last_input(i) + 1, window_start + static_cast<std::int64_t>(window.size()));
  if (begin >= end) {
    return 0.0F;
  }
  const std::int64_t phase = i % up_ * down_ % up_;
  const float* input = window.data() + (begin - window_start);
  if (table_.empty()) {
    const double fraction = static_cast<double>(phase) / up_;
    double sum = 0.0;
    for (std::int64_t at = begin; at < end; ++at) {
      sum += weight(at - first, fraction) * static_cast<double>(input[at - begin]);
    }
    return static_cast<float>(sum);
  }
  const std::int64_t taps = 2 * half_taps_;
  const std::int64_t row = phase * table_rows_ / up_;
  const std::int64_t beyond = phase * table_rows_ % up_;  // 0 when every phase has its row
  const float* weights = table_.data() + row * taps + (begin - first);
  const float before = dot(weights, input, end - begin);
  if (beyond == 0) {
    return before;
  }
  const float after = dot(weights + taps, input, end - begin);
  return before + static_cast<float>(beyond) / static_cast<float>(up_) * (after - before);
}

Status resample_into(std::span<const float> samples, int from_hz, int to_hz, std::span<float> out) {
  SPEECH_RETURN_IF_ERROR(check_rate("from_hz", from_hz));
  SPEECH_RETURN_IF_ERROR(check_rate("to_hz", to_hz));
  SPEECH_RETURN_IF_ERROR(check_samples(samples));
  if (from_hz == to_hz) {
    std::copy_n(samples.begin(), out.size(), out.begin());
    return Status::ok();
  }
  const PolyphaseFilter filter(from_hz, to_hz);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = filter.sample(static_cast<std::int64_t>(i), samples, 0);
  }
  return Status::ok();
}

Result<std::vector<float>> resample(std::span<const float> samples, int from_hz, int to_hz) {
  SPEECH_RETURN_IF_ERROR(check_rate("from_hz", from_hz));
  SPEECH_RETURN_IF_ERROR(check_rate("to_hz", to_hz));
  constexpr std::int64_t kMaxSamples = std::numeric_limits<std::int32_t>::max();
  if (samples.size() > static_cast<std::size_t>(kMaxSamples) ||
      resampled_length(static_cast<std::int64_t>(samples.size()), from_hz, to_hz) > kMaxSamples) {
    return Status(Code::kInvalidArgument, std::to_string(samples.size()) + " samples from " + std::to_string(from_hz) +
                                              " to " + std::to_string(to_hz) +
                                              " Hz; expected at most 2147483647 samples on both sides");
  }
  try {
    std::vector<float> out(
        static_cast<std::size_t>(resampled_length(static_cast<std::int64_t>(samples.size()), from_hz, to_hz)));
    SPEECH_RETURN_IF_ERROR(resample_into(samples, from_hz, to_hz, out));
    return out;
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the resampled audio");
  } catch (const std::length_error&) {
    return Status(Code::kOutOfMemory, "no memory for the resampled audio");
  }
}

StreamResampler::StreamResampler(int from_hz, int to_hz) : from_hz_(from_hz), to_hz_(to_hz), filter_(from_hz, to_hz) {}

void StreamResampler::emit(std::int64_t n_outputs, std::vector<float>& out) {
  for (; n_output_ < n_outputs; ++n_output_) {
    out.push_back(filter_.sample(n_output_, window_, window_start_));
  }
}

void StreamResampler::push(std::span<const float> samples, std::vector<float>& out) {
  window_.insert(window_.end(), samples.begin(), samples.end());
  n_input_ += static_cast<std::int64_t>(samples.size());
  while (filter_.last_input(n_output_) < n_input_) {
    emit(n_output_ + 1, out);
  }
  const std::int64_t unused = std::min(filter_.first_input(n_output_), n_input_) - window_start_;
  if (unused > 0) {
    window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(unused));
    window_start_ += unused;
  }
}

void StreamResampler::finish(std::vector<float>& out) { emit(resampled_length(n_input_, from_hz_, to_hz_), out); }

}  // namespace speech
