// Growth, end and score of a candidate.
#include "decode/sequence.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace speech {
namespace {

constexpr int kEntropyTokens = 32;
constexpr double kWorst = -std::numeric_limits<double>::infinity();

double token_entropy(std::span<const Token> tokens) {
  std::vector<Token> sorted(tokens.begin(), tokens.end());
  std::ranges::sort(sorted);
  double entropy = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j < sorted.size() && sorted[j] == sorted[i]) {
      ++j;
    }
    const double p = static_cast<double>(j - i) / static_cast<double>(sorted.size());
    entropy -= p * std::log(p);
    i = j;
  }
  return entropy;
}

}  // namespace

void Sequence::reset(int max_tokens) {
  tokens_.clear();
  ids_.clear();
  tokens_.reserve(static_cast<std::size_t>(max_tokens));
  ids_.reserve(static_cast<std::size_t>(max_tokens));
  outcome_ = Outcome::kLive;
  has_timestamp_ = false;
  seek_delta_ = kWindowFrames;
  result_length_ = 0;
  sum_log_probability_ = average_log_probability_ = ranking_ = kWorst;
  entropy_ = 0;
}

void Sequence::append(const TokenData& token, const Window& window, const SpecialTokens& special) {
  const int step = n_tokens();
  tokens_.push_back(token);
  ids_.push_back(token.id);

  if (token.id > special.beg) {  // a timestamp of its own: beg itself only opens the window
    const int frames = 2 * (token.id - special.beg);
    if (has_timestamp_ && seek_delta_ > frames && result_length_ < step) {
      outcome_ = Outcome::kFailed;
      return;
    }
    seek_delta_ = frames;
    result_length_ = step + 1;
    has_timestamp_ = true;
  }

  const bool reached_end = window.reaches_end(seek_delta_);
  const bool is_full = window.max_tokens > 0 && step >= window.max_tokens;
  if (token.id == special.eot || is_full || (has_timestamp_ && reached_end)) {
    if (result_length_ == 0 && !window.no_timestamps) {
      if (!reached_end) {
        outcome_ = Outcome::kFailed;
        return;
      }
      result_length_ = step + 1;
    }
    if (window.single_segment || window.no_timestamps) {
      result_length_ = step + 1;
      seek_delta_ = kWindowFrames;
    }
    outcome_ = Outcome::kCompleted;
    return;
  }
  if (step == window.max_steps - 1) {
    const bool got_nowhere = result_length_ == 0 || seek_delta_ < kWindowFrames / 2;
    outcome_ = got_nowhere ? Outcome::kFailed : Outcome::kCompleted;
  }
}

void Sequence::score(float length_penalty) {
  tokens_.resize(static_cast<std::size_t>(result_length_));
  ids_.resize(static_cast<std::size_t>(result_length_));
  if (tokens_.empty()) {
    return;
  }
  const auto n = static_cast<double>(tokens_.size());
  sum_log_probability_ = 0;
  for (const TokenData& token : tokens_) {
    sum_log_probability_ += token.log_probability;
  }
  average_log_probability_ = sum_log_probability_ / n;
  ranking_ = length_penalty > 0 ? sum_log_probability_ / std::pow((5.0 + n) / 6.0, static_cast<double>(length_penalty))
                                : average_log_probability_;
  const std::size_t last = std::min<std::size_t>(ids_.size(), kEntropyTokens);
  entropy_ = token_entropy(std::span<const Token>(ids_).last(last));
}

}  // namespace speech
