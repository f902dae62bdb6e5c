// Candidates of a step, and who survives it.
#include "decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace speech {

BeamSearch::BeamSearch(int n_beams, float patience, int max_tokens)
    : n_beams_(static_cast<std::size_t>(n_beams)),
      n_enough_(n_beams_),
      max_tokens_(max_tokens),
      live_(n_beams_),
      next_(n_beams_),
      sums_(n_beams_),
      next_sums_(n_beams_),
      masses_(n_beams_) {
  if (patience > 0) {
    constexpr double kMost = 64;  // more completed beams than that change nothing but the time it takes
    const double wanted = std::min(std::round(static_cast<double>(n_beams) * static_cast<double>(patience)), kMost);
    n_enough_ = std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
  }
  completed_.resize(std::max(n_enough_, n_beams_));
  for (std::vector<Sequence>* sequences : {&live_, &next_, &completed_}) {
    for (Sequence& sequence : *sequences) {
      sequence.reset(max_tokens);
    }
  }
  failed_.reset(max_tokens);
  candidates_.reserve(2 * n_beams_ * (n_beams_ + 1));
  parents_.reserve(n_beams_);
}

void BeamSearch::restart() {
  live_.front().reset(max_tokens_);
  sums_.front() = 0;
  n_live_ = 1;
  n_completed_ = 0;
  has_failed_ = false;
  candidates_.clear();
}

void BeamSearch::consider(std::size_t beam, std::span<const float> log_probabilities, const SpecialTokens& special) {
  masses_[beam] = timestamp_mass(log_probabilities, special);
  const std::size_t n_wanted = n_beams_ + 1;
  const auto begin = static_cast<std::ptrdiff_t>(candidates_.size());
  const auto is_better = [](const Candidate& a, const Candidate& b) { return a.log_probability > b.log_probability; };
  // A short sorted list of the best so far; most tokens fail against its last at once.
  float worst = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < log_probabilities.size(); ++i) {
    const float value = log_probabilities[i];
    if (!(value > worst)) {
      continue;
    }
    const Candidate candidate = {static_cast<std::int32_t>(beam), static_cast<Token>(i), value,
                                 sums_[beam] + static_cast<double>(value)};
    const auto place = std::upper_bound(candidates_.begin() + begin, candidates_.end(), candidate, is_better);
    candidates_.insert(place, candidate);
    if (candidates_.size() - static_cast<std::size_t>(begin) > n_wanted) {
      candidates_.pop_back();
    }
    if (candidates_.size() - static_cast<std::size_t>(begin) == n_wanted) {
      worst = candidates_.back().log_probability;
    }
  }
}

std::span<const std::int32_t> BeamSearch::advance(const Window& window, const SpecialTokens& special) {
  std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
    return a.sum != b.sum ? a.sum > b.sum : (a.beam != b.beam ? a.beam < b.beam : a.token < b.token);
  });
  parents_.clear();
  std::size_t n_next = 0;
  for (const Candidate& candidate : candidates_) {
    if (n_next == n_beams_ || n_completed_ == n_enough_) {
      break;
    }
    const auto beam = static_cast<std::size_t>(candidate.beam);
    Sequence& sequence = next_[n_next];
    sequence = live_[beam];
    sequence.append(describe(candidate.token, candidate.log_probability, masses_[beam], special), window, special);
    if (sequence.is_live()) {
      next_sums_[n_next++] = candidate.sum;
      parents_.push_back(candidate.beam);
    } else if (sequence.outcome() == Sequence::Outcome::kCompleted) {
      std::swap(completed_[n_completed_++], sequence);
    } else if (!has_failed_) {
      std::swap(failed_, sequence);
      has_failed_ = true;
    }
  }
  candidates_.clear();
  if (n_completed_ == n_enough_) {
    parents_.clear();
    n_next = 0;
  }
  std::swap(live_, next_);
  std::swap(sums_, next_sums_);
  n_live_ = n_next;
  return parents_;
}

std::span<Sequence> BeamSearch::results() {
  for (std::size_t i = 0; i < n_live_ && n_completed_ < n_beams_; ++i) {
    std::swap(completed_[n_completed_++], live_[i]);
  }
  n_live_ = 0;
  if (n_completed_ == 0) {
    if (!has_failed_) {  // not a single token was possible
      failed_.reset(max_tokens_);
      failed_.reject();
    }
    std::swap(completed_[n_completed_++], failed_);
  }
  return {completed_.data(), n_completed_};
}

}  // namespace speech
