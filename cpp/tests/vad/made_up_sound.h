// Samples for tests that need some sound, not speech. Header-only.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace speech::testing {

/// A wandering tone between -0.5 and 0.5.
inline std::vector<float> made_up_sound(std::size_t n_samples) {
  std::vector<float> samples(n_samples);
  for (std::size_t i = 0; i < n_samples; ++i) {
    const auto t = static_cast<float>(i);
    samples[i] = 0.3F * std::sin(0.05F * t) + 0.2F * std::sin(0.0011F * t * std::sin(0.0003F * t));
  }
  return samples;
}

}  // namespace speech::testing
