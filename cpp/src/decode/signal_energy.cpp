// A sliding sum over the recording.
#include "decode/signal_energy.h"

#include <algorithm>
#include <cmath>

namespace speech {
namespace {

constexpr std::size_t kFrameSamples = 160;  // 10 ms
constexpr std::size_t kHalfWindow = 32;     // samples on each side: longer than a zero crossing, shorter than a pause
constexpr double kWindow = 2 * kHalfWindow + 1;

}  // namespace

// The next frame, whose samples end before `end`; n_samples: heard so far, at least kHalfWindow more unless it is the
// end.
void SignalEnergy::add_frame(std::size_t end, std::size_t n_samples) {
  const std::size_t begin = frames_.size() * kFrameSamples;
  const auto magnitude = [this](std::size_t i) { return std::fabs(static_cast<double>(heard_[i - heard_begin_])); };
  if (begin == 0) {
    for (std::size_t i = 0; i < std::min(kHalfWindow, n_samples); ++i) {
      sum_ += magnitude(i);
    }
  }
  Frame frame;
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) {  // sum_: from i - kHalfWindow to i + kHalfWindow
    if (i + kHalfWindow < n_samples) {
      sum_ += magnitude(i + kHalfWindow);
    }
    if (i > kHalfWindow) {
      sum_ -= magnitude(i - kHalfWindow - 1);
    }
    // Adding and taking away leaves rounding behind, which may fall below zero in silence.
    const auto value = static_cast<float>(std::max(sum_, 0.0) / kWindow);
    total += static_cast<double>(value);
    frame.first = i == begin ? value : frame.first;
    frame.lowest = i == begin ? value : std::min(frame.lowest, value);
    frame.highest = std::max(frame.highest, value);
  }
  frame.mean = static_cast<float>(total / static_cast<double>(end - begin));
  frames_.push_back(frame);
}

void SignalEnergy::push(std::span<const float> pcm) {
  heard_.insert(heard_.end(), pcm.begin(), pcm.end());
  const std::size_t n_samples = heard_begin_ + heard_.size();
  std::size_t end = (frames_.size() + 1) * kFrameSamples;
  for (; end + kHalfWindow <= n_samples; end += kFrameSamples) {
    add_frame(end, n_samples);
  }
  const std::size_t next = end - kFrameSamples;  // the first sample of the next frame
  const std::size_t needed = next > kHalfWindow ? next - kHalfWindow - 1 : 0;
  if (needed > heard_begin_) {
    heard_.erase(heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(needed - heard_begin_));
    heard_begin_ = needed;
  }
}

void SignalEnergy::finish() {
  const std::size_t n_samples = heard_begin_ + heard_.size();
  while (frames_.size() * kFrameSamples < n_samples) {
    add_frame(std::min((frames_.size() + 1) * kFrameSamples, n_samples), n_samples);
  }
  heard_ = {};
}

}  // namespace speech
