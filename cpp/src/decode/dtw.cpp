// Normalising, smoothing, warping.
#include "decode/dtw.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace speech {
namespace {

constexpr std::size_t kReach = 3;  // frames of the median on each side
constexpr std::size_t kMedianWidth = 2 * kReach + 1;

// weights (N, T): each column to mean 0 and variance 1.
void normalize_columns(std::span<float> weights, std::size_t n_tokens, std::size_t n_frames) {
  std::vector<double> mean(n_frames);
  std::vector<double> scale(n_frames);
  const auto n = static_cast<double>(n_tokens);
  for (std::size_t row = 0; row < n_tokens; ++row) {
    for (std::size_t t = 0; t < n_frames; ++t) {
      mean[t] += static_cast<double>(weights[row * n_frames + t]) / n;
    }
  }
  for (std::size_t row = 0; row < n_tokens; ++row) {
    for (std::size_t t = 0; t < n_frames; ++t) {
      const double distance = static_cast<double>(weights[row * n_frames + t]) - mean[t];
      scale[t] += distance * distance / n;
    }
  }
  for (double& value : scale) {
    value = value > 0 ? 1.0 / std::sqrt(value) : 0.0;
  }
  for (std::size_t row = 0; row < n_tokens; ++row) {
    for (std::size_t t = 0; t < n_frames; ++t) {
      float& weight = weights[row * n_frames + t];
      weight = static_cast<float>((static_cast<double>(weight) - mean[t]) * scale[t]);
    }
  }
}

// sum (T) += the running median of row (T); rows too short to be mirrored stay as they are.
void add_smoothed(std::span<const float> row, std::span<float> sum) {
  const std::size_t n = row.size();
  if (n <= kReach) {
    std::ranges::transform(sum, row, sum.begin(), [](float a, float b) { return a + b; });
    return;
  }
  std::array<float, kMedianWidth> around;
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t i = 0; i < kMedianWidth; ++i) {
      const std::size_t at = t + i < kReach ? kReach - t - i : t + i - kReach;
      around[i] = row[at < n ? at : 2 * (n - 1) - at];
    }
    std::ranges::nth_element(around, around.begin() + kReach);
    sum[t] += around[kReach];
  }
}

enum Step : std::uint8_t { kBoth, kRow, kFrame };

}  // namespace

AttentionSum::AttentionSum(int n_tokens, int n_frames, int first_row, int n_rows)
    : n_tokens_(static_cast<std::size_t>(n_tokens)),
      n_frames_(static_cast<std::size_t>(n_frames)),
      first_row_(static_cast<std::size_t>(first_row)),
      n_rows_(static_cast<std::size_t>(n_rows)),
      sum_(n_rows_ * n_frames_) {
  assert(n_frames > 0 && n_rows > 0 && first_row >= 0 && first_row + n_rows <= n_tokens);
}

void AttentionSum::add(std::span<const float> weights) {
  const std::size_t head_size = n_tokens_ * n_frames_;
  assert(weights.size() % head_size == 0);
  for (std::size_t begin = 0; begin < weights.size(); begin += head_size) {
    const std::span<const float> head = weights.subspan(begin, head_size);
    head_.assign(head.begin(), head.end());
    normalize_columns(head_, n_tokens_, n_frames_);
    for (std::size_t row = 0; row < n_rows_; ++row) {
      add_smoothed(std::span<const float>(head_).subspan((first_row_ + row) * n_frames_, n_frames_),
                   std::span(sum_).subspan(row * n_frames_, n_frames_));
    }
  }
}

std::vector<int> AttentionSum::first_frames() const {
  // cost[t]: of the cheapest path to frame t of the row, the cell itself included. A cell costs what it lacks in
  // attention, so that paths keep to where the tokens look. Among equals the step along time is taken.
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<double> above(n_frames_, kNever);
  std::vector<double> cost(n_frames_, kNever);
  std::vector<Step> steps(n_rows_ * n_frames_, kFrame);
  for (std::size_t row = 0; row < n_rows_; ++row) {
    for (std::size_t t = 0; t < n_frames_; ++t) {
      const double both = row == 0 && t == 0 ? 0.0 : row > 0 && t > 0 ? above[t - 1] : kNever;
      const double next_row = row > 0 ? above[t] : kNever;
      const double next_frame = t > 0 ? cost[t - 1] : kNever;
      Step& step = steps[row * n_frames_ + t];
      double best = next_frame;
      if (both < next_row && both < next_frame) {
        step = kBoth;
        best = both;
      } else if (next_row < both && next_row < next_frame) {
        step = kRow;
        best = next_row;
      }
      cost[t] = best - static_cast<double>(sum_[row * n_frames_ + t]);
    }
    std::swap(above, cost);
  }

  std::vector<int> first(n_rows_);
  std::size_t row = n_rows_ - 1;
  std::size_t t = n_frames_ - 1;
  while (true) {
    first[row] = static_cast<int>(t);
    if (row == 0 && t == 0) {
      return first;
    }
    const Step step = row == 0 ? kFrame : t == 0 ? kRow : steps[row * n_frames_ + t];
    row -= step == kFrame ? 0 : 1;
    t -= step == kRow ? 0 : 1;
  }
}

}  // namespace speech
