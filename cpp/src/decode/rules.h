// Which tokens may come next: the suppression and timestamp rules, as pure functions over logits. Knows a vocabulary,
// no model. V vocabulary size. Sources: Radford et al. 2022, section 4.5; openai/whisper decoding.py (SuppressBlank,
// SuppressTokens, ApplyTimestampRules); whisper.cpp for the rules named after its options.
#pragma once

#include <span>
#include <vector>

#include "text/vocabulary.h"

namespace speech {

/// What does not change during one transcription.
struct RuleOptions {
  bool suppress_blank = true;        ///< no " " and no end of text as the first token
  bool suppress_non_speech = false;  ///< no symbols and brackets that stand for sounds
  bool no_timestamps = false;
  bool single_segment = false;
  int max_tokens = 0;  ///< text tokens in one segment before a timestamp or the end must come; 0 is no limit
  int max_initial_timestamp = 50;   ///< steps of 20 ms; negative is no limit
  bool allow_speaker_turn = false;  ///< the token that marks a turn may be chosen
  std::vector<Token> suppressed;    ///< further tokens that are never chosen
};

/// What the rules see of a sequence: its tokens since the prompt, and the last timestamp's position.
struct SequenceView {
  std::span<const Token> tokens;
  bool has_timestamp = false;
  int last_timestamp = 0;  ///< steps of 20 ms, if has_timestamp
};

/// Token suppression for one vocabulary and one set of options; the lists are made once.
class LogitRules {
 public:
  LogitRules(const Vocabulary& vocabulary, const RuleOptions& options);

  /// logits (V): masks the tokens that are never text, and those that may not come first.
  void suppress(std::span<float> logits, const SequenceView& sequence) const;

  /// logits (V): masks the timestamps or text that may not come after the sequence: pairs, first timestamp, no way
  /// back, full segments.
  void constrain_timestamps(std::span<float> logits, const SequenceView& sequence) const;

  /// logits (V) -> natural log-probabilities (V) in place. Then the timestamp mass rule: if all timestamps together are
  /// more probable than every single text token, text is masked (not renormalised). All-masked input stays all
  /// -infinity.
  void normalize(std::span<float> logits) const;

 private:
  RuleOptions options_;
  SpecialTokens special_;
  std::vector<Token> always_;   // masked at every step
  std::vector<Token> initial_;  // masked at the first step
};

}  // namespace speech
