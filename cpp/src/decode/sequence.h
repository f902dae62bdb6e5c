// One candidate transcription of a window: its tokens, when it ends or fails, and how good it is. Pure; knows no model.
// Times inside a window are in frames of 10 ms. Source: whisper.cpp's decoding loop, whose rules these are.
#pragma once

#include <span>
#include <vector>

#include "decode/rules.h"
#include "decode/sampling.h"
#include "text/vocabulary.h"

namespace speech {

inline constexpr int kWindowFrames = 3000;  ///< 30 s
inline constexpr int kMinimumFrames = 10;   ///< less than 100 ms is not decoded

/// The window that a sequence transcribes.
struct Window {
  int seek = 0;       ///< its first frame
  int seek_end = 0;   ///< end of the audio to transcribe
  int max_steps = 0;  ///< steps after which a sequence is cut off: n_text_ctx / 2 - 4
  bool no_timestamps = false;
  bool single_segment = false;
  int max_tokens = 0;

  /// True if a sequence that reaches `frames` into the window leaves nothing worth another window.
  bool reaches_end(int frames) const { return seek + frames + kMinimumFrames >= seek_end; }
};

class Sequence {
 public:
  enum class Outcome { kLive, kCompleted, kFailed };

  /// Empties it, keeping memory for max_tokens.
  void reset(int max_tokens);

  /// Adds the chosen token of this step and decides whether the sequence goes on, is complete, or has failed (time went
  /// back, the end came before any timestamp, or it ran to the last step without getting anywhere: a repetition loop).
  void append(const TokenData& token, const Window& window, const SpecialTokens& special);

  Outcome outcome() const { return outcome_; }
  bool is_live() const { return outcome_ == Outcome::kLive; }
  void reject() { outcome_ = Outcome::kFailed; }

  SequenceView view() const { return {ids_, has_timestamp_, seek_delta_ / 2}; }

  /// Drops what follows the last timestamp (or keeps all, where timestamps are off) and computes the figures below.
  /// length_penalty: exponent of ((5 + n) / 6) that divides the sum; not positive means the plain average.
  void score(float length_penalty);

  std::span<const TokenData> tokens() const { return tokens_; }
  int n_tokens() const { return static_cast<int>(tokens_.size()); }
  /// Tokens up to the last timestamp, or all where timestamps are off.
  int result_length() const { return result_length_; }
  /// Frames up to the last timestamp; the whole window before any.
  int seek_delta() const { return seek_delta_; }

  // After score():
  double sum_log_probability() const { return sum_log_probability_; }
  double average_log_probability() const { return average_log_probability_; }
  double ranking() const { return ranking_; }
  /// Of the last 32 tokens, natural units; low means repetition.
  double entropy() const { return entropy_; }

 private:
  std::vector<TokenData> tokens_;
  std::vector<Token> ids_;  // of tokens_, as the rules want them
  Outcome outcome_ = Outcome::kLive;
  bool has_timestamp_ = false;
  int seek_delta_ = kWindowFrames;
  int result_length_ = 0;  // tokens up to the last timestamp

  double sum_log_probability_ = 0;
  double average_log_probability_ = 0;
  double ranking_ = 0;
  double entropy_ = 0;
};

}  // namespace speech
