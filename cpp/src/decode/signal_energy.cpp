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

SignalEnergy::SignalEnergy(std::span<const float> pcm) {
  frames_.reserve((pcm.size() + kFrameSamples - 1) / kFrameSamples);
  const auto magnitude = [pcm](std::size_t i) { return std::fabs(static_cast<double>(pcm[i])); };
  double sum = 0;  // of the samples from i - kHalfWindow to i + kHalfWindow
  for (std::size_t i = 0; i < std::min(kHalfWindow, pcm.size()); ++i) {
    sum += magnitude(i);
  }
  for (std::size_t begin = 0; begin < pcm.size(); begin += kFrameSamples) {
    const std::size_t end = std::min(begin + kFrameSamples, pcm.size());
    Frame frame;
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kHalfWindow < pcm.size()) {
        sum += magnitude(i + kHalfWindow);
      }
      if (i > kHalfWindow) {
        sum -= magnitude(i - kHalfWindow - 1);
      }
      // Adding and taking away leaves rounding behind, which may fall below zero in silence.
      const auto value = static_cast<float>(std::max(sum, 0.0) / kWindow);
      total += static_cast<double>(value);
      frame.first = i == begin ? value : frame.first;
      frame.lowest = i == begin ? value : std::min(frame.lowest, value);
      frame.highest = std::max(frame.highest, value);
    }
    frame.mean = static_cast<float>(total / static_cast<double>(end - begin));
    frames_.push_back(frame);
  }
}

}  // namespace speech
