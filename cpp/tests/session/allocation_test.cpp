// That a step of the token loop costs no allocation: rules, choice, candidates, engine and CPU back-end together.
// Measured through a whole transcription, from the choice of the first token at each temperature of each window to that
// of the last one; the prompt before it and the ranking of the candidates after it are left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/allocations.cpp"  // NOLINT(bugprone-suspicious-include): counts in this executable, too
#include "session/scripted.h"

namespace speech::testing {
namespace {

/// Keeps decoding going to the last step, and counts allocations on the way. Makes none itself.
struct Counter {
  const SpecialTokens& special;
  std::size_t at_first = 0;
  std::size_t at_last = 0;
  std::size_t most = 0;  ///< allocations from a first token to a later one
  int n_tokens = 0;      ///< chosen in all

  void filter(std::span<const TokenData> tokens, std::span<float> logits) {
    at_last = allocations();
    if (tokens.empty()) {
      at_first = at_last;  // of the last candidate: the first tokens of all are chosen one after the other
    }
    most = std::max(most, at_last - at_first);
    n_tokens += 1;
    for (Token token = special.eot; token < static_cast<Token>(logits.size()); ++token) {
      logits[static_cast<std::size_t>(token)] = -1e9F;
    }
  }
};

TEST(TokenLoop, AllocatesNothingAfterTheFirstToken) {
  const std::unique_ptr<State> state = new_state(english());
  Counter counter{english().vocabulary().special()};
  Options options;
  options.n_threads = 2;
  options.best_of = 3;
  options.fallback.temperature_step = 0.5F;
  options.callbacks.filter_logits = [&counter](std::span<const TokenData> tokens, std::span<float> logits) {
    counter.filter(tokens, logits);
  };
  Stage stage{};
  ASSERT_TRUE(transcribe(english(), *state, options, recording(3999), stage));
  // Text without end or timestamp fails at every temperature (0, 0.5, 1): 28 steps of 1 + 2 * 3 candidates in each of
  // two windows.
  EXPECT_EQ(counter.n_tokens, 2 * 28 * (1 + 2 * 3));
  EXPECT_EQ(counter.most, 0U);
}

}  // namespace
}  // namespace speech::testing
