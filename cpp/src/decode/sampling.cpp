// Sums over the vocabulary are kept in double: tens of thousands of small terms.
#include "decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace speech {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

TokenData describe(std::span<const float> log_probabilities, const SpecialTokens& special, std::size_t chosen) {
  TokenData token;
  token.id = static_cast<Token>(chosen);
  token.log_probability = log_probabilities[chosen];
  token.probability = std::exp(token.log_probability);

  token.timestamp_id = special.beg;
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
      token.timestamp_id = static_cast<Token>(i);
    }
  }
  token.timestamp_sum_probability = static_cast<float>(sum);
  token.timestamp_probability = sum > 0 ? static_cast<float>(std::exp(static_cast<double>(best)) / sum) : 0.0F;
  if (token.id >= special.beg) {
    token.timestamp_id = token.id;
    token.timestamp_probability = token.probability;
  }
  return token;
}

}  // namespace

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
  return describe(log_probabilities, special, static_cast<std::size_t>(best - log_probabilities.begin()));
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
  return describe(log_probabilities, special, chosen);
}

}  // namespace speech
