// The cells of the unified cache: claim, share, remove.
#include "whisper/kv_cache.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace speech {
namespace {

std::optional<int> claim(KvCache& cache, Position first, int n, SequenceId sequence) {
  std::vector<Position> positions(static_cast<std::size_t>(n));
  std::iota(positions.begin(), positions.end(), first);
  return cache.claim(positions, std::vector<SequenceId>(positions.size(), sequence));
}

TEST(KvCache, ClaimsRunsFromTheStart) {
  KvCache cache(10);
  EXPECT_EQ(claim(cache, 0, 4, 0), 0);
  EXPECT_EQ(claim(cache, 4, 3, 0), 4);
  EXPECT_EQ(cache.n_used_span(), 7);
}

TEST(KvCache, AFullCacheClaimsNothingAndStaysAsItIs) {
  KvCache cache(4);
  ASSERT_TRUE(claim(cache, 0, 3, 0));
  EXPECT_FALSE(claim(cache, 3, 2, 0));
  EXPECT_EQ(cache.n_used_span(), 3);
  EXPECT_EQ(claim(cache, 3, 1, 0), 3);
}

TEST(KvCache, ATokenSeesItsOwnSequenceAndItsPast) {
  KvCache cache(8);
  ASSERT_TRUE(claim(cache, 0, 3, 0));
  ASSERT_TRUE(claim(cache, 0, 2, 1));
  EXPECT_TRUE(cache.visible(0, 0, 1));
  EXPECT_TRUE(cache.visible(1, 0, 1));
  EXPECT_FALSE(cache.visible(2, 0, 1)) << "the future";
  EXPECT_FALSE(cache.visible(3, 0, 1)) << "another sequence";
  EXPECT_FALSE(cache.visible(7, 0, 9)) << "a free cell";
}

TEST(KvCache, ACopySharesCellsUntilBothAreGone) {
  KvCache cache(8);
  ASSERT_TRUE(claim(cache, 0, 3, 0));
  cache.copy(0, 5);
  cache.remove(0);
  EXPECT_TRUE(cache.visible(2, 5, 2));
  EXPECT_FALSE(cache.visible(2, 0, 2));
  EXPECT_EQ(cache.n_used_span(), 3);
  cache.remove(5);
  EXPECT_EQ(cache.n_used_span(), 0);
  EXPECT_EQ(claim(cache, 0, 8, 1), 0);
}

TEST(KvCache, RemovesARangeOfPositions) {
  KvCache cache(8);
  ASSERT_TRUE(claim(cache, 0, 6, 0));
  cache.remove(0, 4);
  EXPECT_EQ(cache.n_used_span(), 4);
  cache.remove(0, 1, 2);
  EXPECT_FALSE(cache.visible(1, 0, 5));
  EXPECT_TRUE(cache.visible(2, 0, 5));
  EXPECT_EQ(claim(cache, 6, 1, 0), 1) << "the hole is used first";
}

TEST(KvCache, KeepsToAModelOfItselfOverRandomWork) {
  // The model: a set of (sequence, position) for each sequence; cells must agree with it after every step.
  KvCache cache(64);
  std::vector<std::set<Position>> model(4);
  unsigned state = 12345;
  const auto next = [&](unsigned n) { return (state = state * 1664525U + 1013904223U) / 65536U % n; };
  for (int step = 0; step < 5000; ++step) {
    const auto s = static_cast<SequenceId>(next(4));
    const auto index = static_cast<std::size_t>(s);
    switch (next(4)) {
      case 0:
      case 1: {
        const Position first = model[index].empty() ? 0 : *model[index].rbegin() + 1;
        const int n = 1 + static_cast<int>(next(5));
        if (claim(cache, first, n, s)) {
          for (Position p = first; p < first + n; ++p) {
            model[index].insert(p);
          }
        } else {
          cache.clear();
          model.assign(4, {});
        }
        break;
      }
      case 2: {
        const auto to = static_cast<SequenceId>(next(4));
        if (to != s) {
          cache.remove(to);
          cache.copy(s, to);
          model[static_cast<std::size_t>(to)] = model[index];
        }
        break;
      }
      default: {
        const auto from = static_cast<Position>(next(8));
        cache.remove(s, from);
        model[index].erase(model[index].lower_bound(from), model[index].end());
        break;
      }
    }
    for (SequenceId q = 0; q < 4; ++q) {
      std::size_t seen = 0;
      for (int i = 0; i < cache.n_cells(); ++i) {
        seen += cache.visible(i, q, 1 << 20) ? 1 : 0;
      }
      ASSERT_EQ(seen, model[static_cast<std::size_t>(q)].size()) << "step " << step << ", sequence " << q;
    }
  }
}

}  // namespace
}  // namespace speech
