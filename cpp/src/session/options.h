// Options of one transcription in C++ terms, with their ranges. Each is explained in the option reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "base/call_gate.h"
#include "base/status.h"
#include "base/threads.h"
#include "decode/fallback.h"
#include "decode/grammar.h"
#include "decode/sampling.h"
#include "decode/token_times.h"
#include "text/vocabulary.h"
#include "vad/vad.h"

namespace speech {

inline constexpr int kMaxDecoders = 8;
inline constexpr int kDefaultDecoders = 5;  ///< best-of and beams of the defaults; a new state has room for them
inline constexpr int kMaxThreads = 64;

/// Where a transcription stopped with an error.
enum class Stage { kOptions, kFeatures, kLanguage, kDecoders, kAudioContext, kEncode, kDecode };

struct Callbacks {
  /// Percent done, 0..100, never smaller than before; 100 exactly once, unless cancelled or failed.
  std::function<void(int percent)> progress;
  /// So many segments were added to the results.
  std::function<void(int n_new)> new_segments;
  /// Before each window; false ends the transcription with what there is.
  std::function<bool()> encoder_begin;
  /// May change the logits (V) of the next token.
  std::function<void(std::span<const TokenData> tokens, std::span<float> logits)> filter_logits;
  /// What threads of the call join while they may call back, so that a free inside a callback is told from one outside.
  std::vector<std::shared_ptr<CallGate>> gates;
  /// Held while results are added, where several threads may call back; null where one does.
  Mutex* results_mutex = nullptr;
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
  bool speaker_turns = false;  ///< tinydiarize models: keep the token that marks a turn
  std::string initial_prompt;
  bool carry_initial_prompt = false;             ///< the prompt stands before every window, not only the first
  std::vector<Token> prompt_tokens;              ///< taken instead of initial_prompt if not empty
  std::string language = "en";                   ///< "" and "auto" detect it
  std::vector<std::string> language_candidates;  ///< detection chooses among these; empty is all
  bool detect_language_only = false;
  std::string suppress_regex;  ///< tokens whose text it matches are never chosen
  bool suppress_blank = true;
  bool suppress_non_speech = false;
  float max_initial_timestamp_s = 1.0F;
  int best_of = kDefaultDecoders;
  int n_beams = 0;         ///< candidates at temperature 0: 0 takes the most probable token, otherwise beam search
  float patience = -1;     ///< see BeamSearch
  std::uint64_t seed = 0;  ///< of the draws at higher temperatures
  bool token_times = false;
  TokenTimeOptions token_time_options;
  int max_segment_length = 0;  ///< code points; longer segments are cut; 0 is no limit
  bool split_on_word = false;  ///< ... only before words
  std::shared_ptr<const Grammar> grammar;
  float grammar_penalty = 100;
  bool vad = false;
  std::string vad_model_path;
  VadOptions vad_options;
  FallbackOptions fallback;
  Callbacks callbacks;
};

/// 0 becomes the default, more than kMaxThreads becomes kMaxThreads, and 1 where there are no threads;
/// invalid_argument if negative.
Result<int> resolve_threads(int n_threads);

/// invalid_argument naming the first option that is out of range, its value and its range.
Status validate(const Options& options, const Vocabulary& vocabulary);

}  // namespace speech
