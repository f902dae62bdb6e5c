// From log-probabilities to a token: the most probable one, or a seeded draw. Pure functions; V vocabulary size.
#pragma once

#include <span>

#include "decode/random.h"
#include "text/vocabulary.h"

namespace speech {

/// A chosen token with what the distribution said of it.
struct TokenData {
  Token id = 0;
  Token timestamp_id = 0;     ///< most probable timestamp at this step; the token itself if that is a timestamp
  float probability = 0;      ///< 0..1
  float log_probability = 0;  ///< natural
  float timestamp_probability =
      0;  ///< share of timestamp_id among the timestamps; the token's own if it is a timestamp
  float timestamp_sum_probability = 0;  ///< of all timestamps together

  // Set after decoding, where asked for. Frames of 10 ms from the start of the audio; -1 is unset.
  int t0 = -1;     ///< start, see token_times.h
  int t1 = -1;     ///< end
  int t_dtw = -1;  ///< when the token has been spoken, see session/alignment.h
  float vlen = 0;  ///< voice length of its text, see token_times.h
};

/// log(sum(exp(values))); -infinity if all are.
float log_sum_exp(std::span<const float> values);

/// values <- values - log_sum_exp(values), in place; all -infinity stays so.
void log_softmax(std::span<float> values);

/// What a distribution says of the timestamps, whatever token is chosen from it.
struct TimestampMass {
  Token best = 0;         ///< most probable timestamp
  float share = 0;        ///< of `best` among the timestamps
  float probability = 0;  ///< of all timestamps together
};
TimestampMass timestamp_mass(std::span<const float> log_probabilities, const SpecialTokens& special);

/// The data of token `id` of that distribution.
TokenData describe(Token id, float log_probability, const TimestampMass& timestamps, const SpecialTokens& special);

/// The most probable token; the lowest id among equals.
TokenData choose_most_probable(std::span<const float> log_probabilities, const SpecialTokens& special);

/// A draw from the distribution; masked tokens (-infinity) are never drawn. Deterministic for a state of `random`.
TokenData choose_at_random(std::span<const float> log_probabilities, const SpecialTokens& special, Random& random);

}  // namespace speech
