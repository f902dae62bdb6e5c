// A vocabulary and tokens for tests of the decoding rules; no model.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "decode/sampling.h"
#include "model/synthetic_model.h"
#include "text/vocabulary.h"

namespace speech::testing {

inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// English-only, with the published special ids and made-up words. Made once: fifty thousand words take a while.
inline const Vocabulary& english() {
  static const Vocabulary vocabulary = Vocabulary::build(synthetic_words(51864, 1), 51864).value();
  return vocabulary;
}

/// A token of this id with probability 0.5.
inline TokenData token(Token id, float log_probability = -0.6931472F) {
  TokenData data;
  data.id = id;
  data.timestamp_id = id >= english().special().beg ? id : english().special().beg;
  data.log_probability = log_probability;
  data.probability = 0.5F;
  return data;
}

/// The timestamp token of a time inside the window.
inline Token timestamp(double seconds) { return english().special().beg + static_cast<Token>(seconds * 50 + 0.5); }

/// Logits that are all equal.
inline std::vector<float> flat_logits() { return std::vector<float>(static_cast<std::size_t>(english().size()), 0.0F); }

inline bool is_masked(const std::vector<float>& logits, Token id) {
  return logits[static_cast<std::size_t>(id)] == kMasked;
}

}  // namespace speech::testing
