// Decodes one encoded window: all candidates of a temperature advance in one batch, and failures are tried again
// hotter.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decode/beam.h"
#include "decode/fallback.h"
#include "decode/grammar_filter.h"
#include "decode/random.h"
#include "decode/rules.h"
#include "decode/sequence.h"
#include "session/context.h"
#include "session/options.h"
#include "session/state.h"

namespace speech {

/// What the tokens of a window are conditioned on.
struct Prompt {
  std::span<const Token> carried;  ///< words of the caller's that stand before every window; its end is used
  std::span<const Token> past;     ///< text before the window; its end is used
  std::span<const Token> task;     ///< start of transcript, language, task, no-timestamps
};

/// Lives for one transcription, so that draws do not repeat from window to window; makes its buffers once.
class WindowDecoder {
 public:
  /// suppressed: tokens that are never chosen, beside those of the rules. Errors of the grammar.
  static Result<WindowDecoder> create(const Context& context, State& state, const Options& options,
                                      std::vector<Token> suppressed);

  /// Decodes the window that the state's engine holds. Returns the candidate to use, valid until the next call.
  Result<const Sequence*> decode(const Window& window, const Prompt& prompt);

  /// Of the last window: probability that it holds no speech, and how many past tokens its prompt had.
  float no_speech_probability() const { return no_speech_probability_; }
  int n_past_used() const { return n_past_used_; }

 private:
  WindowDecoder(const Context& context, State& state, const Options& options, std::vector<Token> suppressed);
  Status start(const Prompt& prompt, float temperature);
  Status advance(const Window& window, float temperature);
  Result<std::span<Sequence>> draw(const Window& window, float temperature);
  Result<std::span<Sequence>> search_beams(const Window& window);
  void choose_next(std::size_t candidate, std::span<const float> logits, float temperature, const Window& window);
  void apply_rules(const Sequence& sequence, std::size_t candidate, std::span<const float> logits, float scale);
  void consider_beam(std::size_t beam, std::span<const float> logits);
  void advance_beams(const Window& window);
  bool is_repetition(const Sequence& best) const;

  const Context& context_;
  State& state_;
  const Options& options_;
  LogitRules rules_;
  std::vector<float> temperatures_;
  std::vector<Sequence> candidates_;  // kMaxDecoders at most
  std::optional<BeamSearch> beams_;   // where they are asked for
  std::vector<Random> randoms_;       // one for each candidate
  std::optional<GrammarFilter> grammar_;
  std::vector<GrammarState> grammar_states_, next_grammar_states_;  // of each candidate, if there is a grammar
  std::size_t n_candidates_ = 0;                                    // at the current temperature
  std::vector<StepToken> step_;
  std::vector<std::size_t> step_candidates_;  // whose token each row of the step is
  std::vector<float> logits_;                 // (V), the row being worked on
  std::vector<float> first_logits_;           // (V), after the prompt
  Position next_position_ = 0;
  float no_speech_probability_ = 0;
  int n_past_used_ = 0;
};

}  // namespace speech
