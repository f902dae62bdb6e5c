// Warping attention onto time: normalising, smoothing, the path.
#include "decode/dtw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "decode/random.h"

namespace speech::testing {
namespace {

/// (N, T) with `weight` where a token looks at a frame and 0.01 elsewhere.
std::vector<float> looking(const std::vector<int>& centres, int n_frames, int reach = 2, float weight = 1.0F) {
  std::vector<float> weights(centres.size() * static_cast<std::size_t>(n_frames), 0.01F);
  for (std::size_t n = 0; n < centres.size(); ++n) {
    for (int t = std::max(0, centres[n] - reach); t <= std::min(n_frames - 1, centres[n] + reach); ++t) {
      weights[n * static_cast<std::size_t>(n_frames) + static_cast<std::size_t>(t)] = weight;
    }
  }
  return weights;
}

TEST(Dtw, APathFollowsWhereTokensLook) {
  const std::vector<int> centres = {5, 20, 45, 70};
  AttentionSum sum(4, 80, 0, 4);
  sum.add(looking(centres, 80, 4));
  const std::vector<int> first = sum.first_frames();
  EXPECT_EQ(first[0], 0);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(first[i], centres[i - 1]) << i;
    EXPECT_LE(first[i], centres[i] - 4) << i;  // it has begun where it is looked at
  }
}

TEST(Dtw, OnlyTheKeptRowsAreAligned) {
  std::vector<float> weights = looking({60, 10, 40, 0}, 80, 4);  // what stands before and behind looks anywhere
  AttentionSum sum(4, 80, 1, 2);
  sum.add(weights);
  const std::vector<int> first = sum.first_frames();
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0], 0);
  EXPECT_GE(first[1], 14);
  EXPECT_LE(first[1], 36);
}

TEST(Dtw, HeadsAddUpInAnyGrouping) {
  Random random(5);
  std::vector<float> weights(3 * 6 * 50);
  for (float& weight : weights) {
    weight = static_cast<float>(random.uniform());
  }
  AttentionSum at_once(6, 50, 1, 4);
  at_once.add(weights);
  AttentionSum one_by_one(6, 50, 1, 4);
  for (std::size_t head = 0; head < 3; ++head) {
    one_by_one.add(std::span(weights).subspan(head * 300, 300));
  }
  EXPECT_EQ(at_once.first_frames(), one_by_one.first_frames());
}

TEST(Dtw, AFrameThatAllTokensShareSaysNothing) {
  // All look at frame 30 most; the small rest decides, as each frame is brought to mean 0.
  std::vector<float> weights = looking({10, 40}, 60, 5, 0.02F);
  for (const std::size_t row : {0U, 1U}) {
    for (std::size_t t = 28; t < 33; ++t) {
      weights[row * 60 + t] = 100.0F;
    }
  }
  AttentionSum sum(2, 60, 0, 2);
  sum.add(weights);
  EXPECT_GE(sum.first_frames()[1], 16);
  EXPECT_LE(sum.first_frames()[1], 35);
}

TEST(Dtw, ASpikeShorterThanHalfTheMedianIsSmoothedAway) {
  std::vector<float> weights = looking({10, 40}, 60, 8);
  for (std::size_t t = 3; t < 6; ++t) {  // three of seven frames
    weights[60 + t] = 50.0F;
  }
  AttentionSum sum(2, 60, 0, 2);
  sum.add(weights);
  EXPECT_GE(sum.first_frames()[1], 18);
}

/// The cheapest monotone path by trying all of them; its cost in attention.
double best_of_all_paths(const std::vector<std::vector<double>>& gain) {
  const std::size_t n = gain.size();
  const std::size_t t = gain[0].size();
  std::function<double(std::size_t, std::size_t)> best = [&](std::size_t i, std::size_t j) -> double {
    if (i + 1 == n && j + 1 == t) {
      return gain[i][j];
    }
    double most = -std::numeric_limits<double>::infinity();
    if (i + 1 < n) most = std::max(most, best(i + 1, j));
    if (j + 1 < t) most = std::max(most, best(i, j + 1));
    if (i + 1 < n && j + 1 < t) most = std::max(most, best(i + 1, j + 1));
    return gain[i][j] + most;
  };
  return best(0, 0);
}

TEST(Dtw, ThePathIsTheCheapestOfAll) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + random.next() % 3;
    const std::size_t t = 1 + random.next() % 3;  // so few frames are not smoothed: what is added is what is summed
    std::vector<float> weights(n * t);
    for (float& weight : weights) {
      weight = static_cast<float>(random.uniform());
    }
    std::vector<std::vector<double>> gain(n, std::vector<double>(t));
    for (std::size_t j = 0; j < t; ++j) {
      double mean = 0;
      double variance = 0;
      for (std::size_t i = 0; i < n; ++i) mean += static_cast<double>(weights[i * t + j]) / static_cast<double>(n);
      for (std::size_t i = 0; i < n; ++i) {
        variance += std::pow(static_cast<double>(weights[i * t + j]) - mean, 2) / static_cast<double>(n);
      }
      for (std::size_t i = 0; i < n; ++i) {
        gain[i][j] = (static_cast<double>(weights[i * t + j]) - mean) / std::sqrt(variance);
      }
    }
    AttentionSum sum(static_cast<int>(n), static_cast<int>(t), 0, static_cast<int>(n));
    sum.add(weights);
    const std::vector<int> first = sum.first_frames();
    // The best path among those with these first frames: each row goes from its first frame to the next one's, which it
    // may share or stop before.
    double found = gain[0][0];
    std::function<double(std::size_t, std::size_t)> along = [&](std::size_t i, std::size_t j) -> double {
      if (i + 1 == n && j + 1 == t) {
        return 0;
      }
      double most = -std::numeric_limits<double>::infinity();
      const auto frame = [&](std::size_t row) { return static_cast<std::size_t>(first[row]); };
      if (j + 1 < t) most = std::max(most, gain[i][j + 1] + along(i, j + 1));
      if (i + 1 < n && frame(i + 1) == j) most = std::max(most, gain[i + 1][j] + along(i + 1, j));
      if (i + 1 < n && j + 1 < t && frame(i + 1) == j + 1)
        most = std::max(most, gain[i + 1][j + 1] + along(i + 1, j + 1));
      return most;
    };
    found += along(0, 0);
    EXPECT_NEAR(found, best_of_all_paths(gain), 1e-4) << "round " << round;
  }
}

TEST(Dtw, FirstFramesNeverGoBackAndLieInside) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + static_cast<int>(random.next() % 12);
    const int t = 1 + static_cast<int>(random.next() % 30);  // more tokens than frames, too
    std::vector<float> weights(static_cast<std::size_t>(n * t));
    for (float& weight : weights) {
      weight = round % 4 == 0 ? 0.5F : static_cast<float>(random.uniform());  // also all equal: variance 0
    }
    AttentionSum sum(n, t, 0, n);
    sum.add(weights);
    int latest = 0;
    for (const int frame : sum.first_frames()) {
      ASSERT_GE(frame, latest);
      ASSERT_LT(frame, t);
      latest = frame;
    }
    EXPECT_EQ(sum.first_frames().front(), 0);
  }
}

}  // namespace
}  // namespace speech::testing
