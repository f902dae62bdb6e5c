// Sums over the vocabulary are kept in double: tens of thousands of small terms.
#include "decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace speech {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

TokenData describe_chosen(std::span<const float> log_probabilities, const SpecialTokens& special, std::size_t chosen) {
  return describe(static_cast<Token>(chosen), log_probabilities[chosen], timestamp_mass(log_probabilities, special),
                  special);
}

}  // namespace

TimestampMass timestamp_mass(std::span<const float> log_probabilities, const SpecialTokens& special) {
  TimestampMass mass = {.best = special.beg};
  double sum = 0;
  float best = kMasked;
  for (std::size_t i = static_cast<std::size_t>(special.beg); i < log_probabilities.size(); ++i) {
    const float value = log_probabilities[i];
    if (value == kMasked) {
      continue;
    }
    sum += std::exp(static_cast<double>(value));
    if (value > best) {
      best = value;
      mass.best = static_cast<Token>(i);
    }
  }
  mass.probability = static_cast<float>(sum);
  mass.share = sum > 0 ? static_cast<float>(std::exp(static_cast<double>(best)) / sum) : 0.0F;
  return mass;
}

TokenData describe(Token id, float log_probability, const TimestampMass& timestamps, const SpecialTokens& special) {
  TokenData token;
  token.id = id;
  token.log_probability = log_probability;
  token.probability = std::exp(log_probability);
  token.timestamp_sum_probability = timestamps.probability;
  const bool is_timestamp = id >= special.beg;
  token.timestamp_id = is_timestamp ? id : timestamps.best;
  token.timestamp_probability = is_timestamp ? token.probability : timestamps.share;
  return token;
}

float log_sum_exp(std::span<const float> values) {
  const float largest = values.empty() ? kMasked : *std::ranges::max_element(values);
  if (largest == kMasked) {
    return kMasked;
  }
  double sum = 0;
  for (const float value : values) {
    if (value != kMasked) {
      sum += std::exp(value - largest);
    }
  }
  return largest + static_cast<float>(std::log(sum));
}

void log_softmax(std::span<float> values) {
  const float sum = log_sum_exp(values);
  if (sum == kMasked) {
    return;
  }
  for (float& value : values) {
    value -= sum;
  }
}

TokenData choose_most_probable(std::span<const float> log_probabilities, const SpecialTokens& special) {
  const auto best = std::ranges::max_element(log_probabilities);
  return describe_chosen(log_probabilities, special, static_cast<std::size_t>(best - log_probabilities.begin()));
}

TokenData choose_at_random(std::span<const float> log_probabilities, const SpecialTokens& special, Random& random) {
  double total = 0;  // not 1 after the timestamp mass rule
  for (const float value : log_probabilities) {
    total += std::exp(static_cast<double>(value));
  }
  const double target = random.uniform() * total;
  double sum = 0;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < log_probabilities.size(); ++i) {
    if (log_probabilities[i] == kMasked) {
      continue;
    }
    chosen = i;  // rounding may leave the sum just below the target: then the last possible token is it
    sum += std::exp(static_cast<double>(log_probabilities[i]));
    if (sum > target) {
      break;
    }
  }
  return describe_chosen(log_probabilities, special, chosen);
}

}  // namespace speech
