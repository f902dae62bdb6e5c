// Options of one transcription in C++ terms, with their ranges. Each is explained in the option reference.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/status.h"
#include "decode/fallback.h"
#include "decode/sampling.h"
#include "text/vocabulary.h"

namespace speech {

inline constexpr int kMaxDecoders = 8;
inline constexpr int kDefaultDecoders = 5;  ///< best-of of the defaults; a new state has room for them
inline constexpr int kMaxThreads = 64;

struct Callbacks {
  /// Percent done, 0..100, never smaller than before; 100 exactly once, unless cancelled or failed.
  std::function<void(int percent)> progress;
  /// So many segments were added to the results.
  std::function<void(int n_new)> new_segments;
  /// Before each window; false ends the transcription with what there is.
  std::function<bool()> encoder_begin;
  /// May change the logits (V) of the next token.
  std::function<void(std::span<const TokenData> tokens, std::span<float> logits)> filter_logits;
  /// Asked between operations; true cancels.
  Stream::AbortCallback abort = nullptr;
  void* abort_user_data = nullptr;
};

struct Options {
  int n_threads = 0;  ///< 0 is min(4, hardware)
  int n_max_text_ctx = 16384;
  int offset_ms = 0;
  int duration_ms = 0;  ///< 0 is to the end
  bool translate = false;
  bool no_context = true;
  bool no_timestamps = false;
  bool single_segment = false;
  bool keep_special = false;
  int max_tokens = 0;
  int audio_ctx = 0;
  std::string initial_prompt;
  std::vector<Token> prompt_tokens;  ///< taken instead of initial_prompt if not empty
  std::string language = "en";       ///< "" and "auto" detect it
  bool suppress_blank = true;
  bool suppress_non_speech = false;
  float max_initial_timestamp_s = 1.0F;
  int best_of = kDefaultDecoders;
  FallbackOptions fallback;
  Callbacks callbacks;
};

/// 0 becomes the default, more than kMaxThreads becomes kMaxThreads; invalid_argument if negative.
Result<int> resolve_threads(int n_threads);

/// invalid_argument naming the first option that is out of range, its value and its range.
Status validate(const Options& options, const Vocabulary& vocabulary);

}  // namespace speech
