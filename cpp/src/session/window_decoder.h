// Decodes one encoded window: all candidates of a temperature advance in one batch, and failures are tried again
// hotter.
#pragma once

#include <span>
#include <vector>

#include "decode/fallback.h"
#include "decode/random.h"
#include "decode/rules.h"
#include "decode/sequence.h"
#include "session/context.h"
#include "session/options.h"
#include "session/state.h"

namespace speech {

/// What the tokens of a window are conditioned on.
struct Prompt {
  std::span<const Token> past;  ///< text before the window; its end is used
  std::span<const Token> task;  ///< start of transcript, language, task, no-timestamps
};

/// Lives for one transcription, so that draws do not repeat from window to window; makes its buffers once.
class WindowDecoder {
 public:
  WindowDecoder(const Context& context, State& state, const Options& options);

  /// Decodes the window that the state's engine holds. Returns the candidate to use, valid until the next call.
  Result<const Sequence*> decode(const Window& window, const Prompt& prompt);

  /// Of the last window: probability that it holds no speech, and how many past tokens its prompt had.
  float no_speech_probability() const { return no_speech_probability_; }
  int n_past_used() const { return n_past_used_; }

 private:
  Status start(const Prompt& prompt, float temperature, int n_candidates);
  Status advance(const Window& window, float temperature);
  void choose_next(std::size_t candidate, std::span<const float> logits, float temperature, const Window& window);

  const Context& context_;
  State& state_;
  const Options& options_;
  LogitRules rules_;
  std::vector<float> temperatures_;
  std::vector<Sequence> candidates_;  // kMaxDecoders at most
  std::vector<Random> randoms_;       // one for each candidate
  std::size_t n_candidates_ = 0;      // at the current temperature
  std::vector<StepToken> step_;
  std::vector<std::size_t> step_candidates_;  // whose token each row of the step is
  std::vector<float> logits_;                 // (V), the row being worked on
  std::vector<float> first_logits_;           // (V), after the prompt
  Position next_position_ = 0;
  float no_speech_probability_ = 0;
  int n_past_used_ = 0;
};

}  // namespace speech
