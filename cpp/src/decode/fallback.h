// When a window is decoded again at a higher temperature, and which of its candidates is taken. Pure.
// Source: Radford et al. 2022, section 4.5; thresholds as in openai/whisper transcribe.py, entropy in place of
// compression ratio.
#pragma once

#include <span>
#include <vector>

#include "decode/sequence.h"

namespace speech {

struct FallbackOptions {
  float temperature = 0;                 ///< first temperature, 0..1
  float temperature_step = 0.2F;         ///< 0 means no fallback
  float entropy_threshold = 2.4F;        ///< below it a candidate of more than 32 tokens is a repetition
  float log_probability_threshold = -1;  ///< average below which a window has failed
  float no_speech_threshold = 0.6F;      ///< probability above which a failed window is taken for silence instead
  float length_penalty = -1;
  float compression_ratio_threshold = 0;  ///< text that shrinks by more than this factor is a repetition; 0 is off
};

/// temperature, temperature + step ... up to 1.
std::vector<float> temperatures(const FallbackOptions& options);

struct Choice {
  int best = 0;                 ///< index of the candidate to take
  bool low_entropy = false;     ///< some candidate was rejected as a repetition
  bool needs_fallback = false;  ///< the best one failed, or is improbable though there is speech
};

/// Scores the candidates and ranks those that completed.
Choice choose(std::span<Sequence> candidates, const FallbackOptions& options, float no_speech_probability);

/// True if a window with this result is silence: no segment is made of it.
bool is_silence(const Sequence& best, const FallbackOptions& options, float no_speech_probability);

}  // namespace speech
