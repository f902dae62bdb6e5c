// The weights of one head against a naive double-precision softmax, and against what attend() makes of them.

#include <cmath>
#include <cstring>
#include <tuple>

#include "backend/allocations.h"
#include "backend/host.h"
#include "base/half.h"

namespace speech {
namespace {

class AttendWeights : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  Host host_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Cpu, AttendWeights,
                         testing::Combine(testing::Values("cpu", "deferred"), testing::Values(1, 3)),
                         [](const auto& instance) {
                           return std::get<0>(instance.param) + std::to_string(std::get<1>(instance.param)) + "Threads";
                         });

TEST_P(AttendWeights, OfTwoTokensAndTwoFramesByHand) {
  // Head 1 of 2, width 1 each: scores 1 * 0 and 1 * ln 3, 2 * 0 and 2 * ln 3.
  const float ln3 = std::log(3.0F);
  const Tensor q = host_.f32({2, 2}, {9, 1, 9, 2});
  const Tensor k = host_.f32({2, 2}, {9, 0, -9, ln3});
  const Tensor out = host_.empty(DType::kF32, {2, 2});
  host_.stream().attend_weights(q, k, 2, 1, out);
  const std::vector<float> values = host_.values(out);
  const float expected[] = {0.25F, 0.75F, 0.1F, 0.9F};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-6) << i;  // some units of the last place of 1
  }
}

TEST_P(AttendWeights, AreASoftmaxOverTheKeysForEveryShape) {
  for (const bool half : {false, true}) {
    for (const auto& [n, t, d, heads] : {std::tuple{1, 1, 4, 1},
                                         {1, 1500, 64, 1},
                                         {3, 7, 24, 3},
                                         {8, 100, 64, 2},
                                         {9, 129, 128, 2},
                                         {33, 61, 40, 4},
                                         {5, 3, 512, 2}}) {
      const std::vector<float> q = random_values(std::int64_t{n} * d, 1, 2.0F);
      std::vector<float> k = random_values(std::int64_t{t} * d, 2);
      const Tensor keys = half ? host_.f16({t, d}, k) : host_.f32({t, d}, k);
      if (half) {
        for (float& value : k) {
          value = half_to_float(float_to_half(value));
        }
      }
      const Tensor queries = host_.f32({n, d}, q);
      const int width = d / heads;
      for (int head = 0; head < heads; ++head) {
        const Tensor out = host_.empty(DType::kF32, {n, t});
        host_.stream().attend_weights(queries, keys, heads, head, out);
        const std::vector<float> values = host_.values(out);
        for (int row = 0; row < n; ++row) {
          std::vector<double> scores;
          double sum = 0;
          for (int key = 0; key < t; ++key) {
            double score = 0;
            for (int i = 0; i < width; ++i) {
              score += static_cast<double>(q[static_cast<std::size_t>(row * d + head * width + i)]) *
                       static_cast<double>(k[static_cast<std::size_t>(key * d + head * width + i)]);
            }
            scores.push_back(std::exp(score / std::sqrt(width)));
            sum += scores.back();
          }
          for (int key = 0; key < t; ++key) {
            // Scores of magnitude up to about 10 are summed in float to some 1e-6, which exp makes relative.
            const double expected = scores[static_cast<std::size_t>(key)] / sum;
            ASSERT_NEAR(values[static_cast<std::size_t>(row * t + key)], expected, 2e-5 * expected + 1e-9)
                << n << " x " << t << ", head " << head << ", row " << row << ", key " << key;
          }
        }
      }
    }
  }
}

TEST_P(AttendWeights, WeighTheValuesAsAttendDoes) {
  constexpr int kTokens = 6;
  constexpr int kFrames = 40;
  constexpr int kWidth = 32;
  const Tensor q = host_.f32({kTokens, kWidth}, random_values(kTokens * kWidth, 3));
  const Tensor k = host_.f32({kFrames, kWidth}, random_values(kFrames * kWidth, 4));
  const std::vector<float> v = random_values(kFrames * kWidth, 5);
  const Tensor attended = host_.empty(DType::kF32, {kTokens, kWidth});
  host_.stream().attend(q, k, host_.f32({kFrames, kWidth}, v), 2, {}, attended);
  const std::vector<float> expected = host_.values(attended);
  for (int head = 0; head < 2; ++head) {
    const Tensor out = host_.empty(DType::kF32, {kTokens, kFrames});
    host_.stream().attend_weights(q, k, 2, head, out);
    const std::vector<float> weights = host_.values(out);
    for (int row = 0; row < kTokens; ++row) {
      for (int i = head * kWidth / 2; i < (head + 1) * kWidth / 2; ++i) {
        double sum = 0;
        for (int key = 0; key < kFrames; ++key) {
          sum += static_cast<double>(weights[static_cast<std::size_t>(row * kFrames + key)]) *
                 static_cast<double>(v[static_cast<std::size_t>(key * kWidth + i)]);
        }
        EXPECT_NEAR(expected[static_cast<std::size_t>(row * kWidth + i)], sum, 1e-5);  // float sums of 40 terms
      }
    }
  }
}

TEST(AttendWeightsOfThreads, AreTheSameBits) {
  const auto weights = [](int n_threads) {
    Host host("cpu", n_threads);
    const Tensor out = host.empty(DType::kF32, {100, 333});
    host.stream().attend_weights(host.f32({100, 64}, random_values(6400, 1)),
                                 host.f16({333, 64}, random_values(21312, 2)), 1, 0, out);
    return host.values(out);
  };
  EXPECT_EQ(weights(1), weights(2));
  EXPECT_EQ(weights(1), weights(5));
}

TEST(AttendWeightsOfThreads, AllocateNothing) {
  Host host("cpu", 3);
  const Tensor q = host.f32({100, 64}, random_values(6400, 1));
  const Tensor k = host.f16({333, 64}, random_values(21312, 2));
  const Tensor out = host.empty(DType::kF32, {100, 333});
  const auto run = [&] {
    host.stream().attend_weights(q, k, 2, 1, out);
    return host.stream().wait().is_ok();
  };
  ASSERT_TRUE(run());  // makes the threads
  const std::size_t before = allocations();
  const bool is_ok = run() && run();
  EXPECT_EQ(allocations() - before, 0U);
  EXPECT_TRUE(is_ok);
}

TEST(AttendWeightsDeathTest, AHeadThatDoesNotExistIsOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Host host("cpu");
  const Tensor x = host.f32({2, 32}, random_values(64, 1));
  const Tensor out = host.empty(DType::kF32, {2, 2});
  EXPECT_DEATH(host.stream().attend_weights(x, x, 2, 2, out), "internal error");
  EXPECT_DEATH(host.stream().attend_weights(x, x, 2, 0, host.empty(DType::kF32, {2, 3})), "internal error");
}

}  // namespace
}  // namespace speech
