// Beam search over sequences: which continuations of the live beams survive a step. Pure: log-probabilities in,
// sequences and their ancestry out; knows no model and no cache.
//
// At each step every live beam offers its n + 1 most probable tokens (one of them may be the end). The best of all by
// summed log-probability become the next live beams, those that complete are set aside, and the search is over when
// enough are. Nothing is drawn, equal sums go to the earlier beam and the lower token: the same text on every machine.
// Source: openai/whisper decoding.py, BeamSearchDecoder; patience: Kasai et al. 2022, "Beam decoding with controlled
// patience".
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/sampling.h"
#include "decode/sequence.h"

namespace speech {

class BeamSearch {
 public:
  /// n_beams: 1 .. 8. patience: completed beams that end the search, as a multiple of n_beams; not positive is 1.
  /// All memory is taken here.
  BeamSearch(int n_beams, float patience, int max_tokens);

  /// One empty live beam.
  void restart();

  /// Live beams, most probable first.
  std::span<const Sequence> live() const { return {live_.data(), n_live_}; }

  /// Offers the continuations of a live beam. log_probabilities (V) after the rules. Once for each live beam and step.
  void consider(std::size_t beam, std::span<const float> log_probabilities, const SpecialTokens& special);

  /// Ends the step. Returns for each new live beam the beam it continues; its last token is the new one.
  std::span<const std::int32_t> advance(const Window& window, const SpecialTokens& special);

  /// Completed beams, filled up with live ones to n_beams; where all have failed, one of those. Never empty;
  /// valid until restart().
  std::span<Sequence> results();

 private:
  struct Candidate {
    std::int32_t beam = 0;
    Token token = 0;
    float log_probability = 0;
    double sum = 0;
  };

  std::size_t n_beams_;
  std::size_t n_enough_;  // completed ones that end the search
  int max_tokens_;
  std::vector<Sequence> live_, next_, completed_;
  std::vector<double> sums_, next_sums_;  // of live_, next_
  std::size_t n_live_ = 0;
  std::size_t n_completed_ = 0;
  Sequence failed_;  // the first beam that failed, for when nothing else is left
  bool has_failed_ = false;
  std::vector<TimestampMass> masses_;  // of each live beam's distribution
  std::vector<Candidate> candidates_;
  std::vector<std::int32_t> parents_;
};

}  // namespace speech
