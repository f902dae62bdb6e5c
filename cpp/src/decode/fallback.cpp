// Temperatures, ranking, thresholds.
#include "decode/fallback.h"

#include <limits>

namespace speech {
namespace {

constexpr int kMinimumRepetition = 32;  // shorter results are never rejected for their entropy

bool is_improbable(const Sequence& sequence, const FallbackOptions& options) {
  return sequence.average_log_probability() < options.log_probability_threshold;
}

}  // namespace

std::vector<float> temperatures(const FallbackOptions& options) {
  constexpr float kRounding = 1e-6F;  // 0.2 added five times is just above 1
  std::vector<float> values = {options.temperature};
  if (options.temperature_step > 0) {
    // Products instead of sums, and a count that a tiny step cannot blow up.
    constexpr int kMost = 100;
    for (int i = 1; i < kMost; ++i) {
      const float value = options.temperature + static_cast<float>(i) * options.temperature_step;
      if (value >= 1.0F + kRounding) {
        break;
      }
      values.push_back(value);
    }
  }
  return values;
}

Choice choose(std::span<Sequence> candidates, const FallbackOptions& options, float no_speech_probability) {
  Choice choice;
  double best_ranking = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Sequence& candidate = candidates[i];
    if (candidate.outcome() == Sequence::Outcome::kFailed) {
      continue;
    }
    candidate.score(options.length_penalty);
    if (candidate.n_tokens() > kMinimumRepetition && candidate.entropy() < options.entropy_threshold) {
      candidate.reject();
      choice.low_entropy = true;
      continue;
    }
    if (candidate.ranking() > best_ranking) {
      best_ranking = candidate.ranking();
      choice.best = static_cast<int>(i);
    }
  }
  const Sequence& best = candidates[static_cast<std::size_t>(choice.best)];
  choice.needs_fallback = best.outcome() == Sequence::Outcome::kFailed ||
                          (is_improbable(best, options) && no_speech_probability < options.no_speech_threshold);
  return choice;
}

bool is_silence(const Sequence& best, const FallbackOptions& options, float no_speech_probability) {
  return no_speech_probability > options.no_speech_threshold && is_improbable(best, options);
}

}  // namespace speech
